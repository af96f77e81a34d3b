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
    /// The same, divided at powers of two: sizes, IOs in flight.
    Log2,
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
    /// What it shows at least, so that charts side by side compare; none is what there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// An axis of a quantity.
    pub fn of(label: impl Into<String>, unit: &str, scale: Scale) -> Axis {
        Axis { label: label.into(), unit: unit.into(), scale, labels: Vec::new(), range: None }
    }

    /// An axis of equal steps.
    pub fn linear(label: impl Into<String>, unit: &str) -> Axis {
        Axis::of(label, unit, Scale::Linear)
    }

    /// An axis of equal factors.
    pub fn log(label: impl Into<String>, unit: &str) -> Axis {
        Axis::of(label, unit, Scale::Log)
    }

    /// An axis of equal factors, divided at powers of two.
    pub fn log2(label: impl Into<String>, unit: &str) -> Axis {
        Axis::of(label, unit, Scale::Log2)
    }

    /// Shares of all IOs, in %, spread out towards 100: p50, p90, p99, p99.9 in equal steps.
    pub fn percentiles() -> Axis {
        Axis::linear("percentile", "percentile")
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
    /// What a paper calls it; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub term: String,
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
        let (id, title, caption) = (id.into(), title.into(), caption.into());
        Chart { id, title, caption, x, y, series, group: None, term: String::new() }
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
    /// Points that nothing joins.
    Points,
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
    /// Its place in the palette, where it has one on the whole page; none takes them in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<u8>,
    /// What a paper calls it; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub term: String,
}

impl Series {
    /// A curve of points.
    pub fn new(name: impl Into<String>, look: Look, points: impl IntoIterator<Item = Point>) -> Series {
        let (name, points) = (name.into(), points.into_iter().collect());
        Series { name, look, points, colour: None, term: String::new() }
    }

    /// A line through these places.
    pub fn line(name: impl Into<String>, places: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series::new(name, Look::Line, places.into_iter().map(|(x, y)| Point::at(x, y)))
    }

    /// The same in a colour that it has on the whole page.
    pub fn coloured(self, colour: u8) -> Series {
        Series { colour: Some(colour), ..self }
    }

    /// The same with the name that a paper gives it.
    pub fn known_as(self, term: impl Into<String>) -> Series {
        Series { term: term.into(), ..self }
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
