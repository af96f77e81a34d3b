//! Points by name: one curve of a micro-benchmark, in the order of its parameter; sums of estimates.

use crate::estimate::Estimate;
use crate::result::Point;
use crate::statistics::t_quantile;
use flashscope_core::total;

/// A point that has a mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    /// Value of the varying parameter.
    pub(crate) parameter: f64,
    /// Its mean.
    pub(crate) estimate: Estimate,
    /// All of it.
    pub(crate) point: &'a Point<'a>,
}

impl At<'_> {
    /// IOSize in bytes.
    pub(crate) fn bs_bytes(&self) -> f64 {
        self.point.experiment.pattern.bs.0 as f64
    }
}

/// The points of one curve that have a mean, smallest parameter first.
pub(crate) fn curve<'a>(points: &'a [Point<'a>], micro: &str, curve: &str) -> Vec<At<'a>> {
    let is_on = |point: &&Point<'_>| point.experiment.micro == micro && point.experiment.curve == curve;
    let at = |point: &'a Point<'a>| {
        point.estimate.map(|estimate| At { parameter: point.experiment.parameter, estimate, point })
    };
    let mut found: Vec<At<'a>> = points.iter().filter(is_on).filter_map(at).collect();
    found.sort_by(|a, b| a.parameter.total_cmp(&b.parameter));
    found
}

/// The baseline `SR`, `RR`, `SW` or `RW`.
pub(crate) fn baseline(points: &[Point<'_>], name: &str) -> Option<Estimate> {
    curve(points, "baseline", name).first().map(|at| at.estimate)
}

/// `sum of weight x estimate` of independent estimates; degrees of freedom by Satterthwaite (1946). None for
/// no estimates, or for estimates at different confidences.
pub(crate) fn weighted(parts: &[(f64, Estimate)]) -> Option<Estimate> {
    let confidence = parts.first()?.1.confidence;
    if parts.iter().any(|(_, part)| (part.confidence - confidence).abs() > 1e-9) {
        return None;
    }
    let variance = |(weight, part): &(f64, Estimate)| (weight * part.std_err_ns).powi(2);
    let mean_ns: f64 = parts.iter().map(|(weight, part)| weight * part.mean_ns).sum();
    let squared: f64 = parts.iter().map(variance).sum();
    let spread: f64 = parts.iter().map(|part| variance(part).powi(2) / part.1.dof).sum();
    let dof = if spread > 0.0 { squared.powi(2) / spread } else { 1e6 };
    let half = t_quantile(confidence, dof) * squared.sqrt();
    Some(Estimate {
        mean_ns,
        ci_low_ns: (mean_ns - half).max(0.0),
        ci_high_ns: mean_ns + half,
        confidence,
        std_err_ns: squared.sqrt(),
        dof,
        ios: total(parts.iter().map(|(_, part)| part.ios)),
        ios_ignored: total(parts.iter().map(|(_, part)| part.ios_ignored)),
        batches: total(parts.iter().map(|(_, part)| part.batches)),
    })
}

/// The mean of several points with equal weights. Unlike `pool` it does not take their spread for noise,
/// because they are different experiments.
pub(crate) fn average(points: &[At<'_>]) -> Option<Estimate> {
    let share = 1.0 / points.len() as f64;
    weighted(&points.iter().map(|at| (share, at.estimate)).collect::<Vec<_>>())
}

/// The point with the highest mean.
pub(crate) fn dearest<'a>(points: &[At<'a>]) -> Option<At<'a>> {
    points.iter().copied().max_by(|a, b| a.estimate.mean_ns.total_cmp(&b.estimate.mean_ns))
}
