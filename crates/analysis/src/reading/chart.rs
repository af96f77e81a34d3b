//! Charts: curves of points with intervals on two axes.

use serde::Serialize;

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
    /// Its unit, as of [`Column::unit`](super::Column::unit), or `ns`; the front end scales it.
    pub unit: String,
    /// How it is divided at first; the reader of a page may change between linear and log.
    pub scale: Scale,
    /// Of a [`Scale::Category`] the labels, of others empty.
    pub labels: Vec<String>,
}

impl Axis {
    /// An axis of a quantity.
    pub fn of(label: impl Into<String>, unit: &str, scale: Scale) -> Axis {
        Axis { label: label.into(), unit: unit.into(), scale, labels: Vec::new() }
    }

    /// An axis of equal steps.
    pub fn linear(label: impl Into<String>, unit: &str) -> Axis {
        Axis::of(label, unit, Scale::Linear)
    }

    /// An axis of equal factors.
    pub fn log(label: impl Into<String>, unit: &str) -> Axis {
        Axis::of(label, unit, Scale::Log)
    }

    /// Places of these names, side by side.
    pub fn places(label: impl Into<String>, labels: Vec<String>) -> Axis {
        Axis { labels, ..Axis::of(label, "", Scale::Category) }
    }
}

/// Lines of points with intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// For links and for overlaying: lower case, digits and `-`; one of its kind in a reading or on a page.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it, and its source; may be empty.
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

impl Chart {
    /// Curves on the axes `x` and `y`, with a zoom of its own.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        caption: impl Into<String>,
        [x, y]: [Axis; 2],
        series: Vec<Series>,
    ) -> Chart {
        Chart { id: id.into(), title: title.into(), caption: caption.into(), x, y, series, group: None }
    }

    /// The same with the zoom of its group.
    pub fn in_group(self, group: &str) -> Chart {
        Chart { group: Some(group.into()), ..self }
    }

    /// The same where there is a curve.
    pub fn if_any(self) -> Option<Chart> {
        (!self.series.is_empty()).then_some(self)
    }
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

impl Series {
    /// A curve of points.
    pub fn new(name: impl Into<String>, look: Look, points: impl IntoIterator<Item = Point>) -> Series {
        Series { name: name.into(), look, points: points.into_iter().collect() }
    }

    /// A line through these places.
    pub fn line(name: impl Into<String>, places: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series::new(name, Look::Line, places.into_iter().map(|(x, y)| Point::at(x, y)))
    }
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

impl Point {
    /// A point at a place; a value of none leaves a gap.
    pub fn at(x: f64, y: impl Into<Option<f64>>) -> Point {
        Point { x, y: y.into(), ..Point::default() }
    }

    /// The same with what it is.
    pub fn called(self, label: impl Into<String>) -> Point {
        Point { label: label.into(), ..self }
    }
}
