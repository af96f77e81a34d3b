//! Throughput and p99 over queue depth and block size, and throughput over time and over bytes written.

use flashscope_analysis::{Finished, Point as Measured};

use super::Scene;
use super::charts::trace_of;
use super::responses::Responses;
use super::summary::curve_of;
use crate::headline::FOUR;
use crate::html::document::{Axis, Block, Chart, Look, Point, Section, Series};
use crate::varied::{QUEUE_DEPTH, of_four, p99_ns};

/// What is varied: its micro-benchmark, the part of an `id`, in words, the unit of its axis, and whether IOs
/// are of one size, so that IOPS say it.
struct Varied {
    micro: &'static str,
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    is_of_one_size: bool,
}

const VARIED: [Varied; 2] = [
    Varied { micro: QUEUE_DEPTH, id: "depth", name: "queue depth", unit: "", is_of_one_size: true },
    Varied { micro: "granularity", id: "size", name: "block size", unit: "bytes", is_of_one_size: false },
];

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let mut charts: Vec<Chart> = Vec::new();
    for varied in &VARIED {
        charts.extend(throughput(scene, varied));
        charts.extend(p99(scene, varied));
    }
    charts.extend(over_time(scene));
    Section::new("performance", "Performance", charts.into_iter().map(Block::Chart).collect())
}

fn throughput(scene: &Scene<'_>, varied: &Varied) -> Option<Chart> {
    let value = |point: &Measured<'_>| {
        let io_bytes = point.experiment.pattern.bs_mean();
        let scale = if varied.is_of_one_size { 1.0 } else { io_bytes / 1e6 };
        let rate = point.iops()?;
        Some((rate.value * scale, Some([rate.ci_low * scale, rate.ci_high * scale])))
    };
    let unit = if varied.is_of_one_size { "IO/s" } else { "MB/s" };
    let axis = if varied.is_of_one_size { Axis::linear("IOPS", unit) } else { Axis::log("throughput", unit) };
    let caption = "From the mean response time, with its 95 % CI.";
    chart(scene, varied, "throughput", "Throughput", caption, axis, &value)
}

fn p99(scene: &Scene<'_>, varied: &Varied) -> Option<Chart> {
    let caption = "Geometric mean of the rounds' p99, with its 95 % CI. Points with fewer than ten IOs \
                   beyond p99 are not drawn.";
    chart(scene, varied, "p99", "p99 response time", caption, Axis::log("p99 response time", "ns"), &p99_ns)
}

/// A value with its interval.
type Value<'a> = &'a dyn Fn(&Measured<'_>) -> Option<(f64, Option<[f64; 2]>)>;

fn chart(
    scene: &Scene<'_>,
    varied: &Varied,
    id: &str,
    title: &str,
    caption: &str,
    y: Axis,
    value: Value<'_>,
) -> Option<Chart> {
    let series = of_four(&scene.points, varied.micro).into_iter().map(|(_, of_one)| {
        let place = |point: &&Measured<'_>| {
            let (y, interval) = value(point)?;
            let link = trace_of(&point.experiment.id(), scene);
            Some(Point { x: point.experiment.parameter, y: Some(y), interval, link, ..Point::default() })
        };
        curve_of(&of_one[0].experiment.curve, Look::Line, of_one.iter().filter_map(place).collect())
    });
    let series: Vec<Series> = series.filter(|series| series.points.len() > 1).collect();
    let (id, title) = (format!("chart-{id}-{}", varied.id), format!("{title} over {}", varied.name));
    let x = Axis::log2(varied.name, varied.unit);
    Chart::new(id, title, caption, [x, y], series).if_any()
}

/// Throughput of the four, over time and over bytes written.
fn over_time(scene: &Scene<'_>) -> Vec<Chart> {
    let (mut over_time, mut over_bytes) = (Vec::new(), Vec::new());
    for (_, term) in FOUR {
        let Some(found) = longest(scene, term).and_then(|done| Responses::of(scene, done)) else { continue };
        let [time, bytes] = found.throughput();
        let series = |points: Vec<Point>| (points.len() > 2).then(|| curve_of(term, Look::Steps, points));
        over_time.extend(series(time));
        over_bytes.extend(term.ends_with('W').then(|| series(bytes)).flatten());
    }
    let y = || Axis::linear("throughput", "MB/s");
    let over_bytes = Chart::new(
        "chart-throughput-written",
        "Throughput over bytes written",
        "The longest round of each write pattern, its warm-up included.",
        [Axis::linear("written", "bytes"), y()],
        over_bytes,
    );
    let over_time = Chart::new(
        "chart-throughput-time",
        "Throughput over time",
        "The longest round of each pattern, its warm-up included.",
        [Axis::linear("time", "s"), y()],
        over_time,
    );
    [over_bytes.if_any(), over_time.if_any()].into_iter().flatten().collect()
}

/// The longest round that the mean of one of the four rests on.
fn longest<'a>(scene: &Scene<'a>, term: &str) -> Option<&'a Finished> {
    let is_it =
        |point: &&Measured<'_>| (&*point.experiment.micro, &*point.experiment.curve) == ("baseline", term);
    let point = scene.points.iter().find(is_it)?;
    let counts = |done: &&&Finished| point.counting().any(|run| std::ptr::eq(run, &done.run));
    scene.runs.iter().filter(counts).max_by_key(|done| done.run.elapsed_ns).copied()
}
