//! The pause after which random writes cost as little as sequential ones (paper 001, table 3, column 5).

use super::curve::{At, baseline, curve};
use crate::compare::difference;
use crate::conclusion::Indicator;
use crate::estimate::Estimate;
use crate::result::Point;
use crate::statistics::t_quantile;

/// A pause has an effect if it takes away this share of what random writes cost more than sequential ones.
const EFFECT_MIN: f64 = 0.2;
/// What is left of it when it counts as gone, and how far a line may miss a point.
const REST_MAX: f64 = 0.1;

/// Sequential and random writes without a pause, and random writes with pauses.
struct Pauses<'a> {
    sw: Estimate,
    rw: Estimate,
    curve: Vec<At<'a>>,
}

/// In milliseconds. None if random writes cost no more than sequential ones, if no pause takes away a part of
/// that, surely and at least a fifth, or if a part stays however long the pause.
pub(super) fn pause(points: &[Point<'_>]) -> Option<Indicator> {
    let (sw, rw) = (baseline(points, "SW")?, baseline(points, "RW")?);
    let pauses = Pauses { sw, rw, curve: curve(points, "pause", "RW") };
    if !difference(&rw, &sw).is_ok_and(|extra| extra.ci_low > 0.0) {
        return None;
    }
    let first = pauses.curve.iter().position(|at| pauses.helps(at))?;
    pauses.by_line(first).or_else(|| pauses.by_grid())
}

impl Pauses<'_> {
    /// What a random write costs more than a sequential one: the work that a pause may hide.
    fn extra_ns(&self) -> f64 {
        self.rw.mean_ns - self.sw.mean_ns
    }

    fn helps(&self, at: &At<'_>) -> bool {
        let gain = difference(&self.rw, &at.estimate);
        gain.is_ok_and(|gain| gain.ci_low > 0.0 && gain.value >= EFFECT_MIN * self.extra_ns())
    }

    /// What a pause leaves is gone.
    fn is_done(&self, at: &At<'_>) -> bool {
        at.estimate.mean_ns <= self.sw.mean_ns + REST_MAX * self.extra_ns()
    }

    /// A device that works on what it put off while it is idle gains in proportion to the pause. Then the
    /// longest pause P that hides a part of the work, with mean m, gives `P (RW - SW) / (RW - m)`: the pause
    /// that hides all of it. Where a second of idle time does a second of work this is `P + (m - SW)`, but
    /// it needs no such assumption. None if the points do not lie on a line through RW, or if the result
    /// is beyond the next longer pause.
    fn by_line(&self, first: usize) -> Option<Indicator> {
        let is_partial = |at: &&At<'_>| {
            self.helps(at)
                && !self.is_done(at)
                && difference(&at.estimate, &self.sw).is_ok_and(|rest| rest.ci_low > 0.0)
        };
        let partial: Vec<&At<'_>> = self.curve[first..].iter().filter(is_partial).collect();
        let last = *partial.last()?;
        let gain_per_ms = (self.rw.mean_ns - last.estimate.mean_ns) / last.parameter;
        let is_near = |at: &&At<'_>| {
            let off_ns = at.estimate.mean_ns - (self.rw.mean_ns - gain_per_ms * at.parameter);
            let half_ns = (at.estimate.ci_high_ns - at.estimate.ci_low_ns) / 2.0;
            off_ns.abs() <= half_ns + REST_MAX * self.extra_ns()
        };
        let found = self.proportional(last);
        let next = self.curve.iter().find(|at| at.parameter > last.parameter);
        let is_before_next = next.is_none_or(|next| found.ci_low <= next.parameter);
        (partial.iter().all(is_near) && is_before_next).then_some(found)
    }

    /// The formula above with its interval by the delta method (Satterthwaite's degrees of freedom).
    fn proportional(&self, at: &At<'_>) -> Indicator {
        let (pause, gain_ns) = (at.parameter, self.rw.mean_ns - at.estimate.mean_ns);
        let value = pause * self.extra_ns() / gain_ns;
        let slopes = [
            (pause * (self.sw.mean_ns - at.estimate.mean_ns) / gain_ns.powi(2), self.rw),
            (-pause / gain_ns, self.sw),
            (pause * self.extra_ns() / gain_ns.powi(2), at.estimate),
        ];
        let variances = slopes.map(|(slope, of)| ((slope * of.std_err_ns).powi(2), of.dof));
        let total: f64 = variances.iter().map(|(variance, _)| variance).sum();
        let spread: f64 = variances.iter().map(|(variance, dof)| variance.powi(2) / dof).sum();
        let dof = if spread > 0.0 { total.powi(2) / spread } else { 1e6 };
        let half = t_quantile(self.rw.confidence, dof) * total.sqrt();
        Indicator { value, ci_low: value - half, ci_high: value + half }
    }

    /// The shortest pause measured from which on all cost as little as sequential writes; the truth is
    /// between the pause before it and this one.
    fn by_grid(&self) -> Option<Indicator> {
        let done = self.curve.iter().rev().take_while(|at| self.is_done(at)).count();
        let first = self.curve.len() - done;
        let value = self.curve.get(first)?.parameter;
        let before = first.checked_sub(1).map_or(0.0, |i| self.curve[i].parameter);
        Some(Indicator { value, ci_low: before, ci_high: value })
    }
}
