//! Campaigns that do not go to plan: interrupted, out of budget, on a device that fails, not allowed to
//! write. Nothing that was measured is lost.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{Memory, settings};
use flashscope_analysis::{Experiment, Finished, Stop};
use flashscope_bench::{
    Campaign, Cause, Event, Journal, Lab, Outcome, Plan, Prior, Recording, Scope, Settings, State,
    Unrecorded, run,
};
use flashscope_core::{
    Bytes, Completion, ErrorKind, Nanos, Op, PatternSource, Record, Request, Target, TargetError, TargetInfo,
    Time, submit_and_reap,
};
use flashscope_sim::{Rig, rigs};

/// A rig that counts what it is asked for, and may fail.
struct Watched {
    rig: Rig,
    reads: u64,
    writes: u64,
    written_bytes: u64,
    /// The IO after so many fails.
    good_ios: u64,
}

impl Watched {
    fn new(good_ios: u64) -> Watched {
        Watched::on("plain", good_ios)
    }

    fn on(name: &str, good_ios: u64) -> Watched {
        let spec = rigs::get(name).expect("a built-in rig");
        Watched { rig: Rig::new(spec, 5), reads: 0, writes: 0, written_bytes: 0, good_ios }
    }
}

impl Target for Watched {
    fn info(&self) -> &TargetInfo {
        self.rig.info()
    }
    fn now(&mut self) -> Time {
        self.rig.now()
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.reads + self.writes == self.good_ios {
                return Err(eio(request));
            }
            *(if request.op == Op::Read { &mut self.reads } else { &mut self.writes }) += 1;
            self.written_bytes += if request.op == Op::Write { u64::from(request.length_bytes) } else { 0 };
            self.rig.submit(std::slice::from_ref(request))?;
        }
        Ok(())
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.rig.reap(min, until, out)
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        submit_and_reap(self, request, &mut Vec::new())
    }
    fn wait_until(&mut self, time: Time) {
        self.rig.wait_until(time);
    }
}

fn eio(request: &Request) -> TargetError {
    TargetError {
        kind: ErrorKind::Device,
        tag: None,
        target: "watched".into(),
        op: request.op,
        offset_bytes: request.offset_bytes,
        length_bytes: request.length_bytes,
        cause: "input/output error".into(),
        remedy: "replace the device".into(),
    }
}

impl Lab for Watched {
    type Target = Watched;
    fn target(&mut self, _depth: u32) -> Result<&mut Watched, TargetError> {
        Ok(self)
    }
}

/// Presses Ctrl-C in the middle of the run after the first `after`.
struct Impatient<'a> {
    memory: Memory,
    after: usize,
    interrupted: &'a AtomicBool,
}

/// IOs of a run before Ctrl-C.
const MIDDLE_IOS: u64 = 20;

/// Presses Ctrl-C at the last IO left.
struct Countdown<'a> {
    ios_left: u64,
    interrupted: &'a AtomicBool,
}

impl Recording for Countdown<'_> {
    fn push(&mut self, _: Record) {
        self.ios_left = self.ios_left.saturating_sub(1);
        if self.ios_left == 0 {
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }
    fn has_failed(&self) -> bool {
        false
    }
}

impl<'a> Journal for Impatient<'a> {
    type Recording = Countdown<'a>;
    fn begin(&mut self, _: &Experiment, _: u32, _: Vec<PatternSource>) -> Result<Countdown<'a>, Cause> {
        let ios_left = if self.memory.kept.len() == self.after { MIDDLE_IOS } else { u64::MAX };
        Ok(Countdown { ios_left, interrupted: self.interrupted })
    }
    fn finish(&mut self, _: Countdown<'a>, finished: Finished) -> Result<Finished, Cause> {
        self.memory.finish(Unrecorded, finished)
    }
    fn enforced(&mut self, done_pieces: u64) -> Result<(), Cause> {
        self.memory.enforced(done_pieces)
    }
    fn hear(&mut self, _: &Event<'_>) {}
}

/// The baselines and strides on 64 MiB: a small campaign.
fn small() -> Settings {
    let only = Some(vec!["order".to_string()]);
    Settings { only, span: Some(Bytes(64 << 20)), repeats: 2, ..settings(Scope::Quick, 11) }
}

/// Runs a campaign; Ctrl-C comes in the run after the first `after`.
fn campaign(lab: &mut Watched, settings: &Settings, after: usize, prior: Prior) -> (Outcome, Memory, Plan) {
    let plan = Plan::new(lab.info(), settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let mut journal = Impatient { memory: Memory::default(), after, interrupted: &interrupted };
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, lab, &mut journal, prior);
    (outcome, journal.memory, plan)
}

/// What was measured to its end, in the order of the plan.
fn complete(finished: &[Finished]) -> Vec<(String, u32)> {
    let cut_short = |done: &&Finished| because(done) != Stop::Interrupted && because(done) != Stop::Budget;
    finished.iter().filter(cut_short).map(|done| (done.experiment.id(), done.repeat)).collect()
}

fn because(done: &Finished) -> Stop {
    done.run.outcome.stopped_because
}

fn planned(plan: &Plan) -> Vec<(String, u32)> {
    plan.steps.iter().map(|step| (step.experiment.id(), step.repeat)).collect()
}

const NEVER: usize = usize::MAX;

#[test]
fn an_interrupted_campaign_keeps_its_runs_and_resumed_it_runs_what_is_missing() {
    let settings = small();
    let (whole, _, plan) = campaign(&mut Watched::new(u64::MAX), &settings, NEVER, Prior::default());
    assert!(whole.stopped.is_none() && whole.error.is_none());
    assert_eq!(complete(&whole.finished), planned(&plan));
    for after in [0, 1, 5, plan.steps.len() - 1] {
        let (first, kept, _) = campaign(&mut Watched::new(u64::MAX), &settings, after, Prior::default());
        assert_eq!(first.stopped, Some(Stop::Interrupted));
        assert_eq!(kept.kept, first.finished, "every run is handed over when it ends");
        let (broken, before) = first.finished.split_last().expect("a run was under way");
        assert_eq!((before.len(), because(broken)), (after, Stop::Interrupted));
        assert_eq!(broken.run.ios, MIDDLE_IOS, "what was measured of it is kept");

        let prior = Prior { finished: kept.kept, enforced_pieces: kept.enforced_pieces, ..Prior::default() };
        let (second, new, _) = campaign(&mut Watched::new(u64::MAX), &settings, NEVER, prior);
        assert_eq!(complete(&second.finished), planned(&plan), "interrupted in run {after}");
        assert_eq!(second.finished.len(), plan.steps.len(), "what was cut short gives way to the whole run");
        assert_eq!(new.kept.len(), plan.steps.len() - after, "no finished run is repeated");
        assert_eq!(second.finished[..after], whole.finished[..after]);
    }
}

#[test]
fn the_state_is_not_enforced_again_after_an_interruption() {
    let settings = small();
    let (_, kept, _) = campaign(&mut Watched::new(u64::MAX), &settings, 1, Prior::default());
    assert!(kept.enforced_pieces > 1_000, "{} pieces of random size", kept.enforced_pieces);
    let prior = Prior { finished: kept.kept, enforced_pieces: kept.enforced_pieces, ..Prior::default() };
    let mut lab = Watched::new(u64::MAX);
    let only = Settings { repeats: 1, only: Some(vec!["baseline".into()]), ..settings };
    let (resumed, again, _) = campaign(&mut lab, &only, NEVER, prior);
    assert_eq!((complete(&resumed.finished).len(), again.kept.len()), (4, 3));
    let written: u64 =
        again.kept.iter().map(|done| done.run.written_bytes / done.experiment.pattern.bs.0).sum();
    assert_eq!(lab.writes, written, "only the baselines write");
}

#[test]
fn a_campaign_that_came_to_its_end_gets_no_more_rounds() {
    let settings = Settings { state: State::AsIs, repeats: 5, ..small() };
    let (outcome, ..) = campaign(&mut Watched::new(u64::MAX), &settings, NEVER, Prior::default());
    assert_eq!(outcome.stopped, None);
    // Nothing is as precise as that, not even a constant: each of the rounds that it may add is wanted.
    let effort = flashscope_bench::Effort { precision: -1.0, ..settings.effort };
    let settings = Settings { effort, ..settings };
    for is_complete in [true, false] {
        let prior = Prior { finished: outcome.finished.clone(), is_complete, ..Prior::default() };
        let (again, ..) = campaign(&mut Watched::new(u64::MAX), &settings, NEVER, prior);
        assert_eq!(again.finished.len() == outcome.finished.len(), is_complete);
    }
}

#[test]
fn a_spent_budget_ends_the_campaign_and_keeps_what_was_measured() {
    // Two reads of 25 ms each and a rest of 5 s after each: the third run is under way when it is spent.
    let budget = Some(Nanos::from_ms(10_150));
    let settings = Settings { budget, state: State::AsIs, ..small() };
    let (outcome, kept, plan) = campaign(&mut Watched::new(u64::MAX), &settings, NEVER, Prior::default());
    assert_eq!((outcome.stopped, outcome.finished.len()), (Some(Stop::Budget), 3));
    assert!(outcome.error.is_none());
    assert_eq!(kept.kept, outcome.finished);
    let last = &outcome.finished[2];
    assert_eq!(because(last), Stop::Budget);
    assert!((100..1_024).contains(&last.run.ios) && !last.run.outcome.stationary, "{} IOs", last.run.ios);
    assert!(last.run.outcome.missing.is_some(), "and what is missing is said");

    let prior = Prior { finished: kept.kept, enforced_pieces: 0, ..Prior::default() };
    let unlimited = Settings { budget: None, ..settings };
    let (resumed, ..) = campaign(&mut Watched::new(u64::MAX), &unlimited, NEVER, prior);
    assert_eq!((resumed.stopped, complete(&resumed.finished)), (None, planned(&plan)));
}

#[test]
fn a_device_that_fails_ends_the_campaign_with_its_error_and_the_earlier_runs_are_kept() {
    let settings = Settings { state: State::AsIs, ..small() };
    // The first baseline takes 256 reads.
    let (outcome, kept, _) = campaign(&mut Watched::new(300), &settings, NEVER, Prior::default());
    let error = outcome.error.expect("an IO failed").to_string();
    assert!(
        error.contains("watched: read of 32768 bytes") && error.contains("input/output error"),
        "{error}"
    );
    assert_eq!(outcome.stopped, Some(Stop::Failed));
    assert_eq!(kept.kept, outcome.finished);
    let ios_and_ends: Vec<_> = kept.kept.iter().map(|done| (done.run.ios, because(done))).collect();
    assert_eq!(ios_and_ends, [(256, Stop::Precision), (44, Stop::Failed)]);
}

#[test]
fn a_device_that_fails_while_its_state_is_enforced_is_an_error_too() {
    let (outcome, kept, _) = campaign(&mut Watched::new(300), &small(), NEVER, Prior::default());
    let error = outcome.error.expect("an IO failed").to_string();
    assert!(error.contains("write of") && error.contains("input/output error"), "{error}");
    assert!(kept.kept.is_empty());
}

#[test]
fn without_leave_to_write_nothing_is_written() {
    for scope in [Scope::Quick, Scope::Table1, Scope::Full] {
        let settings = Settings { write: false, repeats: 1, ..settings(scope, 2) };
        let mut lab = Watched::new(u64::MAX);
        let (outcome, _, plan) = campaign(&mut lab, &settings, NEVER, Prior::default());
        assert!(outcome.stopped.is_none() && outcome.error.is_none());
        assert_eq!(complete(&outcome.finished), planned(&plan));
        assert!(lab.writes == 0 && lab.reads > 2_000, "{} reads", lab.reads);
    }
}

#[test]
fn what_is_written_lies_between_the_least_and_the_most_of_the_plan() {
    for (name, state) in [("plain", State::AsIs), ("mtron", State::AsIs), ("slow-decay", State::Random)] {
        let span = Some(Bytes(256 << 20));
        let settings = Settings { span, state, repeats: 1, ..settings(Scope::Quick, 6) };
        let mut lab = Watched::on(name, u64::MAX);
        let (outcome, _, plan) = campaign(&mut lab, &settings, NEVER, Prior::default());
        assert!(outcome.stopped.is_none() && outcome.error.is_none(), "{name}");
        let (min, most, written) = (plan.written_bytes_min, plan.written_bytes_max, lab.written_bytes);
        assert!((min..=most).contains(&written), "{name}: {written} is not within {min} to {most}");
        // Where nothing is to be found but noise, little more is written than must be.
        assert!(name != "plain" || written < 2 * min, "{written} is far from {min}");
    }
}

/// A journal on a full disk.
struct Full;

impl Journal for Full {
    type Recording = Unrecorded;
    fn begin(&mut self, _: &Experiment, _: u32, _: Vec<PatternSource>) -> Result<Unrecorded, Cause> {
        Ok(Unrecorded)
    }
    fn finish(&mut self, _: Unrecorded, _: Finished) -> Result<Finished, Cause> {
        Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into())
    }
    fn enforced(&mut self, _: u64) -> Result<(), Cause> {
        Ok(())
    }
    fn hear(&mut self, _: &Event<'_>) {}
}

#[test]
fn what_a_journal_fails_with_is_the_cause_of_the_campaigns_error() {
    let settings = small();
    let mut lab = Watched::new(u64::MAX);
    let plan = Plan::new(lab.info(), &settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, &mut lab, &mut Full, Prior::default());
    let error = outcome.error.expect("nothing can be stored");
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    assert_eq!(cause.map(std::io::Error::kind), Some(std::io::ErrorKind::StorageFull), "{error:?}");
}
