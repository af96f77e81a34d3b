//! A campaign on a rig, kept in memory.

pub mod reading;

use std::sync::atomic::AtomicBool;

use flashscope_analysis::{Experiment, Finished, Indicators, indicators, points};
use flashscope_bench::{
    Alone, Campaign, Cause, Effort, Event, Journal, Micros, OnError, Outcome, Plan, Prior, Scope, Settings,
    State, Unrecorded, WriteLimit, run,
};
use flashscope_core::{Bytes, PatternSource, Target};
use flashscope_sim::{Rig, rigs};

#[derive(Default)]
pub struct Memory {
    pub kept: Vec<Finished>,
    pub enforced_pieces: u64,
}

impl Journal for Memory {
    type Recording = Unrecorded;
    fn begin(&mut self, _: &Experiment, _: u32, _: Vec<PatternSource>) -> Result<Unrecorded, Cause> {
        Ok(Unrecorded)
    }
    fn finish(&mut self, _: Unrecorded, finished: Finished) -> Result<Finished, Cause> {
        self.kept.push(finished.clone());
        Ok(finished)
    }
    fn enforced(&mut self, done_pieces: u64) -> Result<(), Cause> {
        self.enforced_pieces = done_pieces;
        Ok(())
    }
    fn hear(&mut self, _: &Event<'_>) {}
}

pub fn settings(scope: Scope, seed: u64) -> Settings {
    Settings {
        scope,
        micros: Micros::builtin(),
        only: None,
        state: State::Random,
        effort: Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: 16_384 },
        budget: None,
        write_limit: WriteLimit::None,
        run_max: None,
        patience: None,
        write: true,
        can_trim: false,
        repeats: if scope == Scope::Quick { 1 } else { 3 },
        seed,
        on_error: OnError::Stop,
        span: None,
        bs: Bytes(32 << 10),
    }
}

pub fn rig(name: &str, seed: u64) -> Alone<Rig> {
    Alone(Rig::new(rigs::get(name).expect("a built-in rig"), seed))
}

pub fn characterise(name: &str, settings: &Settings) -> (Outcome, Indicators) {
    let mut bench = rig(name, settings.seed);
    let info = bench.0.info().clone();
    let plan = Plan::new(&info, settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, &mut bench, &mut Memory::default(), Prior::default());
    assert!(outcome.error.is_none(), "{name}: {:?}", outcome.error);
    let found = indicators(&points(&outcome.finished));
    (outcome, found)
}
