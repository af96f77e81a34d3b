//! Runs as series of speeds, and the steps in them.

use flashscope_analysis::reading::{Axis, Chart, Series};
use flashscope_analysis::{Level, Pace, levels};

/// Two speeds that differ by less than this factor are one.
pub(super) const STEP: f64 = 1.15;
/// A cache in flash is faster than the flash behind it by this factor at least.
const CACHE: f64 = 1.25;
/// What is shorter is a moment, not a cache.
const WINDOWS_BEFORE: usize = 4;
/// Share of a run that must lie behind a step for what comes then to be known.
const SHARE_AFTER: f64 = 0.05;
/// A step within so many times what the write buffer holds is that of the buffer.
const OF_BUFFER: f64 = 1.5;

pub(super) fn gib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 30)
}

/// Time for each byte of the windows of a run, in ns. Windows that ended in one moment took none.
pub(super) fn costs(paces: &[Pace]) -> Vec<f64> {
    let cost = |pace: &Pace| if pace.mb_per_s > 0.0 { 1e3 / pace.mb_per_s } else { 0.0 };
    paces.iter().map(cost).collect()
}

/// By how much the mean of everything from a border on exceeds the mean of everything before it.
fn rise(costs: &[f64], border: usize) -> f64 {
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
    mean(&costs[border..]) / mean(&costs[..border]).max(f64::MIN_POSITIVE)
}

/// Bytes up to the beginning of a window.
pub(super) fn bytes_before(paces: &[Pace], window: usize) -> f64 {
    window.checked_sub(1).map_or(0.0, |before| paces[before].bytes as f64)
}

/// Megabytes a second from one window to before another.
pub(super) fn speed_between(paces: &[Pace], from: usize, to: usize) -> f64 {
    let begin_s = from.checked_sub(1).map_or(0.0, |before| paces[before].end_s);
    let seconds = paces[to - 1].end_s - begin_s;
    (bytes_before(paces, to) - bytes_before(paces, from)) / 1e6 / seconds.max(f64::MIN_POSITIVE)
}

/// The fast beginning of a fill.
pub(super) struct FastBeginning {
    pub bytes: f64,
    pub fast_mb_s: f64,
    pub slow_mb_s: f64,
}

/// The first step to slower writes that lasts, beyond what the write buffer of `buffer` bytes makes.
pub(super) fn fast_beginning(paces: &[Pace], buffer: f64) -> Option<FastBeginning> {
    let costs = costs(paces);
    let levels = levels(&costs, STEP);
    let is_end = |pair: &&[Level]| {
        let border = pair[1].from;
        let is_known = border >= WINDOWS_BEFORE && costs.len() - border >= after_min(costs.len());
        let is_slower = pair[1].mean > pair[0].mean && rise(&costs, border) >= CACHE;
        is_known && is_slower && bytes_before(paces, border) > OF_BUFFER * buffer
    };
    let border = levels.windows(2).find(is_end)?[1].from;
    Some(FastBeginning {
        bytes: bytes_before(paces, border),
        fast_mb_s: speed_between(paces, 0, border),
        slow_mb_s: speed_between(paces, border, paces.len()),
    })
}

fn after_min(windows: usize) -> usize {
    (windows as f64 * SHARE_AFTER).ceil() as usize
}

pub(super) fn curve(name: &str, paces: &[Pace]) -> Series {
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
    Series::line(name, points)
}

pub(super) fn bytes_chart(id: &str, title: &str, caption: &str, series: Vec<Series>) -> Chart {
    let axes = [Axis::linear("written", "GiB"), Axis::linear("throughput", "MB/s")];
    Chart::new(id, title, caption, axes, series)
}
