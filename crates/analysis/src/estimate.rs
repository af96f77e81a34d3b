//! The mean of the running phase with an interval that holds under oscillation and autocorrelation.
//!
//! Batch means over whole periods, merged until neighbours are uncorrelated; what correlation is left widens
//! the interval (Skart: Tafazzoli, Wilson, Lada, Steiger 2011), and so does skewness (Willink 2005). The t
//! distribution has as many degrees of freedom as there are effectively independent batches.

use crate::error::AnalysisError;
use crate::period::events::cycle_starts;
use crate::phases::Phases;
use crate::series::Series;
use crate::transform::{lag_one, mean_of, variance_of};
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean response time with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean over whole periods of the running phase.
    pub mean_ns: f64,
    /// Lower end of the interval; not below 0, where no response time is.
    pub ci_low_ns: f64,
    /// Upper end of the interval. The interval is not symmetric when response times are skewed.
    pub ci_high_ns: f64,
    /// Share of runs whose interval holds the true mean, such as 0.95.
    pub confidence: f64,
    /// Standard error of the mean.
    pub std_err_ns: f64,
    /// Degrees of freedom of the standard error.
    pub dof: f64,
    /// IOs that the mean is taken over.
    pub ios: u64,
    /// IOs issued but not used: the start-up and what does not fill a period.
    pub ios_ignored: u64,
    /// Batches that the standard error rests on.
    pub batches: u64,
}

impl Estimate {
    /// Half the width of the interval as a share of the mean; infinite for a mean of zero.
    pub fn relative_half_width(&self) -> f64 {
        let half = (self.ci_high_ns - self.ci_low_ns) / 2.0;
        if half == 0.0 { 0.0 } else { half / self.mean_ns.abs() }
    }
}

/// Fewest whole periods (or IOs without a period) for an interval.
const BLOCKS_MIN: usize = 4;
/// More blocks than this are merged beforehand; a t quantile gains nothing from them.
const BLOCKS_MAX: usize = 16_384;
/// Merging stops before there are fewer batches than this.
const BATCHES_MIN: usize = 12;

/// Mean and interval of the running phase. Errors: a confidence outside (0, 1); fewer than four periods.
pub fn estimate(series: &Series, phases: &Phases, confidence: f64) -> Result<Estimate, AnalysisError> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(AnalysisError::Confidence(confidence));
    }
    let blocks = Blocks::of(series, phases);
    if blocks.means.len() < BLOCKS_MIN {
        let need = BLOCKS_MIN as u64 * phases.cycle_ios();
        return Err(AnalysisError::TooFewIos { have: phases.accepted_ios(), need });
    }
    let error = StandardError::of(&blocks.means);
    let mean_ns = mean_of(&blocks.means);
    let (ci_low_ns, ci_high_ns) = error.interval(mean_ns, confidence);
    let ios = blocks.ios;
    Ok(Estimate {
        mean_ns,
        ci_low_ns: ci_low_ns.max(0.0),
        ci_high_ns,
        confidence,
        std_err_ns: error.std_err,
        dof: error.dof,
        ios,
        ios_ignored: series.len() - ios,
        batches: error.batches as u64,
    })
}

/// Blocks of whole periods of the running phase; the mean of all blocks is the mean response time.
pub(crate) struct Blocks {
    pub(crate) means: Vec<f64>,
    /// IOs in all blocks.
    pub(crate) ios: u64,
}

impl Blocks {
    pub(crate) fn of(series: &Series, phases: &Phases) -> Self {
        let varies = phases.period.is_some_and(|period| !period.is_exact());
        let raw = || series.raw_tail(phases.startup_ios_high, BLOCKS_MAX * 64);
        let regenerative = || Self::of_varying_cycles(&raw());
        let found = if varies && series.bin_ios() == 1 { regenerative() } else { None };
        found.unwrap_or_else(|| Self::of_equal_cycles(series, phases))
    }

    /// Equal stretches from the end backwards to the surely accepted first IO.
    fn of_equal_cycles(series: &Series, phases: &Phases) -> Self {
        let (bins, unit) = (series.bins(), series.bin_ios());
        let from = ((phases.startup_ios_high.div_ceil(unit)) as usize).min(bins.len());
        let cycle = (phases.cycle_ios() as f64 / unit as f64).round().max(1.0) as usize;
        let accepted = &bins[from..];
        let merge = (accepted.len() / cycle).div_ceil(BLOCKS_MAX).max(1);
        let size = cycle * merge;
        let mean = |block: &[f32]| block.iter().map(|v| f64::from(*v)).sum::<f64>() / size as f64;
        let means: Vec<f64> = accepted[accepted.len() % size..].chunks_exact(size).map(mean).collect();
        Self { ios: (means.len() * size) as u64 * unit, means }
    }

    /// Cycles of varying length, by the regenerative method (Crane and Iglehart 1975): the mean is the ratio
    /// of cost to length, and a cycle counts as `ratio + (cost - ratio * length) / mean length`.
    fn of_varying_cycles(values: &[f64]) -> Option<Self> {
        let starts = cycle_starts(values)?;
        let cycles: Vec<&[f64]> = starts.windows(2).map(|w| &values[w[0]..w[1]]).collect();
        let costs: Vec<f64> = cycles.iter().map(|cycle| cycle.iter().sum()).collect();
        let lengths: Vec<f64> = cycles.iter().map(|cycle| cycle.len() as f64).collect();
        let (ratio, length) = (mean_of(&costs) / mean_of(&lengths), mean_of(&lengths));
        let means = costs.iter().zip(&lengths).map(|(cost, l)| ratio + (cost - ratio * l) / length).collect();
        Some(Self { means, ios: lengths.iter().sum::<f64>() as u64 })
    }
}

/// Standard error of the mean of a stationary sequence, with what is needed for an interval.
pub(crate) struct StandardError {
    pub(crate) std_err: f64,
    pub(crate) dof: f64,
    batches: usize,
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
