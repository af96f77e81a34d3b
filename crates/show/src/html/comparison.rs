//! Results side by side: which differences hold. The charts themselves are laid over one another by the page.

use flashscope_analysis::{Indicator, Support, indicators, points};

use super::document::{Block, Cell, Column, Document, Item, Link, Section, Table};
use super::run::{CHARACTERISTICS, chart_id, trace_id_of};
use crate::pairs::{Pair, Pairs, Verdict};
use crate::view::result::cells;
use crate::view::state_words;
use flashscope_core::number::{counted, digits, span, span_range};
use flashscope_store::Stored;

/// What the later results are beside the first. They are called A, B, C .. in their order. None of fewer than
/// two.
pub fn comparison_page(results: &[Stored]) -> Option<Document> {
    let [first, others @ ..] = results else { return None };
    if others.is_empty() {
        return None;
    }
    let mut differences = Vec::new();
    for (other, letter) in others.iter().zip(letters().skip(1)) {
        let pairs = Pairs::of(first, other);
        differences.push(Block::items(summary(&pairs, &letter)));
        if !pairs.both.is_empty() {
            differences.push(Block::Table(table(&pairs, &letter)));
        }
    }
    let mut sections = vec![Section::new("differences", "Significant differences", differences)];
    let beside = beside(results);
    if !beside.rows.is_empty() {
        let title = "Key characteristics compared";
        sections.push(Section::new("side-by-side", title, vec![Block::Table(beside)]));
    }
    let named = results.iter().zip(letters()).map(|(of, letter)| format!("{letter}: {}", name(of)));
    let names: Vec<String> = named.collect();
    let title = results.iter().map(|of| of.manifest.target.name.as_str()).collect::<Vec<_>>().join(" and ");
    Some(Document::new("comparison", title, names.join("; "), sections))
}

/// A, B, .., Z, then by number.
fn letters() -> impl Iterator<Item = String> {
    ('A'..='Z').map(String::from).chain((27..).map(|number| format!("#{number}")))
}

fn name(stored: &Stored) -> String {
    format!("{}, {}, {}", stored.manifest.target.name, state_words(stored.state()), stored.path.display())
}

fn summary(pairs: &Pairs<'_>, letter: &str) -> Vec<Item> {
    let text = pairs.sentence("A", letter);
    let links = vec![Link::to(table_id(letter), "all of them")];
    let mut items =
        vec![if pairs.both.is_empty() { Item::plain(text) } else { Item { links, ..Item::plain(text) } }];
    for (letter, ids) in [("A", &pairs.only_a), (letter, &pairs.only_b)] {
        if !ids.is_empty() {
            let count = counted(ids.len() as u64, "experiment");
            items.push(Item::alert(format!("{count} only in {letter}"), ids.join(", ")));
        }
    }
    if pairs.both.iter().any(|pair| !pair.is_same_pattern()) {
        let text = "Patterns marked * differ in size, length or depth.";
        items.push(Item::alert(text, "Compare them with care."));
    }
    items
}

fn table_id(letter: &str) -> String {
    format!("difference-{}", letter.trim_start_matches('#').to_lowercase())
}

fn table(pairs: &Pairs<'_>, letter: &str) -> Table {
    Table::new(
        table_id(letter),
        format!("{letter} relative to A"),
        format!("Marked: supported differences. Above 1, {letter} is slower."),
        vec![
            Column::words("experiment"),
            Column::number("A", "ms"),
            Column::number(letter, "ms"),
            Column::number(&format!("{letter} / A"), ""),
            Column::words(&format!("{letter} is")),
        ],
    )
    .with_rows(pairs.both.iter().map(row))
}

fn row(pair: &Pair<'_>) -> Vec<Cell> {
    let mean = |of: usize| match pair.means[of] {
        Some(mean) => Cell {
            interval: Some([mean.ci_low_ns / 1e6, mean.ci_high_ns / 1e6]),
            ..Cell::shown(span(mean.mean_ns), mean.mean_ns / 1e6)
        },
        None => Cell::words("no mean"),
    };
    let ratio = match (pair.ratio, pair.difference) {
        (Some(ratio), _) => Cell {
            interval: Some([ratio.ci_low, ratio.ci_high]),
            ..Cell::shown(format!("x{}", digits(ratio.value)), ratio.value)
        },
        (None, Some(by)) => Cell::words(format!("differ by {}", span_range(by.ci_low, by.ci_high))),
        (None, None) => Cell::words("not comparable"),
    };
    let is_told = matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    let holds = is_told && pair.support == Support::Supported;
    let verdict = pair.verdict_text();
    let id = pair.id();
    let mark = if pair.is_same_pattern() { "" } else { " *" };
    let micro = id.split('/').next().unwrap_or_default();
    let link = if micro == "measure" { trace_id_of(&id, 0) } else { chart_id(micro) };
    let mut cells =
        vec![Cell::words(format!("{id}{mark}")).seen_in(link), mean(0), mean(1), ratio, Cell::words(verdict)];
    cells.iter_mut().for_each(|cell| cell.is_marked = holds);
    cells
}

/// One row for each characteristic that one of them has, one column for each result.
fn beside(results: &[Stored]) -> Table {
    let found: Vec<_> = results.iter().map(|of| indicators(&points(&of.finished))).collect();
    let shown: Vec<Vec<String>> = found
        .iter()
        .map(|found| {
            let (paper, more) = cells(found);
            paper.into_iter().chain(more).map(|cell| cell.value).collect()
        })
        .collect();
    let row = |(i, (name, unit, of, micro)): (usize, &super::run::Characteristic)| {
        let values: Vec<Option<Indicator>> = found.iter().map(of).collect();
        values.iter().flatten().next()?;
        let heading = if unit.is_empty() { (*name).into() } else { format!("{name}, {unit}") };
        let mut row = vec![Cell::words(heading).seen_in(chart_id(micro))];
        row.extend(values.iter().zip(&shown).map(|(value, shown)| Cell {
            text: shown[i].clone(),
            value: value.map(|value| value.value),
            interval: value.filter(|v| v.ci_low < v.ci_high).map(|v| [v.ci_low, v.ci_high]),
            link: None,
            is_marked: is_apart(values[0], *value),
        }));
        Some(row)
    };
    let mut columns = vec![Column::words("characteristic")];
    columns.extend(letters().take(results.len()).map(|letter| Column::number(&letter, "")));
    Table::new(
        "side-by-side-table",
        "Key characteristics",
        "Marked: the 95 % CI lies outside that of A, or only one of them has the effect.",
        columns,
    )
    .with_rows(CHARACTERISTICS.iter().enumerate().filter_map(row))
}

fn is_apart(a: Option<Indicator>, b: Option<Indicator>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.ci_high < b.ci_low || b.ci_high < a.ci_low,
        (a, b) => a.is_some() != b.is_some(),
    }
}
