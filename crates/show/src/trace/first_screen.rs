//! The first screen of a trace's page: reads and writes in numbers, what came over time, and what to know of
//! the file.

use flashscope_core::number::{counted, iops, percent, size, span, throughput};
use flashscope_trace::stats::{Distribution, Summary};

use super::page;
use super::view::marks;
use crate::html::document::{Block, Item, Section, Tile};
use crate::html::run::summary::number_of;

pub(super) fn section(summary: &Summary) -> Section {
    let tiles = Block::Tiles { tiles: [reads(summary), writes(summary)].into_iter().flatten().collect() };
    let caveats = marks(summary).into_iter().map(|mark| Item::alert(mark, "")).collect();
    let chart = page::throughput(summary).map(Block::Chart);
    let blocks = std::iter::once(tiles).chain(chart).chain([Block::listed("Caveats", caveats)]);
    Section::summary(blocks.collect())
}

/// Reads or writes.
struct Kind<'a> {
    name: &'static str,
    colour: u8,
    requests: u64,
    bytes: u64,
    sizes: Option<&'a Distribution>,
    latency_ns: Option<&'a Distribution>,
    sequential_share: f64,
}

fn reads(summary: &Summary) -> Option<Tile> {
    let kind = Kind {
        name: "Reads",
        colour: 0,
        requests: summary.reads,
        bytes: summary.read_bytes,
        sizes: summary.sizes.read_bytes.as_ref(),
        latency_ns: summary.read_latency_ns.as_ref(),
        sequential_share: summary.sequential.read_sequential_share,
    };
    tile(&kind, summary)
}

fn writes(summary: &Summary) -> Option<Tile> {
    let kind = Kind {
        name: "Writes",
        colour: 1,
        requests: summary.writes,
        bytes: summary.written_bytes,
        sizes: summary.sizes.write_bytes.as_ref(),
        latency_ns: summary.write_latency_ns.as_ref(),
        sequential_share: summary.sequential.write_sequential_share,
    };
    tile(&kind, summary)
}

/// None of a kind that the trace does not hold.
fn tile(kind: &Kind<'_>, summary: &Summary) -> Option<Tile> {
    let sizes = kind.sizes.filter(|_| kind.requests > 0)?;
    let seconds = summary.times.duration_ns as f64 / 1e9;
    let rate = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
    let latency = kind.latency_ns.map(|all| ["p99 latency".to_string(), span(all.p99 as f64)]);
    let rows = [
        ["median size".to_string(), size(sizes.p50 as f64)],
        ["p99 size".to_string(), size(sizes.p99 as f64)],
        ["sequential".to_string(), percent(kind.sequential_share)],
    ];
    let share = percent(kind.requests as f64 / summary.requests.max(1) as f64);
    Some(Tile {
        name: kind.name.into(),
        term: String::new(),
        colour: kind.colour,
        state: None,
        value: number_of(&iops(rate(kind.requests))),
        unit: "IOPS".into(),
        detail: format!("{}, {} in all", throughput(rate(kind.bytes)), size(kind.bytes as f64)),
        rows: rows.into_iter().chain(latency).collect(),
        note: format!("{}, {share} of the trace", counted(kind.requests, "request")),
    })
}
