//! Start-up and regimes: where in the series the running phase begins, and what came before.
//!
//! The series is cut into cells of whole periods, cells into levels (`segment`), each border is refined to
//! the IO (`refine`), and the period is looked for again in the phase that was accepted. Levels that
//! alternate are an oscillation, not regimes.

use crate::period::events::jittered;
use crate::period::{Period, SEARCH_IOS, period_of};
use crate::refine::{self, Border};
use crate::segment::level_changes;
use crate::series::Series;
use crate::transform::despiked_logs;
use serde::{Deserialize, Serialize};

/// Cells that one look at the series is divided into, at most.
const CELLS_MAX: usize = 320;
/// The look is repeated at the first 1/8 of the series, down to single IOs, so that a short start-up is not
/// lost in a long series.
const ZOOM: usize = 8;
/// A hiccup is shorter than its neighbours by this factor, and higher than they differ.
const HICCUP: f64 = 3.0;

/// What may be ignored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Levels closer than this share of their value are one regime; 0 to 1, default 0.001.
    pub resolution: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { resolution: 0.001 }
    }
}

/// A stretch of the series with one level (which may oscillate).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Regime {
    /// First IO.
    pub from_ios: u64,
    /// Bytes written before its first IO.
    pub from_bytes: u64,
    /// Mean response time.
    pub mean_ns: f64,
}

/// What the series is made of. The last regime is the running phase, all before it the start-up (uFLIP,
/// section 4.2, with as many regimes as there are).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// IOs before the running phase; 0 if there is no start-up.
    pub startup_ios: u64,
    /// Fewest start-up IOs that the data allow.
    pub startup_ios_low: u64,
    /// Most start-up IOs that the data allow; what is summarised begins here.
    pub startup_ios_high: u64,
    /// Bytes written before the running phase.
    pub startup_bytes: u64,
    /// All regimes, the first from IO 0; the last is the running phase.
    pub regimes: Vec<Regime>,
    /// The oscillation of the running phase.
    pub period: Option<Period>,
    /// Times that the level was seen to go up and down without a period being proved; 0 if it does not.
    pub alternations: u64,
    /// IOs in the series when it was looked at.
    pub ios: u64,
}

impl Phases {
    /// IOs from the surely accepted first IO to the end.
    pub fn accepted_ios(&self) -> u64 {
        self.ios - self.startup_ios_high
    }

    /// Exact cycle length, or 1.
    pub(crate) fn cycle_ios(&self) -> u64 {
        self.period.map_or(1, |period| period.ios.max(1))
    }
}

/// Finds start-up, regimes and period. Costs a few milliseconds, however long the series is.
pub fn phases(series: &Series, options: &Options) -> Phases {
    let bins = series.bins();
    let mut search = PeriodSearch { series, done: Vec::new() };
    let mut period = search.first();
    let mut changes = regimes_of(bins, period_bins(series, period), options);
    let mut borders = refined(bins, &changes.0, exact_bins(series, period));
    for _ in 0..3 {
        let accepted = borders.last().map_or(0, |border| border.high as u64 * series.bin_ios());
        let again = search.from(accepted).or_else(|| search.long_from(accepted));
        if again == period {
            break;
        }
        if period_bins(series, again) != period_bins(series, period) {
            changes = regimes_of(bins, period_bins(series, again), options);
        }
        period = again;
        borders = refined(bins, &changes.0, exact_bins(series, period));
    }
    describe(series, &borders, period, changes.1)
}

/// A start-up that is known from elsewhere to be over after `startup_ios`: what is summarised begins no
/// earlier, whether the change can be seen or not. What comes after one that has just ended may be a single
/// cell, and dear IOs that are rare look like spikes.
pub(crate) fn behind_known(found: Phases, series: &Series, startup_ios: u64) -> Phases {
    if startup_ios <= found.startup_ios_high || startup_ios >= found.ios {
        return found;
    }
    let mut search = PeriodSearch { series, done: Vec::new() };
    let period = search.from(startup_ios).or_else(|| search.long_from(startup_ios)).or(found.period);
    Phases { startup_ios_high: startup_ios, period, ..found }
}

/// Looks for the period of a tail, at most once per length.
struct PeriodSearch<'a> {
    series: &'a Series,
    done: Vec<(usize, Option<Period>)>,
}

impl PeriodSearch<'_> {
    /// A first guess from tails that are ever longer: the shortest is the least likely to hold a start-up.
    fn first(&mut self) -> Option<Period> {
        let len = self.series.len();
        [len - len / 4, len / 2, 0].into_iter().find_map(|from| self.from(from))
    }

    /// The period of the raw values at the end, back to IO `from` at most.
    fn from(&mut self, from: u64) -> Option<Period> {
        let tail = self.series.raw_tail(from, SEARCH_IOS);
        if let Some(known) = self.done.iter().find(|known| known.0 == tail.len()) {
            return known.1;
        }
        let found = period_of(&tail);
        self.done.push((tail.len(), found));
        found
    }

    /// A period too long for that, in averages of everything from IO `from` on.
    fn long_from(&self, from: u64) -> Option<Period> {
        let first = ((from / self.series.bin_ios()) as usize).min(self.series.bins().len());
        let bins = &self.series.bins()[first..];
        let size = bins.len().div_ceil(SEARCH_IOS).max(1);
        let scale = size as u64 * self.series.bin_ios();
        if scale == 1 { None } else { jittered(&cell_means(bins, size), scale) }
    }
}

/// The period in bins, 1 if there is none or a bin covers more.
fn period_bins(series: &Series, period: Option<Period>) -> usize {
    period.map_or(1, |period| (period.ios / series.bin_ios()).max(1) as usize)
}

/// The period in bins if all cycles are equal, so that a bin has a phase; else 1.
fn exact_bins(series: &Series, period: Option<Period>) -> usize {
    period_bins(series, period.filter(|period| period.is_exact() && series.bin_ios() == 1))
}

/// Means of whole cells; what does not fill a cell is left out at the beginning.
fn cell_means(bins: &[f32], size: usize) -> Vec<f64> {
    let mean = |cell: &[f32]| cell.iter().map(|v| f64::from(*v)).sum::<f64>() / size as f64;
    bins[bins.len() % size..].chunks_exact(size).map(mean).collect()
}

/// A change of level at bin `at`, known to within `slack` bins.
#[derive(Debug, Clone, Copy)]
struct Change {
    at: usize,
    slack: usize,
}

fn regimes_of(bins: &[f32], period: usize, options: &Options) -> (Vec<Change>, u64) {
    let mut changes = without_equals(bins, changes_in(bins, period), options.resolution);
    let levels: Vec<f64> =
        stretches(bins.len(), &changes).iter().map(|s| mean_bins(&bins[s.0..s.1])).collect();
    let alternating = alternating_tail(&levels);
    changes.truncate(changes.len() - alternating);
    (without_hiccups(bins, changes), alternating as u64)
}

fn changes_in(bins: &[f32], period: usize) -> Vec<Change> {
    let size = period * bins.len().div_ceil(CELLS_MAX * period).max(1);
    let offset = bins.len() % size;
    let cells_min = if size == 1 { 4 } else { 2 };
    let cells = despiked_logs(&cell_means(bins, size));
    let coarse =
        level_changes(&cells, cells_min).into_iter().map(|i| Change { at: offset + i * size, slack: size });
    if size == period {
        return coarse.collect();
    }
    let head = bins.len() / ZOOM;
    let fine = changes_in(&bins[..head], period).into_iter().filter(|change| change.at < head / 4 * 3);
    let mut changes: Vec<Change> = fine.collect();
    let last = changes.last().map_or(0, |change| change.at + 2 * size);
    changes.extend(coarse.filter(|change| change.at >= (head / 4 * 3).max(last)));
    changes
}

fn stretches(len: usize, changes: &[Change]) -> Vec<(usize, usize)> {
    let starts = [0].into_iter().chain(changes.iter().map(|c| c.at));
    let ends = changes.iter().map(|c| c.at).chain([len]);
    starts.zip(ends).collect()
}

fn mean_bins(bins: &[f32]) -> f64 {
    bins.iter().map(|v| f64::from(*v)).sum::<f64>() / bins.len().max(1) as f64
}

/// Drops changes between levels that do not differ by the resolution.
fn without_equals(bins: &[f32], changes: Vec<Change>, resolution: f64) -> Vec<Change> {
    let mut kept: Vec<Change> = Vec::with_capacity(changes.len());
    for (i, change) in changes.iter().enumerate() {
        let from = kept.last().map_or(0, |c| c.at);
        let to = changes.get(i + 1).map_or(bins.len(), |c| c.at);
        let (a, b) = (mean_bins(&bins[from..change.at]), mean_bins(&bins[change.at..to]));
        if (a - b).abs() > resolution * a.max(b) {
            kept.push(*change);
        }
    }
    kept
}

/// Drops short stretches after which the level is what it was before: a hiccup belongs to its regime.
fn without_hiccups(bins: &[f32], mut changes: Vec<Change>) -> Vec<Change> {
    let is_hiccup = |w: &[(usize, usize)]| {
        let ios = |s: (usize, usize)| (s.1 - s.0) as f64;
        let level = [w[0], w[1], w[2]].map(|s| mean_bins(&bins[s.0..s.1]));
        let step = (level[1] - (level[0] + level[2]) / 2.0).abs();
        ios(w[1]) * HICCUP < ios(w[0]).min(ios(w[2])) && (level[2] - level[0]).abs() < step / HICCUP
    };
    while let Some(at) = stretches(bins.len(), &changes).windows(3).position(is_hiccup) {
        changes.drain(at..at + 2);
    }
    changes
}

/// Steps at the end that go up and down by like amounts, at least three: an oscillation seen too few times
/// for a period, or one without a constant period.
fn alternating_tail(levels: &[f64]) -> usize {
    let steps: Vec<f64> = levels.windows(2).map(|w| w[1] - w[0]).collect();
    let alike = |w: &[f64]| w[0] * w[1] < 0.0 && (0.5..=2.0).contains(&(w[0] / w[1]).abs());
    let run = steps.windows(2).rev().take_while(|w| alike(w)).count();
    if run >= 2 { run + 1 } else { 0 }
}

fn refined(bins: &[f32], changes: &[Change], period: usize) -> Vec<Border> {
    let spans = stretches(bins.len(), changes);
    let mut borders: Vec<Border> = Vec::with_capacity(changes.len());
    for (i, change) in changes.iter().enumerate() {
        let from = borders.last().map_or(0, |b| b.at);
        let to = spans[i + 1].1;
        let cycle = if i + 1 == changes.len() { period } else { 1 };
        borders.push(refine::border(bins, from..to, change.at, change.slack, cycle));
    }
    if borders.is_empty() && period > 1 {
        borders.extend(refine::odd_head(bins, period));
    }
    borders.retain(|border| border.at > 0);
    borders
}

fn describe(series: &Series, borders: &[Border], period: Option<Period>, alternations: u64) -> Phases {
    let (bins, unit) = (series.bins(), series.bin_ios());
    let last = borders.last().copied().unwrap_or(Border { at: 0, low: 0, high: 0 });
    let cycle = period_bins(series, period);
    let regime = |i: usize| {
        let from = if i == 0 { 0 } else { borders[i - 1].at };
        let clear = if i == 0 { 0 } else { borders[i - 1].high };
        let end = borders.get(i).map_or(bins.len(), |b| b.low.max(clear + 1).min(bins.len()));
        let rest = if i == borders.len() { (end - clear.min(end)) % cycle } else { 0 };
        let from_ios = from as u64 * unit;
        let stretch = &bins[(clear + rest).min(end)..end];
        Regime { from_ios, from_bytes: series.bytes_at(from_ios), mean_ns: mean_bins(stretch) }
    };
    let startup_ios = last.at as u64 * unit;
    Phases {
        startup_ios,
        startup_ios_low: last.low as u64 * unit,
        startup_ios_high: ((last.high as u64 + u64::from(unit > 1 && last.high > 0)) * unit)
            .min(series.len()),
        startup_bytes: series.bytes_at(startup_ios),
        regimes: (0..=borders.len()).map(regime).collect(),
        period,
        alternations,
        ios: series.len(),
    }
}
