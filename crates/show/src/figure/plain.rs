//! Pictures of what a trace is like: bars over classes, curves over time, and a map of addresses. They know
//! nothing of traces: whoever calls them brings numbers and names.

use std::fmt::Write;

use super::svg::{COLOURS, Plot, Scale, look};
use flashscope_core::number::{percent, size, span};

/// Labels that fit below the axis.
const LABELS_MAX: usize = 12;
const LABELS_Y_MAX: usize = 8;
/// Levels of shade of a map.
const SHADES: usize = 6;

/// What an axis measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, in binary units.
    Bytes,
    /// Seconds.
    Seconds,
    /// A share of 1.
    Share,
    /// A plain number.
    Number,
}

impl Unit {
    fn label(self, value: f64) -> String {
        match self {
            Unit::Bytes => size(value),
            Unit::Seconds if value == 0.0 => "0".into(),
            Unit::Seconds => format!("{} s", (value * 1e6).round() / 1e6),
            Unit::Share => percent(value),
            Unit::Number if value >= 1e6 => format!("{} M", value / 1e6),
            Unit::Number if value >= 1e4 => format!("{} k", value / 1e3),
            Unit::Number => format!("{}", (value * 1e6).round() / 1e6),
        }
    }

    /// Round values: multiples of a power of two for bytes.
    fn labels(self, low: f64, high: f64) -> Vec<(f64, String)> {
        let rough = (high - low) / LABELS_Y_MAX as f64;
        let step = match self {
            Unit::Bytes => 2f64.powf(rough.max(1.0).log2().ceil()),
            _ => {
                let decade = 10f64.powf(rough.log10().floor());
                [1.0, 2.0, 5.0, 10.0].map(|n| n * decade).into_iter().find(|n| *n >= rough).unwrap_or(rough)
            }
        };
        let first = (low / step).ceil() as u64;
        let ticks = (first..).map(|i| i as f64 * step).take_while(|tick| *tick <= high);
        ticks.map(|tick| (tick, self.label(tick))).collect()
    }
}

/// Values with a name: the bars of one colour, or a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the legend says.
    pub name: String,
    /// One for each class, or for each step of time.
    pub values: Vec<f64>,
}

/// Bars side by side for each class. None if there is no value above 0.
pub fn bars_figure(
    title: &str,
    classes: &[String],
    class_name: &str,
    value: (Unit, &str),
    series: &[Series],
) -> Option<String> {
    let y = from_zero(series)?;
    let x = Scale { low: -0.5, high: classes.len() as f64 - 0.5, is_log: false };
    let mut plot = Plot::new(title, x, y);
    let step = classes.len().div_ceil(LABELS_MAX).max(1);
    let labels: Vec<_> = (0..classes.len()).step_by(step).map(|i| (i as f64, classes[i].clone())).collect();
    plot.axes(&labels, class_name, &value.0.labels(0.0, y.high), value.1);
    let width = 0.8 / series.len() as f64;
    for (number, one) in series.iter().enumerate() {
        for (i, value) in one.values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let left = i as f64 - 0.4 + number as f64 * width;
            let (ground, top) = (plot.y(0.0), plot.y(*value).min(plot.y(0.0) - 1.0));
            let area = rectangle(plot.x(left), plot.x(left + width), top, ground);
            plot.fill(&area, COLOURS[number % COLOURS.len()], 1.0);
        }
    }
    legend(&mut plot, series, |i| (COLOURS[i % COLOURS.len()], ""));
    Some(plot.finish())
}

/// Curves over time, from 0 on; a value belongs to the end of its step. None if there is no value above 0.
pub fn time_figure(title: &str, step_s: f64, value: (Unit, &str), series: &[Series]) -> Option<String> {
    let y = from_zero(series)?;
    let steps = series.iter().map(|one| one.values.len()).max()?;
    let x = Scale { low: 0.0, high: steps as f64 * step_s, is_log: false };
    let mut plot = Plot::new(title, x, y);
    plot.axes(
        &Unit::Seconds.labels(0.0, x.high),
        "time from the first request",
        &value.0.labels(0.0, y.high),
        value.1,
    );
    for (i, one) in series.iter().enumerate() {
        let points = one.values.iter().enumerate().map(|(i, value)| ((i as f64 + 1.0) * step_s, *value));
        let (colour, dashes) = look(i);
        plot.line(points, colour, "2", dashes);
    }
    legend(&mut plot, series, look);
    Some(plot.finish())
}

/// Where things happened when: a raster of counts by column (time) and row (address).
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// What is counted.
    pub name: String,
    /// By column, then by row.
    pub counts: Vec<Vec<u32>>,
}

/// Rasters over one another, darker where there is more, on a logarithmic scale.
pub fn map_figure(title: &str, step_s: f64, first_bytes: f64, row_bytes: f64, rasters: &[Raster]) -> String {
    let columns = rasters.iter().map(|raster| raster.counts.len()).max().unwrap_or(0).max(1);
    let rows = rasters.iter().flat_map(|raster| &raster.counts).map(Vec::len).max().unwrap_or(0).max(1);
    let x = Scale { low: 0.0, high: columns as f64 * step_s, is_log: false };
    let y = Scale { low: first_bytes, high: first_bytes + rows as f64 * row_bytes, is_log: false };
    let mut plot = Plot::new(title, x, y);
    let ticks = Unit::Bytes.labels(y.low, y.high);
    plot.axes(&Unit::Seconds.labels(0.0, x.high), "time from the first request", &ticks, "address");
    for (number, raster) in rasters.iter().enumerate() {
        let edge = |row: usize| first_bytes + row as f64 * row_bytes;
        for (level, d) in shades(&plot, raster, step_s, edge).iter().enumerate() {
            let opacity = 0.4 + 0.6 * level as f64 / (SHADES - 1) as f64;
            plot.fill(d, COLOURS[number % COLOURS.len()], opacity);
        }
    }
    let names = rasters.iter().enumerate().map(|(i, one)| (COLOURS[i % COLOURS.len()], "", one.name.clone()));
    plot.legend(&names.collect::<Vec<_>>());
    plot.finish()
}

/// The cells of each level of shade, neighbours in a column as one.
fn shades(plot: &Plot, raster: &Raster, step_s: f64, edge: impl Fn(usize) -> f64) -> [String; SHADES] {
    let most = raster.counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let level = |count: u32| {
        let share = f64::from(count).ln_1p() / f64::from(most).ln_1p();
        (count > 0).then(|| ((share * SHADES as f64) as usize).min(SHADES - 1))
    };
    let mut paths = [const { String::new() }; SHADES];
    for (column, counts) in raster.counts.iter().enumerate() {
        let (left, right) = (plot.x(column as f64 * step_s), plot.x((column + 1) as f64 * step_s));
        let mut row = 0;
        for cells in counts.chunk_by(|a, b| level(*a) == level(*b)) {
            let (low, high) = (plot.y(edge(row)), plot.y(edge(row + cells.len())));
            row += cells.len();
            if let Some(level) = level(cells[0]) {
                let area = rectangle(left, right.max(left + 1.2), high.min(low - 1.2), low);
                paths[level].push_str(&area);
            }
        }
    }
    paths
}

fn rectangle(left: f64, right: f64, top: f64, bottom: f64) -> String {
    format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z")
}

/// The share of values that are at most `x`, on a logarithmic axis of time. None without a point.
pub fn spread_figure(title: &str, value_name: &str, points_ns: &[(f64, f64)]) -> Option<String> {
    let positive = points_ns.iter().map(|point| point.0.max(1.0));
    points_ns.first()?;
    let x = Scale::log_around(positive);
    let y = Scale { low: 0.0, high: 1.0, is_log: false };
    let mut plot = Plot::new(title, x, y);
    let decades = x.ticks().into_iter().filter(|tick| {
        let digits = tick.log10();
        (digits - digits.round()).abs() < 1e-9
    });
    let labels: Vec<_> = decades.map(|tick| (tick, short(&span(tick)))).collect();
    plot.axes(&labels, value_name, &Unit::Share.labels(0.0, 1.0), "cumulative share of gaps");
    let mut d = String::new();
    for (value, share) in points_ns {
        let (x, y) = (plot.x(value.max(1.0)), plot.y(*share));
        let _ = if d.is_empty() { write!(d, "M{x:.1} {y:.1}") } else { write!(d, "L{x:.1} {y:.1}") };
    }
    plot.path(&d, COLOURS[0], "2.5", r##"stroke-linejoin="round""##);
    Some(plot.finish())
}

/// `1.00 ms` as `1 ms`.
fn short(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) => {
            format!("{} {unit}", number.parse::<f64>().map_or(number.into(), |n| n.to_string()))
        }
        None => text.into(),
    }
}

fn from_zero(series: &[Series]) -> Option<Scale> {
    let most = series.iter().flat_map(|one| &one.values).copied().fold(0.0, f64::max);
    (most > 0.0).then_some(Scale { low: 0.0, high: most * 1.06, is_log: false })
}

fn legend(plot: &mut Plot, series: &[Series], look: impl Fn(usize) -> (&'static str, &'static str)) {
    let entries = series.iter().enumerate().map(|(i, one)| (look(i).0, look(i).1, one.name.clone()));
    plot.legend(&entries.collect::<Vec<_>>());
}
