//! The three numbers that a storage engine is built around: how large, where, and in how many streams to
//! write. Each has an answer, also where the device does not care or where it is not known.

use super::io_size::{Enough, enough};
use super::{Scene, is_more, is_no_more, words};
use crate::compare::ratio;
use crate::conclusion::Support;
use crate::findings::Advice;
use crate::indicators::Shifts;
use crate::indicators::curve::{At, dearest};

pub(super) fn advice(scene: &Scene<'_>) -> Vec<Advice> {
    vec![block_size(scene), alignment(scene), streams(scene)]
}

fn says(question: &'static str, answer: String, because: String, experiments: Vec<String>) -> Advice {
    Advice { question, answer, because, experiments, state: Support::Supported }
}

/// Measured, and not well enough to answer.
fn undecided(question: &'static str, because: String, experiments: Vec<String>) -> Advice {
    Advice { state: Support::Unknown, ..says(question, "unknown".into(), because, experiments) }
}

fn unknown(question: &'static str, micro: &str) -> Advice {
    let because = format!("the micro-benchmark {micro} has no result");
    Advice { answer: "not measured".into(), ..undecided(question, because, Vec::new()) }
}

/// The smallest size that reaches nearly the best throughput, or the sizes among which it is: of random
/// writes if they were measured.
fn block_size(scene: &Scene<'_>) -> Advice {
    const QUESTION: &str = "block size";
    let Some(found) = ["RW", "SW", "RR", "SR"].into_iter().find_map(|name| enough(scene, name)) else {
        return unknown(QUESTION, "granularity");
    };
    let Enough { curve, smallest, from, at, best_bytes_a_second, largest, is_growing, saving } = &found;
    let of = words::pattern(curve);
    let experiments = vec![smallest.point.experiment.id(), at.point.experiment.id()];
    if !is_more(saving) && !is_no_more(saving) {
        let because = format!("the intervals of {of} of different sizes are too wide to tell");
        return undecided(QUESTION, because, experiments);
    }
    if !is_more(saving) {
        let because = format!("{of} have the same throughput at all sizes tried");
        return says(QUESTION, "any".into(), because, experiments);
    }
    let (most, best) = (words::size(largest.parameter), words::throughput(*best_bytes_a_second));
    let mut because = if *is_growing {
        format!("{of} are faster the larger they are, up to {most}, the largest tried ({best})")
    } else {
        let which = match from.parameter < at.parameter {
            true => "one of these sizes: their intervals do not tell which",
            false => "this size",
        };
        format!("{of} reach 90 % of their best throughput ({best}, up to {most}) at {which}")
    };
    let wasteful = scene.indicators.granularity_bytes.filter(|size| size.value < from.parameter);
    if let Some(size) = wasteful {
        because += &format!("; below {} smaller is not faster", words::size(size.value));
    }
    says(QUESTION, format!("{} or more", found.size()), because, experiments)
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
    let is_free = |at: &At<'_>| ratio(&at.estimate, &shifts.aligned).is_ok_and(|factor| is_no_more(&factor));
    if !shifts.shifted.iter().all(is_free) {
        let because = format!("the intervals of aligned and misaligned {of} are too wide to tell");
        return undecided(QUESTION, because, experiments);
    }
    let because = format!("misaligned {of} take as long as aligned ones");
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
        let is_cheap =
            |at: &At<'_>| ratio(&at.estimate, &single.estimate).is_ok_and(|factor| is_no_more(&factor));
        if !several.iter().all(is_cheap) {
            let because = "the intervals of writes in several streams are too wide to tell".to_string();
            return undecided(QUESTION, because, experiments);
        }
        let because = "no slowdown found at any number of streams tried".to_string();
        return says(QUESTION, format!("{} or more", words::plain(most)), because, experiments);
    };
    let times = ratio(&next.estimate, &single.estimate).map_or(f64::NAN, |factor| factor.value);
    let (beyond, times) = (words::plain(next.parameter), words::digits(times));
    let because = format!("with {beyond}, a write takes {times} times as long as in a single stream");
    says(QUESTION, format!("at most {}", words::plain(most)), because, experiments)
}
