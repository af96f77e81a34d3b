//! A sweep of simulated devices: throughput and erases against what was varied (paper 002, figures 7 to 14).

use super::axis::Axis;
use super::svg::{Plot, Scale, look};
use flashscope_core::number::count;

/// Values that lie further apart than this are on a logarithmic axis.
const LINEAR_RANGE_MAX: f64 = 20.0;
/// Labels that fit below the axis of a panel.
const LABELS_MAX: usize = 6;

/// One device of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// The line that it lies on.
    pub curve: String,
    /// Where it lies on the swept axis, in the axis' unit.
    pub value: f64,
    /// What the axis says there.
    pub label: String,
    /// Bytes of the host, in 10^6, for each second.
    pub throughput_mb_s: f64,
    /// Blocks erased.
    pub block_erases: u64,
}

/// The name of what a panel shows, the least step of its axis, and the value.
type Panel = (&'static str, f64, fn(&SweepPoint) -> f64);

/// Two panels side by side, throughput and erases, with one line for each curve. None without a point.
pub fn sweep_figure(title: &str, axis_name: &str, points: &[SweepPoint]) -> Option<String> {
    let axis = Axis::of(points.iter().map(|point| (point.value, point.label.clone())).collect())?;
    let mut curves: Vec<&str> = Vec::new();
    for point in points {
        if !curves.contains(&point.curve.as_str()) {
            curves.push(&point.curve);
        }
    }
    let panels: [Panel; 2] = [
        ("throughput in MB/s", 0.0, |point| point.throughput_mb_s),
        ("block erases", 1.0, |point| point.block_erases as f64),
    ];
    let scales = panels.map(|(_, _, value)| scale(points.iter().map(value)));
    let mut plot = Plot::new(title, axis.scale(), scales[0]);
    let entries = curves.iter().enumerate().map(|(i, curve)| (look(i).0, look(i).1, (*curve).to_string()));
    plot.legend(&entries.collect::<Vec<_>>());
    for (number, ((name, step_min, value), y)) in panels.into_iter().zip(scales).enumerate() {
        plot.panel(number, panels.len(), axis.scale(), y);
        plot.axes(&axis.labels(LABELS_MAX), axis_name, &ticks(y, step_min), name);
        for (i, curve) in curves.iter().enumerate() {
            let of_curve = points.iter().filter(|point| point.curve == *curve);
            let mut places: Vec<_> = of_curve.map(|point| (axis.place(point.value), value(point))).collect();
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            draw(&mut plot, &places, i);
        }
    }
    Some(plot.finish())
}

fn draw(plot: &mut Plot, places: &[(f64, f64)], curve: usize) {
    let (colour, dashes) = look(curve);
    plot.line(places.iter().copied(), colour, "2", dashes);
    for (x, y) in places {
        let dot = format!("M{:.1} {:.1}h0", plot.x(*x), plot.y(*y));
        plot.path(&dot, colour, "7", r##"stroke-linecap="round""##);
    }
}

/// From zero, so that heights compare; logarithmic where the lowest line would lie on the ground, unless it
/// does lie there.
fn scale(values: impl Iterator<Item = f64> + Clone) -> Scale {
    let high = values.clone().fold(0.0, f64::max);
    let low = values.clone().fold(f64::INFINITY, f64::min);
    if low > 0.0 && high > low * LINEAR_RANGE_MAX {
        return Scale::log_around(values);
    }
    Scale { low: 0.0, high: if high > 0.0 { high * 1.06 } else { 1.0 }, is_log: false }
}

fn ticks(scale: Scale, step_min: f64) -> Vec<(f64, String)> {
    let values = if scale.is_log { scale.ticks() } else { scale.steps(step_min) };
    let label = |value: f64| match value {
        value if value >= 1e6 => format!("{} M", value / 1e6),
        value if value >= 1e5 => format!("{} k", value / 1e3),
        value if value >= 1.0 && value.fract() == 0.0 => count(value as u64),
        value => format!("{}", (value * 1e6).round() / 1e6),
    };
    values.into_iter().map(|value| (value, label(value))).collect()
}
