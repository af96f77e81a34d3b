//! Arrivals that earlier runs of a plan decide: a share of the throughput that the target reached.

use flashscope_analysis::{Finished, Point, points};

/// A share of the throughput that closed loops of the same plan reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Group of those closed loops.
    pub micro: String,
    /// Their curve in that group.
    pub curve: String,
    /// Share of the fastest of them that arrives, more than 0.
    pub share: f64,
}

impl Offered {
    /// Arrivals a second; none before one of the closed loops came to its end.
    pub(crate) fn rate_iops(&self, finished: &[Finished]) -> Option<f64> {
        let (most, _) = maximum(&points(finished), &self.micro, &self.curve)?;
        // A thousandth is finer than any of it is known, and is read and stored as it is written.
        Some((most * self.share * 1e3).round().max(1.0) / 1e3)
    }
}

/// IOs a second of the fastest closed loop, with its parameter.
pub(crate) fn maximum(points: &[Point<'_>], micro: &str, curve: &str) -> Option<(f64, f64)> {
    let is_of = |point: &&Point<'_>| point.experiment.micro == micro && point.experiment.curve == curve;
    let rates =
        points.iter().filter(is_of).filter_map(|point| Some((iops(point)?, point.experiment.parameter)));
    rates.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// IOs a second of all runs that came to their own end.
fn iops(point: &Point<'_>) -> Option<f64> {
    let whole = point.runs.iter().filter(|run| !run.outcome.stopped_because.is_early());
    let (ios, ns) = whole.fold((0u64, 0u64), |(ios, ns), run| (ios + run.ios, ns + run.elapsed_ns));
    (ios > 0 && ns > 0).then(|| ios as f64 * 1e9 / ns as f64)
}
