//! What a site has beside the pages of its results: the table that leads to them, and the data that its pages
//! load. A page that is opened from disk may fetch nothing, so data come as scripts.

use flashscope_analysis::{Indicators, indicators, points};

use super::bundle::Bundle;
use super::document::{Block, Cell, Column, Document, Item, Section, Table, Tile};
use super::run::{CHARACTERISTICS, characteristics};
use crate::view::state_words;
use flashscope_core::number::counted;
use flashscope_core::plain::plain_json;
use flashscope_store::Stored;

/// A result of a site.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What its page and its data are called: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The measurement.
    pub title: String,
    /// The kind of its document.
    pub kind: &'static str,
    /// What was done, in a line.
    pub about: String,
    /// What came of it, in a line.
    pub headline: String,
    /// When it began, as RFC 3339.
    pub created: String,
    /// The state that the target was in.
    pub state: String,
    /// What is known of the target.
    pub indicators: Indicators,
}

impl Listed {
    /// The row of a result; what is stored is none of one that cannot be read.
    pub fn of(name: &str, document: &Document, stored: Option<&Stored>) -> Listed {
        let found = stored.map(|stored| indicators(&points(&stored.finished)));
        Listed {
            name: name.into(),
            title: document.title.clone(),
            kind: document.kind,
            about: document.subtitle.clone(),
            headline: headline(document),
            created: stored.map_or(String::new(), |stored| stored.manifest.created.clone()),
            state: stored.map_or("cannot be read".into(), |stored| state_words(stored.state())),
            indicators: found.unwrap_or_default(),
        }
    }
}

/// Facts that a result without tiles or sentences shows.
const FACTS: usize = 3;

/// The first numbers of a document, or else its first sentence, or else its first facts.
fn headline(document: &Document) -> String {
    let blocks = || document.sections.iter().flat_map(|section| &section.blocks);
    let tiles = blocks().find_map(|block| match block {
        Block::Tiles { tiles } => Some(tiles.iter().map(tile).collect::<Vec<_>>().join(", ")),
        _ => None,
    });
    let item = || {
        blocks().find_map(|block| match block {
            Block::Items { items } | Block::Listed { items, .. } => items.first().map(sentence),
            _ => None,
        })
    };
    let facts = || {
        blocks().find_map(|block| match block {
            Block::Facts { rows } => {
                let rows = rows.iter().take(FACTS).map(|[name, value]| format!("{name}: {value}"));
                Some(rows.collect::<Vec<_>>().join(", "))
            }
            _ => None,
        })
    };
    tiles.or_else(item).or_else(facts).unwrap_or_default()
}

/// `random write 111 IOPS`.
fn tile(Tile { name, value, unit, .. }: &Tile) -> String {
    format!("{} {value} {unit}", name.to_lowercase())
}

fn sentence(Item { text, detail, .. }: &Item) -> String {
    if detail.is_empty() { text.clone() } else { format!("{text}: {detail}") }
}

/// The page that leads to all others. `problems`: what was found and cannot be shown, and why.
pub fn site_index(listed: &[Listed], problems: &[[String; 2]]) -> Document {
    let mut columns: Vec<Column> =
        ["device", "result", "kind", "headline", "about"].map(Column::words).into();
    columns.extend(CHARACTERISTICS.iter().map(|(name, unit, ..)| Column::number(name, unit)));
    columns.extend(["date (UTC)", "state"].map(Column::words));
    let table = Table::new(
        "results-table",
        "Results",
        format!("Select two to compare them. {}", characteristics::CAPTION),
        columns,
    )
    .with_rows(listed.iter().map(row));
    let mut sections = vec![Section::new("results", "Results", vec![Block::Table(table)])];
    if !problems.is_empty() {
        let item = |[place, why]: &[String; 2]| Item::alert(place.as_str(), why.as_str());
        let items = problems.iter().map(item).collect();
        sections.push(Section::new("not-shown", "Problems", vec![Block::items(items)]));
    }
    Document::new(
        "site",
        counted(listed.len() as u64, "result"),
        "Each row links to its report. Click a column to sort; select two rows to compare.",
        sections,
    )
}

fn row(listed: &Listed) -> Vec<Cell> {
    let mut row = characteristics::row(&listed.title, &listed.indicators, false);
    // So many columns have no room for intervals; the report has them.
    row.iter_mut().for_each(|cell| cell.interval = None);
    row[0].link = Some(format!("results/{}.html", listed.name));
    let words =
        [&listed.name, listed.kind, &listed.headline, &listed.about].map(|text: &str| Cell::words(text));
    row.splice(1..1, words);
    let date: String = listed.created.chars().take(16).collect();
    row.extend([Cell::words(date.replace('T', " ")), Cell::words(&listed.state)]);
    row
}

/// In the place of a comparison, where statistics have nothing to say.
pub fn uncompared(a: &Listed, b: &Listed) -> Document {
    let text = format!(
        "{} ({}) and {} ({}), overlaid. Differences are tested between measurements only.",
        a.title, a.kind, b.title, b.kind
    );
    Document::new(
        "comparison",
        format!("{} and {}", a.title, b.title),
        format!("A: {}; B: {}", a.name, b.name),
        vec![Section::new("differences", "Differences", vec![Block::text(text)])],
    )
}

/// A script that adds a result to the page that loads it.
pub fn site_data(bundle: &Bundle) -> String {
    let json = serde_json::to_string(bundle).expect("plain data");
    format!("flashscope.add({});\n", plain_json(&json))
}
