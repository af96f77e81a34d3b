//! What a report says, as data: sections of blocks. A page of any kind (a run, a sweep, a replay, a trace)
//! is a [`Document`]; the front end in `report/` knows these blocks and nothing of flash. Numbers and words
//! come from here, looks and interaction from there. Tables, charts and items are those of any reading.
//!
//! Several documents on one page are overlaid: charts, traces and tables with the same `id` are one picture
//! with a series for each document. So an `id` says what is shown, never of which device.

use flashscope_analysis::Support;
pub use flashscope_analysis::reading::{
    Axis, Cell, Chart, Column, Item, Link, Look, Point, Scale, Series, Table, Tone,
};
use serde::Serialize;

use super::dense::Trace;

/// The version of this structure, which the front end checks.
pub const DOCUMENT_VERSION: u32 = 1;

/// All that is said of one result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// [`DOCUMENT_VERSION`].
    pub version: u32,
    /// What kind of result: `run`, `measure`, `sim`, `replay`, `trace`; `remains` of one that cannot be read;
    /// or `comparison`, which is about the other documents of the page and comes after them.
    pub kind: &'static str,
    /// What was looked at, in a few words: the target's name.
    pub title: String,
    /// One line below the title: state, size, date.
    pub subtitle: String,
    /// The flashscope that made it.
    pub flashscope_version: String,
    /// In the order of reading.
    pub sections: Vec<Section>,
}

/// A part of the page, with an entry in its navigation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// For links: lower case, digits and `-`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// In the order of reading.
    pub blocks: Vec<Block>,
    /// It is the first screen: tiles across, pictures beside items, and no heading.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_summary: bool,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "block", rename_all = "snake_case")]
pub enum Block {
    /// A paragraph.
    Text {
        /// Plain words.
        text: String,
    },
    /// What is so: names and values.
    Facts {
        /// Name and value, with its unit.
        rows: Vec<[String; 2]>,
    },
    /// Headline numbers, side by side.
    Tiles {
        /// From left to right.
        tiles: Vec<Tile>,
    },
    /// Hints, warnings.
    Items {
        /// In order of weight.
        items: Vec<Item>,
    },
    /// The same below a heading, in little room: beside a picture.
    Listed {
        /// The heading.
        title: String,
        /// In order of weight.
        items: Vec<Item>,
    },
    /// Rows and columns.
    Table(Table),
    /// Points with intervals.
    Chart(Chart),
    /// Every IO of an experiment.
    Trace(Trace),
    /// Values on a grid: a wear map, addresses over time.
    Heat(Heat),
}

/// The headline numbers of one thing, such as random reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tile {
    /// What was measured.
    pub name: String,
    /// How, in the words of whoever asked for it; may be empty.
    pub term: String,
    /// Its place in the palette, as of its curves.
    pub colour: u8,
    /// How well the measurements carry these numbers; none where that is no question.
    pub state: Option<Support>,
    /// The number, without its unit; empty if it is missing.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// Beside it, in small: the same in another unit, its interval.
    pub detail: String,
    /// Names and values, such as percentiles.
    pub rows: Vec<[String; 2]>,
    /// What it rests on.
    pub note: String,
}

/// Values on a grid.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// For links and for overlaying.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// From left to right; the grid covers `x_range` of it.
    pub x: Axis,
    /// From the bottom to the top; the grid covers `y_range` of it.
    pub y: Axis,
    /// First and last edge along `x`.
    pub x_range: [f64; 2],
    /// First and last edge along `y`.
    pub y_range: [f64; 2],
    /// Cells along `x`.
    pub columns: u32,
    /// What a value is, with its unit: `erases`.
    pub value: String,
    /// Row by row from the bottom, each `columns` long; none is empty.
    pub values: Vec<Option<f64>>,
    /// As of a [`Chart`]: a map over time zooms with the curves over time.
    pub group: Option<String>,
}

impl Document {
    /// One that this flashscope makes.
    pub fn new(
        kind: &'static str,
        title: impl Into<String>,
        subtitle: impl Into<String>,
        sections: Vec<Section>,
    ) -> Document {
        Document {
            version: DOCUMENT_VERSION,
            kind,
            title: title.into(),
            subtitle: subtitle.into(),
            flashscope_version: env!("CARGO_PKG_VERSION").into(),
            sections,
        }
    }

    /// The same of a result that `version` of flashscope left.
    pub fn made_by(self, version: &str) -> Document {
        Document { flashscope_version: version.into(), ..self }
    }
}

impl Section {
    /// A section of these blocks; those in which nothing is listed are left out.
    pub fn new(id: &str, title: &str, mut blocks: Vec<Block>) -> Section {
        blocks.retain(|block| !block.lists_nothing());
        Section { id: id.into(), title: title.into(), blocks, is_summary: false }
    }

    /// The first screen.
    pub fn summary(blocks: Vec<Block>) -> Section {
        Section { is_summary: true, ..Section::new("summary", "Summary", blocks) }
    }
}

impl Block {
    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text { text: text.into() }
    }

    /// Items without a heading of their own.
    pub fn items(items: Vec<Item>) -> Block {
        Block::Items { items }
    }

    /// Items below a heading.
    pub fn listed(title: &str, items: Vec<Item>) -> Block {
        Block::Listed { title: title.into(), items }
    }

    fn lists_nothing(&self) -> bool {
        match self {
            Block::Items { items } | Block::Listed { items, .. } => items.is_empty(),
            Block::Tiles { tiles } => tiles.is_empty(),
            _ => false,
        }
    }

    /// Names and values.
    pub fn facts(rows: impl IntoIterator<Item = (&'static str, String)>) -> Block {
        Block::Facts { rows: rows.into_iter().map(|(name, value)| [name.into(), value]).collect() }
    }
}
