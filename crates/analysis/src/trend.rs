//! Is the running phase level, or still on its way?

use crate::estimate::Blocks;
use crate::phases::Phases;
use crate::series::Series;
use crate::transform::{lag_one, mean_of};
use serde::{Deserialize, Serialize};

/// Batches that the line is fitted to, at most.
const BATCHES_MAX: usize = 64;
/// Fewer say nothing about a slope.
const BATCHES_MIN: usize = 8;
/// Standard errors from which a slope is believed.
const SIGMAS: f64 = 4.0;
/// More standard errors than any data have.
const SIGMAS_MAX: f64 = 1e9;

/// The least-squares line through the batch means of the running phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Change of the line from its first to its last batch as a share of the mean; positive if it slows down.
    pub drift: f64,
    /// The same in standard errors that account for autocorrelation.
    pub sigmas: f64,
}

impl Trend {
    /// False if the line surely moves, and by more than `tolerance` of the mean over the phase.
    pub fn is_stationary(&self, tolerance: f64) -> bool {
        self.sigmas.abs() < SIGMAS || self.drift.abs() < tolerance
    }
}

/// The trend of the running phase; `None` with fewer than eight whole periods.
pub fn trend(series: &Series, phases: &Phases) -> Option<Trend> {
    let blocks = Blocks::of(series, phases).means;
    let size = blocks.len().div_ceil(BATCHES_MAX).max(1);
    let batches: Vec<f64> = blocks[blocks.len() % size..].chunks_exact(size).map(mean_of).collect();
    (batches.len() >= BATCHES_MIN).then(|| line_through(&batches))
}

fn line_through(batches: &[f64]) -> Trend {
    let (count, mean) = (batches.len() as f64, mean_of(batches));
    let centre = (count - 1.0) / 2.0;
    let spread: f64 = (0..batches.len()).map(|i| (i as f64 - centre).powi(2)).sum();
    let slope =
        batches.iter().enumerate().map(|(i, v)| (i as f64 - centre) * (v - mean)).sum::<f64>() / spread;
    let residual = |(i, v): (usize, &f64)| v - mean - slope * (i as f64 - centre);
    let residuals: Vec<f64> = batches.iter().enumerate().map(residual).collect();
    let left = (lag_one(&residuals) + 4.0 / count).clamp(0.0, 0.9);
    let square: f64 =
        residuals.iter().map(|r| r * r).sum::<f64>() / (count - 2.0) * (1.0 + left) / (1.0 - left);
    let error = (square / spread).sqrt();
    let drift = if mean == 0.0 { 0.0 } else { slope * (count - 1.0) / mean };
    // A line without any error is certain, and still a number.
    let sigmas = (slope / error.max(f64::MIN_POSITIVE)).clamp(-SIGMAS_MAX, SIGMAS_MAX);
    Trend { drift, sigmas }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_any_error_is_certain_and_still_a_number_that_can_be_stored() {
        for (slope, sign) in [(1.0, 1.0), (-1.0, -1.0)] {
            let line: Vec<f64> = (0..8).map(|i| 100.0 + slope * f64::from(i)).collect();
            let trend = line_through(&line);
            assert!(trend.sigmas.is_finite() && trend.sigmas * sign > SIGMAS, "{trend:?}");
        }
        assert_eq!(line_through(&[5.0; 8]).sigmas, 0.0);
    }
}
