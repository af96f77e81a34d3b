//! What a suite says, as sections of a page: any suite, from its reading alone.

use flashscope_analysis::Reading;
use flashscope_analysis::reading::Tone;

use super::{Scene, about, hints};
use crate::html::document::{Axis, Block, Chart, Item, Section, Table};

/// Its sentences, beside its first chart, and what weakens them.
pub(super) fn summary(scene: &Scene<'_>, reading: &Reading) -> Section {
    let weighed = |sentence: &Item| match sentence.tone {
        Tone::Alert => sentence.clone(),
        _ => sentence.clone().weighed(sentence.support()),
    };
    let first = reading.charts.first().map(|one| Block::Chart(chart(one)));
    let said = [
        Block::listed("", about::alerts(scene)),
        Block::listed("Findings", reading.sentences.iter().map(weighed).collect()),
        Block::listed("Caveats", hints::doubts(scene)),
    ];
    Section::summary(first.into_iter().chain(said).collect())
}

/// Its tables and charts.
pub(super) fn results(reading: &Reading) -> Section {
    let table = |one: &Table| Table { id: format!("suite-{}", one.id), ..one.clone() };
    let tables = reading.tables.iter().map(|one| Block::Table(table(one)));
    let charts = reading.charts.iter().skip(1).map(|one| Block::Chart(chart(one)));
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
