//! Single measurements: one pattern, or one pattern at the sizes that were tried.

use flashscope_analysis::Finished;

use super::charts::{trace_of, y_axis};
use super::{Scene, trace_id};
use crate::html::document::{Axis, Block, Chart, Look, Point, Scale, Section, Series};
use crate::view::measure::rows;
use flashscope_store::Stored;

/// Whether a folder holds single measurements and no characterisation.
pub fn is_measure(stored: &Stored) -> bool {
    let is_single = |done: &Finished| done.experiment.micro == "measure";
    match &stored.finished[..] {
        [] => !stored.manifest.options["pattern"].is_null(),
        finished => finished.iter().all(is_single),
    }
}

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let mut blocks = Vec::new();
    if let [only] = &scene.runs[..] {
        let pattern = only.experiment.pattern.to_string();
        let rows = std::iter::once(("pattern", pattern)).chain(rows(&scene.context, only));
        blocks.push(Block::facts(rows));
    } else if !scene.runs.is_empty() {
        blocks.extend([Block::Chart(times(scene)), Block::Chart(throughput(scene))]);
    }
    Section::new("measured", "Measurement", blocks)
}

/// The sizes that were tried: response time.
fn times(scene: &Scene<'_>) -> Chart {
    let point = |done: &&Finished| {
        let estimate = done.run.outcome.estimate?;
        let interval = Some([estimate.ci_low_ns, estimate.ci_high_ns]);
        Some(Point { y: Some(estimate.mean_ns), interval, ..place(done, scene) })
    };
    chart(scene, "chart-sizes", "Response time against IO size", y_axis(Scale::Log), &point)
}

/// The same as bytes a second.
fn throughput(scene: &Scene<'_>) -> Chart {
    let point = |done: &&Finished| {
        let mb_s = done.iops()? * done.experiment.pattern.bs.0 as f64 / 1e6;
        Some(Point { y: Some(mb_s), ..place(done, scene) })
    };
    let axis = Axis::of("throughput, MB/s", "", Scale::Log);
    chart(scene, "chart-throughput", "Throughput against IO size", axis, &point)
}

fn place(done: &Finished, scene: &Scene<'_>) -> Point {
    let bs = done.experiment.pattern.bs;
    let link =
        trace_of(&done.experiment.id(), scene).or_else(|| done.run.records.as_ref().map(|_| trace_id(done)));
    Point { x: bs.0 as f64, label: bs.to_string(), link, ..Point::default() }
}

fn chart(
    scene: &Scene<'_>,
    id: &str,
    title: &str,
    y: Axis,
    point: &dyn Fn(&&Finished) -> Option<Point>,
) -> Chart {
    let name = scene.runs.first().map_or(String::new(), |done| done.experiment.curve.clone());
    let mut points: Vec<Point> = scene.runs.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Chart {
        id: id.into(),
        title: title.into(),
        caption: "The size is doubled until throughput grows by less than 2.5 %.".into(),
        x: Axis::log("IO size", "bytes"),
        y,
        series: vec![Series::new(name, Look::Line, points)],
        group: None,
    }
}
