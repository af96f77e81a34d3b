//! What things cost: reads under writes, flushes, discards, and what idle time gives back.

use std::cmp::Ordering;

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Pace, Point, Quantiles, Reading, paces};
use flashscope_core::number::{digits, in_unit, iops, size, throughput};

use super::super::super::read::{are_apart, mean, speed};
use super::super::{FLUSH, IDLE, TAIL, TRIM, TRIM_EFFECT};
use super::buffer::Buffer;
use super::cache::Cache;
use super::steps::{
    FastBeginning, STEP, bytes_before, bytes_chart, costs, curve, fast_beginning, gib, speed_between,
};
use super::{Points, last_run, of};

/// A run that never slows down was fast as a whole if it beats the slowest by this.
const ALL_FAST: f64 = 1.3;
/// Fewer reads have no 99th percentile.
const READS_MIN: u64 = 100;
/// Fewer flushes have no mean.
const FLUSHES_MIN: u64 = 3;

/// Reads as they were under one rate of writes.
struct Loaded<'a> {
    asked: &'a str,
    written_mb_s: f64,
    reads_s: f64,
    quantiles: Option<Quantiles>,
    p99_ms: Option<f64>,
}

pub(super) fn tail(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Single random reads under random writes at a fixed rate.";
    let columns = ["write rate", "writes, MB/s", "reads, IO/s", "median, ms", "p99, ms", "max, ms"];
    let mut table = Table::new("tail", "Reads under writes", caption, columns);
    let loaded = |point: &'_ Point<'_>| {
        let run = last_run(point)?;
        let (seconds, quantiles) = (run.elapsed_ns as f64 / 1e9, run.outcome.quantiles);
        let p99 = quantiles.filter(|_| run.ios >= READS_MIN).map(|found| found.p99_ns / 1e6);
        Some((run.written_bytes as f64 / 1e6 / seconds, run.ios as f64 / seconds, quantiles, p99))
    };
    let all: Vec<Loaded<'_>> = of(points, TAIL)
        .filter_map(|point| {
            let (written_mb_s, reads_s, quantiles, p99_ms) = loaded(point)?;
            Some(Loaded { asked: &point.experiment.label, written_mb_s, reads_s, quantiles, p99_ms })
        })
        .collect();
    for one in &all {
        let quantile = |of: fn(&Quantiles) -> f64| Cell::number(one.quantiles.as_ref().map(of));
        table.add([
            Cell::words(one.asked),
            Cell::number(one.written_mb_s),
            Cell::number(one.reads_s),
            quantile(|found| found.p50_ns / 1e6),
            Cell::number(one.p99_ms),
            quantile(|found| found.max_ns / 1e6),
        ]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    let alone = all.iter().find(|one| one.written_mb_s == 0.0).and_then(|one| one.p99_ms);
    let most = all.iter().filter(|one| one.written_mb_s > 0.0 && one.p99_ms.is_some());
    let most = most.max_by(|a, b| a.written_mb_s.total_cmp(&b.written_mb_s));
    if let Some((alone, most)) = alone.zip(most)
        && let Some(p99) = most.p99_ms
    {
        let text = format!(
            "Under {} of writes, p99 read latency rises {}x.",
            throughput(most.written_mb_s * 1e6),
            digits(p99 / alone)
        );
        let [p99, alone] = [p99, alone].map(|ms| in_unit(ms, "ms"));
        reading.say(text, format!("p99 {p99}, {alone} without writes"));
    }
}

/// What a flush adds to the writes before it.
pub(super) fn flush(points: &Points<'_>, reading: &mut Reading) {
    let plain = of(points, FLUSH).find(|point| point.experiment.parameter == 0.0).and_then(last_run);
    let Some(plain) = plain.filter(|run| run.ios > 0) else { return };
    let write_ms = plain.elapsed_ns as f64 / 1e6 / plain.ios as f64;
    let caption = "Single random writes with a flush after every N writes, each run after idle time. Time of \
        a flush: the run's time beyond its writes without flushes.";
    let mut table = Table::new("flush", "Flush", caption, ["flush after", "writes, IO/s", "flush, ms"]);
    for point in of(points, FLUSH) {
        let Some(run) = last_run(point) else { continue };
        let flushes = match point.experiment.parameter as u64 {
            0 => 0,
            every => run.ios / (every + 1),
        };
        let (writes, elapsed_ms) = ((run.ios - flushes) as f64, run.elapsed_ns as f64 / 1e6);
        let cost = (elapsed_ms - writes * write_ms) / flushes.max(1) as f64;
        table.add([
            Cell::words(&point.experiment.label),
            Cell::number(1e3 * writes / elapsed_ms),
            // Less than nothing is what cannot be told from the writes' own spread.
            Cell::number(Some(cost).filter(|cost| flushes >= FLUSHES_MIN && *cost > 0.0)),
        ]);
    }
    if let Some(cost) = table.cell("1", "a flush").and_then(|cell| cell.value) {
        reading.say(
            format!("A flush after every write adds {}.", in_unit(cost, "ms")),
            format!("{} for a write without a flush", in_unit(write_ms, "ms")),
        );
    }
    reading.tables.push(table);
}

pub(super) fn trim(points: &Points<'_>, reading: &mut Reading) {
    let table = Table::new("trim", "Discards", "Sequential discards, one at a time.", ["size", "mean, ms"]);
    let table = table.with_rows(of(points, TRIM).map(|point| {
        let run = last_run(point);
        let mean = run.filter(|run| run.ios > 0).map(|run| run.elapsed_ns as f64 / 1e6 / run.ios as f64);
        vec![Cell::words(&point.experiment.label), Cell::number(mean)]
    }));
    if !table.rows.is_empty() {
        reading.tables.push(table);
    }
    let rate = |label: &str| {
        let point = of(points, TRIM_EFFECT).find(|point| point.experiment.label == label);
        point.and_then(last_run).and_then(speed).map(|speed| speed.iops)
    };
    if let Some((before, after)) = rate("before").zip(rate("after")) {
        let gain = after / before;
        let text = match gain {
            same if (1.0 / STEP..STEP).contains(&same) => {
                "A full discard does not change the speed of random writes.".into()
            }
            _ => format!("Random writes are {} times faster after a full discard.", digits(gain)),
        };
        reading.say(text, format!("{} used, {} after discard and idle time", iops(before), iops(after)));
    }
}

/// What one idle time gave back.
struct Recovered<'a> {
    label: &'a str,
    paces: Vec<Pace>,
    /// Bytes that are fast again; all of them, if the speed never fell.
    bytes: f64,
    fast_mb_s: f64,
    /// The speed never fell: there may be more.
    is_all: bool,
}

/// Bytes that are fast again, by idle time.
fn recovered<'a>(points: &'a Points<'_>, buffer: f64) -> Vec<Recovered<'a>> {
    let runs: Vec<(&str, Vec<Pace>)> = of(points, IDLE)
        .filter_map(|point| Some((point.experiment.label.as_str(), paces(&last_run(point)?.windows))))
        .filter(|(_, paces)| !paces.is_empty())
        .collect();
    let whole = |paces: &[Pace]| speed_between(paces, 0, paces.len());
    let slow =
        |paces: &[Pace]| fast_beginning(paces, buffer).map_or_else(|| whole(paces), |fast| fast.slow_mb_s);
    let slowest = runs.iter().map(|(_, paces)| slow(paces)).fold(f64::INFINITY, f64::min);
    let slow_costs = runs.iter().map(|(_, paces)| costs(paces));
    let slow_costs = slow_costs.max_by(|a, b| mean(a).partial_cmp(&mean(b)).unwrap_or(Ordering::Equal));
    let slow_costs = slow_costs.unwrap_or_default();
    let (idles, questions) = (runs.len(), runs.iter().map(|(_, paces)| paces.len()).sum());
    let judge = |(label, paces): (&'a str, Vec<Pace>)| {
        let costs = costs(&paces);
        // The border was looked for at every window.
        let is_told = |fast: &FastBeginning| {
            let border = paces.iter().position(|pace| pace.bytes as f64 > fast.bytes).unwrap_or(costs.len());
            are_apart(&costs[..border], &costs[border..], questions)
        };
        let (bytes, fast_mb_s, is_all) = match fast_beginning(&paces, buffer).filter(is_told) {
            Some(fast) => (fast.bytes, fast.fast_mb_s, false),
            None if whole(&paces) >= ALL_FAST * slowest && are_apart(&costs, &slow_costs, idles) => {
                (bytes_before(&paces, paces.len()), whole(&paces), true)
            }
            None => (0.0, whole(&paces), false),
        };
        Recovered { label, paces, bytes, fast_mb_s, is_all }
    };
    runs.into_iter().map(judge).collect()
}

/// What is fast again after a rest; cache, where its size is known.
pub(super) fn idle(points: &Points<'_>, (buffer, cache): (&Buffer, &Cache), reading: &mut Reading) {
    let caption = "A quarter of the device is written, and again after idle time. Recovered: bytes written \
        fast the second time.";
    let table = Table::new("idle", "Idle recovery", caption, ["idle", "recovered, GiB", "throughput, MB/s"]);
    let all = recovered(points, buffer.bytes.map_or(0.0, |held| held.high));
    let row = |one: &Recovered<'_>| {
        vec![Cell::words(one.label), Cell::number(gib(one.bytes)), Cell::number(one.fast_mb_s)]
    };
    let Some(most) = all.iter().map(|one| one.bytes).reduce(f64::max) else { return };
    reading.tables.push(table.with_rows(all.iter().map(row)));
    let series = all.iter().map(|one| curve(&format!("after {}", one.label), &one.paces)).collect();
    reading.charts.push(bytes_chart("idle", "Idle recovery", caption, series));
    // Beyond a buffer of unknown size only what is faster to read as well is a cache.
    let is_cache = cache.bytes.is_some_and(|bytes| bytes > 0.0);
    let what = if is_cache { "of cache are recovered" } else { "are written fast again" };
    let why = if is_cache { "" } else { "; cache, write buffer and free blocks are not told apart" };
    match all.iter().find(|one| one.bytes > 0.95 * most && most > 0.0) {
        Some(one) if one.is_all => reading.say(
            format!("After {} of idle time at least {} {what}.", one.label, size(one.bytes)),
            format!("all writes were fast to the end{why}"),
        ),
        Some(one) => reading.say(
            format!("After {} of idle time {} {what}.", one.label, size(one.bytes)),
            format!("longer idle times recover no more{why}"),
        ),
        None => reading.say(
            "Idle time makes no writes faster.",
            "after each idle time the first writes are as fast as the others, or fit the write buffer",
        ),
    }
}
