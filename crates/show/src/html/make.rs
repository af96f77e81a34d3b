//! Short ways to make the parts of a document.

use super::document::{Axis, Block, Cell, Column, Item, Link, Scale, Section, Tone};
use flashscope_core::number::{self, percent, size};

impl Section {
    /// A section of these blocks.
    pub fn new(id: &str, title: &str, blocks: Vec<Block>) -> Section {
        Section { id: id.into(), title: title.into(), blocks }
    }
}

impl Block {
    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text { text: text.into() }
    }

    /// Names and values.
    pub fn facts(rows: impl IntoIterator<Item = (&'static str, String)>) -> Block {
        Block::Facts { rows: rows.into_iter().map(|(name, value)| [name.into(), value]).collect() }
    }
}

impl Column {
    /// One of words.
    pub fn words(label: &str) -> Column {
        Column { label: label.into(), unit: String::new(), is_number: false }
    }

    /// One of numbers in a unit.
    pub fn number(label: &str, unit: &str) -> Column {
        Column { label: label.into(), unit: unit.into(), is_number: true }
    }
}

impl Axis {
    /// One of a quantity.
    pub fn of(label: impl Into<String>, unit: &str, scale: Scale) -> Axis {
        Axis { label: label.into(), unit: unit.into(), scale, labels: Vec::new() }
    }

    /// Places of these names, side by side.
    pub fn places(label: impl Into<String>, labels: Vec<String>) -> Axis {
        Axis { labels, ..Axis::of(label, "", Scale::Category) }
    }
}

impl Cell {
    /// Words.
    pub fn words(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A number as it is read, and as it is sorted.
    pub fn number(text: impl Into<String>, value: f64) -> Cell {
        Cell { text: text.into(), value: Some(value), ..Cell::default() }
    }

    /// A number of things.
    pub fn count(count: u64) -> Cell {
        Cell::number(number::count(count), count as f64)
    }

    /// An amount of data, in a column of bytes.
    pub fn bytes(bytes: u64) -> Cell {
        Cell::number(size(bytes as f64), bytes as f64)
    }

    /// A share of 1, in a column of %.
    pub fn share(share: f64) -> Cell {
        Cell::number(percent(share), share * 100.0)
    }

    /// The same with the block where it is seen.
    pub fn seen_in(self, link: impl Into<Option<String>>) -> Cell {
        Cell { link: link.into(), ..self }
    }
}

impl Item {
    /// Something to beware of.
    pub fn alert(text: impl Into<String>, detail: impl Into<String>) -> Item {
        Item { tone: Tone::Alert, text: text.into(), detail: detail.into(), links: Vec::new() }
    }

    /// Something to know.
    pub fn plain(text: impl Into<String>) -> Item {
        Item { tone: Tone::Plain, ..Item::alert(text, "") }
    }
}

impl Link {
    /// A way to the block of this `id`.
    pub fn to(id: impl Into<String>, label: impl Into<String>) -> Link {
        Link { label: label.into(), to: id.into() }
    }
}
