//! The key characteristics beside those of known devices: paper 001's table 3 with one more row.

use flashscope_analysis::{Indicator, Indicators};

use super::Scene;
use crate::html::document::{Cell, Column, Table};
use crate::view::result::{FAILED, OF_FAILED, cells};

/// A column: its name in the row of a terminal, its unit, its value, and the micro-benchmark it comes from.
pub(in super::super) type Characteristic =
    (&'static str, &'static str, fn(&Indicators) -> Option<Indicator>, &'static str);

pub(in super::super) const CHARACTERISTICS: [Characteristic; 12] = [
    ("seq read", "ms", |found| found.sr_ms, "baseline"),
    ("rand read", "ms", |found| found.rr_ms, "baseline"),
    ("seq write", "ms", |found| found.sw_ms, "baseline"),
    ("rand write", "ms", |found| found.rw_ms, "baseline"),
    ("effective pause", "ms", |found| found.pause_ms, "pause"),
    ("random writes within", "MiB", |found| found.locality_mib, "locality"),
    ("write streams", "", |found| found.partitions, "partitioning"),
    ("descending addresses", "x seq write", |found| found.reverse_factor, "order"),
    ("rewrite of one address", "x seq write", |found| found.in_place_factor, "order"),
    ("strided writes", "x rand write", |found| found.large_increment_factor, "order"),
    ("granularity", "bytes", |found| found.granularity_bytes, "granularity"),
    ("alignment", "bytes", |found| found.alignment_bytes, "alignment"),
];

/// Their names in paper 001, table 3; what it has not is empty.
const TERMS: [&str; 12] = [
    "SR",
    "RR",
    "SW",
    "RW",
    "Pause RW",
    "Locality RW",
    "Partitioning SW",
    "Ordered SW: Reverse",
    "Ordered SW: In-Place",
    "Ordered SW: Large Incr",
    "",
    "",
];

pub(in super::super) const CAPTION: &str = "Times are for one IO of the baseline size (32 KiB by \
                       default). In brackets: response time relative to a sequential write, to a single \
                       stream, or to an aligned write. \"same\": no significant difference; blank: no effect \
                       found, or not measured.";

/// None where no characteristic is known.
pub(super) fn table(scene: &Scene<'_>) -> Option<Table> {
    let mut own = row(&scene.context.target.name, &scene.indicators, true);
    own.iter_mut().for_each(|cell| cell.is_marked = true);
    let (paper, more) = cells(&scene.indicators);
    let shown = paper.into_iter().chain(more).map(|cell| cell.with_errors(&scene.points).value);
    own.iter_mut().skip(1).zip(shown).for_each(|(cell, shown)| cell.text = shown);
    let has_errors = own.iter().any(|cell| cell.text.ends_with(FAILED));
    let of_failed = if has_errors { format!(" {OF_FAILED}") } else { String::new() };
    let mut rows = vec![own];
    rows.extend(scene.beside.known.iter().map(|known| row(&known.name, &known.indicators, false)));
    let is_blank = CHARACTERISTICS.iter().all(|(_, _, of, _)| of(&scene.indicators).is_none());
    let beside = if scene.beside.known.is_empty() {
        String::new()
    } else {
        " The devices below are as published by uFLIP (Bouganim, Jónsson, Bonnet 2009, table 3).".into()
    };
    let mut columns = vec![Column::words("device")];
    let column =
        |((name, unit, ..), term): (&Characteristic, &str)| Column::number(name, unit).known_as(term);
    columns.extend(CHARACTERISTICS.iter().zip(TERMS).map(column));
    let table = Table::new(
        "characteristics-table",
        "Key characteristics",
        format!("{CAPTION}{of_failed}{beside}"),
        columns,
    )
    .with_rows(rows);
    (!is_blank).then_some(table)
}

pub(in super::super) fn row(name: &str, indicators: &Indicators, is_linked: bool) -> Vec<Cell> {
    let (paper, more) = cells(indicators);
    let mut row = vec![Cell::words(name)];
    for (shown, (_, _, of, micro)) in paper.into_iter().chain(more).zip(CHARACTERISTICS) {
        let found = of(indicators);
        let link = (is_linked && found.is_some()).then(|| super::charts::chart_id(micro));
        row.push(Cell {
            text: shown.value,
            value: found.map(|found| found.value),
            interval: found
                .filter(|found| found.ci_low < found.ci_high)
                .map(|found| [found.ci_low, found.ci_high]),
            link,
            is_marked: false,
        });
    }
    row
}
