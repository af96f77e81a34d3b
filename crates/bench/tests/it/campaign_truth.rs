//! Whole campaigns against the truth: granularity, mix and pause as `flashscope run` measures them, each
//! point bounded by what the baselines of its campaign taught. Single runs of which nothing is known are in
//! `coverage.rs`.
#![allow(missing_docs, clippy::print_stdout)]

use std::sync::atomic::AtomicBool;

use crate::common::Memory;
use crate::statistics::{at_least, in_two_threads, median};
use flashscope_analysis::{Point, points};
use flashscope_bench::{Campaign, Lab, Plan, Prior, Scope, Settings, State, run};
use flashscope_core::seed::{Random, derive};
use flashscope_core::{
    Bytes, Completion, Nanos, Op, Request, Target, TargetError, TargetInfo, Time, submit_and_reap,
};
use flashscope_sim::{RigSpec, rigs};

/// Micro-benchmarks whose bounds need the most care: other sizes, stretched by a ratio or by idle time.
const MICROS: [&str; 3] = ["granularity", "mix", "pause"];

/// Share of the 95 % intervals that hold the truth.
const HOLDS_MIN: f64 = 0.93;
/// Share of the intervals that hold it when they are wider by `TOLERANCE` of the truth on either side: those
/// that do not took something else for the running phase.
const NEAR_MIN: f64 = 0.99;
const TOLERANCE: f64 = 0.01;

/// How often the points of campaigns on one rig were right.
#[derive(Default)]
struct Score {
    known: u64,
    unknown: u64,
    holds: u64,
    near: u64,
    errors: Vec<f64>,
    wrong: Vec<String>,
}

impl Score {
    fn of(name: &str, seeds: u64, repeats: u32) -> Score {
        let spec = rigs::get(name).expect("a built-in rig");
        let place = rigs::NAMES.iter().position(|other| *other == name).expect("built in") as u64;
        let mut score = Score::default();
        for seed in (0..seeds).map(|seed| derive(seed, place)) {
            let only = Some(MICROS.map(String::from).to_vec());
            let span = Some(Bytes(1 << 30));
            let settings = Settings { only, span, repeats, ..crate::common::settings(Scope::Table1, seed) };
            let (outcome, _) = crate::common::characterise(name, &settings);
            points(&outcome.finished).iter().for_each(|point| score.add(&spec, point, seed));
        }
        score
    }

    fn add(&mut self, spec: &RigSpec, point: &Point<'_>, seed: u64) {
        let truth = spec.truth(&point.experiment.pattern);
        let Some(truth_ns) = truth.mean_ns else {
            self.unknown += 1;
            return;
        };
        let estimate = point.estimate.expect("virtual time is not short");
        let (low_ns, high_ns) = (estimate.ci_low_ns, estimate.ci_high_ns);
        let holds = |slack_ns: f64| (low_ns - slack_ns..=high_ns + slack_ns).contains(&truth_ns);
        let is_near = holds(TOLERANCE * truth_ns);
        self.known += 1;
        self.holds += u64::from(holds(0.0));
        self.near += u64::from(is_near);
        self.errors.push((estimate.mean_ns / truth_ns - 1.0).abs());
        if !is_near {
            let ios: Vec<u64> = point.runs.iter().map(|run| run.ios).collect();
            self.wrong.push(format!(
                "{} seed {seed}: {low_ns:.0}..{high_ns:.0} ns for {truth_ns:.0}, start-up {}, {ios:?} IOs",
                point.experiment.id(),
                truth.startup_ios
            ));
        }
    }

    fn assert_claims(&self, name: &str, least: fn(f64, u64) -> u64) {
        let (known, wrong) = (self.known, self.wrong.join("\n"));
        let enough = |what: &str, count, share| {
            assert!(count >= least(share, known), "{name}: {count} of {known} intervals {what}\n{wrong}");
        };
        enough("hold the truth", self.holds, HOLDS_MIN);
        enough("are near it; far off are", self.near, NEAR_MIN);
        assert!(known > 2 * self.unknown, "{name}: the truth of {} points is not known", self.unknown);
    }

    fn row(&self, name: &str) -> String {
        let percent = |count: u64| 100.0 * count as f64 / self.known as f64;
        let largest = self.errors.iter().fold(0.0f64, |largest, error| largest.max(*error));
        format!(
            "| {name} | {} | {:.1} % | {:.2} % | {:.2} % | {:.1} % |",
            self.known,
            percent(self.holds),
            percent(self.near),
            100.0 * median(&self.errors),
            100.0 * largest
        )
    }
}

/// Deferred work, a cache that fills, a staircase, long cycles: what a bound can be wrong about.
#[test]
fn points_of_a_campaign_hold_the_truth() {
    let names = ["mtron", "slc-cliff", "slow-decay", "kingston-dti"];
    let scores = in_two_threads(&names, |name| (name, Score::of(name, 2, 1)));
    for (name, score) in &scores {
        score.assert_claims(name, at_least);
    }
}

/// Writes of 100 us in the first half of each MiB and 300 us in the second, whatever their size; 2 % noise.
struct Halves {
    info: TargetInfo,
    clock: Time,
    written_bytes: u64,
    noise: Random,
    done: Option<Completion>,
}

const CYCLE_BYTES: u64 = 1 << 20;

impl Target for Halves {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        self.clock
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            let is_dear = request.op == Op::Write && self.written_bytes % CYCLE_BYTES >= CYCLE_BYTES / 2;
            let cost_ns = if is_dear { 300_000 } else { 100_000 };
            let submitted = self.clock;
            self.clock = submitted + Nanos(cost_ns / 100 * (98 + self.noise.below(5)));
            self.written_bytes += if request.op == Op::Write { u64::from(request.length_bytes) } else { 0 };
            self.done = Some(Completion { tag: request.tag, submitted, completed: self.clock });
        }
        Ok(())
    }
    fn reap(&mut self, _: usize, _: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        out.extend(self.done.take());
        Ok(())
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        submit_and_reap(self, request, &mut Vec::new())
    }
    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time);
    }
}

impl Lab for Halves {
    type Target = Halves;
    fn target(&mut self, _: u32) -> Result<&mut Halves, TargetError> {
        Ok(self)
    }
}

/// A baseline of 32 KiB sees a period of 32 writes; at 512 B the same period has 2,048.
#[test]
fn a_cycle_of_so_many_bytes_is_seen_at_every_size() {
    let info = TargetInfo {
        name: "halves".into(),
        size_bytes: 1 << 30,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: "test".into(),
        queue_depth_max: 1,
        placements: 1,
        zones: None,
    };
    let settings = Settings {
        only: Some(vec!["granularity".into()]),
        state: State::AsIs,
        repeats: 1,
        ..crate::common::settings(Scope::Table1, 7)
    };
    let plan = Plan::new(&info, &settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &interrupted };
    let mut halves = Halves { info, clock: Time::ZERO, written_bytes: 0, noise: Random::new(7), done: None };
    let outcome = run(&campaign, &mut halves, &mut Memory::default(), Prior::default());
    let all = points(&outcome.finished);
    let writes: Vec<&Point<'_>> = all.iter().filter(|point| point.experiment.pattern.writes()).collect();
    assert_eq!(writes.len(), 2 + 2 * 10);
    for point in writes {
        let mean_ns = point.estimate.expect("a mean").mean_ns;
        let id = point.experiment.id();
        assert!((mean_ns / 200_000.0 - 1.0).abs() < 0.05, "seed 7: {id}: {mean_ns} ns is not 200 us");
    }
}

/// Campaigns of the long test: SEEDS in the environment, 20 without it.
fn seeds() -> u64 {
    std::env::var("SEEDS").map_or(20, |seeds| seeds.parse().expect("SEEDS is a number"))
}

#[test]
#[ignore = "20 campaigns on every rig, 5 of them repeated; prints the table of docs/method.md"]
fn campaign_table() {
    println!("| rig | points | hold | near | error | largest |\n|---|---|---|---|---|---|");
    let scores = in_two_threads(&rigs::NAMES, |name| {
        let scores = [Score::of(name, seeds(), 1), Score::of(name, seeds().div_ceil(4), 3)];
        println!("{}\n{}", scores[0].row(name), scores[1].row(&format!("{name}, three repeats")));
        (name, scores)
    });
    for (name, score) in
        scores.iter().flat_map(|(name, scores)| scores.iter().map(move |score| (name, score)))
    {
        score.assert_claims(name, at_least);
    }
}
