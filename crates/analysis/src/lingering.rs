//! The interference experiment (uFLIP, section 4.3 and figure 5): how long writes go on to disturb reads.

use crate::statistics::StandardError;
use crate::transform::{median_of, variance_of};
use serde::{Deserialize, Serialize};

/// Reads of the second batch that the writes before them still slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lingering {
    /// Affected reads, counted from the first; 0 if there is no effect.
    pub affected_ios: u64,
    /// Time that these reads took.
    pub affected_ns: f64,
    /// False if the effect lasts to the end of the batch, so that it may be longer than seen.
    pub ended: bool,
}

/// Part of a standard deviation that a read must be slower on average to be affected.
const ALLOWANCE: f64 = 0.5;
/// Excess, in standard deviations, that chance reaches once in exp(12) runs.
const EXCESS_MIN: f64 = 12.0;
/// A single read counts for no more than this many standard deviations.
const SCORE_MAX: f64 = 3.0;
/// Slowdowns below this share of the median do not matter, however small the noise.
const RESOLUTION: f64 = 0.01;

/// Compares reads after the writes with reads before them, by a cumulative sum (Page 1954) of scores from the
/// median and spread of those before. Scores are bounded, so a few slow reads are not an effect, and the
/// limit grows with the autocorrelation of those before. Where the effect ends is read off a second sum,
/// whose allowance is half of the slowdown, the best one to locate a change of that size.
pub fn lingering(before: &[f64], after: &[f64]) -> Lingering {
    let none = Lingering { affected_ios: 0, affected_ns: 0.0, ended: true };
    if before.is_empty() {
        return none;
    }
    let middle = median_of(before);
    let off: Vec<f64> = before.iter().map(|v| (v - middle).abs()).collect();
    let spread = (1.4826 * median_of(&off)).max(RESOLUTION * middle).max(f64::MIN_POSITIVE);
    let score = |v: &f64| ((v - middle) / spread).clamp(-SCORE_MAX, SCORE_MAX);
    let scores: Vec<f64> = before.iter().map(score).collect();
    let offset = scores.iter().sum::<f64>() / scores.len() as f64;
    let excess_over = |allowance: f64| highest_sum(after.iter().map(|v| score(v) - offset - allowance));
    let (first, excess) = excess_over(ALLOWANCE);
    if excess < EXCESS_MIN * correlation_factor(&scores) {
        return none;
    }
    let typical = excess / first as f64 + ALLOWANCE;
    let (affected, _) = excess_over(typical / 2.0);
    let affected_ns = after[..affected].iter().sum();
    Lingering { affected_ios: affected as u64, affected_ns, ended: affected < after.len() }
}

/// Where the running sum is highest, and how high.
fn highest_sum(steps: impl Iterator<Item = f64>) -> (usize, f64) {
    let mut sum = 0.0;
    let mut best = (0, 0.0);
    for (i, step) in steps.enumerate() {
        sum += step;
        if sum > best.1 {
            best = (i + 1, sum);
        }
    }
    best
}

/// Variance of the mean of the scores over what it were without autocorrelation, and over a variance of 1.
fn correlation_factor(scores: &[f64]) -> f64 {
    let error = StandardError::of(scores).std_err;
    (error * error * scores.len() as f64).max(variance_of(scores)).max(1.0)
}
