//! Bytes or IOs a second from response times: with N IOs in flight, N over the mean (Little 1961).

use super::{Scene, is_more, is_no_more, words};
use crate::compare::{Comparison, ratio};
use crate::indicators::curve::At;

/// The share of the best throughput that is good enough to stop at.
pub(super) const ENOUGH: f64 = 0.9;

/// What more IOs in flight do to throughput, on one curve.
pub(super) struct Gain<'a> {
    pub(super) curve: &'static str,
    /// One IO in flight.
    pub(super) single: At<'a>,
    /// The fewest in flight that give [`ENOUGH`] of the best.
    pub(super) knee: At<'a>,
    /// Its throughput over that of one.
    pub(super) factor: Comparison,
    /// The number in flight that does worst, and its throughput over that of one.
    pub(super) worst: (At<'a>, Comparison),
    /// No number in flight gives materially more.
    pub(super) is_useless: bool,
}

/// IOs in flight over all processes.
fn flying(at: &At<'_>) -> f64 {
    let pattern = &at.point.experiment.pattern;
    f64::from(pattern.numjobs) * f64::from(pattern.iodepth)
}

fn against(single: &At<'_>, at: &At<'_>) -> Option<Comparison> {
    let times = flying(at) / flying(single);
    let speed = ratio(&single.estimate, &at.estimate).ok()?;
    let Comparison { value, ci_low, ci_high } = speed;
    Some(Comparison { value: times * value, ci_low: times * ci_low, ci_high: times * ci_high })
}

/// The gain on one curve of `queue-depth` or `parallelism`; None without a point for one IO and one for more.
pub(super) fn gain<'a>(scene: &Scene<'a>, micro: &str, curve: &'static str) -> Option<Gain<'a>> {
    let found = scene.curve(micro, curve);
    let (single, more) = found.split_first().filter(|(first, _)| flying(first) == 1.0)?;
    let gains: Vec<(At<'a>, Comparison)> =
        more.iter().filter_map(|at| Some((*at, against(single, at)?))).collect();
    let best = gains.iter().map(|(_, gain)| gain.value).fold(0.0, f64::max);
    let (knee, factor) = gains.iter().find(|(_, gain)| gain.value >= ENOUGH * best).copied()?;
    let worst = gains.iter().min_by(|a, b| a.1.value.total_cmp(&b.1.value)).copied()?;
    let is_useless = gains.iter().all(|(_, gain)| is_no_more(gain));
    Some(Gain { curve, single: *single, knee, factor, worst, is_useless })
}

impl Gain<'_> {
    /// Surely and materially more throughput.
    pub(super) fn is_useful(&self) -> bool {
        is_more(&self.factor)
    }

    /// `random reads 7.9 times with 8`.
    pub(super) fn text(&self) -> String {
        let (of, times) = (words::pattern(self.curve), words::digits(self.factor.value));
        format!("{of} give {times} times the throughput with {}", words::plain(flying(&self.knee)))
    }

    pub(super) fn evidence(&self) -> String {
        format!("{}, {}", words::point(&self.single), words::point(&self.knee))
    }
}
