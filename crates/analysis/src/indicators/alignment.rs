//! Which addresses and sizes of a write the device prefers (paper 001, table 1, Alignment and Granularity).

use super::Pair;
use super::curve::{At, average, baseline, curve};
use crate::compare::ratio;
use crate::conclusion::Indicator;
use crate::estimate::Estimate;
use crate::result::Point;

/// A misaligned write surely costs more than this, relative to an aligned one.
const PENALTY_MIN: f64 = 1.1;
/// Writes cost nearly the same up to this factor.
const SAME_MAX: f64 = 1.25;

/// Writes at shifted addresses beside the aligned one.
pub(crate) struct Shifts<'a> {
    /// Which writes: `RW`, or `SW` where those are missing.
    pub(crate) curve: &'static str,
    /// Shifts smaller than the IO, smallest first.
    pub(crate) shifted: Vec<At<'a>>,
    /// IOSize.
    pub(crate) bs_bytes: f64,
    /// A shift by a whole IO, or the baseline.
    pub(crate) aligned: Estimate,
}

/// Random writes, or sequential ones if those were not measured.
pub(crate) fn of_writes<'a>(points: &'a [Point<'a>], micro: &str) -> Option<(&'static str, Vec<At<'a>>)> {
    let found = ["RW", "SW"].map(|name| (name, curve(points, micro, name)));
    found.into_iter().find(|(_, curve)| !curve.is_empty())
}

impl<'a> Shifts<'a> {
    pub(crate) fn of(points: &'a [Point<'a>]) -> Option<Self> {
        let (name, mut shifted) = of_writes(points, "alignment")?;
        let bs_bytes = shifted.first()?.bs_bytes();
        let whole = shifted.iter().find(|at| at.parameter == bs_bytes).map(|at| at.estimate);
        let aligned = whole.or_else(|| baseline(points, name))?;
        shifted.retain(|at| at.parameter < bs_bytes);
        Some(Self { curve: name, shifted, bs_bytes, aligned })
    }

    fn has_penalty(&self, at: &At<'_>) -> bool {
        ratio(&at.estimate, &self.aligned).is_ok_and(|factor| factor.ci_low > PENALTY_MIN)
    }
}

/// The smallest shift from which on all shifts measured cost no penalty, and the mean of those that do over
/// an aligned write (paper 001, section 5.2, other results). The interval begins at twice the largest shift
/// with a penalty: alignments are powers of two.
pub(super) fn alignment(points: &[Point<'_>]) -> Option<Pair> {
    let shifts = Shifts::of(points)?;
    let last = shifts.shifted.iter().rposition(|at| shifts.has_penalty(at))?;
    let value = shifts.shifted.get(last + 1).map_or(shifts.bs_bytes, |at| at.parameter);
    let ci_low = (2.0 * shifts.shifted[last].parameter).min(value);
    let dear: Vec<At<'_>> = shifts.shifted.iter().filter(|at| shifts.has_penalty(at)).copied().collect();
    let factor = average(&dear).and_then(|dear| ratio(&dear, &shifts.aligned).ok());
    Some((Indicator { value, ci_low, ci_high: value }, factor.map(Indicator::from)))
}

/// The largest size up to which writes cost nearly the same as the smallest one. The interval ends at the
/// next size measured, which costs more; at the end of the range it ends there too, and the truth may be
/// larger. None if already the second size costs more.
pub(super) fn granularity(points: &[Point<'_>]) -> Option<Indicator> {
    let (_, curve) = of_writes(points, "granularity")?;
    let same_ns_max = SAME_MAX * curve.first()?.estimate.mean_ns;
    let same = curve.iter().take_while(|at| at.estimate.mean_ns <= same_ns_max).count();
    let value = curve.get(same.checked_sub(2)? + 1)?.parameter;
    let ci_high = curve.get(same).map_or(value, |at| at.parameter);
    Some(Indicator { value, ci_low: value, ci_high })
}
