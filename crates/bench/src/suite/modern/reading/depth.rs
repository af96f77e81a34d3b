//! The queue depth that fills the device.

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{Point, Reading, Support};
use flashscope_core::number::iops;

use super::super::super::read::{mean_ms, speed};
use super::super::{DEPTH, DEPTH_AGAIN};
use super::finding::{Between, Findings, Quantity};
use super::steps::STEP;
use super::{Points, last_run, of};

const KNEE: Quantity = Quantity {
    name: "queue-depth knee",
    id: "queue-depth-knee",
    unit: "IOs in flight",
    micros: &[DEPTH, DEPTH_AGAIN],
};
/// The last doubling of the queue brings less than this once the device is full.
const FULL: f64 = 1.1;
/// The mean of single reads is no more than this times their median, or something held some of them up.
const DISTURBED: f64 = 1.3;
/// Rates of single reads before and after the others differ by no more than this.
const SAME: f64 = 0.05;
/// What deeper queues would still add, at most, for the device to be full.
const BEYOND: f64 = 1.1;

/// IOs a second by depth; where the two straight lines of an idle and of a full device meet: as many IOs as
/// the full device serves in the time that one takes alone (the knee of asymptotic bounds).
pub(super) fn read(points: &Points<'_>, reading: &mut Reading, found: &mut Findings) {
    let mut rates: Vec<(f64, f64)> = of(points, DEPTH)
        .filter_map(|point| Some((point.experiment.parameter, speed(last_run(point)?)?.iops)))
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(1.0, alone)) = rates.first() else { return };
    show(points, &rates, reading);
    let [.., (shallow, before), (deep, last)] = rates[..] else { return };
    // The time of an IO falls towards that of the bottleneck as 1 / depth.
    let bottleneck = (deep / last - shallow / before) / (deep - shallow);
    let most = if bottleneck > 0.0 { (1.0 / bottleneck).max(last) } else { last };
    if last > FULL * before || most > BEYOND * last {
        let evidence = format!("{} with {shallow:.0} in flight", iops(before));
        let text =
            format!("No queue-depth knee up to {deep:.0} IOs in flight: {}, still growing.", iops(last));
        found.unknown(points, KNEE, &format!("throughput still grows at {deep:.0} IOs in flight"));
        reading.say(text, evidence);
        return;
    }
    if let Some(why) = objection(points, alone) {
        found.unknown(points, KNEE, why);
        reading.warn("Queue-depth knee: unknown.", why);
        return;
    }
    let knee = most / alone;
    if knee < STEP {
        let evidence = format!("{} with one, {} with {deep:.0} in flight", iops(alone), iops(last));
        found.none(points, KNEE, "more than one IO in flight brings nothing");
        reading.say("No gain from more than one random read in flight.", evidence);
        return;
    }
    let knee = Between { value: knee, low: last / alone, high: knee };
    let enough = rates.iter().find(|(_, rate)| *rate >= 0.9 * most);
    let enough = enough.map_or(String::new(), |(depth, _)| format!(", 90 % of it with {depth:.0}"));
    let evidence = format!("{} with one, at most {}{enough}", iops(alone), iops(most));
    found.found(points, KNEE, Support::Supported, knee, &evidence);
    let text = format!("Queue-depth knee: {:.0} random reads in flight.", knee.value);
    reading.say_of(Support::Supported, text, evidence);
}

/// Why the rate of single reads is not the device's, if it is not.
fn objection(points: &Points<'_>, alone: f64) -> Option<&'static str> {
    let single = of(points, DEPTH).find(|point| point.experiment.parameter == 1.0).and_then(last_run)?;
    let mean_ns = single.elapsed_ns as f64 / single.ios.max(1) as f64;
    if single.outcome.quantiles.is_none_or(|found| mean_ns > DISTURBED * found.p50_ns) {
        return Some("something else held up single reads");
    }
    let again = of(points, DEPTH_AGAIN).next().and_then(last_run).and_then(speed).map(|speed| speed.iops);
    let is_same = again.is_some_and(|again| (again / alone - 1.0).abs() <= SAME);
    (!is_same)
        .then_some("single reads took another time at the end: the device caches them, or was not at rest")
}

/// p99 of the last run with its interval; without one where the run is too short to bound it.
fn p99_ms(point: &Point<'_>) -> Cell {
    let Some(run) = last_run(point) else { return Cell::default() };
    let found = run.kinds.iter().flat_map(|kind| &kind.percentiles).find(|found| found.percent == 99.0);
    match found {
        Some(p99) => Cell::between(p99.value_ns / 1e6, (p99.ci_low_ns / 1e6, p99.ci_high_ns / 1e6)),
        None => Cell::number(run.outcome.quantiles.map(|found| found.p99_ns / 1e6)),
    }
}

fn show(points: &Points<'_>, rates: &[(f64, f64)], reading: &mut Reading) {
    let caption = "Random reads of the smallest requested size.";
    let mut table =
        Table::new("depth", "Queue depth", caption, ["in flight", "IOPS, IO/s", "mean, ms", "p99, ms"]);
    for point in of(points, DEPTH) {
        let rate = last_run(point).and_then(speed).map(|speed| speed.iops);
        let label = Cell::words(&point.experiment.label);
        table.add([label, Cell::number(rate), mean_ms(point), p99_ms(point)]);
    }
    reading.tables.push(table);
    let axes = [Axis::log("in flight", ""), Axis::linear("rate", "IO/s")];
    let curve = Series::line("random reads", rates.iter().copied());
    reading.charts.push(Chart::new("depth", "Queue depth", caption, axes, vec![curve]));
}
