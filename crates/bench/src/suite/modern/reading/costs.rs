//! What things cost: reads under writes, flushes, discards, and what idle time gives back.

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Pace, Point, Reading, paces};

use super::super::super::read::speed;
use super::super::{FLUSH, IDLE, TAIL, TRIM, TRIM_EFFECT};
use super::steps::{STEP, bytes_before, bytes_chart, curve, first_level, gib};
use super::{Points, last_run, of};

/// A run that never slows down was fast as a whole if it beats the slowest by this.
const ALL_FAST: f64 = 1.3;

pub(super) fn tail(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Single random reads while random writes come at a set rate.";
    let columns = ["writes asked", "writes, MB/s", "reads, IO/s", "median, ms", "p99, ms", "longest, ms"];
    let mut table = Table::new("tail", "Reads under writes", caption, &columns);
    let mut p99s: Vec<(f64, f64)> = Vec::new();
    for point in of(points, TAIL) {
        let Some(run) = last_run(point) else { continue };
        let seconds = run.elapsed_ns as f64 / 1e9;
        let quantile = |of: fn(&flashscope_analysis::Quantiles) -> f64| {
            Cell::number(run.outcome.quantiles.as_ref().map(|found| of(found) / 1e6))
        };
        p99s.extend(run.outcome.quantiles.map(|found| (point.experiment.parameter, found.p99_ns / 1e6)));
        table.rows.push(vec![
            Cell::words(&point.experiment.label),
            Cell::number(Some(run.written_bytes as f64 / 1e6 / seconds)),
            Cell::number(Some(run.ios as f64 / seconds)),
            quantile(|found| found.p50_ns),
            quantile(|found| found.p99_ns),
            quantile(|found| found.max_ns),
        ]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    if let [(0.0, alone), .., (rate, loaded)] = p99s[..] {
        reading.say(
            format!(
                "Under {rate} MB/s of writes, one read in a hundred takes {:.1} times as long as alone.",
                loaded / alone
            ),
            format!("99th percentile {loaded:.3} ms, {alone:.3} ms without writes"),
        );
    }
}

/// What a flush adds to the writes before it.
pub(super) fn flush(points: &Points<'_>, reading: &mut Reading) {
    let time_ms = |point: &Point<'_>| {
        let run = last_run(point)?;
        (run.ios > 0).then(|| run.elapsed_ns as f64 / 1e6 / run.ios as f64)
    };
    let plain = of(points, FLUSH).find(|point| point.experiment.parameter == 0.0).and_then(time_ms);
    let Some(plain) = plain else { return };
    let caption = "Single random writes with a flush command after every so many.";
    let mut table = Table::new("flush", "Flush", caption, &["flush after", "writes, IO/s", "a flush, ms"]);
    let mut dearest: Option<(f64, f64)> = None;
    for point in of(points, FLUSH) {
        let (every, Some(time)) = (point.experiment.parameter, time_ms(point)) else { continue };
        let group = time * (every + 1.0);
        let cost = (every > 0.0).then(|| (group - every * plain).max(0.0));
        let rate = if every > 0.0 { 1e3 * every / group } else { 1e3 / time };
        table.rows.push(vec![
            Cell::words(&point.experiment.label),
            Cell::number(Some(rate)),
            Cell::number(cost),
        ]);
        dearest = dearest.or(cost.map(|cost| (every, cost)));
    }
    reading.tables.push(table);
    if let Some((_, cost)) = dearest {
        reading.say(
            format!("A flush after every write costs {cost:.3} ms."),
            format!("{plain:.3} ms for a write without"),
        );
    }
}

pub(super) fn trim(points: &Points<'_>, reading: &mut Reading) {
    let mut table =
        Table::new("trim", "Discards", "Discards in order, one at a time.", &["size", "mean, ms"]);
    table.rows.extend(of(points, TRIM).map(|point| {
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
            same if (1.0 / STEP..STEP).contains(&same) => "Discarding everything changes nothing.".into(),
            _ => format!(
                "Random writes to a device of which everything was discarded are {gain:.2} times as fast."
            ),
        };
        reading.say(text, format!("{before:.0} IO/s used, {after:.0} IO/s discarded and rested"));
    }
}

/// What one idle time gave back.
struct Recovered<'a> {
    label: &'a str,
    paces: Vec<Pace>,
    /// Bytes that are fast again; all of them, if the speed never fell.
    bytes: f64,
    fast_mb_s: f64,
}

/// Bytes that are fast again, by idle time.
fn recovered<'a>(points: &'a Points<'_>) -> Vec<Recovered<'a>> {
    let runs: Vec<(&str, Vec<Pace>)> = of(points, IDLE)
        .filter_map(|point| Some((point.experiment.label.as_str(), paces(&last_run(point)?.windows))))
        .collect();
    let mean = |paces: &[Pace]| paces.last().map_or(0.0, |end| end.bytes as f64 / 1e6 / end.end_s);
    let last = |paces: &[Pace]| first_level(paces).map_or_else(|| mean(paces), |(_, _, slow)| slow);
    let slowest = runs.iter().map(|(_, paces)| last(paces)).fold(f64::INFINITY, f64::min);
    let recovered = |(label, paces): (&'a str, Vec<Pace>)| {
        let (bytes, fast_mb_s) = match first_level(&paces) {
            Some((bytes, fast, _)) => (bytes, fast),
            None if mean(&paces) >= ALL_FAST * slowest => (bytes_before(&paces, paces.len()), mean(&paces)),
            None => (0.0, mean(&paces)),
        };
        Recovered { label, paces, bytes, fast_mb_s }
    };
    runs.into_iter().map(recovered).collect()
}

pub(super) fn idle(points: &Points<'_>, reading: &mut Reading) {
    let caption = "A cache that was filled is left alone, and filled again.";
    let mut table = Table::new("idle", "Idle recovery", caption, &["idle", "fast again, GiB", "speed, MB/s"]);
    let all = recovered(points);
    let number = |value: f64| Cell::number(Some(value));
    let row =
        |one: &Recovered<'_>| vec![Cell::words(one.label), number(gib(one.bytes)), number(one.fast_mb_s)];
    table.rows = all.iter().map(row).collect();
    let Some(most) = all.iter().map(|one| one.bytes).reduce(f64::max) else { return };
    reading.tables.push(table);
    let series = all.iter().map(|one| curve(&format!("after {}", one.label), &one.paces)).collect();
    reading.charts.push(bytes_chart("idle", "Idle recovery", caption, series));
    match all.iter().find(|one| one.bytes > 0.95 * most && most > 0.0) {
        Some(one) => {
            let text = format!("After {} of idle time {:.2} GiB are fast again.", one.label, gib(one.bytes));
            reading.say(text, "longer ones give back no more");
        }
        None => reading
            .say("Idle time gives nothing back.", "after each, the first writes are as fast as the others"),
    }
}
