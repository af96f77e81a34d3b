//! What a report says, as data: sections of blocks. A page of any kind (a run, a sweep, a replay, a trace)
//! is a [`Document`]; the front end in `report/` knows these blocks and nothing of flash. Numbers and words
//! come from here, looks and interaction from there.
//!
//! Several documents on one page are overlaid: charts, traces and tables with the same `id` are one picture
//! with a series for each document. So an `id` says what is shown, never of which device.

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
    /// Hints, warnings.
    Items {
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

/// How an item is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Something to use.
    Good,
    /// Something to beware of.
    Alert,
    /// Neither.
    Plain,
}

/// A sentence with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// How it is meant.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
    /// Why it is so; may be empty.
    pub detail: String,
    /// Where that is seen.
    pub links: Vec<Link>,
}

/// A way to a block of the same page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// What is seen there.
    pub label: String,
    /// The block's `id`.
    pub to: String,
}

/// A table: sortable, and a CSV behind a button.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// For links and for overlaying.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// Names of the columns, with their units.
    pub columns: Vec<Column>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its heading.
    pub label: String,
    /// Unit of [`Cell::value`], or empty.
    pub unit: String,
    /// Set to the right, and sorted by value.
    pub is_number: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cell {
    /// What is shown, with its unit.
    pub text: String,
    /// What it is sorted by and what a CSV holds, in the column's unit; none for words.
    pub value: Option<f64>,
    /// Lower and upper end of its interval at 95 %.
    pub interval: Option<[f64; 2]>,
    /// `id` of the block where it is seen.
    pub link: Option<String>,
    /// Stands out: the row of this device among others, a difference that holds.
    pub is_marked: bool,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Log,
    /// Places side by side: `x` counts the labels from 0.
    Category,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Its unit, which the front end scales to what is readable: `ns`, `bytes`, `IOs`, `s`, `%`, or empty.
    pub unit: String,
    /// How it is divided at first; the reader may change between linear and log.
    pub scale: Scale,
    /// Of a [`Scale::Category`] the labels, of others empty.
    pub labels: Vec<String>,
}

/// Lines of points with intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// For links and for overlaying.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// What is varied, or time.
    pub x: Axis,
    /// What is measured.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Charts and traces of one group share their zoom along `x`; none stands alone.
    pub group: Option<String>,
}

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Points, joined by a line.
    Line,
    /// Each holds until the next one.
    Steps,
    /// Steps, filled down to the axis, the series of a chart above one another.
    Stacked,
    /// Bars from the axis.
    Bars,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// How its points are joined.
    pub look: Look,
    /// In the order of `x`.
    pub points: Vec<Point>,
}

/// One point.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Point {
    /// Place, in the axis's unit.
    pub x: f64,
    /// Value, in the axis's unit; none leaves a gap.
    pub y: Option<f64>,
    /// Ends of its interval at 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What it is, for a person: `32KiB`; empty if `x` says it all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// `id` of the trace behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
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
