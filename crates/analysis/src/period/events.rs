//! Oscillations whose cycles vary in length: the expensive IOs (or the jumps) come at regular gaps.

use super::Period;
use crate::transform::{mean_of, variance_of};

/// Gaps needed before their regularity means anything.
const GAPS_MIN: usize = 8;
/// Standard deviation of the gaps over their mean: 1 for events at random, 0 for a clock.
const IRREGULARITY_MAX: f64 = 0.3;
/// Distance of the two levels in sums of their standard deviations; a cut normal has 1.3.
const SEPARATION_MIN: f64 = 3.0;

/// A period with uncertain length: mean gap between the onsets of expensive stretches, or between the jumps
/// of a sawtooth, with two standard errors. Each value stands for `scale` IOs.
pub(crate) fn jittered(values: &[f64], scale: u64) -> Option<Period> {
    let starts = cycle_starts(values)?;
    let gaps = gaps_of(&starts);
    let (count, mean, deviation) = (gaps.len() as f64, mean_of(&gaps), variance_of(&gaps).sqrt());
    let rounding = if scale > 1 { 1.0 / count } else { 0.0 };
    let error = 2.0 * deviation / count.sqrt() + rounding;
    let ios = |cells: f64| cells * scale as f64;
    Some(Period {
        ios: ios(mean).round() as u64,
        ios_low: ios(mean - error).floor() as u64,
        ios_high: ios(mean + error).ceil() as u64,
        explained: 1.0 - (deviation / mean).powi(2),
    })
}

/// First values of all cycles but an incomplete one at the beginning, if cycles come regularly at all.
pub(crate) fn cycle_starts(values: &[f64]) -> Option<Vec<usize>> {
    let logs: Vec<f64> = values.iter().map(|v| v.max(1.0).ln()).collect();
    let jumps: Vec<f64> = logs.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    onsets(&logs).or_else(|| onsets(&jumps).map(|found| found.into_iter().map(|i| i + 1).collect()))
}

/// Positions where the level turns high, if they are regular.
fn onsets(levels: &[f64]) -> Option<Vec<usize>> {
    let threshold = two_level_threshold(levels)?;
    let is_onset = |&i: &usize| levels[i - 1] <= threshold && levels[i] > threshold;
    let found: Vec<usize> = (1..levels.len()).filter(is_onset).collect();
    let gaps = gaps_of(&found);
    let regular = variance_of(&gaps).sqrt() <= IRREGULARITY_MAX * mean_of(&gaps);
    (gaps.len() >= GAPS_MIN && regular).then_some(found)
}

fn gaps_of(positions: &[usize]) -> Vec<f64> {
    positions.windows(2).map(|w| (w[1] - w[0]) as f64).collect()
}

/// The cut with the least squared error on both sides (Otsu 1979), if the sides are clearly apart.
fn two_level_threshold(levels: &[f64]) -> Option<f64> {
    let mut sorted = levels.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (n, total) = (sorted.len() as f64, sorted.iter().sum::<f64>());
    let (mut low_sum, mut best, mut cut) = (0.0, 0.0, 0);
    for (i, value) in sorted.iter().enumerate().take(sorted.len().saturating_sub(1)) {
        low_sum += value;
        let low = i as f64 + 1.0;
        let between = (low_sum / low - (total - low_sum) / (n - low)).powi(2) * low * (n - low);
        if between > best {
            (best, cut) = (between, i + 1);
        }
    }
    let (low, high) = sorted.split_at(cut);
    let noise = variance_of(low).sqrt() + variance_of(high).sqrt();
    let apart = !low.is_empty() && mean_of(high) - mean_of(low) > SEPARATION_MIN * noise;
    apart.then(|| (low[low.len() - 1] + high[0]) / 2.0)
}
