//! Estimates side by side: pooled over repeats, their difference, their ratio.

use crate::error::AnalysisError;
use crate::estimate::Estimate;
use crate::statistics::{t_quantile, t_tails};
use crate::transform::{mean_of, variance_of};
use flashscope_core::total;
use serde::{Deserialize, Serialize};

/// A difference or ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Nanoseconds for a difference, a plain number for a ratio.
    pub value: f64,
    /// Lower end of the interval.
    pub ci_low: f64,
    /// Upper end of the interval.
    pub ci_high: f64,
}

impl Comparison {
    /// True if the interval leaves out `value`: 0 for a difference, 1 for a ratio that matters.
    pub fn excludes(&self, value: f64) -> bool {
        value < self.ci_low || value > self.ci_high
    }
}

/// `a - b`, by Welch's interval (Welch 1947; degrees of freedom by Satterthwaite 1946).
pub fn difference(a: &Estimate, b: &Estimate) -> Result<Comparison, AnalysisError> {
    let confidence = common_confidence(&[*a, *b])?;
    let value = a.mean_ns - b.mean_ns;
    let std_err = a.std_err_ns.hypot(b.std_err_ns);
    let half = t_quantile(confidence, satterthwaite(a, b, 1.0)) * std_err;
    Ok(Comparison { value, ci_low: value - half, ci_high: value + half })
}

/// `a / b`, by Fieller's theorem (Fieller 1954). Errors if `b` is not significantly above 0.
pub fn ratio(a: &Estimate, b: &Estimate) -> Result<Comparison, AnalysisError> {
    let confidence = common_confidence(&[*a, *b])?;
    let value = a.mean_ns / b.mean_ns;
    let t = t_quantile(confidence, satterthwaite(a, b, value));
    let g = (t * b.std_err_ns / b.mean_ns).powi(2);
    if !(b.mean_ns > 0.0 && g < 1.0) {
        return Err(AnalysisError::DivisorNotPositive { mean_ns: b.mean_ns, half_ns: t * b.std_err_ns });
    }
    let square = (1.0 - g) * a.std_err_ns.powi(2) + (value * b.std_err_ns).powi(2);
    let (middle, half) = (value / (1.0 - g), t / b.mean_ns * square.sqrt() / (1.0 - g));
    Ok(Comparison { value, ci_low: middle - half, ci_high: middle + half })
}

/// How probable a difference at least as large is by chance alone (two-sided, Welch 1947); 0 where
/// neither has any error and they differ.
pub fn chance(a: &Estimate, b: &Estimate) -> f64 {
    let gap = (a.mean_ns - b.mean_ns).abs();
    let std_err = a.std_err_ns.hypot(b.std_err_ns);
    if std_err > 0.0 {
        t_tails(gap / std_err, satterthwaite(a, b, 1.0))
    } else {
        f64::from(u8::from(gap == 0.0))
    }
}

/// The mean over repeated runs. Runs differ by more than their own noise, and three of them say little about
/// by how much: the interval is the wider of the one from the runs' own errors (degrees of freedom by
/// Satterthwaite) and the one from the spread between runs (Student, k - 1). Equal weights, because weights
/// by estimated variance are biased for few runs.
pub fn pool(runs: &[Estimate]) -> Result<Estimate, AnalysisError> {
    let confidence = common_confidence(runs)?;
    if let [only] = runs {
        return Ok(*only);
    }
    let count = runs.len() as f64;
    let means: Vec<f64> = runs.iter().map(|run| run.mean_ns).collect();
    let within: f64 = runs.iter().map(|run| run.std_err_ns.powi(2)).sum();
    let within_dof = within.powi(2) / runs.iter().map(|run| run.std_err_ns.powi(4) / run.dof).sum::<f64>();
    let own = (within.sqrt() / count, if within > 0.0 { within_dof } else { 1e6 });
    let between = ((variance_of(&means) / count).sqrt(), count - 1.0);
    let half = |(std_err, dof): (f64, f64)| t_quantile(confidence, dof) * std_err;
    let (std_err_ns, dof) = if half(own) >= half(between) { own } else { between };
    let mean_ns = mean_of(&means);
    Ok(Estimate {
        mean_ns,
        ci_low_ns: (mean_ns - half((std_err_ns, dof))).max(0.0),
        ci_high_ns: mean_ns + half((std_err_ns, dof)),
        confidence,
        std_err_ns,
        dof,
        ios: total(runs.iter().map(|run| run.ios)),
        ios_ignored: total(runs.iter().map(|run| run.ios_ignored)),
        batches: total(runs.iter().map(|run| run.batches)),
    })
}

/// Degrees of freedom of `a - factor * b`.
fn satterthwaite(a: &Estimate, b: &Estimate, factor: f64) -> f64 {
    let (va, vb) = (a.std_err_ns.powi(2), (factor * b.std_err_ns).powi(2));
    let spread = va * va / a.dof + vb * vb / b.dof;
    if spread > 0.0 { (va + vb).powi(2) / spread } else { 1e6 }
}

fn common_confidence(estimates: &[Estimate]) -> Result<f64, AnalysisError> {
    let first = estimates.first().ok_or(AnalysisError::NothingToPool)?.confidence;
    match estimates.iter().find(|e| (e.confidence - first).abs() > 1e-9) {
        Some(other) => Err(AnalysisError::MixedConfidence(first, other.confidence)),
        None => Ok(first),
    }
}
