//! The page of a replay: whether it was on time, how long requests took beside what the trace says, and every
//! IO with how late it was.

use std::path::Path;

use crate::headline::SHOWN;
use crate::html::dense::Trace;
use crate::html::document::{
    Axis, Block, Cell, Chart, Column, Document, Item, Look, Point, Section, Series, Table, Tile, Tone,
};
use crate::html::run::summary::{cumulative, distribution, number_of, percentile_rows};
use flashscope_analysis::Histogram;
use flashscope_core::Op;
use flashscope_core::number::{count, counted, iops, percent, size, span, throughput};
use flashscope_store::{Lateness, Manifest, ResultFile, Spread};

use super::view::{heading, remarks};
use crate::inside::{Detail, inside_blocks};
use flashscope_lab::replay::ResponseUs;
use flashscope_lab::replay::{RECORDS, ReplayReport};

/// What the IOs and what is on their axis of time are called.
const GROUP: &str = "replay";
/// Percentiles shown, with their axis labels.
const SHARES: [(f64, &str); 9] = [
    (0.1, "10 %"),
    (0.25, "25 %"),
    (0.5, "50 %"),
    (0.75, "75 %"),
    (0.9, "90 %"),
    (0.95, "95 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (1.0, "all"),
];

/// What a replay says.
pub fn page(folder: &Path, report: &ReplayReport, manifest: &Manifest) -> Document {
    let spread = Spread::read(&ResultFile::new(folder, RECORDS)).ok();
    let mut response = vec![Block::Table(table(report))];
    response.extend(percentiles(report, spread.as_ref()).map(Block::Chart));
    let mut summary = spread.as_ref().map_or(Vec::new(), |spread| headline(report, spread));
    summary.push(Block::listed("Verdict", items(report)));
    let sections = vec![
        Section::summary(summary),
        Section::new("response", "Response times", response),
        Section::new("ios", "Every IO", ios(folder, spread.as_ref())),
        Section::new("replay", "Replay", vec![facts(report, manifest)]),
    ];
    let title = format!("{} on {}", file_name(&report.trace), report.target);
    let subtitle = format!("{} · {}", heading(report), manifest.created);
    Document::new("replay", title, subtitle, sections).made_by(&manifest.flashscope_version)
}

/// Reads and writes in numbers, and the distribution of their response times.
fn headline(report: &ReplayReport, spread: &Spread) -> Vec<Block> {
    let kinds = [(Op::Read, "Reads", report.read_bytes), (Op::Write, "Writes", report.written_bytes)];
    let of = |op: Op| &spread.response_ns[op as usize];
    let kinds: Vec<_> = kinds.into_iter().filter(|(op, ..)| of(*op).ios() > 0).collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    let tile = |(op, name, bytes): &(Op, &str, u64)| {
        let times = of(*op);
        let of_all = |amount: f64| if report.wall_s > 0.0 { amount / report.wall_s } else { 0.0 };
        Tile {
            name: (*name).into(),
            term: String::new(),
            colour: *op as u8,
            state: None,
            value: number_of(&iops(of_all(times.ios() as f64))),
            unit: "IOPS".into(),
            detail: throughput(of_all(*bytes as f64)),
            rows: percentile_rows(&SHOWN, |percent| times.quantile_told_ns(percent / 100.0)),
            note: counted(times.ios(), "IO"),
        }
    };
    let series = kinds.iter().filter_map(|(op, name, _)| {
        Some(Series::new(*name, Look::Steps, cumulative(of(*op))?).coloured(*op as u8))
    });
    let chart = distribution("from submission to completion", series.collect());
    let tiles = Block::Tiles { tiles: kinds.iter().map(tile).collect() };
    std::iter::once(tiles).chain(chart.map(Block::Chart)).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn facts(report: &ReplayReport, manifest: &Manifest) -> Block {
    let bytes = |bytes: u64| size(bytes as f64);
    let mut rows = vec![
        ("trace", format!("{} ({})", report.trace, report.format)),
        ("target", format!("{}, {}", report.target, bytes(manifest.target.size_bytes))),
        ("requests", count(report.requests)),
        ("IOs", count(report.ios)),
        ("in flight", format!("{} at most", report.iodepth)),
        ("read", bytes(report.read_bytes)),
        ("written", bytes(report.written_bytes)),
    ];
    if report.trimmed_bytes > 0 {
        rows.push(("trimmed", bytes(report.trimmed_bytes)));
    }
    rows.push(("elapsed", span(report.wall_s * 1e9)));
    rows.push(("trace duration", span(report.trace_s * 1e9)));
    rows.extend(report.flush_s.map(|flush_s| ("final flush", span(flush_s * 1e9))));
    rows.extend(report.on_time_share.map(|share| ("within 50 µs of its time", percent(share))));
    if !report.pipeline.is_empty() {
        rows.push(("changed by", report.pipeline.join(" ")));
    }
    rows.push(("seed", report.seed.to_string()));
    Block::facts(rows)
}

/// The verdict first.
fn items(report: &ReplayReport) -> Vec<Item> {
    let tone = match (report.complete, report.on_time_share) {
        (false, _) => Tone::Alert,
        (true, None) => Tone::Plain,
        (true, Some(_)) if report.verdict.starts_with("on time") => Tone::Good,
        (true, Some(_)) => Tone::Alert,
    };
    let capital = |text: &str| {
        let mut letters = text.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    let item = |tone, text: String| Item { tone, ..Item::alert(text, "") };
    let mut items = vec![item(tone, format!("{}.", capital(&report.verdict)))];
    if !report.complete {
        let text = format!("Incomplete: results are of {}.", counted(report.ios, "IO"));
        items.push(item(Tone::Alert, text));
    }
    // The first one, how long it took, is among the facts.
    for remark in remarks(report).into_iter().skip(1) {
        let text = remark.trim();
        let tone = match text {
            _ if text.starts_with("Verified") => Tone::Good,
            _ if text.starts_with("FAILED") || text.contains("unreadable line") => Tone::Alert,
            _ => Tone::Plain,
        };
        items.push(item(tone, text.to_string()));
    }
    items
}

/// A row of the table: name, times, bytes.
type Kind = (&'static str, Option<ResponseUs>, Option<u64>);

fn kinds(report: &ReplayReport) -> [Kind; 5] {
    [
        ("all", report.response_us, None),
        ("reads", report.read_us, Some(report.read_bytes)),
        ("writes", report.write_us, Some(report.written_bytes)),
        ("flushes", report.flush_us, None),
        ("trims", report.trim_us, Some(report.trimmed_bytes)),
    ]
}

/// What the trace itself says. An older result has no more than the latencies of all requests together.
fn in_the_trace(report: &ReplayReport) -> Vec<Kind> {
    let by_op = [
        ("reads in the trace", report.trace_read_latency_us, None),
        ("writes in the trace", report.trace_write_latency_us, None),
        ("flushes in the trace", report.trace_flush_latency_us, None),
        ("trims in the trace", report.trace_trim_latency_us, None),
    ];
    let known: Vec<Kind> = by_op.into_iter().filter(|kind| kind.1.is_some()).collect();
    if known.is_empty() { vec![("all, in the trace", report.trace_latency_us, None)] } else { known }
}

fn table(report: &ReplayReport) -> Table {
    let time = |us: f64| Cell::shown(span(us * 1e3), us);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (name, times, bytes) in kinds(report).into_iter().chain(in_the_trace(report)) {
        let Some(us) = times else { continue };
        let bytes = Cell::number(bytes.map(|bytes| bytes as f64));
        let mut row = vec![Cell::words(name), Cell::number(us.ios as f64), bytes];
        row.extend([us.mean, us.p50, us.p95, us.p99, us.p999, us.max].map(time));
        rows.push(row);
    }
    if let Some(us) = report.lateness_us {
        let mut row = vec![Cell::words("lateness"), Cell::default(), Cell::default(), Cell::default()];
        row.extend([time(us.p50), time(us.p95), time(us.p99), Cell::default(), time(us.max)]);
        rows.push(row);
    }
    let times = ["mean", "p50", "p95", "p99", "p99.9", "longest"].map(|name| Column::number(name, "µs"));
    let first = [Column::words("what"), Column::number("IOs", "IOs"), Column::number("bytes", "bytes")];
    Table::new(
        "response",
        "Response times",
        "From submission to completion. \"in the trace\": the latencies recorded in the trace.",
        first.into_iter().chain(times),
    )
    .with_rows(rows)
}

/// Which share of the IOs was done within which time.
fn percentiles(report: &ReplayReport, spread: Option<&Spread>) -> Option<Chart> {
    let names = ["reads", "writes", "flushes", "trims"];
    let mut series: Vec<Series> = Vec::new();
    if let Some(spread) = spread {
        let by_op = Op::ALL.iter().map(|op| (names[*op as usize], &spread.response_ns[*op as usize]));
        let late = spread.late.iter().map(|late| ("lateness", &late.late_ns));
        series.extend(by_op.chain(late).filter_map(|(name, times)| of_histogram(name, times)));
    } else {
        series.extend(kinds(report)[1..5].iter().filter_map(|(name, times, _)| of_summary(name, (*times)?)));
    }
    let in_the_trace = in_the_trace(report);
    series.extend(in_the_trace.iter().filter_map(|(name, times, _)| of_summary(name, (*times)?)));
    let shares = SHARES.iter().map(|(_, name)| (*name).to_string()).collect();
    Chart::new(
        "percentiles",
        "Latency CDF",
        "Response time at each percentile.",
        [Axis::places("share of the IOs", shares), Axis::log("time", "ns")],
        series,
    )
    .if_any()
}

/// Shares that so many IOs can tell apart.
fn of_histogram(name: &str, times: &Histogram) -> Option<Series> {
    let ios = times.ios();
    let place = |(i, (share, label)): (usize, &(f64, &str))| {
        let is_known = *share == 1.0 || ios as f64 * (1.0 - share) >= 1.0;
        let ns = if *share == 1.0 { times.max_ns() as f64 } else { times.quantile_ns(*share) };
        is_known.then(|| point(i, ns, label))
    };
    let points = SHARES.iter().enumerate().filter_map(place);
    (ios > 0 && times.max_ns() > 0).then(|| Series::new(name, Look::Line, points))
}

fn of_summary(name: &str, us: ResponseUs) -> Option<Series> {
    let known = [(2, us.p50), (5, us.p95), (6, us.p99), (7, us.p999), (8, us.max)];
    let points = known.into_iter().map(|(i, us)| point(i, us * 1e3, SHARES[i].1));
    (us.max > 0.0).then(|| Series::new(name, Look::Line, points))
}

fn point(place: usize, ns: f64, label: &str) -> Point {
    // A logarithmic axis has no 0.
    Point::at(place as f64, (ns > 0.0).then_some(ns)).called(label)
}

fn ios(folder: &Path, spread: Option<&Spread>) -> Vec<Block> {
    let mut trace = Trace::unread(GROUP.into(), "Response time of every IO".into(), RECORDS.into());
    trace.group = Some(GROUP.into());
    let mut blocks = vec![Block::Trace(trace)];
    blocks.extend(spread.and_then(|spread| spread.late.as_ref()).map(lateness).map(Block::Chart));
    blocks.extend(inside_blocks(folder, RECORDS, GROUP, Detail::Full));
    blocks
}

fn lateness(late: &Lateness) -> Chart {
    let series = |name: &str, value: fn(u64, u64, u64) -> f64| {
        let point = |(i, window): (usize, &flashscope_store::LateWindow)| {
            let value = (window.ios > 0).then(|| value(window.max_ns, window.sum_ns, window.ios));
            Point::at((i as u64 * late.window_ns) as f64, value)
        };
        Series::new(name, Look::Steps, late.windows.iter().enumerate().map(point))
    };
    Chart::new(
        "lateness",
        "Lateness",
        "Submission time minus the time in the trace. Lateness stays high while the target cannot keep up.",
        [Axis::linear("time", "ns"), Axis::linear("lateness", "ns")],
        vec![
            series("maximum", |max, _, _| max as f64),
            series("mean", |_, sum, ios| (sum as f64 / ios as f64).round()),
        ],
    )
    .in_group(GROUP)
}
