//! What of a plan a target with zones cannot take.

use flashscope_core::{Pattern, TargetInfo};

use super::Plan;
use crate::error::BenchError;
use crate::state::State;
use crate::step::Preparation;

/// States, fills and discards go over the whole span, without regard to zones.
pub(super) fn check(plan: &Plan, target: &TargetInfo) -> Result<(), BenchError> {
    if target.zones.is_none() {
        return Ok(());
    }
    let state = (plan.state != State::AsIs).then_some(Preparation::Enforce(plan.state));
    let mut before = state.iter().chain(plan.steps.iter().flat_map(|step| &step.before));
    let before = before.find(|before| before.resets()).map(ToString::to_string);
    let is_refused = |pattern: &Pattern| pattern.writes() && pattern.validate(target).is_err();
    let mut steps = plan.steps.iter();
    let mut step = || steps.find(|step| step.patterns().chain(step.bursts()).any(is_refused));
    match before.or_else(|| step().map(|step| step.experiment.id())) {
        None => Ok(()),
        Some(what) => Err(BenchError::Zoned { name: target.name.clone(), what }),
    }
}
