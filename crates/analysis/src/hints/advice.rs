//! The three numbers that a storage engine is built around: how large, where, and in how many streams to
//! write. Each has an answer, also where the device does not care or where it is not known.

use super::io_size::{Enough, enough};
use super::{Scene, is_more, words};
use crate::compare::ratio;
use crate::findings::Advice;
use crate::indicators::Shifts;
use crate::indicators::curve::dearest;

pub(super) fn advice(scene: &Scene<'_>) -> Vec<Advice> {
    vec![block_size(scene), alignment(scene), streams(scene)]
}

fn says(question: &'static str, answer: String, because: String, experiments: Vec<String>) -> Advice {
    Advice { question, answer, because, experiments }
}

fn unknown(question: &'static str, micro: &str) -> Advice {
    says(question, "not measured".into(), format!("the micro-benchmark {micro} has no result"), Vec::new())
}

/// The smallest size that reaches nearly the best throughput: of random writes if they were measured.
fn block_size(scene: &Scene<'_>) -> Advice {
    const QUESTION: &str = "block size";
    let Some(found) = ["RW", "SW", "RR", "SR"].into_iter().find_map(|name| enough(scene, name)) else {
        return unknown(QUESTION, "granularity");
    };
    let Enough { curve, smallest, at, best_bytes_a_second, saving } = &found;
    let of = words::pattern(curve);
    let experiments = vec![smallest.point.experiment.id(), at.point.experiment.id()];
    if !is_more(saving) {
        let because = format!("{of} have the same throughput at all sizes tried");
        return says(QUESTION, "any".into(), because, experiments);
    }
    let mut because = format!(
        "{of} reach 90 % of their best throughput ({}) at this size",
        words::throughput(*best_bytes_a_second)
    );
    let wasteful = scene.indicators.granularity_bytes.filter(|size| size.value < at.parameter);
    if let Some(size) = wasteful {
        because += &format!("; below {} smaller is not faster", words::size(size.value));
    }
    says(QUESTION, format!("{} or more", words::size(at.parameter)), because, experiments)
}

fn alignment(scene: &Scene<'_>) -> Advice {
    const QUESTION: &str = "alignment";
    let Some(shifts) = Shifts::of(scene.points) else { return unknown(QUESTION, "alignment") };
    let Some(worst) = dearest(&shifts.shifted) else { return unknown(QUESTION, "alignment") };
    let of = words::pattern(shifts.curve);
    let experiments = vec![worst.point.experiment.id()];
    let indicators = scene.indicators;
    if let (Some(unit), Some(factor)) = (indicators.alignment_bytes, indicators.alignment_factor) {
        let because = format!("misaligned {of} take {} times as long", words::digits(factor.value));
        return says(QUESTION, words::size(unit.value), because, experiments);
    }
    let because = format!("no significant difference between aligned and misaligned {of}");
    says(QUESTION, "no need".into(), because, experiments)
}

/// As many as there are before writes surely cost more, in that number and in all larger ones.
fn streams(scene: &Scene<'_>) -> Advice {
    const QUESTION: &str = "write streams";
    let curve = scene.curve("partitioning", "SW");
    let Some((single, several)) = curve.split_first().filter(|(first, _)| first.parameter == 1.0) else {
        return unknown(QUESTION, "partitioning");
    };
    let is_dear = |at| ratio(at, &single.estimate).is_ok_and(|factor| is_more(&factor));
    let cheap = match scene.indicators.partitions {
        Some(most) => several.iter().take_while(|at| at.parameter <= most.value).count(),
        None => several.iter().rposition(|at| !is_dear(&at.estimate)).map_or(0, |last| last + 1),
    };
    let most = cheap.checked_sub(1).map_or(1.0, |last| several[last].parameter);
    let last = several.get(cheap).or(several.last()).unwrap_or(single);
    let experiments = vec![single.point.experiment.id(), last.point.experiment.id()];
    let Some(next) = several.get(cheap) else {
        let because = "no slowdown found at any number of streams tried".to_string();
        return says(QUESTION, format!("{} or more", words::plain(most)), because, experiments);
    };
    let times = ratio(&next.estimate, &single.estimate).map_or(f64::NAN, |factor| factor.value);
    let (beyond, times) = (words::plain(next.parameter), words::digits(times));
    let because = format!("with {beyond}, a write takes {times} times as long as in a single stream");
    says(QUESTION, format!("at most {}", words::plain(most)), because, experiments)
}
