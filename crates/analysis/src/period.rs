//! The period of an oscillation, found by folding, proved by prediction.
//!
//! Candidate lags are peaks of the autocorrelation. A candidate counts only if the mean cycle of the odd
//! cycles predicts the even cycles and the reverse (two-fold cross-validation), in most cycles, and still
//! does after positive autocorrelation is filtered out. Of lags that explain the same, the smallest is the
//! period.
//! Oscillations whose cycles vary in length are found in `events` by the regularity of their expensive IOs.

pub(crate) mod events;

use crate::transform::{autocorrelation, centred_logs, normal_scores, whitened};
use serde::{Deserialize, Serialize};

/// One oscillation in the running phase (uFLIP, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// IOs in one cycle.
    pub ios: u64,
    /// Fewest IOs in a cycle that the data allow; equal to `ios_high` when the count is exact.
    pub ios_low: u64,
    /// Most IOs in a cycle that the data allow.
    pub ios_high: u64,
    /// Share of the variance (of logarithms, or of ranks where they show it better) that the mean cycle
    /// predicts in cycles it was not computed from; 0 to 1.
    pub explained: f64,
}

impl Period {
    /// True when every cycle has the same number of IOs.
    pub fn is_exact(&self) -> bool {
        self.ios_low == self.ios_high
    }
}

/// A cycle must be seen this often to be believed.
const CYCLES_MIN: usize = 4;
/// Longest stretch that is searched at once.
pub(crate) const SEARCH_IOS: usize = 4096;
/// Share of variance below which an oscillation does not matter.
const EXPLAINED_MIN: f64 = 0.04;
/// Standard errors by which the prediction must beat chance.
const SIGMAS: f64 = 6.0;

/// The period of the last values, if they have one. Needs at least four whole cycles.
pub fn period_of(values: &[f64]) -> Option<Period> {
    let values = &values[values.len().saturating_sub(SEARCH_IOS)..];
    if values.len() < 4 * CYCLES_MIN || values.iter().all(|v| *v == values[0]) {
        return None;
    }
    let channels = [centred_logs(values), normal_scores(values)];
    let best =
        channels.iter().filter_map(|y| in_channel(y)).max_by(|a, b| a.explained.total_cmp(&b.explained));
    best.or_else(|| events::jittered(values, 1))
}

fn in_channel(y: &[f64]) -> Option<Period> {
    let white = whitened(y);
    let mut lags = candidates(y);
    lags.extend(candidates(&white));
    lags.sort_unstable();
    lags.dedup();
    let accepted = |fold: &Fold| fold.convinces() && Fold::of(&white, fold.lag).convinces();
    let folds = lags.into_iter().map(|lag| Fold::of(y, lag)).filter(accepted);
    let best = folds.max_by(|a, b| a.explained().total_cmp(&b.explained()))?;
    let divisors = (2..best.lag).filter(|lag| best.lag.is_multiple_of(*lag));
    let as_good = divisors.filter(|lag| best.gains_little_over(y, *lag)).map(|lag| Fold::of(y, lag));
    let smallest = as_good.into_iter().find(accepted);
    let chosen = smallest.unwrap_or(best);
    let (low, high) = neighbours(y, &chosen);
    Some(Period {
        ios: chosen.lag as u64,
        ios_low: low as u64,
        ios_high: high as u64,
        explained: chosen.explained(),
    })
}

/// Lags worth folding at: all small ones, the highest peaks of the autocorrelation, and the first high ones.
fn candidates(y: &[f64]) -> Vec<usize> {
    let lags_max = y.len() / CYCLES_MIN;
    let acf = autocorrelation(y, lags_max + 1);
    let is_peak = |&lag: &usize| acf[lag] > 0.0 && acf[lag] >= acf[lag - 1] && acf[lag] >= acf[lag + 1];
    let mut peaks: Vec<usize> = (2..=lags_max).filter(is_peak).collect();
    let highest = peaks.iter().map(|lag| acf[*lag]).fold(0.0, f64::max);
    let first: Vec<usize> = peaks.iter().copied().filter(|lag| acf[*lag] > 0.5 * highest).take(4).collect();
    peaks.sort_by(|&a, &b| acf[b].total_cmp(&acf[a]));
    peaks.truncate(8);
    peaks.extend(first);
    peaks.extend(2..=lags_max.min(8));
    peaks
}

/// Lags next to the chosen one that the data cannot tell from it (likelihood ratio, chi-square 95 %).
fn neighbours(y: &[f64], chosen: &Fold) -> (usize, usize) {
    let rival = |lag: usize| {
        let fold = Fold::of(y, lag);
        lag >= 2 && y.len() >= CYCLES_MIN * lag && fold.values * (fold.error() / chosen.error()).ln() < 3.84
    };
    let low = (1..4).map(|d| chosen.lag.saturating_sub(d)).take_while(|&lag| rival(lag)).last();
    let high = (1..4).map(|d| chosen.lag + d).take_while(|&lag| rival(lag)).last();
    (low.unwrap_or(chosen.lag), high.unwrap_or(chosen.lag))
}

/// What the mean cycle of every second cycle says about the others, at one lag.
struct Fold {
    lag: usize,
    cycles: usize,
    values: f64,
    /// Squared error of the plain mean of the other half.
    error_mean: f64,
    /// Squared error of the mean cycle of the other half.
    error_cycle: f64,
    /// Cycles in which the mean cycle did better.
    improved: usize,
}

impl Fold {
    fn of(y: &[f64], lag: usize) -> Self {
        Self::split(y, lag.max(1), lag.max(1))
    }

    /// Every second stretch of `unit` values, a multiple of the lag, is predicted from the others.
    fn split(y: &[f64], lag: usize, unit: usize) -> Self {
        let y = &y[y.len() % unit..];
        let cycles = y.len() / lag;
        let mean_cycle = [0, 1].map(|half| mean_cycle(y, lag, unit, half));
        let mean = [0, 1].map(|half| crate::transform::mean_of(&mean_cycle[half]));
        let mut fold =
            Self { lag, cycles, values: y.len() as f64, error_mean: 0.0, error_cycle: 0.0, improved: 0 };
        for (index, cycle) in y.chunks_exact(lag).enumerate() {
            let other = 1 - index * lag / unit % 2;
            let by_mean: f64 = cycle.iter().map(|v| (v - mean[other]).powi(2)).sum();
            let by_cycle: f64 = cycle.iter().zip(&mean_cycle[other]).map(|(v, c)| (v - c).powi(2)).sum();
            fold.improved += usize::from(by_cycle < by_mean);
            fold.error_mean += by_mean;
            fold.error_cycle += by_cycle;
        }
        fold
    }

    fn explained(&self) -> f64 {
        if self.error_mean > 0.0 { 1.0 - self.error_cycle / self.error_mean } else { 0.0 }
    }

    /// Squared error, with a floor that keeps ratios finite on data without noise.
    fn error(&self) -> f64 {
        self.error_cycle + 1e-9 * self.error_mean
    }

    /// True if the phases that this has more than `lag`, which divides it, explain no more than chance does.
    fn gains_little_over(&self, y: &[f64], lag: usize) -> bool {
        let chance = chance_gain(self.lag - lag, 4.0) / self.values;
        Self::split(y, lag, self.lag).error() <= (1.0 + chance.max(0.01)) * self.error()
    }

    /// The gain is beyond chance, and more cycles improve than the half that would by chance.
    fn convinces(&self) -> bool {
        if self.cycles < CYCLES_MIN {
            return false;
        }
        let gain = (self.error_mean - self.error_cycle) / (self.error() / self.values);
        let cycles = self.cycles as f64;
        let needed = (cycles / 2.0 + 1.5 * cycles.sqrt()).ceil().min(cycles) as usize;
        self.explained() > EXPLAINED_MIN && gain > chance_gain(self.lag, SIGMAS) && self.improved >= needed
    }
}

/// Gain in units of the noise variance that independent noise stays below: it has mean -2 and variance 20 per
/// phase (two products of four, four squares, of the standardised phase means of both halves).
fn chance_gain(phases: usize, sigmas: f64) -> f64 {
    let phases = phases as f64;
    (sigmas * (20.0 * phases).sqrt() - 2.0 * phases).max(0.0)
}

fn mean_cycle(y: &[f64], lag: usize, unit: usize, half: usize) -> Vec<f64> {
    let mut sum = vec![0.0; lag];
    let mut cycles = 0.0;
    for cycle in y.chunks_exact(unit).skip(half).step_by(2).flat_map(|stretch| stretch.chunks_exact(lag)) {
        sum.iter_mut().zip(cycle).for_each(|(s, v)| *s += v);
        cycles += 1.0;
    }
    sum.iter_mut().for_each(|s| *s /= f64::max(cycles, 1.0));
    sum
}
