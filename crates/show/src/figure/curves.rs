//! A micro-benchmark: response time against the parameter that it varies.

use flashscope_analysis::{Finished, Point, points};

use super::axis::Axis;
use super::svg::{INK, Plot, Scale, look, time_ticks};

/// Labels that fit below the axis.
const LABELS_MAX: usize = 12;

/// The curves of one micro-benchmark with the interval of every point. A parameter that is positive
/// throughout is on a logarithmic axis; others are set side by side. None if nothing of it was measured.
pub fn micro_figure(title: &str, parameter: &str, micro: &str, finished: &[Finished]) -> Option<String> {
    let all = points(finished);
    let of_micro = |point: &&Point<'_>| point.experiment.micro == micro && point.estimate.is_some();
    let mine: Vec<&Point<'_>> = all.iter().filter(of_micro).collect();
    let label = |point: &&Point<'_>| (point.experiment.parameter, point.experiment.label.clone());
    let axis = Axis::of(mine.iter().map(label).collect())?;
    let ends = mine.iter().filter_map(|point| point.estimate);
    let y =
        Scale::log_around(ends.flat_map(|e| [e.mean_ns, e.ci_high_ns, e.ci_low_ns.max(e.mean_ns / 10.0)]));
    let mut plot = Plot::new(title, axis.scale(), y);
    plot.axes(&axis.labels(LABELS_MAX), parameter, &time_ticks(y), "mean response time, 95 % CI");
    let mut names: Vec<&str> = Vec::new();
    for point in &mine {
        if !names.contains(&point.experiment.curve.as_str()) {
            names.push(&point.experiment.curve);
        }
    }
    for (i, name) in names.iter().enumerate() {
        let curve = mine.iter().filter(|point| point.experiment.curve == *name);
        draw(&mut plot, &axis, curve.copied().collect(), look(i));
    }
    let entries = names.iter().enumerate().map(|(i, name)| (look(i).0, look(i).1, name.to_string()));
    plot.legend(&entries.collect::<Vec<_>>());
    Some(plot.finish())
}

fn draw(plot: &mut Plot, axis: &Axis, mut curve: Vec<&Point<'_>>, (colour, dashes): (&str, &str)) {
    curve.sort_by(|a, b| a.experiment.parameter.total_cmp(&b.experiment.parameter));
    let at = |point: &Point<'_>| Some((axis.place(point.experiment.parameter), point.estimate?));
    let places: Vec<_> = curve.into_iter().filter_map(at).collect();
    plot.line(places.iter().map(|(x, estimate)| (*x, estimate.mean_ns)), colour, "2", dashes);
    for (x, estimate) in places {
        let (x, low, high) = (plot.x(x), plot.y(estimate.ci_low_ns), plot.y(estimate.ci_high_ns));
        let bar = format!("M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8", x - 4.0, x - 4.0);
        plot.path(&bar, colour, "1.3", "");
        let mean = plot.y(estimate.mean_ns);
        plot.path(&format!("M{x:.1} {mean:.1}h0"), INK, "7", r##"stroke-linecap="round""##);
        plot.path(&format!("M{x:.1} {mean:.1}h0"), colour, "6", r##"stroke-linecap="round""##);
    }
}
