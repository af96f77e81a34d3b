//! Chains: runs that rest on one preparation, so that a break in them begins them anew.

use flashscope_analysis::{Finished, points};

use crate::plan::Plan;
use crate::rounds::is_steady;
use crate::self_scaling::grows;
use crate::step::{Condition, Step};

/// A chain that was broken off, and what that costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The group of its first run.
    pub micro: String,
    /// Runs of it that were done and are to be measured again.
    pub again: usize,
}

impl Plan {
    /// The chains that these runs left unfinished, of which some is measured again when the plan is resumed.
    pub fn broken_chains(&self, finished: &[Finished]) -> Vec<Broken> {
        let again = |chain: &[Step]| chain.iter().filter(|step| is_done(step, finished)).count();
        let broken = chains(&self.steps).filter(|chain| is_wanted(chain, finished));
        let broken =
            broken.map(|chain| Broken { micro: chain[0].experiment.micro.clone(), again: again(chain) });
        broken.filter(|broken| broken.again > 0).collect()
    }
}

/// Each step that rests on nothing, with those that rest on it.
fn chains(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|_, next| next.follows)
}

/// Whether something of a chain is still to be measured: then all of it is.
fn is_wanted(chain: &[Step], finished: &[Finished]) -> bool {
    chain.iter().any(|step| !is_done(step, finished) && !is_left_out(step, finished))
}

/// Which steps are to be measured: those that are not done, and those that they rest on or that rest on them.
pub(crate) fn todo(steps: &[Step], finished: &[Finished]) -> Vec<bool> {
    chains(steps).flat_map(|chain| vec![is_wanted(chain, finished); chain.len()]).collect()
}

/// Whether it was measured to its end.
pub(crate) fn is_done(step: &Step, finished: &[Finished]) -> bool {
    let Some(step) = step.with_arrivals(finished) else { return false };
    finished.iter().any(|done| {
        done.experiment == step.experiment
            && done.repeat == step.repeat
            && !done.run.outcome.stopped_because.is_early()
    })
}

/// Whether the rounds of an experiment so far are sound and agree as closely as was asked.
fn is_precise(step: &Step, finished: &[Finished], precision: f64) -> bool {
    let of_it: Vec<Finished> =
        finished.iter().filter(|done| done.experiment.is_round_of(&step.experiment)).cloned().collect();
    points(&of_it).iter().any(|point| {
        let is_narrow = point.estimate.is_some_and(|mean| mean.relative_half_width() <= precision);
        point.is_sound() && is_narrow
    })
}

/// Whether earlier runs have shown that it is not worth it.
pub(crate) fn is_left_out(step: &Step, finished: &[Finished]) -> bool {
    match &step.only_if {
        None => false,
        Some(Condition::Growing) => !grows(finished, &step.experiment),
        Some(Condition::Imprecise(precision)) => is_precise(step, finished, *precision),
        Some(Condition::Unsteady(curve)) => is_steady(finished, &step.experiment, curve),
        Some(Condition::Wanted(wanted)) => !(wanted.0)(finished, &step.experiment),
    }
}
