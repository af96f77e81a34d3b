//! Does a mix cost more than its parts (hint 6)? Without interference, the mean of `ratio` IOs of one
//! baseline and one of the other is `(ratio x first + second) / (ratio + 1)`.

use super::{Scene, is_more, is_no_more, says, words};
use crate::compare::{Comparison, ratio};
use crate::estimate::Estimate;
use crate::findings::Hint;
use crate::indicators::curve::{At, weighted};
use crate::result::Point;

struct Excess<'a> {
    at: At<'a>,
    expected: Estimate,
    factor: Comparison,
}

fn excess<'a>(scene: &Scene<'a>, point: &'a Point<'a>) -> Option<Excess<'a>> {
    let pattern = &point.experiment.pattern;
    let mix = pattern.mix.filter(|_| point.experiment.micro == "mix")?;
    let share = pattern.mix_share();
    let first = scene.baseline(pattern.rw.short_name())?;
    let second = scene.baseline(mix.rw.short_name())?;
    let expected = weighted(&[(1.0 - share, first), (share, second)])?;
    let estimate = point.estimate?;
    let factor = ratio(&estimate, &expected).ok()?;
    let at = At { parameter: point.experiment.parameter, estimate, point };
    Some(Excess { at, expected, factor })
}

/// `3 sequential reads for each random write`.
fn mixture(of: &Excess<'_>) -> String {
    let experiment = &of.at.point.experiment;
    let (first, second) = experiment.curve.split_once('/').unwrap_or((&experiment.curve, ""));
    let (first, second) = (words::pattern(first), words::pattern(second).trim_end_matches('s'));
    format!("{} {first} for each {second}", experiment.label)
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let found: Vec<Excess<'_>> = scene.points.iter().filter_map(|point| excess(scene, point)).collect();
    let worst = found.iter().max_by(|a, b| a.factor.ci_low.total_cmp(&b.factor.ci_low))?;
    let evidence = format!("{}, its parts {}", words::point(&worst.at), words::mean(&worst.expected));
    if is_more(&worst.factor) {
        let (what, times) = (mixture(worst), words::digits(worst.factor.value));
        let several = found.iter().filter(|of| is_more(&of.factor)).count();
        let verdict = format!(
            "{several} of {} mixes are slower than their parts; contradicts uFLIP hint 6",
            found.len()
        );
        return says(
            format!("Do not mix patterns: {what} take {times} times as long as separately."),
            format!("{evidence}; {verdict}"),
        );
    }
    if !found.iter().all(|of| is_no_more(&of.factor)) {
        return None;
    }
    says(
        "Mixed patterns have no penalty: no mix is slower than its parts.".into(),
        format!("{} mixes, the slowest {evidence}; confirms uFLIP hint 6", found.len()),
    )
}
