//! What all estimates rest on: the standard error of a mean of correlated values, and Student's t.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::transform::{lag_one, mean_of, variance_of};

/// Merging stops before there are fewer batches than this.
const BATCHES_MIN: usize = 12;

/// Standard error of the mean of a stationary sequence, with what is needed for an interval.
pub(crate) struct StandardError {
    pub(crate) std_err: f64,
    pub(crate) dof: f64,
    pub(crate) batches: usize,
    skewness: f64,
}

impl StandardError {
    pub(crate) fn of(blocks: &[f64]) -> Self {
        let mut batches = blocks.to_vec();
        while batches.len() >= 2 * BATCHES_MIN && is_correlated(&batches) {
            batches = batches[batches.len() % 2..].chunks_exact(2).map(|w| (w[0] + w[1]) / 2.0).collect();
        }
        let count = batches.len() as f64;
        let lag = lag_one(&batches);
        let left = (lag + (1.0 + 3.0 * lag) / count).clamp(0.0, 0.9);
        let inflation = (1.0 + left) / (1.0 - left);
        Self {
            std_err: (variance_of(&batches) / count * inflation).sqrt(),
            dof: (count / inflation - 1.0).max(2.0),
            batches: batches.len(),
            skewness: skewness_of(&batches),
        }
    }

    /// Willink's interval: a t interval bent by the skewness of the batch means.
    pub(crate) fn interval(&self, mean: f64, confidence: f64) -> (f64, f64) {
        let t = t_quantile(confidence, self.dof);
        let beta = self.skewness / (6.0 * (self.batches as f64).sqrt());
        let bend = |zeta: f64| {
            if beta.abs() < 1e-6 {
                return zeta;
            }
            ((1.0 + 6.0 * beta * (zeta - beta)).cbrt() - 1.0) / (2.0 * beta)
        };
        (mean - bend(t) * self.std_err, mean - bend(-t) * self.std_err)
    }
}

/// Two-sided t quantile: |T| is below it with this confidence.
pub(crate) fn t_quantile(confidence: f64, dof: f64) -> f64 {
    // A stored result may ask for what no interval has.
    let share = Some(0.5 + confidence / 2.0).filter(|share| (0.0..1.0).contains(share));
    let t = StudentsT::new(0.0, 1.0, dof.clamp(1.0, 1e6)).ok();
    t.zip(share).map_or(f64::INFINITY, |(t, share)| t.inverse_cdf(share))
}

/// Lag-one correlation beyond 1.3 standard errors, either way.
fn is_correlated(batches: &[f64]) -> bool {
    let count = batches.len() as f64;
    (lag_one(batches) + 1.0 / count).abs() > 1.3 / count.sqrt()
}

fn skewness_of(values: &[f64]) -> f64 {
    let (mean, count) = (mean_of(values), values.len() as f64);
    let moment = |power: i32| values.iter().map(|v| (v - mean).powi(power)).sum::<f64>() / count;
    let variance = moment(2);
    if variance > 0.0 { moment(3) / variance.powf(1.5) } else { 0.0 }
}
