//! All runs as one table.

use flashscope_analysis::Finished;

use super::{Scene, trace_id};
use crate::html::document::{Block, Cell, Column, Section, Table};
use crate::view::measure::because;
use flashscope_core::number::span;

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let time = |label| Column::number(label, "ms");
    let columns = vec![
        Column::words("experiment"),
        Column::number("repeat", ""),
        Column::words("pattern"),
        time("mean"),
        time("p50"),
        time("p99"),
        time("max"),
        Column::number("length", "IOs"),
        Column::number("warm-up", "IOs"),
        Column::number("period", "IOs"),
        Column::number("IO errors", ""),
        Column::words("stop"),
    ];
    let table = Table::new(
        "experiments-table",
        "All runs",
        "Means (with 95 % CI) and percentiles of the steady state.",
        columns,
    )
    .with_rows(scene.runs.iter().map(|done| row(done)));
    let blocks = if table.rows.is_empty() { Vec::new() } else { vec![Block::Table(table)] };
    Section::new("experiments", "All runs", blocks)
}

fn row(done: &Finished) -> Vec<Cell> {
    let outcome = &done.run.outcome;
    let time = |ns: Option<f64>| ns.map_or(Cell::default(), |ns| Cell::shown(span(ns), ns / 1e6));
    let link = done.run.records.is_some().then(|| trace_id(done));
    let mean = time(outcome.estimate.map(|estimate| estimate.mean_ns));
    let interval = outcome.estimate.map(|of| [of.ci_low_ns / 1e6, of.ci_high_ns / 1e6]);
    let [p50, p99, max] = match outcome.quantiles {
        Some(found) => [found.p50_ns, found.p99_ns, found.max_ns].map(Some),
        None => [None; 3],
    };
    let has_count = done.experiment.pattern.number_ios.is_some();
    vec![
        Cell::words(done.experiment.id()).seen_in(link),
        Cell::count(u64::from(done.repeat) + 1),
        Cell::words(done.experiment.pattern.to_string()),
        Cell { interval, ..mean },
        time(p50),
        time(p99),
        time(max),
        Cell::count(done.run.ios),
        Cell::count(outcome.phases.startup_ios),
        outcome.phases.period.map_or(Cell::default(), |period| Cell::count(period.ios)),
        match done.run.errors.count {
            0 => Cell::default(),
            errors => Cell::count(errors),
        },
        Cell::words(because(outcome.stopped_because, has_count)),
    ]
}
