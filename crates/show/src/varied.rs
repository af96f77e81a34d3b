//! Throughput and p99 over queue depth and block size, of the four numbers' patterns.

use flashscope_analysis::reading::Cell;
use flashscope_analysis::{BEYOND_MIN, Point};

use crate::headline::FOUR;

/// The micro-benchmark of queue depth.
pub const QUEUE_DEPTH: &str = "queue-depth";

/// A number with its interval, where it has one.
pub type Measured = (f64, Option<[f64; 2]>);

/// p99 in ns: the geometric mean of the rounds' own with its 95 % CI; none where fewer than ten IOs lie
/// beyond.
pub fn p99_ns(point: &Point<'_>) -> Option<Measured> {
    let ios: u64 = point.counting().filter_map(|run| Some(run.outcome.estimate?.ios)).sum();
    let each = point.counting().filter_map(|run| Some(run.outcome.quantiles?.p99_ns.ln()));
    let logs: Vec<f64> = each.filter(|log| log.is_finite()).collect();
    let Cell { value, interval, .. } = Cell::mean(&logs);
    // One in a hundred lies beyond.
    let value = value.filter(|_| ios >= 100 * BEYOND_MIN)?;
    Some((value.exp(), interval.map(|ends| ends.map(f64::exp))))
}

/// Of each of the four its points of a micro-benchmark, by what is varied.
pub fn of_four<'a, 'p>(points: &'a [Point<'p>], micro: &str) -> Vec<(&'static str, Vec<&'a Point<'p>>)> {
    let of = |(name, term): (&'static str, &'static str)| {
        let is_of =
            |point: &&Point<'p>| (&*point.experiment.micro, &*point.experiment.curve) == (micro, term);
        let mut found: Vec<_> = points.iter().filter(is_of).collect();
        found.sort_by(|a, b| a.experiment.parameter.total_cmp(&b.experiment.parameter));
        (name, found)
    };
    FOUR.map(of).into_iter().filter(|(_, found)| !found.is_empty()).collect()
}
