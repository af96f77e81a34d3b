//! IOs that fail: counted with their places, left out of every number, and no end of a run unless they are
//! too many.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use crate::common::{Memory, settings};
use flashscope_analysis::{Context, Finished, Stop, indicators, points, warnings};
use flashscope_bench::{
    BenchError, Campaign, Lab, MeasuredRun, Measurement, OnError, Outcome, Plan, Prior, Recording, Scope,
    Settings, State, measure, run,
};
use flashscope_core::{
    Bytes, Completion, ErrorKind, Pattern, Record, Request, Rw, Target, TargetError, TargetInfo, Time,
};
use flashscope_sim::{Rig, rigs};

/// Which IOs fail.
#[derive(Clone, Copy)]
enum Bad {
    /// Each one whose number, from 1, is a multiple.
    Nth(u64),
    /// Those that touch these bytes.
    Bytes(u64, u64),
}

/// A rig some of whose IOs fail.
struct Patchy {
    rig: Rig,
    bad: Bad,
    taken: u64,
    failing: Vec<Request>,
    /// Done behind one that failed, and not yet said.
    waiting: Vec<Completion>,
    is_of_one: bool,
}

impl Patchy {
    fn new(bad: Bad) -> Patchy {
        let rig = Rig::new(rigs::get("plain").expect("a built-in rig"), 5);
        Patchy { rig, bad, taken: 0, failing: Vec::new(), waiting: Vec::new(), is_of_one: true }
    }

    fn is_bad(&mut self, request: &Request) -> bool {
        self.taken += 1;
        match self.bad {
            Bad::Nth(nth) => self.taken.is_multiple_of(nth),
            Bad::Bytes(from, to) => {
                let end = request.offset_bytes + u64::from(request.length_bytes);
                request.offset_bytes < to && end > from
            }
        }
    }

    fn eio(&self, request: &Request) -> TargetError {
        TargetError {
            kind: ErrorKind::Device,
            tag: self.is_of_one.then_some(request.tag),
            target: "patchy".into(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: "input/output error".into(),
            remedy: "replace the device".into(),
        }
    }
}

impl Target for Patchy {
    fn info(&self) -> &TargetInfo {
        self.rig.info()
    }
    fn now(&mut self) -> Time {
        self.rig.now()
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.is_bad(request) {
                self.failing.push(*request);
            }
            self.rig.submit(std::slice::from_ref(request))?;
        }
        Ok(())
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let mut all = std::mem::take(&mut self.waiting);
        if all.is_empty() {
            self.rig.reap(min, until, &mut all)?;
        }
        for (place, done) in all.iter().enumerate() {
            if let Some(failed) = self.failing.iter().position(|request| request.tag == done.tag) {
                self.waiting = all[place + 1..].to_vec();
                let request = self.failing.remove(failed);
                return Err(self.eio(&request));
            }
            out.push(*done);
        }
        Ok(())
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let is_bad = self.is_bad(request);
        let done = self.rig.serve(request)?;
        if is_bad { Err(self.eio(request)) } else { Ok(done) }
    }
    fn wait_until(&mut self, time: Time) {
        self.rig.wait_until(time);
    }
}

impl Lab for Patchy {
    type Target = Patchy;
    fn target(&mut self, _depth: u32) -> Result<&mut Patchy, TargetError> {
        Ok(self)
    }
}

/// Keeps all records.
#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<Record>>>);

impl Recording for Kept {
    fn push(&mut self, record: Record) {
        self.0.borrow_mut().push(record);
    }
    fn has_failed(&self) -> bool {
        false
    }
}

fn reads(number_ios: u64, iodepth: u32) -> Pattern {
    let random = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
    Pattern { number_ios: Some(number_ios), iodepth, ..random }
}

fn measured(target: &mut Patchy, pattern: &Pattern, on_error: OnError) -> (MeasuredRun, Vec<Record>) {
    let interrupted = AtomicBool::new(false);
    let request = Measurement { on_error, seed: 3, ..Measurement::new(pattern, &interrupted) };
    let mut kept = Kept::default();
    let run = measure(target, &request, &mut kept, &mut |_, _, _| {});
    (run, kept.0.take())
}

const HALF: OnError = OnError::Continue { share_max: 0.5 };

#[test]
fn every_failed_io_is_counted_with_its_place_and_is_in_no_number() {
    for (iodepth, nth) in [(1, 100), (1, 7), (8, 100), (8, 7)] {
        let pattern = reads(10_000, iodepth);
        let (sound, _) = measured(&mut Patchy::new(Bad::Nth(u64::MAX)), &pattern, OnError::Stop);
        let (MeasuredRun { run, error }, records) = measured(&mut Patchy::new(Bad::Nth(nth)), &pattern, HALF);
        assert!(error.is_none(), "{error:?}");
        let failed = 10_000 / nth;
        assert_eq!((run.errors.count, run.ios), (failed, 10_000 - failed), "each {nth}th at {iodepth}");
        assert_eq!(run.read_bytes, run.ios * pattern.bs.0);
        assert_eq!(run.outcome.phases.ios, run.ios, "no response time is theirs");
        let (failures, done): (Vec<&Record>, Vec<&Record>) = records.iter().partition(|r| r.is_failed());
        assert_eq!((failures.len() as u64, done.len() as u64), (failed, run.ios));
        assert_eq!(run.errors.first.len(), 32.min(failed as usize), "the first places are kept");
        let first = &run.errors.first[0];
        assert_eq!((first.op.as_str(), first.cause.as_str()), ("read", "input/output error"));
        assert!(first.offset_bytes < 1 << 30 && first.length_bytes == pattern.bs.0);
        // The rig is the same at every address, so the others took as long as they would have without.
        let mean = |run: &flashscope_analysis::Run| run.outcome.estimate.expect("a mean").mean_ns;
        assert!((mean(&run) / mean(&sound.run) - 1.0).abs() < 0.02);
        assert!(sound.run.is_sound() && !run.is_sound(), "what has errors is not sound");
    }
}

#[test]
fn places_and_times_of_errors_are_those_of_the_ios() {
    let bad = Bad::Bytes(100 << 20, 101 << 20);
    let sequential = Pattern::baseline(Rw::Read, Bytes(0), Bytes(1 << 30));
    let pattern = Pattern { number_ios: Some((1 << 30) / sequential.bs.0), ..sequential };
    let (MeasuredRun { run, error }, _) = measured(&mut Patchy::new(bad), &pattern, HALF);
    assert!(error.is_none());
    let each = pattern.bs.0;
    assert_eq!(run.errors.count, (1 << 20) / each);
    let expected: Vec<u64> = (0..32).map(|n| (100 << 20) + n * each).collect();
    let first = &run.errors.first;
    assert_eq!(first.iter().map(|error| error.offset_bytes).collect::<Vec<_>>(), expected);
    assert!(first.windows(2).all(|pair| pair[1].submit_ns == pair[0].submit_ns + pair[0].after_ns));
    assert!(first[0].after_ns > 0 && first[0].submit_ns > run.elapsed_ns / 12);
}

#[test]
fn a_measurement_stops_at_the_first_error_or_above_the_share_that_was_given() {
    let run = |nth, on_error| measured(&mut Patchy::new(Bad::Nth(nth)), &reads(100_000, 1), on_error).0;
    let first = run(500, OnError::Stop);
    assert_eq!((first.run.ios, first.run.errors.count), (499, 1));
    assert_eq!(first.run.outcome.stopped_because, Stop::Failed);
    assert_eq!(first.error.expect("the error").cause, "input/output error");
    let below = run(101, OnError::CONTINUE);
    assert!(below.error.is_none() && below.run.errors.count == 100_000 / 101);
    // The sixteenth of each 50th is the first that can tell a share.
    let above = run(50, OnError::CONTINUE);
    assert_eq!((above.run.errors.count, above.run.ios), (16, 16 * 49));
    assert!(above.error.is_some() && above.run.outcome.stopped_because == Stop::Failed);
}

/// The baselines and strides on 64 MiB.
fn small(on_error: OnError) -> Settings {
    let only = Some(vec!["order".to_string()]);
    Settings { only, span: Some(Bytes(64 << 20)), on_error, ..settings(Scope::Quick, 11) }
}

fn campaign(lab: &mut Patchy, settings: &Settings, prior: Prior) -> (Outcome, Plan) {
    let plan = Plan::new(lab.info(), settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, lab, &mut Memory::default(), prior);
    (outcome, plan)
}

fn has_failed(done: &&Finished) -> bool {
    done.run.outcome.stopped_because == Stop::Failed
}

#[test]
fn single_errors_end_no_campaign_and_are_said_with_their_experiments() {
    let settings = small(OnError::CONTINUE);
    let mut lab = Patchy::new(Bad::Nth(211));
    let (outcome, plan) = campaign(&mut lab, &settings, Prior::default());
    assert!(outcome.error.is_none() && outcome.stopped.is_none(), "{:?}", outcome.error);
    assert_eq!(outcome.finished.len(), plan.steps.len(), "all of it was measured");
    assert_eq!(outcome.finished.iter().filter(has_failed).count(), 0);
    let in_runs: u64 = outcome.finished.iter().map(|done| done.run.errors.count).sum();
    assert!(in_runs > 0 && outcome.preparation_errors.count > 0);
    assert_eq!(in_runs + outcome.preparation_errors.count, lab.taken / 211, "every one is counted");

    let points = points(&outcome.finished);
    let context = Context {
        target: lab.info().clone(),
        state: "random, enforced".into(),
        generator_iops_max: None,
        interference: outcome.interference,
        complete: true,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: outcome.preparation_errors.clone(),
    };
    let all: Vec<String> =
        warnings(&context, &indicators(&points), &points).into_iter().map(|warning| warning.seen).collect();
    let of_runs = format!("{in_runs} IOs failed and have no response time: ");
    assert!(all.iter().any(|seen| seen.starts_with(&of_runs)), "{all:?}");
    let prepared = format!("{} IOs failed while the device was prepared", outcome.preparation_errors.count);
    assert!(all.iter().any(|seen| seen.starts_with(&prepared)), "{all:?}");
}

#[test]
fn with_the_reaction_stop_the_first_error_ends_the_campaign() {
    let (outcome, _) = campaign(&mut Patchy::new(Bad::Nth(500)), &small(OnError::Stop), Prior::default());
    assert!(matches!(outcome.error, Some(BenchError::Target(_))), "{:?}", outcome.error);
    assert_eq!((outcome.stopped, outcome.preparation_errors.count), (Some(Stop::Failed), 1));
}

/// Where one experiment begins nothing works: it is given up, all others are measured, and so they are when
/// the run is resumed.
#[test]
fn an_experiment_of_which_too_much_fails_is_given_up_alone() {
    let span = Some(Bytes(1 << 30));
    let settings = Settings { state: State::AsIs, span, ..small(OnError::CONTINUE) };
    let mut lab = Patchy::new(Bad::Nth(u64::MAX));
    let (whole, plan) = campaign(&mut lab, &settings, Prior::default());
    let room = plan.steps.iter().map(|step| &step.experiment).find(|of| of.id() == "order/SW/-1");
    let room = &room.expect("an experiment with a room of its own").pattern;
    let dead = Bad::Bytes(room.end_bytes() - 16 * room.bs.0, room.end_bytes());
    let (outcome, _) = campaign(&mut Patchy::new(dead), &settings, Prior::default());
    assert!(outcome.error.is_none() && outcome.stopped.is_none(), "{:?}", outcome.error);
    assert_eq!(outcome.finished.len(), whole.finished.len());
    let given_up: Vec<&Finished> = outcome.finished.iter().filter(has_failed).collect();
    let ids: Vec<String> = given_up.iter().map(|done| done.experiment.id()).collect();
    // Rooms of reads and of writes lie alike.
    assert_eq!(ids, ["order/SR/-1", "order/SW/-1"]);
    for done in &given_up {
        assert!(
            done.run.errors.count >= 16 && done.run.outcome.estimate.is_none_or(|_| !done.run.is_sound())
        );
    }
    let prior = Prior { finished: outcome.finished.clone(), ..Prior::default() };
    let (resumed, _) = campaign(&mut Patchy::new(dead), &settings, prior);
    assert!(resumed.error.is_none() && resumed.stopped.is_none(), "{:?}", resumed.error);
    assert_eq!(resumed.finished.len(), whole.finished.len());
    let (healed, _) = campaign(
        &mut Patchy::new(Bad::Nth(u64::MAX)),
        &settings,
        Prior { finished: resumed.finished, ..Prior::default() },
    );
    assert_eq!(healed.finished.iter().filter(has_failed).count(), 0, "it is measured again");
}

#[test]
fn a_dead_device_ends_the_run_after_a_few_ios_and_says_why() {
    let settings = Settings { state: State::AsIs, ..small(OnError::CONTINUE) };
    let mut lab = Patchy::new(Bad::Nth(1));
    let (outcome, _) = campaign(&mut lab, &settings, Prior::default());
    let Some(error @ BenchError::IoErrors { errors: 64, ios: 64, .. }) = outcome.error else {
        panic!("{:?}", outcome.error)
    };
    assert_eq!((outcome.stopped, lab.taken), (Some(Stop::Failed), 64));
    let said = error.to_string();
    assert!(
        said.contains("64 of 64 IOs failed, more than 1.0 %") && said.contains("input/output error"),
        "{said}"
    );
}

#[test]
fn an_error_of_the_target_as_a_whole_ends_the_campaign_at_once() {
    let settings = Settings { state: State::AsIs, ..small(HALF) };
    let mut lab = Patchy { is_of_one: false, ..Patchy::new(Bad::Nth(300)) };
    let (outcome, _) = campaign(&mut lab, &settings, Prior::default());
    assert!(matches!(outcome.error, Some(BenchError::Target(_))), "{:?}", outcome.error);
    assert_eq!(lab.taken, 300);
}
