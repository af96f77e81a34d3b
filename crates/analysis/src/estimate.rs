//! The mean of the running phase with an interval that holds under oscillation and autocorrelation.
//!
//! Batch means over whole periods, merged until neighbours are uncorrelated; what correlation is left widens
//! the interval (Skart: Tafazzoli, Wilson, Lada, Steiger 2011), and so does skewness (Willink 2005). The t
//! distribution has as many degrees of freedom as there are effectively independent batches.

use crate::error::AnalysisError;
use crate::period::events::cycle_starts;
use crate::phases::Phases;
use crate::series::Series;
use crate::statistics::StandardError;
use crate::transform::mean_of;
use serde::{Deserialize, Serialize};

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
    let error = StandardError::of_two_levels(&blocks.means);
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
