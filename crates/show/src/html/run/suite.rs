//! What a suite says, as sections of a page: any suite, from its reading alone.

use flashscope_analysis::Reading;

use crate::html::document::{Axis, Block, Chart, Section, Table};

/// Its sentences.
pub(super) fn sentences(reading: &Reading) -> Section {
    let items = reading.sentences.clone();
    let blocks = if items.is_empty() { Vec::new() } else { vec![Block::Items { items }] };
    Section::new("says", "Findings", blocks)
}

/// Its tables and charts.
pub(super) fn results(reading: &Reading) -> Section {
    let table = |one: &Table| Table { id: format!("suite-{}", one.id), ..one.clone() };
    let tables = reading.tables.iter().map(|one| Block::Table(table(one)));
    let charts = reading.charts.iter().map(|one| Block::Chart(chart(one)));
    Section::new("results", "Results", tables.chain(charts).collect())
}

fn chart(one: &Chart) -> Chart {
    Chart { id: format!("suite-{}", one.id), x: axis(&one.x), y: axis(&one.y), ..one.clone() }
}

/// The front end scales a few units; the others stand in the label.
fn axis(one: &Axis) -> Axis {
    match one.unit.as_str() {
        "" | "ns" | "bytes" | "IOs" | "s" | "%" => one.clone(),
        unit => Axis { label: format!("{}, {unit}", one.label), unit: String::new(), ..one.clone() },
    }
}
