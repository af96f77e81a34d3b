//! Response times that go up and down regularly: what code that waits for single IOs must expect.

use super::{Scene, says, words};
use crate::findings::Hint;
use crate::result::{Point, Run};

/// The dearest IO of a period is at least this much dearer than the median.
const PEAK_MIN: f64 = 2.0;

struct Peaks<'a> {
    point: &'a Point<'a>,
    period_ios: u64,
    p50_ns: f64,
    peak_ns: f64,
}

/// Of a period of at most 100 IOs the peaks are at least 1 % of all: the 99th percentile is among them. Those
/// of a longer one are rarer, and the greatest response time is the only one known to be among them.
fn of_run<'a>(point: &'a Point<'a>, run: &Run) -> Option<Peaks<'a>> {
    let (period, quantiles) = (run.outcome.phases.period?, run.outcome.quantiles?);
    let peak_ns = if period.ios <= 100 { quantiles.p99_ns } else { quantiles.max_ns };
    let found = Peaks { point, period_ios: period.ios, p50_ns: quantiles.p50_ns, peak_ns };
    (found.p50_ns > 0.0 && peak_ns >= PEAK_MIN * found.p50_ns).then_some(found)
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let baselines = scene.points.iter().filter(|point| point.experiment.micro == "baseline");
    let runs = baselines.flat_map(|point| point.runs.iter().filter_map(move |run| of_run(point, run)));
    let found = runs.max_by(|a, b| (a.peak_ns / a.p50_ns).total_cmp(&(b.peak_ns / b.p50_ns)))?;
    let of = words::pattern(&found.point.experiment.curve);
    let peak = words::span(found.peak_ns);
    let (period, id) = (found.period_ios, found.point.experiment.id());
    says(
        format!("Expect periodic slow IOs: at least one of every {period} {of} takes about {peak}."),
        format!("{id}: period of {period} IOs, median {}, peak {peak}", words::span(found.p50_ns)),
    )
    .map(|hint| hint.seen_in(found.point))
}
