//! A chart of a page as a picture of its own: lines, steps or bars with their intervals.

use flashscope_analysis::reading::{Axis, Chart, Look, Point, Scale as Division, Series};
use flashscope_core::number::{in_unit, trimmed};

use super::svg::{COLOURS, INK, Plot, Scale, look};

/// Labels that fit below the axis.
const LABELS_MAX: usize = 12;

/// The curves of a chart on its own axes, under a title. None if it has no value above 0.
pub fn chart_figure(title: &str, chart: &Chart) -> Option<String> {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let ends = points().flat_map(|point| {
        let y = point.y.into_iter();
        // An interval down to 0 has no end on an axis of equal factors.
        let least = point.y.unwrap_or(0.0) / 10.0;
        y.chain(point.interval.into_iter().flatten().map(move |end| end.max(least)))
    });
    let ends: Vec<f64> = ends.collect();
    ends.iter().find(|end| **end > 0.0)?;
    let xs: Vec<f64> = points().map(|point| point.x).collect();
    let (x, y) = (across(&chart.x, &xs), upwards(&chart.y, &ends));
    let mut plot = Plot::new(title, x, y);
    let labels = labels(&chart.x, x, &xs, chart);
    plot.axes(&labels, &name(&chart.x), &ticks(y, &chart.y.unit), &name(&chart.y));
    for (number, series) in chart.series.iter().enumerate() {
        match series.look {
            Look::Bars => bars(&mut plot, series, number, chart.series.len()),
            // No chart of points alone is drawn here; joined ones are no worse.
            Look::Line | Look::Points => line(&mut plot, series, look(number)),
            Look::Steps | Look::Stacked => steps(&mut plot, series, look(number)),
        }
    }
    let entry = |(number, series): (usize, &Series)| match series.look {
        Look::Bars => (COLOURS[number % COLOURS.len()], "", series.name.clone()),
        _ => (look(number).0, look(number).1, series.name.clone()),
    };
    plot.legend(&chart.series.iter().enumerate().map(entry).collect::<Vec<_>>());
    Some(plot.finish())
}

/// Units that stand behind each number; others are too long for that.
fn is_short(unit: &str) -> bool {
    unit.len() <= 5
}

/// What an axis shows, with the unit that its numbers do not bring.
fn name(axis: &Axis) -> String {
    if is_short(&axis.unit) { axis.label.clone() } else { format!("{}, {}", axis.label, axis.unit) }
}

fn across(axis: &Axis, xs: &[f64]) -> Scale {
    let low = xs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = xs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match axis.scale {
        Division::Category => Scale { low: -0.5, high: axis.labels.len() as f64 - 0.5, is_log: false },
        Division::Log | Division::Log2 => Scale::log_around(xs.iter().copied()),
        Division::Linear if high > low => Scale { low, high, is_log: false },
        Division::Linear => Scale { low: low - 0.5, high: low + 0.5, is_log: false },
    }
}

/// From zero, so that heights compare, unless equal factors are asked for.
fn upwards(axis: &Axis, ys: &[f64]) -> Scale {
    let high = ys.iter().copied().fold(0.0, f64::max);
    match axis.scale {
        Division::Log | Division::Log2 => Scale::log_around(ys.iter().copied()),
        _ => Scale { low: 0.0, high: high * 1.06, is_log: false },
    }
}

/// What stands below the axis: the places' names, those of the points where each has one, or round numbers.
fn labels(axis: &Axis, scale: Scale, xs: &[f64], chart: &Chart) -> Vec<(f64, String)> {
    let named = |point: &Point| (!point.label.is_empty()).then(|| (point.x, point.label.clone()));
    let points = chart.series.iter().flat_map(|series| &series.points);
    let mut all: Vec<(f64, String)> = match axis.scale {
        Division::Category => {
            axis.labels.iter().enumerate().map(|(at, text)| (at as f64, text.clone())).collect()
        }
        _ => points.filter_map(named).collect(),
    };
    if axis.scale != Division::Category && all.len() < xs.len() {
        return ticks(scale, &axis.unit);
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.dedup_by(|a, b| a.0 == b.0);
    let step = all.len().div_ceil(LABELS_MAX).max(1);
    all.into_iter().step_by(step).collect()
}

/// Round numbers in the axis's unit; of bytes they are multiples of a power of two.
pub(super) fn ticks(scale: Scale, unit: &str) -> Vec<(f64, String)> {
    let step = 2f64.powf(((scale.high - scale.low) / 8.0).max(1.0).log2().ceil());
    let values = match (scale.is_log, unit) {
        (true, _) => scale.ticks(),
        (false, "bytes") => {
            let first = (scale.low / step).ceil() as u64;
            (first..).map(|number| number as f64 * step).take_while(|tick| *tick <= scale.high).collect()
        }
        (false, _) => scale.ticks(),
    };
    let unit = if is_short(unit) { unit } else { "" };
    values.into_iter().map(|value| (value, label(value, unit))).collect()
}

/// `1.00 ms` as `1 ms`.
fn label(value: f64, unit: &str) -> String {
    let text = if value == 0.0 { "0".into() } else { in_unit(value, unit) };
    match text.split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", trimmed(number)),
        None => trimmed(&text).into(),
    }
}

fn bars(plot: &mut Plot, series: &Series, number: usize, count: usize) {
    let width = 0.8 / count as f64;
    for (x, y) in series.points.iter().filter_map(|point| Some((point.x, point.y.filter(|y| *y > 0.0)?))) {
        let left = x - 0.4 + number as f64 * width;
        let ground = plot.y(0.0);
        let (left, right, top) = (plot.x(left), plot.x(left + width), plot.y(y).min(ground - 1.0));
        let area = format!("M{left:.1} {top:.1}H{right:.1}V{ground:.1}H{left:.1}Z");
        plot.fill(&area, COLOURS[number % COLOURS.len()], 1.0);
    }
}

fn line(plot: &mut Plot, series: &Series, (colour, dashes): (&str, &str)) {
    let known = || series.points.iter().filter_map(|point| Some((point, point.y?)));
    plot.line(known().map(|(point, y)| (point.x, y)), colour, "2", dashes);
    for (point, y) in known() {
        let Some([low, high]) = point.interval else { continue };
        let (x, low, high) = (plot.x(point.x), plot.y(low), plot.y(high));
        let bar = format!("M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8", x - 4.0, x - 4.0);
        plot.path(&bar, colour, "1.3", "");
        let mean = plot.y(y);
        plot.path(&format!("M{x:.1} {mean:.1}h0"), INK, "7", r##"stroke-linecap="round""##);
        plot.path(&format!("M{x:.1} {mean:.1}h0"), colour, "6", r##"stroke-linecap="round""##);
    }
}

/// Each value holds until the next one.
fn steps(plot: &mut Plot, series: &Series, (colour, dashes): (&str, &str)) {
    let ends = series.points.iter().skip(1).chain(series.points.last());
    let places = series.points.iter().zip(ends).filter_map(|(point, end)| {
        let y = point.y?;
        Some([(point.x, y), (end.x, y)])
    });
    plot.line(places.flatten(), colour, "2", dashes);
}
