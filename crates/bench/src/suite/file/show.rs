//! What can be said of any suite: every run in a row, series of sizes and windows as curves.

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{Context, Finished, Point, Reading, paces, points};

use super::super::read::{curves, mb_per_s, mean, mean_ms, speed};

/// The reading of a suite from a file.
pub fn reading(_: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut reading = Reading::default();
    let table = Table::new(
        "runs",
        "Every run",
        "Throughput and IOPS of whole runs; mean response times of the steady state.",
        ["run", "pattern", "IOs, IOs", "throughput, MB/s", "IOPS, IO/s", "mean, ms", "max, ms"],
    );
    reading.tables.push(table.with_rows(points.iter().map(row)));
    reading.charts.extend(sizes(&points));
    reading.charts.extend(windows(&points));
    reading
}

fn row(point: &Point<'_>) -> Vec<Cell> {
    let ios: u64 = point.runs.iter().map(|run| run.ios).sum();
    let rates: Vec<f64> = point.runs.iter().filter_map(|run| speed(run)).map(|speed| speed.iops).collect();
    let longest = point.runs.iter().filter_map(|run| run.outcome.quantiles).map(|found| found.max_ns / 1e6);
    vec![
        Cell::words(point.experiment.id()),
        Cell::words(point.experiment.pattern.to_string()),
        Cell::number(ios as f64),
        Cell::mean(&mb_per_s(point)),
        Cell::mean(&rates),
        mean_ms(point),
        Cell::number(longest.fold(None, |most, found| Some(most.map_or(found, |most: f64| most.max(found))))),
    ]
}

/// One chart for all series of sizes.
fn sizes(points: &[Point<'_>]) -> Option<Chart> {
    let place = |point: &Point<'_>| {
        let name = format!("{} {}", point.experiment.micro, point.experiment.curve);
        Some((name, (point.experiment.pattern.bs.0 as f64, mean(&mb_per_s(point))?)))
    };
    let mut series = curves(points.iter().filter_map(place));
    series.retain(|curve| curve.points.len() > 1);
    let axes = [Axis::log("IO size", "bytes"), Axis::log("throughput", "MB/s")];
    Chart::new("speed-against-size", "Throughput against IO size", "", axes, series).if_any()
}

/// One chart for all runs that were cut into windows.
fn windows(points: &[Point<'_>]) -> Option<Chart> {
    let curve = |point: &Point<'_>| {
        let run = point.runs.iter().find(|run| !run.windows.is_empty())?;
        let paces = paces(&run.windows);
        Some(Series::line(point.experiment.id(), paces.iter().map(|pace| (pace.end_s, pace.mb_per_s))))
    };
    let series: Vec<Series> = points.iter().filter_map(curve).collect();
    let axes = [Axis::linear("time", "s"), Axis::linear("throughput", "MB/s")];
    let caption = "First repeat of each run with windows.";
    Chart::new("speed-against-time", "Throughput against time", caption, axes, series).if_any()
}
