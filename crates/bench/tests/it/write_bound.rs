//! No run writes more than its plan says it may: on rigs with long start-ups, on a device that drifts without
//! end, with budgets drawn at random, in every suite. Counted by the target, not by flashscope.

use std::sync::atomic::AtomicBool;

use crate::common::{Memory, settings};
use flashscope_analysis::Stop;
use flashscope_bench::{
    Campaign, Lab, Outcome, Plan, Prior, Scope, Settings, State, Suites, WriteLimit, run,
};
use flashscope_core::seed::Random;
use flashscope_core::{
    Bytes, Completion, Op, Request, Target, TargetError, TargetInfo, Time, submit_and_reap,
};
use flashscope_sim::{Rig, rigs};

/// A rig that counts the bytes that are written to it. One that drifts answers ever later, and never settles.
struct Counting {
    rig: Rig,
    written_bytes: u64,
    drifts: bool,
    random: Random,
    late: u64,
}

impl Counting {
    fn on(name: &str, drifts: bool) -> Counting {
        let rig = Rig::new(rigs::get(name).expect("a built-in rig"), 5);
        Counting { rig, written_bytes: 0, drifts, random: Random::new(9), late: 0 }
    }

    /// Later by a random time that grows with what was written.
    fn delayed(&mut self, done: Completion) -> Completion {
        if self.drifts {
            self.late += self.random.below(self.written_bytes / 100 + 1);
        }
        let late = |time: Time| Time(time.0 + self.late);
        Completion { completed: late(done.completed), submitted: late(done.submitted), ..done }
    }
}

impl Target for Counting {
    fn info(&self) -> &TargetInfo {
        self.rig.info()
    }
    fn now(&mut self) -> Time {
        Time(self.rig.now().0 + self.late)
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        let writes = requests.iter().filter(|request| request.op == Op::Write);
        self.written_bytes += writes.map(|request| u64::from(request.length_bytes)).sum::<u64>();
        self.rig.submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let before = out.len();
        let until = if until == Time::NEVER { until } else { Time(until.0.saturating_sub(self.late)) };
        let late = self.late;
        self.rig.reap(min, until, out)?;
        for done in &mut out[before..] {
            done.submitted = Time(done.submitted.0 + late);
            done.completed = self.delayed(Completion { submitted: Time(0), ..*done }).completed;
        }
        Ok(())
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        submit_and_reap(self, request, &mut Vec::new())
    }
    fn wait_until(&mut self, time: Time) {
        self.rig.wait_until(Time(time.0.saturating_sub(self.late)));
    }
}

impl Lab for Counting {
    type Target = Counting;
    fn target(&mut self, _depth: u32) -> Result<&mut Counting, TargetError> {
        Ok(self)
    }
}

/// As on a real device, where time ends a run and not its IOs.
fn patient(write_limit: WriteLimit, state: State) -> Settings {
    let of_rigs = settings(Scope::Quick, 6);
    let effort = flashscope_bench::Effort { ios_max: 1 << 16, ..of_rigs.effort };
    Settings { span: Some(Bytes(64 << 20)), effort, write_limit, state, ..of_rigs }
}

fn planned(lab: &Counting, settings: &Settings) -> Plan {
    Plan::new(lab.info(), settings).expect("a plan")
}

fn campaign(lab: &mut Counting, plan: &Plan, settings: &Settings) -> Outcome {
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings, plan, interrupted: &interrupted };
    let outcome = run(&campaign, lab, &mut Memory::default(), Prior::default());
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome
}

#[test]
fn every_rig_is_measured_within_a_small_multiple_of_the_estimate() {
    for (name, state) in rigs::NAMES.into_iter().zip([State::AsIs, State::Random].into_iter().cycle()) {
        let settings = patient(WriteLimit::Estimate, state);
        let mut lab = Counting::on(name, false);
        let plan = planned(&lab, &settings);
        let bound = plan.write_bound.expect("a bound").0;
        assert_eq!(plan.written_bytes_max, bound);
        assert!(plan.written_bytes_min <= plan.written_bytes && bound <= 4 * plan.written_bytes);
        let outcome = campaign(&mut lab, &plan, &settings);
        assert!(lab.written_bytes <= bound, "{name}: {} of {bound}", lab.written_bytes);
        assert_eq!(outcome.finished.len(), plan.steps.len(), "{name}: nothing is left out");
        assert_eq!(outcome.stopped, None, "{name}");
    }
}

#[test]
fn a_device_that_never_settles_gets_what_the_plan_says_and_every_experiment_its_share() {
    let limited = patient(WriteLimit::Estimate, State::AsIs);
    let free = Settings { write_limit: WriteLimit::None, ..limited.clone() };
    let mut unbound = Counting::on("plain", true);
    let plan = planned(&unbound, &free);
    campaign(&mut unbound, &plan, &free);
    let mut lab = Counting::on("plain", true);
    let plan = planned(&lab, &limited);
    let bound = plan.write_bound.expect("a bound").0;
    assert!(unbound.written_bytes > 4 * bound, "without a bound {} for {bound}", unbound.written_bytes);
    let outcome = campaign(&mut lab, &plan, &limited);
    assert!(lab.written_bytes <= bound, "{} of {bound}", lab.written_bytes);
    assert!(lab.written_bytes > bound / 2, "and it uses what it may: {} of {bound}", lab.written_bytes);
    assert_eq!((outcome.finished.len(), outcome.stopped), (plan.steps.len(), None));
    let cut = |stop| outcome.finished.iter().filter(|done| done.run.outcome.stopped_because == stop).count();
    assert!(cut(Stop::Bytes) >= 3 && cut(Stop::Budget) == 0, "{} runs say why they ended", cut(Stop::Bytes));
    for done in outcome.finished.iter().filter(|done| done.experiment.pattern.writes()) {
        assert!(done.run.ios >= 64, "{}: {} IOs", done.experiment.id(), done.run.ios);
    }
}

#[test]
fn no_budget_is_exceeded_however_small_it_is_and_what_it_ends_is_said() {
    let mut random = Random::new(3);
    for number in 0..24 {
        let (name, state) = [
            ("plain", State::AsIs),
            ("mtron", State::Random),
            ("slow-decay", State::AsIs),
            ("lingering-reads", State::AsIs),
        ][number % 4];
        let free = patient(WriteLimit::None, state);
        let mut lab = Counting::on(name, number % 3 == 0);
        let least = planned(&lab, &free).written_bytes_min;
        let budget = random.below(2 * least);
        let settings = Settings { write_limit: WriteLimit::Bytes(Bytes(budget)), ..free };
        let plan = planned(&lab, &settings);
        let outcome = campaign(&mut lab, &plan, &settings);
        assert!(lab.written_bytes <= budget, "{name}: {} of {budget}", lab.written_bytes);
        match outcome.stopped {
            None => assert_eq!(outcome.finished.len(), plan.steps.len(), "{name}"),
            Some(stop) => assert_eq!(stop, Stop::Budget, "{name}"),
        }
        if budget < least / 2 {
            assert_eq!(outcome.stopped, Some(Stop::Budget), "{name}: {budget} of {least}");
        }
    }
}

#[test]
fn preparations_loads_and_timed_runs_of_every_suite_stay_within_the_budget() {
    let mut random = Random::new(4);
    for suite in Suites::builtin().iter() {
        for limit in [None, Some(0), Some(50 << 20), Some(300 << 20), Some(random.below(2 << 30))] {
            let limit = limit.map_or(WriteLimit::Estimate, |bytes| WriteLimit::Bytes(Bytes(bytes)));
            let asked = Settings::of(suite, Scope::Quick);
            let settings = Settings {
                write: true,
                span: Some(Bytes(32 << 20)),
                write_limit: limit,
                budget: Some(flashscope_core::Nanos::from_s(60)),
                repeats: 1,
                ..asked
            };
            let mut lab = Counting::on("plain", false);
            let plan = Plan::of(suite, &[], lab.info(), &settings).expect("a plan");
            let bound = plan.write_bound.expect("a bound").0;
            campaign(&mut lab, &plan, &settings);
            assert!(lab.written_bytes <= bound, "{}: {} of {bound}", suite.name, lab.written_bytes);
        }
    }
}
