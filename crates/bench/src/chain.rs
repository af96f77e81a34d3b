//! Chains: runs that rest on one preparation, so that a break in them begins them anew.

use flashscope_analysis::Finished;

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
    finished.iter().any(|done| {
        done.experiment == step.experiment
            && done.repeat == step.repeat
            && !done.run.outcome.stopped_because.is_early()
    })
}

/// Whether earlier runs have shown that it is not worth it.
pub(crate) fn is_left_out(step: &Step, finished: &[Finished]) -> bool {
    match &step.only_if {
        None => false,
        Some(Condition::Growing) => !grows(finished, &step.experiment),
        Some(Condition::Unsteady(curve)) => is_steady(finished, &step.experiment, curve),
    }
}
