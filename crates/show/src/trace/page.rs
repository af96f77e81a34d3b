//! The page of a described trace: its mix and sizes, what happened over time, gaps and rewrites, addresses,
//! and its devices.

use crate::html::document::{
    Axis, Block, Cell, Chart, Column, Document, Heat, Look, Point, Section, Series, Table,
};
use flashscope_core::number::{count, counted, percent, span};
use flashscope_core::total;
use flashscope_store::Manifest;
use flashscope_trace::stats::{AddressMap, DeviceSummary, Distribution, Summary};

use super::first_screen;
use super::pictures::classes;
use super::view::facts;

/// Charts of this name share their zoom along time.
const TIME: &str = "trace-time";

/// The most cells of the map of addresses.
const MAP_COLUMNS_MAX: usize = 128;
const MAP_ROWS_MAX: usize = 64;

/// What a description says.
pub fn page(trace: &str, summary: &Summary, manifest: &Manifest) -> Document {
    let sections = [
        (
            "mix",
            "Mix and sizes",
            [vec![Block::Table(operations(summary))], blocks([sizes(summary)])].concat(),
        ),
        ("time", "Over time", blocks([requests(summary), footprint(summary), depth(summary)])),
        ("gaps", "Gaps, latencies, rewrites", blocks([gaps(summary), latencies(summary), rewrites(summary)])),
        ("addresses", "Addresses", addresses(summary)),
        ("devices", "Devices", vec![Block::Table(devices(&summary.devices))]),
        ("trace", "Trace", vec![about(summary)]),
    ];
    let is_shown = |(id, _, blocks): &(&str, &str, Vec<Block>)| {
        !blocks.is_empty() && (*id != "devices" || summary.devices.len() > 1)
    };
    let sections = sections.into_iter().filter(is_shown);
    let sections = sections.map(|(id, title, blocks)| Section::new(id, title, blocks));
    let sections = std::iter::once(first_screen::section(summary)).chain(sections).collect();
    Document::new("trace", trace, subtitle(summary, manifest), sections).made_by(&manifest.flashscope_version)
}

fn subtitle(summary: &Summary, manifest: &Manifest) -> String {
    let requests = counted(summary.requests, "request");
    let time = span(summary.times.duration_ns as f64);
    let devices = counted(summary.devices.len() as u64, "device");
    format!("{} · {requests} in {time} · {devices} · described {}", summary.format, manifest.created)
}

fn about(summary: &Summary) -> Block {
    let mut rows = vec![
        ["requests".to_string(), count(summary.requests)],
        ["duration".to_string(), span(summary.times.duration_ns as f64)],
    ];
    rows.extend(facts(summary).into_iter().map(|(name, text)| [name.to_string(), text]));
    Block::Facts { rows }
}

fn operations(summary: &Summary) -> Table {
    let sequential = &summary.sequential;
    let sizes = &summary.sizes;
    let (read, written, trimmed) = (summary.read_bytes, summary.written_bytes, summary.trimmed_bytes);
    let rows = [
        ("reads", summary.reads, Some(read), sizes.read_bytes.as_ref(), sequential.read_sequential_share),
        (
            "writes",
            summary.writes,
            Some(written),
            sizes.write_bytes.as_ref(),
            sequential.write_sequential_share,
        ),
        ("flushes", summary.flushes, None, None, 0.0),
        ("trims", summary.trims, Some(trimmed), None, 0.0),
    ];
    let row =
        |(name, count, total, sizes, sequential): (&str, u64, Option<u64>, Option<&Distribution>, f64)| {
            let mut cells = vec![
                Cell::words(name),
                Cell::count(count),
                Cell::share(count as f64 / summary.requests.max(1) as f64),
            ];
            cells.push(total.map_or(Cell::default(), Cell::bytes));
            let of_sizes = sizes.map(|all| [all.mean, all.p50 as f64, all.p99 as f64, all.max as f64]);
            let missing = [const { None }; 4];
            let of_sizes = of_sizes.map_or(missing, |sizes| sizes.map(Some));
            cells.extend(of_sizes.map(|size_bytes: Option<f64>| Cell::number(size_bytes)));
            cells.push(if sizes.is_some() { Cell::share(sequential) } else { Cell::default() });
            cells
        };
    let titles = [("requests", "requests"), ("share", "%"), ("bytes", "bytes"), ("mean size", "bytes")];
    let more = [("p50", "bytes"), ("p99", "bytes"), ("largest", "bytes"), ("sequential", "%")];
    let numbers = titles.into_iter().chain(more).map(|(title, unit)| Column::number(title, unit));
    Table::new(
        "operations",
        "Request mix",
        "Sequential: starts where the previous request of the same device and kind ended.",
        std::iter::once(Column::words("request")).chain(numbers),
    )
    .with_rows(rows.into_iter().filter(|row| row.1 > 0).map(row))
}

/// All charts of a trace.
pub(super) fn charts(summary: &Summary) -> impl Iterator<Item = Chart> {
    let over_time = [throughput(summary), requests(summary), footprint(summary), depth(summary)];
    let spreads = [sizes(summary), gaps(summary), latencies(summary), rewrites(summary)];
    over_time.into_iter().chain(spreads).flatten()
}

fn blocks<const N: usize>(charts: [Option<Chart>; N]) -> Vec<Block> {
    charts.into_iter().flatten().map(Block::Chart).collect()
}

/// What is said of a chart: `id`, title, caption.
type Words = (&'static str, &'static str, &'static str);

/// Bars for each power of two.
fn bars(words: Words, x: &str, y: &str, names: Vec<String>, all: Vec<(&str, Vec<f64>)>) -> Option<Chart> {
    let series = |(name, shares): (&str, Vec<f64>)| {
        let shares = shares.into_iter().enumerate();
        let point = |(i, share)| Point::at(i as f64, share * 100.0).called(&names[i]);
        Series::new(name, Look::Bars, shares.map(point))
    };
    let all: Vec<Series> =
        all.into_iter().filter(|(_, shares)| shares.iter().any(|share| *share > 0.0)).map(series).collect();
    Chart::new(words.0, words.1, words.2, [Axis::places(x, names), Axis::linear(y, "%")], all).if_any()
}

fn sizes(summary: &Summary) -> Option<Chart> {
    let (names, mut shares) =
        classes(&[summary.sizes.read_bytes.as_ref(), summary.sizes.write_bytes.as_ref()]);
    let writes = shares.pop()?;
    let words = ("sizes", "Request size histogram", "Power-of-two bins, labelled with their lower bound.");
    bars(
        words,
        "size",
        "share of the reads, of the writes",
        names,
        vec![("reads", shares.pop()?), ("writes", writes)],
    )
}

fn rewrites(summary: &Summary) -> Option<Chart> {
    let (names, mut shares) = classes(&[summary.rewrites.as_ref()?.interval_bytes.as_ref()]);
    let words = (
        "rewrites",
        "Bytes written between rewrites of a block",
        "A write buffer of that size would absorb the first of the two writes.",
    );
    bars(words, "bytes written in between", "share of rewrites", names, vec![("rewrites", shares.pop()?)])
}

/// Values of equal steps of time; none without a value above 0.
fn over_time(summary: &Summary, words: Words, y: (&str, &str), all: Vec<(&str, Vec<f64>)>) -> Option<Chart> {
    let step_s = summary.timeline.window_ns as f64 / 1e9;
    let series = |(name, mut values): (&str, Vec<f64>)| {
        // Each value holds until the next one, and the last one to its end.
        values.extend(values.last().copied());
        let point = |(i, value)| Point::at(i as f64 * step_s, value);
        Series::new(name, Look::Steps, values.into_iter().enumerate().map(point))
    };
    let all = all.into_iter().filter(|(_, values)| values.iter().any(|value| *value > 0.0));
    let series: Vec<Series> = all.map(series).collect();
    Chart::new(
        words.0,
        words.1,
        words.2,
        [Axis::linear("time from the first request", "s"), Axis::linear(y.0, y.1)],
        series,
    )
    .in_group(TIME)
    .if_any()
}

/// In thousandths, so that the page stays small.
fn scaled(values: &[u64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| (*value as f64 * factor * 1e3).round() / 1e3).collect()
}

pub(super) fn throughput(summary: &Summary) -> Option<Chart> {
    let per_s = 1e3 / summary.timeline.window_ns.max(1) as f64;
    let words = ("throughput", "Bytes read and written", "MB/s (10^6), mean of each step.");
    let (read, written) = (&summary.timeline.read_bytes, &summary.timeline.written_bytes);
    let all = vec![("read", scaled(read, per_s)), ("written", scaled(written, per_s))];
    over_time(summary, words, ("throughput", "MB/s"), all)
}

fn requests(summary: &Summary) -> Option<Chart> {
    let per_s = 1e9 / summary.timeline.window_ns.max(1) as f64;
    let words = ("requests", "Requests", "All kinds, mean of each step.");
    over_time(
        summary,
        words,
        ("requests", "requests/s"),
        vec![("requests", scaled(&summary.timeline.requests, per_s))],
    )
}

fn footprint(summary: &Summary) -> Option<Chart> {
    let words = (
        "footprint",
        "Footprint and working set",
        "Footprint: distinct bytes accessed so far. Working set: distinct bytes accessed within a step. A \
         cache helps if the working set is far below the footprint.",
    );
    let all = vec![
        ("footprint so far", scaled(&summary.timeline.footprint_bytes, 1.0)),
        ("written so far", scaled(&summary.timeline.write_footprint_bytes, 1.0)),
        ("working set of the step", scaled(&summary.working_set.bytes, 1.0)),
    ];
    over_time(summary, words, ("different bytes", "bytes"), all)
}

fn depth(summary: &Summary) -> Option<Chart> {
    let queue = summary.queue_depth.as_ref()?;
    let words = ("depth", "Requests in flight", "From the latencies in the trace.");
    let all =
        vec![("most", scaled(&queue.max_over_time, 1.0)), ("mean", queue.mean_at_arrival_over_time.clone())];
    over_time(summary, words, ("in flight", "requests"), all)
}

/// The share of values that are at most as long.
fn up_to(words: Words, x: &str, all: Vec<(&str, Option<&Distribution>)>) -> Option<Chart> {
    let series = |(name, all): (&str, Option<&Distribution>)| {
        let all = all.filter(|all| all.max > 0)?;
        let mut below = 0;
        let point = |bin: &flashscope_trace::stats::Bin| {
            below = total([below, bin.count]);
            let share = below as f64 / all.count as f64 * 100.0;
            let x = bin.to.min(all.max).max(1) as f64;
            Point { x, y: Some((share * 1e3).round() / 1e3), ..Point::default() }
        };
        Some(Series::new(name, Look::Line, all.bins.iter().map(point)))
    };
    let series: Vec<Series> = all.into_iter().filter_map(series).collect();
    Chart::new(words.0, words.1, words.2, [Axis::log(x, "ns"), Axis::linear("at most as long", "%")], series)
        .if_any()
}

fn gaps(summary: &Summary) -> Option<Chart> {
    let gaps = &summary.inter_arrival.as_ref()?.gaps_ns;
    let words = (
        "gaps",
        "Gaps between requests",
        "CDF of the gaps between requests. A plateau in the middle means bursts with pauses between them.",
    );
    up_to(words, "gap", vec![("gaps", Some(gaps))])
}

fn latencies(summary: &Summary) -> Option<Chart> {
    let words = ("latencies", "Latencies", "CDF of the latencies recorded in the trace.");
    let (reads, writes) = (summary.read_latency_ns.as_ref(), summary.write_latency_ns.as_ref());
    up_to(words, "latency", vec![("reads", reads), ("writes", writes)])
}

fn addresses(summary: &Summary) -> Vec<Block> {
    let Some(map) = &summary.map else {
        let text =
            "The address map was not stored by an older flashscope; describe the trace again to see it.";
        return vec![Block::text(text)];
    };
    let step_s = summary.timeline.peak_window_ns as f64 / 1e9;
    let heat = |id: &str, name: &str, counts: &[Vec<u32>]| heat(id, name, counts, map, step_s);
    [heat("map-writes", "writes", &map.writes), heat("map-reads", "reads", &map.reads)]
        .into_iter()
        .flatten()
        .map(Block::Heat)
        .collect()
}

fn heat(id: &str, name: &str, counts: &[Vec<u32>], map: &AddressMap, step_s: f64) -> Option<Heat> {
    let across = counts.len().div_ceil(MAP_COLUMNS_MAX).max(1);
    let up = counts.iter().map(Vec::len).max().unwrap_or(0).div_ceil(MAP_ROWS_MAX).max(1);
    let counts = folded(counts, across, up);
    let columns = counts.len();
    let rows = counts.iter().map(Vec::len).max().unwrap_or(0);
    if counts.iter().flatten().all(|count| *count == 0) {
        return None;
    }
    let cell = |row: usize, column: &Vec<u32>| {
        column.get(row).filter(|count| **count > 0).map(|count| f64::from(*count))
    };
    let values = (0..rows).flat_map(|row| counts.iter().map(move |column| cell(row, column))).collect();
    let first = map.first_bytes as f64;
    Some(Heat {
        id: id.into(),
        title: format!("Start addresses of {name}"),
        caption: "Rising lines: sequential streams. Horizontal lines: hot addresses. Even noise: random \
            access. All devices are overlaid."
            .into(),
        x: Axis::linear("time from the first request", "s"),
        y: Axis::linear("address", "bytes"),
        x_range: [0.0, (columns * across) as f64 * step_s],
        y_range: [first, first + (rows * up) as f64 * map.row_bytes as f64],
        columns: columns as u32,
        value: name.into(),
        values,
        group: Some(TIME.into()),
    })
}

/// Sums of `across` columns and `up` rows: larger cells are seen where few of them hold anything.
fn folded(counts: &[Vec<u32>], across: usize, up: usize) -> Vec<Vec<u32>> {
    let rows = counts.iter().map(Vec::len).max().unwrap_or(0).div_ceil(up);
    let column = |part: &[Vec<u32>]| {
        let mut sums = vec![0u32; rows];
        for (row, count) in part.iter().flat_map(|column| column.iter().enumerate()) {
            sums[row / up] = sums[row / up].saturating_add(*count);
        }
        sums
    };
    counts.chunks(across).map(column).collect()
}

fn devices(all: &[DeviceSummary]) -> Table {
    let row = |device: &DeviceSummary| {
        let all = device.requests.max(1) as f64;
        vec![
            Cell::words(device.name.clone()),
            Cell::count(device.requests),
            Cell::share(device.reads as f64 / all),
            Cell::bytes(device.read_bytes),
            Cell::bytes(device.written_bytes),
            Cell::bytes(device.footprint_bytes),
            device.addresses.map_or(Cell::default(), |addresses| Cell::bytes(addresses.end_bytes)),
            Cell::share(device.sequential.sequential_share),
        ]
    };
    let numbers = [
        ("requests", "requests"),
        ("reads", "%"),
        ("read", "bytes"),
        ("written", "bytes"),
        ("footprint", "bytes"),
        ("end", "bytes"),
        ("sequential", "%"),
    ];
    let numbers = numbers.into_iter().map(|(title, unit)| Column::number(title, unit));
    let mut sorted: Vec<&DeviceSummary> = all.iter().collect();
    sorted.sort_by_key(|device| std::cmp::Reverse(device.requests));
    let most = total(sorted.iter().map(|device| device.requests)).max(1);
    let busiest = sorted.first().map_or(String::new(), |device| {
        let part = percent(device.requests as f64 / most as f64);
        format!("The busiest, {}, has {part} of the requests.", device.name)
    });
    Table::new("devices", "By device", busiest, std::iter::once(Column::words("device")).chain(numbers))
        .with_rows(sorted.into_iter().map(row))
}
