//! What a suite says, as sections of a page: any suite, from its reading alone.

use flashscope_analysis::reading as said;

use crate::html::document::{
    Axis, Block, Cell, Chart, Column, Item, Look, Point, Scale, Section, Series, Table, Tone,
};
use crate::reading::{heading, text};

/// Its sentences.
pub(super) fn sentences(reading: &said::Reading) -> Section {
    let item = |sentence: &said::Sentence| Item {
        tone: if sentence.is_alert { Tone::Alert } else { Tone::Good },
        text: sentence.text.clone(),
        detail: sentence.evidence.clone(),
        links: Vec::new(),
    };
    let items: Vec<Item> = reading.sentences.iter().map(item).collect();
    let blocks = if items.is_empty() { Vec::new() } else { vec![Block::Items { items }] };
    Section::new("says", "What it says", blocks)
}

/// Its tables and charts.
pub(super) fn results(reading: &said::Reading) -> Section {
    let tables = reading.tables.iter().map(|one| Block::Table(table(one)));
    let charts = reading.charts.iter().map(|one| Block::Chart(chart(one)));
    Section::new("results", "Results", tables.chain(charts).collect())
}

fn table(one: &said::Table) -> Table {
    let is_number =
        |at: usize| one.rows.iter().any(|row| matches!(row.get(at), Some(said::Cell::Number { .. })));
    let columns = one.columns.iter().enumerate();
    let cell = |(cell, column): (&said::Cell, &said::Column)| match cell {
        said::Cell::Number { value, low, high } => Cell {
            interval: low.zip(*high).map(|(low, high)| [low, high]),
            ..Cell::number(text(&said::Cell::number(Some(*value)), column), *value)
        },
        other => Cell::words(text(other, column)),
    };
    Table {
        id: format!("suite-{}", one.id),
        title: one.title.clone(),
        caption: one.caption.clone(),
        columns: columns
            .map(|(at, column)| Column {
                // A cell here has no unit of its own.
                label: heading(column),
                unit: String::new(),
                is_number: is_number(at),
            })
            .collect(),
        rows: one.rows.iter().map(|row| row.iter().zip(&one.columns).map(cell).collect()).collect(),
    }
}

fn chart(one: &said::Chart) -> Chart {
    let series = one.series.iter().map(|curve| Series {
        name: curve.name.clone(),
        look: Look::Line,
        points: curve.points.iter().map(|(x, y)| Point { x: *x, y: Some(*y), ..Point::default() }).collect(),
    });
    Chart {
        id: format!("suite-{}", one.id),
        title: one.title.clone(),
        caption: one.caption.clone(),
        x: axis(&one.x),
        y: axis(&one.y),
        series: series.collect(),
        group: None,
    }
}

/// The front end scales a few units; the others stand in the label.
fn axis(one: &said::Axis) -> Axis {
    let scale = if one.is_log { Scale::Log } else { Scale::Linear };
    match one.unit.as_str() {
        unit @ ("" | "ns" | "bytes" | "IOs" | "s" | "%") => Axis::of(one.label.clone(), unit, scale),
        unit => Axis::of(format!("{}, {unit}", one.label), "", scale),
    }
}
