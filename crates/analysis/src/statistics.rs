//! What all estimates rest on: the standard error of a mean of correlated values, and Student's t.

use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

use crate::transform::{lag_one, mean_of, variance_of};

/// Merging stops before there are fewer batches than this.
const BATCHES_MIN: usize = 12;

/// Standard error of the mean of a stationary sequence, with what is needed for an interval.
#[derive(Clone, Copy)]
pub(crate) struct StandardError {
    pub(crate) std_err: f64,
    pub(crate) dof: f64,
    pub(crate) batches: usize,
    skewness: f64,
}

impl StandardError {
    /// What varies from IO to IO and what varies slowly: a level that wanders by little for long is lost
    /// among neighbours, and decides the mean. So the fewest and longest batches are looked at too, and
    /// where they differ by more than the short ones explain, they are believed (two levels: Kalibera and
    /// Jones 2013).
    pub(crate) fn of_two_levels(blocks: &[f64]) -> Self {
        let near = Self::of(blocks);
        if near.batches < 2 * BATCHES_MIN {
            return near;
        }
        let far = Self::of_batches(&merged(blocks, BATCHES_MIN));
        let is_wider = near.std_err > 0.0
            && (far.std_err / near.std_err).powi(2) > variance_ratio_max(far.dof, near.dof);
        if is_wider { far } else { near }
    }

    /// What varies from one block to the next.
    pub(crate) fn of(blocks: &[f64]) -> Self {
        let mut batches = blocks.to_vec();
        while batches.len() >= 2 * BATCHES_MIN && is_correlated(&batches) {
            batches = batches[batches.len() % 2..].chunks_exact(2).map(|w| (w[0] + w[1]) / 2.0).collect();
        }
        Self::of_batches(&batches)
    }

    /// Batches whose correlation is small: what is left of it widens the error.
    fn of_batches(batches: &[f64]) -> Self {
        let count = batches.len() as f64;
        let lag = lag_one(batches);
        let left = (lag + (1.0 + 3.0 * lag) / count).clamp(0.0, 0.9);
        let inflation = (1.0 + left) / (1.0 - left);
        Self {
            std_err: (variance_of(batches) / count * inflation).sqrt(),
            dof: (count / inflation - 1.0).max(2.0),
            batches: batches.len(),
            skewness: skewness_of(batches),
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

/// Means of so many equal batches; what does not fill one is left out at the beginning.
fn merged(values: &[f64], batches: usize) -> Vec<f64> {
    let size = (values.len() / batches).max(1);
    values[values.len() % size..].chunks_exact(size).map(mean_of).collect()
}

/// The ratio of variances that chance exceeds once in twenty times where both estimate the same.
pub(crate) fn variance_ratio_max(dof: f64, of_dof: f64) -> f64 {
    let ratio = FisherSnedecor::new(dof.max(1.0), of_dof.clamp(1.0, 1e6)).ok();
    ratio.map_or(f64::INFINITY, |ratio| ratio.inverse_cdf(0.95))
}

/// Two-sided t quantile: |T| is below it with this confidence.
pub(crate) fn t_quantile(confidence: f64, dof: f64) -> f64 {
    // A stored result may ask for what no interval has.
    let share = Some(0.5 + confidence / 2.0).filter(|share| (0.0..1.0).contains(share));
    let t = StudentsT::new(0.0, 1.0, dof.clamp(1.0, 1e6)).ok();
    t.zip(share).map_or(f64::INFINITY, |(t, share)| t.inverse_cdf(share))
}

/// Two-sided tails: |T| is at least `t` with this probability.
pub(crate) fn t_tails(t: f64, dof: f64) -> f64 {
    StudentsT::new(0.0, 1.0, dof.clamp(1.0, 1e6)).map_or(1.0, |of| 2.0 * of.sf(t.abs()))
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
