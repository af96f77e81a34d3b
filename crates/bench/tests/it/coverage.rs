//! What intervals, start-ups and periods are worth on the built-in rigs, beside what other ways of measuring
//! give. Every rig, the four baselines, measured as `flashscope measure` does.
#![allow(missing_docs, clippy::print_stdout)]

use std::sync::atomic::AtomicBool;

use crate::statistics::{at_least, at_most, in_two_threads, median};
use flashscope_analysis::{Outcome, Stop};
use flashscope_bench::{Effort, MeasuredRun, Measurement, Unrecorded, measure};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Nanos, Pattern, Rw, Target};
use flashscope_sim::{Rig, RigSpec, Truth, rigs};

/// The claims, as shares of runs.
const HOLDS_MIN: f64 = 0.93;
const POOLED_HOLDS_MAX: f64 = 0.98;
const STARTUP_MIN: f64 = 0.95;
const PERIOD_MIN: f64 = 0.95;
const INVENTED_MAX: f64 = 0.02;

/// A baseline on a rig, and what a measurement of it must find.
struct Case {
    spec: RigSpec,
    pattern: Pattern,
    truth: Truth,
}

/// The four baselines of a rig. The truth of each is known: none is left out.
fn cases(name: &str) -> Vec<Case> {
    let spec = rigs::get(name).expect("a built-in rig");
    let case = |rw: Rw| {
        let size = if rw.is_random() { spec.size } else { Bytes(64 << 20) };
        let pattern = Pattern::baseline(rw, Bytes(0), size);
        let truth = spec.truth(&pattern);
        assert!(truth.mean_ns.is_some(), "{name}: the truth about {pattern} is not known");
        Case { spec: spec.clone(), pattern, truth }
    };
    Rw::ALL.into_iter().map(case).collect()
}

impl Case {
    /// The rig ready for a run. Where writes disturb later reads, some came before, and then the pause that
    /// the method keeps until it has measured a better one.
    fn rig(&self, seed: u64) -> Rig {
        let mut rig = Rig::new(self.spec.clone(), seed);
        if self.spec.lingering.is_some() {
            let writes = Pattern::baseline(Rw::RandWrite, Bytes(0), self.spec.size);
            self.run(&mut rig, &Pattern { number_ios: Some(300), ..writes }, None, seed);
            let rested = rig.now() + Nanos::from_s(5);
            rig.wait_until(rested);
        }
        rig
    }

    fn run(&self, rig: &mut Rig, pattern: &Pattern, effort: Option<Effort>, seed: u64) -> MeasuredRun {
        let goal = effort.map(|effort| effort.exploring(pattern));
        let interrupted = AtomicBool::new(false);
        let request = Measurement { goal, seed, ..Measurement::new(pattern, &interrupted) };
        let measured = measure(rig, &request, &mut Unrecorded, &mut |_, _, _| {});
        assert!(measured.error.is_none(), "{}: {:?}", self.spec.name, measured.error);
        measured
    }

    /// What `flashscope measure` finds.
    fn measured(&self, seed: u64) -> (Outcome, u64) {
        let effort = Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: u64::MAX / 8 };
        let MeasuredRun { run, .. } = self.run(&mut self.rig(seed), &self.pattern, Some(effort), seed);
        assert_eq!(run.outcome.stopped_because, Stop::Precision, "{}: {}", self.spec.name, self.pattern);
        (run.outcome, run.ios)
    }

    /// Seeds differ between rigs and patterns, so that all runs are independent.
    fn own_seed(&self, seed: u64) -> u64 {
        let place = rigs::NAMES.iter().position(|name| *name == self.spec.name).expect("built in");
        derive(seed, 4 * place as u64 + self.pattern.rw as u64)
    }

    fn truth_ns(&self) -> f64 {
        self.truth.mean_ns.expect("checked when the case was made")
    }
}

/// How often measurements were right, of all patterns of a rig or of one.
#[derive(Clone, Default)]
struct Score {
    runs: u64,
    holds: u64,
    startup_right: u64,
    period_right: u64,
    /// Periods found where there is none.
    invented: u64,
    without_period: u64,
    ios: Vec<u64>,
    half_widths: Vec<f64>,
    errors: Vec<f64>,
    wrong: Vec<String>,
}

impl Score {
    fn of(case: &Case, seeds: u64) -> Score {
        let mut score = Score::default();
        (0..seeds).for_each(|seed| score.add(case, case.own_seed(seed)));
        score
    }

    fn add(&mut self, case: &Case, seed: u64) {
        let (outcome, ios) = case.measured(seed);
        let (truth, truth_ns) = (&case.truth, case.truth_ns());
        let estimate = outcome.estimate.expect("the precision was reached");
        let (found_startup, found_period) =
            (outcome.phases.startup_ios, outcome.phases.period.map(|p| p.ios));
        let holds = (estimate.ci_low_ns..=estimate.ci_high_ns).contains(&truth_ns);
        let slack = (truth.startup_ios as f64 * 0.05).max(8.0);
        let startup_right = found_startup.abs_diff(truth.startup_ios) as f64 <= slack;
        let period_right = found_period == truth.period_ios;
        let is_invented = truth.period_ios.is_none() && found_period.is_some();
        self.runs += 1;
        self.holds += u64::from(holds);
        self.startup_right += u64::from(startup_right);
        self.period_right += u64::from(period_right);
        self.invented += u64::from(is_invented);
        self.without_period += u64::from(truth.period_ios.is_none());
        self.ios.push(ios);
        self.half_widths.push(estimate.relative_half_width());
        self.errors.push((estimate.mean_ns / truth_ns - 1.0).abs());
        if !(holds && startup_right && period_right) {
            self.wrong.push(format!(
                "{} seed {seed}: {:.0}..{:.0} ns for {truth_ns:.0}, start-up {found_startup} for {}, \
                 period {found_period:?} for {:?}, {ios} IOs",
                case.pattern, estimate.ci_low_ns, estimate.ci_high_ns, truth.startup_ios, truth.period_ios
            ));
        }
    }

    fn merge(&mut self, other: Score) {
        self.runs += other.runs;
        self.holds += other.holds;
        self.startup_right += other.startup_right;
        self.period_right += other.period_right;
        self.invented += other.invented;
        self.without_period += other.without_period;
        self.ios.extend(other.ios);
        self.half_widths.extend(other.half_widths);
        self.errors.extend(other.errors);
        self.wrong.extend(other.wrong);
    }

    fn of_rig(name: &str, seeds: u64) -> Score {
        let mut score = Score::default();
        cases(name).iter().for_each(|case| score.merge(Score::of(case, seeds)));
        score
    }

    /// The claims that hold for every rig; `least` and `most` turn a share into a count of runs.
    fn assert_claims(&self, name: &str, least: fn(f64, u64) -> u64, most: fn(f64, u64) -> u64) {
        let runs = self.runs;
        let wrong = self.wrong.join("\n");
        let enough = |what: &str, count, share| {
            assert!(
                count >= least(share, runs),
                "{name}: {what} {count} of {runs} times; wrong are\n{wrong}"
            );
        };
        enough("the interval holds", self.holds, HOLDS_MIN);
        enough("the start-up is right", self.startup_right, STARTUP_MIN);
        enough("the period is right", self.period_right, PERIOD_MIN);
        let most = most(INVENTED_MAX, self.without_period);
        assert!(name != "plain" || self.invented <= most, "{name}: periods invented:\n{wrong}");
    }
}

fn assert_pooled(scores: &[(&str, Score)], least: fn(f64, u64) -> u64, most: fn(f64, u64) -> u64) {
    let noisy = |name: &str| {
        let noise = rigs::get(name).expect("built in").noise;
        noise.spread.0 > 0.0 || noise.spikes.is_some()
    };
    let pooled: Vec<&Score> = scores.iter().filter(|(name, _)| noisy(name)).map(|(_, score)| score).collect();
    let (holds, runs) = pooled.iter().fold((0, 0), |sum, score| (sum.0 + score.holds, sum.1 + score.runs));
    println!("pooled over the rigs with noise: {:.1} % of {runs} intervals hold", percent(holds, runs));
    let range = least(HOLDS_MIN, runs)..=most(POOLED_HOLDS_MAX, runs);
    assert!(range.contains(&holds), "{holds} of {runs} intervals hold, not {range:?}");
}

#[test]
fn the_built_in_rigs_are_read_right() {
    let score = |name: &'static str| (name, Score::of_rig(name, 25));
    let scores = in_two_threads(&rigs::NAMES, score);
    for (name, score) in &scores {
        score.assert_claims(name, at_least, at_most);
    }
    assert_pooled(&scores, at_least, at_most);
}

fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of as f64
}

/// Share of answers within 5 % of the truth, and mean of the absolute errors, in percent.
fn rival(errors: &[f64]) -> String {
    let good = errors.iter().filter(|error| **error <= 0.05).count() as u64;
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    format!("{:.0} % / {:.2} %", percent(good, errors.len() as u64), 100.0 * mean)
}

fn row(name: &str, score: &Score, others: &Others) -> String {
    let [first_512, first_second, window] = others.errors.each_ref().map(|errors| rival(errors));
    let rivals = format!("{first_512} | {first_second} | {window} | {}", median(&others.window_ios));
    format!(
        "| {name} | {:.1} % | {:.1} % | {:.1} % | {} | {:.2} % | {} | {rivals} |",
        percent(score.holds, score.runs),
        percent(score.startup_right, score.runs),
        percent(score.period_right, score.runs),
        median(&score.ios),
        100.0 * median(&score.half_widths),
        rival(&score.errors),
    )
}

/// What the other ways give: their errors, in the order of their names, and the IOs of the fixed window.
#[derive(Default)]
struct Others {
    errors: [Vec<f64>; 3],
    window_ios: Vec<u64>,
}

impl Others {
    fn of_rig(name: &str, seeds: u64) -> Others {
        let mut others = Others::default();
        for case in cases(name) {
            (0..seeds).for_each(|seed| others.add(&case, case.own_seed(seed)));
        }
        others
    }

    fn add(&mut self, case: &Case, seed: u64) {
        let (answers_ns, window_ios) = crate::rivals::answers(&mut case.rig(seed), &case.pattern, seed);
        for (errors, answer_ns) in self.errors.iter_mut().zip(answers_ns) {
            errors.push((answer_ns / case.truth_ns() - 1.0).abs());
        }
        self.window_ios.push(window_ios);
    }
}

/// Seeds of the long test: SEEDS in the environment, 200 without it.
fn seeds() -> u64 {
    std::env::var("SEEDS").map_or(200, |seeds| seeds.parse().expect("SEEDS is a number"))
}

/// The share as a count, without allowance for luck.
fn exactly_at_least(share: f64, runs: u64) -> u64 {
    (share * runs as f64 - 1e-9).ceil() as u64
}

fn exactly_at_most(share: f64, runs: u64) -> u64 {
    (share * runs as f64 + 1e-9).floor() as u64
}

#[test]
#[ignore = "200 seeds a rig and pattern; prints the table of docs/method.md"]
fn coverage_table() {
    let answers = in_two_threads(&rigs::NAMES, |name| {
        (name, Score::of_rig(name, seeds()), Others::of_rig(name, seeds().min(50)))
    });
    let names = crate::rivals::NAMES.join(" | ");
    println!("| rig | holds | warm-up | period | IOs | ± | flashscope | {names} | its IOs |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    answers.iter().for_each(|(name, score, others)| println!("{}", row(name, score, others)));
    let scores: Vec<(&str, Score)> = answers.into_iter().map(|(name, score, _)| (name, score)).collect();
    for (name, score) in &scores {
        for line in score.wrong.iter().filter(|_| std::env::var("WRONG").is_ok()) {
            println!("{name}: {line}");
        }
    }
    for (name, score) in &scores {
        score.assert_claims(name, exactly_at_least, exactly_at_most);
    }
    assert_pooled(&scores, exactly_at_least, exactly_at_most);
}
