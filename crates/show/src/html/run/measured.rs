//! Single measurements: one pattern, or one pattern at the sizes that were tried.

use flashscope_analysis::{Finished, Histogram, Support, Trust, trust};
use flashscope_core::Op;
use flashscope_core::number::{Among, count, counted, digits, iops, percent, size, span, span_among};

use super::charts::{trace_of, y_axis};
use super::hints::capital;
use super::responses::Responses;
use super::summary::{cumulative, distribution, number_of, percentile_rows};
use super::{Scene, about, hints, trace_id};
use crate::html::document::{Axis, Block, Chart, Item, Look, Point, Scale, Section, Series, Tile};
use crate::view::measure::rows;
use flashscope_store::Stored;

/// Percentiles of a tile.
const PERCENTILES: [f64; 4] = [50.0, 99.0, 99.9, 99.99];

/// Whether a folder holds single measurements and no characterisation.
pub fn is_measure(stored: &Stored) -> bool {
    let is_single = |done: &Finished| done.experiment.micro == "measure";
    match &stored.finished[..] {
        [] => !stored.manifest.options["pattern"].is_null(),
        finished => finished.iter().all(is_single),
    }
}

/// Of one run its numbers and how far they reach; of several sizes their charts.
pub(super) fn summary(scene: &Scene<'_>) -> Section {
    let mut blocks = vec![Block::items(about::alerts(scene))];
    if let [only] = &scene.runs[..] {
        let trust = trust(only, &scene.context);
        if let Some(responses) = Responses::of(scene, only) {
            blocks.push(Block::Tiles { tiles: tiles(only, &responses, trust.confidence) });
            blocks.extend(latency(only, &responses));
        }
        blocks.push(Block::listed("Confidence", confidence(only, &trust)));
    } else if !scene.runs.is_empty() {
        blocks.extend([Block::Chart(throughput(scene)), Block::Chart(times(scene))]);
        let missing = scene.runs.iter().filter_map(|done| Some((done, done.run.outcome.missing?)));
        let text = |id: String, why| format!("{id}: not reached: {why}");
        let items = missing.map(|(done, why)| Item::alert(text(done.experiment.id(), why), ""));
        blocks.push(Block::listed("Confidence", items.collect()));
    }
    blocks.push(Block::listed("Caveats", hints::doubts(scene)));
    Section::summary(blocks)
}

fn name(done: &Finished, op: Op) -> String {
    let order = if done.experiment.pattern.rw.is_random() { "Random" } else { "Sequential" };
    format!("{order} {}", op.name())
}

fn tiles(done: &Finished, responses: &Responses, state: Support) -> Vec<Tile> {
    let pattern = &done.experiment.pattern;
    let all: u64 = responses.kinds().map(|(_, all)| all.ios()).sum();
    let tile = |(op, own): (Op, &Histogram)| {
        let rate = done.iops().map(|rate| rate * own.ios() as f64 / all as f64);
        let mb_s = rate.map(|rate| digits(rate * pattern.bs_mean() / 1e6));
        Tile {
            name: name(done, op),
            term: pattern.to_string(),
            colour: op as u8,
            state: Some(state),
            value: rate.map_or(String::new(), |rate| number_of(&iops(rate))),
            unit: "IOPS".into(),
            detail: mb_s.map_or(String::new(), |mb_s| format!("{mb_s} MB/s")),
            rows: percentile_rows(&PERCENTILES, |percent| percentile_ns(done, op, own, percent)),
            note: counted(own.ios(), "IO"),
        }
    };
    responses.kinds().map(tile).collect()
}

/// As the run says it; where it gives no interval for one, that of the bins.
fn percentile_ns(done: &Finished, op: Op, own: &Histogram, percent: f64) -> Option<f64> {
    let kind = done.run.kinds.iter().find(|kind| kind.op == op);
    let said = kind.and_then(|kind| kind.percentiles.iter().find(|one| one.percent == percent));
    said.map(|one| one.value_ns).or_else(|| own.quantile_told_ns(percent / 100.0))
}

fn latency(done: &Finished, responses: &Responses) -> Option<Block> {
    let series = responses.kinds().filter_map(|(op, own)| {
        let points = cumulative(own)?;
        Some(Series::new(name(done, op), Look::Steps, points).coloured(op as u8))
    });
    distribution(&format!("{}, warm-up excluded", done.experiment.pattern), series.collect())
        .map(Block::Chart)
}

/// The mean and how far was looked, and what keeps it from being more.
fn confidence(done: &Finished, trust: &Trust) -> Vec<Item> {
    let horizon = trust.horizon;
    let looked = format!(
        "Horizon: {} in the mean; {}, {} and {} of the target in all. A stall rarer than 1 in {} IOs may \
         have been missed.",
        counted(horizon.ios, "IO"),
        size(horizon.bytes as f64),
        span(horizon.seconds * 1e9),
        percent(horizon.share_of_capacity),
        count(horizon.stall_one_in),
    );
    let mean = done.run.outcome.estimate.map_or("No mean".into(), |mean| {
        let Among { value, interval } = span_among(mean.mean_ns, (mean.ci_low_ns, mean.ci_high_ns));
        format!("Mean response time {value} ({} CI {interval})", percent(mean.confidence))
    });
    let first = Item { detail: looked, ..Item::plain(mean) }.weighed(trust.confidence);
    let limits =
        trust.limits.iter().map(|limit| Item::alert(format!("{}.", capital(&limit.to_string())), ""));
    std::iter::once(first).chain(limits).collect()
}

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let mut blocks = Vec::new();
    if let [only] = &scene.runs[..] {
        let pattern = only.experiment.pattern.to_string();
        let rows = std::iter::once(("pattern", pattern)).chain(rows(&scene.context, only));
        blocks.push(Block::facts(rows));
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
        let mb_s = done.iops()? * done.experiment.pattern.bs_mean() / 1e6;
        Some(Point { y: Some(mb_s), ..place(done, scene) })
    };
    let axis = Axis::log("throughput", "MB/s");
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
        x: Axis::log2("IO size", "bytes"),
        y,
        series: vec![Series::new(name, Look::Line, points)],
        group: None,
        term: String::new(),
    }
}
