//! Response time against IO number: paper 001's figure 3, from one's own data.

use std::fmt::Write;

use super::svg::{COLOURS, Plot, Scale, time_ticks};
use flashscope_core::number::{count, span};
use flashscope_store::Responses;

/// More points than this are drawn as the range of each column of pixels.
const DOTS_MAX: usize = 4000;
const COLUMNS: usize = 760;
const SHADE: &str = "#f3e3c3";

/// The response times of a run on a logarithmic axis, its warm-up shaded, and two running means: the one
/// that includes the warm-up, dashed, and the one that does not.
pub fn response_figure(title: &str, responses: &Responses, startup_ios: u64) -> String {
    let values = &responses.mean_ns;
    let step = responses.bin_ios as f64;
    let ios = values.len() as f64 * step;
    let lows = responses.min_ns.iter().chain(&responses.max_ns).copied();
    let x = Scale { low: 0.0, high: ios.max(1.0), is_log: false };
    let y = Scale::log_around(lows);
    let mut plot = Plot::new(title, x, y);
    let startup = startup_ios as f64;
    if startup > 0.0 {
        plot.shade(0.0, startup.min(ios), SHADE);
    }
    let x_ticks: Vec<_> = x.ticks().into_iter().map(|tick| (tick, count(tick as u64))).collect();
    plot.axes(&x_ticks, "IO number", &time_ticks(y), "response time");
    single_ios(&mut plot, responses);
    let first = (startup / step).ceil() as usize;
    let all = running_mean(values, 0);
    let later = running_mean(values, first.min(values.len()));
    let ends = [all.last(), later.last()].map(|end| span(end.map_or(0.0, |end| end.1)));
    let at = |(i, mean): (usize, f64)| ((i as f64 + 1.0) * step, mean);
    let dashes = r##"stroke-dasharray="7 5""##;
    plot.line(thinned(&all).map(at), "#000000", "2", dashes);
    plot.line(thinned(&later).map(at), COLOURS[1], "2.5", "");
    let [with, without] = ends;
    let mut legend = vec![
        (COLOURS[0], "", "one IO".to_string()),
        ("#000000", dashes, format!("mean of all: {with}")),
        (COLOURS[1], "", format!("mean without warm-up: {without}")),
    ];
    if startup > 0.0 {
        legend.push((SHADE, r##"stroke-opacity="1""##, format!("warm-up: {} IOs", count(startup_ios))));
    }
    plot.legend(&legend);
    plot.finish()
}

fn single_ios(plot: &mut Plot, responses: &Responses) {
    let step = responses.bin_ios as f64;
    let mut d = String::new();
    if responses.mean_ns.len() <= DOTS_MAX && responses.bin_ios == 1 {
        for (i, ns) in responses.mean_ns.iter().enumerate() {
            let _ = write!(d, "M{:.1} {:.1}h0", plot.x(i as f64 + 0.5), plot.y(*ns));
        }
        plot.path(&d, COLOURS[0], "2.6", r##"stroke-linecap="round" stroke-opacity="0.7""##);
        return;
    }
    let per = responses.mean_ns.len().div_ceil(COLUMNS);
    let lows = responses.min_ns.chunks(per).map(|part| part.iter().copied().fold(f64::INFINITY, f64::min));
    let highs = responses.max_ns.chunks(per).map(|part| part.iter().copied().fold(0.0, f64::max));
    for (i, (low, high)) in lows.zip(highs).enumerate() {
        let x = plot.x((i as f64 + 0.5) * per as f64 * step);
        let _ = write!(d, "M{x:.1} {:.1}V{:.1}", plot.y(low) + 0.7, plot.y(high) - 0.7);
    }
    plot.path(&d, COLOURS[0], "1.2", r##"stroke-opacity="0.6""##);
}

/// The mean of all values from `first` up to each.
fn running_mean(values: &[f64], first: usize) -> Vec<(usize, f64)> {
    let mut sum = 0.0;
    let mean = |(i, value): (usize, &f64)| {
        sum += value;
        (i, sum / (i + 1 - first) as f64)
    };
    values.iter().enumerate().skip(first).map(mean).collect()
}

/// As many points as there are pixels, and the last one.
fn thinned(points: &[(usize, f64)]) -> impl Iterator<Item = (usize, f64)> {
    let step = points.len().div_ceil(COLUMNS).max(1);
    points.iter().copied().step_by(step).chain(points.last().copied())
}
