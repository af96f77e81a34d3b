//! Runs as series of speeds, and the steps in them.

use flashscope_analysis::reading::{Axis, Chart, Curve};
use flashscope_analysis::{Level, Pace, levels};

/// Two speeds that differ by less are one.
pub(super) const STEP: f64 = 1.15;

pub(super) fn gib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 30)
}

/// Time for each byte of the windows of a run, in ns.
pub(super) fn costs(paces: &[Pace]) -> Vec<f64> {
    let cost = |pace: &Pace| if pace.mb_per_s > 0.0 { 1e3 / pace.mb_per_s } else { 0.0 };
    paces.iter().map(cost).collect()
}

/// Whether everything from a border on costs more than everything before it, by this factor: the one step of
/// a series, and not a stretch of it.
pub(super) fn is_lasting(costs: &[f64], border: usize, factor: f64) -> bool {
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
    mean(&costs[border..]) >= factor * mean(&costs[..border])
}

/// Bytes up to the beginning of a window.
pub(super) fn bytes_before(paces: &[Pace], window: usize) -> f64 {
    window.checked_sub(1).map_or(0.0, |before| paces[before].bytes as f64)
}

pub(super) fn megabytes_a_second(level: &Level) -> f64 {
    1e3 / level.mean
}

/// The first level of a fill: bytes at that speed, the speed, and the speed at the end.
pub(super) fn first_level(paces: &[Pace]) -> Option<(f64, f64, f64)> {
    let costs = costs(paces);
    let levels = levels(&costs, STEP);
    let [first, second, ..] = levels[..] else { return None };
    let last = levels.last()?;
    (second.mean > first.mean && is_lasting(&costs, second.from, STEP))
        .then(|| (bytes_before(paces, second.from), megabytes_a_second(&first), megabytes_a_second(last)))
}

pub(super) fn curve(name: &str, paces: &[Pace]) -> Curve {
    // A pixel or two for each point are enough.
    let step = paces.len().div_ceil(1024).max(1);
    let thinned = paces.chunks(step).filter_map(|some| some.last());
    let mut begin = (0.0, 0u64);
    let points = thinned.filter_map(|pace| {
        let (seconds, bytes) = (pace.end_s - begin.0, pace.bytes - begin.1);
        // What completes at one moment belongs to the next.
        (seconds > 0.0).then(|| {
            begin = (pace.end_s, pace.bytes);
            (gib(pace.bytes as f64), bytes as f64 / 1e6 / seconds)
        })
    });
    Curve { name: name.into(), points: points.collect() }
}

pub(super) fn bytes_chart(id: &str, title: &str, caption: &str, series: Vec<Curve>) -> Chart {
    let (x, y) = (Axis::linear("written", "GiB"), Axis::linear("speed", "MB/s"));
    Chart { id: id.into(), title: title.into(), caption: caption.into(), x, y, series }
}
