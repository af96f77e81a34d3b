//! Pauses between random writes (hint 7, second half): do they save time, or only move it?

use super::{MATERIAL, Scene, is_less, is_more, is_no_more, says, words};
use crate::compare::{Comparison, ratio};
use crate::estimate::Estimate;
use crate::findings::Hint;
use crate::indicators::curve::At;

/// A write and the pause after it, over a write without a pause.
fn total(at: &At<'_>, rw: &Estimate) -> Option<Comparison> {
    let pause_ns = at.parameter * 1e6;
    let with_pause = Estimate {
        mean_ns: at.estimate.mean_ns + pause_ns,
        ci_low_ns: at.estimate.ci_low_ns + pause_ns,
        ci_high_ns: at.estimate.ci_high_ns + pause_ns,
        ..at.estimate
    };
    ratio(&with_pause, rw).ok()
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let (rw, curve) = (scene.baseline("RW")?, scene.curve("pause", "RW"));
    let longest = curve.last()?;
    let baselines = scene.baselines_text(&["SW", "RW"]);
    let totals: Vec<_> = curve.iter().filter_map(|at| Some((at, total(at, &rw)?))).collect();
    let shortest = totals.iter().min_by(|a, b| a.1.ci_high.total_cmp(&b.1.ci_high));
    if let Some((at, factor)) = shortest.filter(|(_, factor)| is_less(factor)) {
        let (pause, share) = (words::exact_span(at.parameter * 1e6), words::percent(1.0 - factor.value));
        return says(
            format!("Pause {pause} between random writes: it saves {share} of the time, pauses included."),
            format!("{}, {baselines}; contradicts uFLIP hint 7", words::point(at)),
        );
    }
    if let Some(pause) = scene.indicators.pause_ms {
        let cheapest = curve.iter().find(|at| at.parameter >= pause.value).unwrap_or(longest);
        let evidence = format!("{}, {baselines}", words::point(cheapest));
        let (pause, rest) = (words::span(pause.value * 1e6), words::span(cheapest.estimate.mean_ns));
        let effect = format!("after {pause} of idle time a random write takes {rest}");
        let saves_none = totals.iter().all(|(_, factor)| factor.ci_low > 1.0 / MATERIAL);
        return match saves_none {
            true => says(
                format!("Pauses defer work but save no time: {effect}. Use existing idle time."),
                format!("{evidence}; confirms uFLIP hint 7"),
            ),
            false => says(format!("Use idle time: {effect}."), evidence),
        };
    }
    without_effect(scene, &curve, &rw)
}

/// Pauses that surely change nothing, where there was something to change.
fn without_effect(scene: &Scene<'_>, curve: &[At<'_>], rw: &Estimate) -> Option<Hint> {
    let longest = curve.last()?;
    let cost = |at: &At<'_>| ratio(&at.estimate, rw).ok();
    // Neither cheaper nor dearer: random writes that a pause makes dearer are another matter.
    let is_same = |cost: Comparison| is_no_more(&cost) && cost.ci_low > 1.0 / MATERIAL;
    let is_useless = curve.iter().all(|at| cost(at).is_some_and(is_same));
    let is_dear = scene.baselines("RW", "SW").is_some_and(|factor| is_more(&factor));
    if !is_useless || !is_dear || longest.parameter * 1e6 < (MATERIAL - 1.0) * rw.mean_ns {
        return None;
    }
    let pause = words::exact_span(longest.parameter * 1e6);
    let evidence = format!("{}, {}", words::point(longest), scene.baselines_text(&["SW", "RW"]));
    says(
        format!("Pauses do not help: random writes take the same time after {pause} of idle time."),
        format!("{evidence}; confirms uFLIP hint 7"),
    )
}
