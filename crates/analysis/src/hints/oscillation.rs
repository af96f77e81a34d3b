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

impl Peaks<'_> {
    fn factor(&self) -> f64 {
        self.peak_ns / self.p50_ns
    }
}

/// What as many IOs take as a period has peaks: the least percentile that is surely among them. The greatest
/// response time is the only one known to be where no percentile lies so far out.
fn peak_ns(run: &Run, period_ios: u64) -> Option<f64> {
    let others = 100.0 * (1.0 - 1.0 / period_ios as f64);
    let percentiles = run.kinds.iter().flat_map(|kind| &kind.percentiles);
    let of_kind = percentiles.filter(|of| of.percent > others).min_by(|a, b| a.percent.total_cmp(&b.percent));
    let quantiles = run.outcome.quantiles?;
    let p99_ns = (others < 99.0).then_some(quantiles.p99_ns);
    Some(of_kind.map(|of| of.value_ns).or(p99_ns).unwrap_or(quantiles.max_ns))
}

fn of_run<'a>(point: &'a Point<'a>, run: &Run) -> Option<Peaks<'a>> {
    let period_ios = run.outcome.phases.period?.ios;
    let p50_ns = run.outcome.quantiles?.p50_ns;
    let found = Peaks { point, period_ios, p50_ns, peak_ns: peak_ns(run, period_ios)? };
    (p50_ns > 0.0 && found.factor() >= PEAK_MIN).then_some(found)
}

/// Of the rounds with the mildest peaks that most rounds reach; none if a period is what few of them found.
fn of_point<'a>(point: &'a Point<'a>) -> Option<Peaks<'a>> {
    let rounds = point.counting().count();
    let mut found: Vec<Peaks<'a>> = point.counting().filter_map(|run| of_run(point, run)).collect();
    found.sort_by(|a, b| b.factor().total_cmp(&a.factor()));
    let most = rounds / 2;
    (found.len() > most).then(|| found.swap_remove(most))
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let baselines = scene.points.iter().filter(|point| point.experiment.micro == "baseline");
    let found = baselines.filter_map(of_point).max_by(|a, b| a.factor().total_cmp(&b.factor()))?;
    let of = words::pattern(&found.point.experiment.curve);
    let peak = words::span(found.peak_ns);
    let (period, id) = (found.period_ios, found.point.experiment.id());
    says(
        format!("Expect periodic slow IOs: at least one of every {period} {of} takes about {peak}."),
        format!("{id}: period of {period} IOs, median {}, peak {peak}", words::span(found.p50_ns)),
    )
    .map(|hint| hint.seen_in(found.point))
}
