//! A start-up that flatters the device: what a short benchmark would have reported (paper 001, section 4.2).

use super::{Scene, says, words};
use crate::findings::Hint;
use crate::result::{Point, Run};

/// A start-up this much cheaper than the running phase is worth a hint.
const FLATTERS: f64 = 1.2;
/// The number of IOs that is usually thought to be enough (FlashIO's and paper 001's figures).
const SHORT_IOS: f64 = 512.0;

struct StartUp<'a> {
    point: &'a Point<'a>,
    ios: u64,
    bytes: u64,
    mean_ns: f64,
    /// The running phase over the start-up.
    factor: f64,
}

/// The mean over all regimes before the last.
fn of_run<'a>(point: &'a Point<'a>, run: &Run) -> Option<StartUp<'a>> {
    let phases = &run.outcome.phases;
    let ends = phases.regimes.iter().skip(1).map(|next| next.from_ios);
    let cost: f64 = phases
        .regimes
        .iter()
        .zip(ends)
        .map(|(regime, end)| regime.mean_ns * end.saturating_sub(regime.from_ios) as f64)
        .sum();
    let mean_ns = cost / phases.startup_ios as f64;
    let factor = run.outcome.estimate?.mean_ns / mean_ns;
    let found = StartUp { point, ios: phases.startup_ios, bytes: phases.startup_bytes, mean_ns, factor };
    (phases.startup_ios > 0 && factor.is_finite() && factor >= FLATTERS).then_some(found)
}

/// The usual one, if most of the sound rounds have one: what a single round shows may be a neighbour's doing.
fn of_most<'a>(point: &'a Point<'a>) -> Option<StartUp<'a>> {
    let sound: Vec<&Run> = point.runs.iter().copied().filter(|run| run.is_sound()).collect();
    let mut found: Vec<StartUp<'a>> = sound.iter().filter_map(|run| of_run(point, run)).collect();
    found.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    let is_usual = 2 * found.len() > sound.len();
    let middle = found.len() / 2;
    found.into_iter().nth(middle).filter(|_| is_usual)
}

/// What the mean of the first 512 IOs misses.
fn short_mean(found: &StartUp<'_>) -> String {
    let share = (found.ios as f64 / SHORT_IOS).min(1.0);
    let low = (1.0 - 1.0 / found.factor) * share;
    format!("the mean of the first 512 IOs is {} too low", words::percent(low))
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let baselines = scene.points.iter().filter(|point| point.experiment.micro == "baseline");
    let found = baselines.filter_map(of_most).max_by(|a, b| a.factor.total_cmp(&b.factor))?;
    let of = words::pattern(&found.point.experiment.curve);
    let size =
        if found.bytes > 0 { format!(" ({})", words::size(found.bytes as f64)) } else { String::new() };
    let times = words::digits(found.factor);
    says(
        format!(
            "Do not trust short benchmarks of this device: the first {} {of}{size} are {times} times faster \
             than the steady state.",
            found.ios
        ),
        format!(
            "{}: warm-up {}, steady state {}; {}",
            found.point.experiment.id(),
            words::span(found.mean_ns),
            words::span(found.mean_ns * found.factor),
            short_mean(&found)
        ),
    )
    .map(|hint| hint.seen_in(found.point))
}
