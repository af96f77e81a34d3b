//! Writes that are neither sequential nor random: reverse, in place, large steps (paper 001, table 1, Order).

use super::curve::{At, average, baseline, curve};
use crate::compare::ratio;
use crate::conclusion::Indicator;
use crate::result::Point;

/// Steps that table 3 calls large, in bytes.
const LARGE_BYTES: std::ops::RangeInclusive<f64> = 1048576.0..=8388608.0;

/// Writes with this stride over sequential writes (paper 001, table 3, columns 8 and 9: -1 and 0).
pub(super) fn stride_factor(points: &[Point<'_>], stride: f64) -> Option<Indicator> {
    let at = curve(points, "order", "SW").into_iter().find(|at| at.parameter == stride)?;
    ratio(&at.estimate, &baseline(points, "SW")?).ok().map(Indicator::from)
}

/// Writes with steps of 1 MiB to 8 MiB, all strides with equal weight, over random writes (paper 001, table
/// 3, last column).
pub(super) fn large_increment_factor(points: &[Point<'_>]) -> Option<Indicator> {
    let large = average(&large_steps(points))?;
    ratio(&large, &baseline(points, "RW")?).ok().map(Indicator::from)
}

pub(crate) fn large_steps<'a>(points: &'a [Point<'a>]) -> Vec<At<'a>> {
    let mut curve = curve(points, "order", "SW");
    curve.retain(|at| LARGE_BYTES.contains(&(at.parameter * at.bs_bytes())));
    curve
}
