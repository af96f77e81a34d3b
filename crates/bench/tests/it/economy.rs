//! How many IOs the method issues, against the fixed counts of paper 001 (section 5.1): IOCount 1,024 for SR,
//! RR and SW and 5,120 for RW.
#![allow(missing_docs, clippy::print_stdout)]

use crate::statistics::{in_two_threads, median};
use flashscope_analysis::Finished;
use flashscope_bench::{Scope, Settings};
use flashscope_core::{Bytes, Control, Io, Limits, Pattern, PatternSource, Rw, Stream, Turns, drive};
use flashscope_sim::{Rig, rigs};

/// The claim: the median over the rigs of our IOs over the paper's.
const RATIO_MAX: f64 = 1.0 / 3.0;

/// The precision that is asked for and reached.
const PRECISION: f64 = 0.05;

fn fixed_baseline_ios(rw: Rw) -> u64 {
    if rw == Rw::RandWrite { 5_120 } else { 1_024 }
}

/// The paper's IOCount of a pattern, of all processes together. A mix goes on until each of its two parts has
/// had its own count (FlashIO scales it).
fn fixed_ios(pattern: &Pattern) -> u64 {
    let first = fixed_baseline_ios(pattern.rw);
    let Some(mix) = pattern.mix else { return first };
    let Turns::Ratio(ratio) = mix.turns else { panic!("uFLIP mixes in turns: {pattern}") };
    let (ratio, cycle) = (u64::from(ratio), u64::from(ratio) + 1);
    (first * cycle).div_ceil(ratio).max(fixed_baseline_ios(mix.rw) * cycle)
}

/// The paper's IOIgnore.
fn ignored_ios(name: &str, rw: Rw) -> usize {
    match (name, rw) {
        ("memoright", Rw::RandWrite) => 30,
        ("mtron", Rw::RandWrite) => 128,
        _ => 0,
    }
}

/// What was spent on a number of runs, and what it brought.
struct Spent {
    name: &'static str,
    ios: u64,
    fixed_ios: u64,
    /// Half widths as shares of the mean, of every run.
    half_widths: Vec<f64>,
    /// The runs that are less precise than asked, with their half widths.
    wide: Vec<String>,
}

impl Spent {
    fn on(name: &'static str, runs: &[Finished]) -> Spent {
        let half_width = |done: &Finished| done.run.outcome.estimate.map(|e| e.relative_half_width());
        let wide = |done: &Finished| {
            let width = half_width(done).filter(|width| *width > PRECISION)?;
            let (id, ios) = (done.experiment.id(), done.run.ios);
            Some(format!("{id} ± {:.1} %, {ios} IOs, {:?}", 100.0 * width, done.run.outcome.stopped_because))
        };
        Spent {
            name,
            ios: runs.iter().map(|done| done.run.ios).sum(),
            fixed_ios: runs.iter().map(|done| fixed_ios(&done.experiment.pattern)).sum(),
            half_widths: runs.iter().filter_map(half_width).collect(),
            wide: runs.iter().filter_map(wide).collect(),
        }
    }

    fn ratio(&self) -> f64 {
        self.ios as f64 / self.fixed_ios as f64
    }

    /// Share of runs that are as precise as asked.
    fn precise(&self) -> f64 {
        let precise = self.half_widths.iter().filter(|width| **width <= PRECISION).count();
        precise as f64 / self.half_widths.len() as f64
    }
}

/// A campaign: the baselines alone, or all of table 1 with what the baselines have taught.
fn spent(name: &'static str, only: Option<&str>, repeats: u32) -> Spent {
    let only = only.map(|micro| vec![micro.to_string()]);
    let settings = Settings { only, repeats, ..crate::common::settings(Scope::Table1, 3) };
    let (outcome, _) = crate::common::characterise(name, &settings);
    let is_uflip = |done: &Finished| done.experiment.micro != "queue-depth";
    let runs: Vec<Finished> = outcome.finished.into_iter().filter(is_uflip).collect();
    Spent::on(name, &runs)
}

fn assert_economic(what: &str, all: &[Spent]) {
    let ratio = median(&all.iter().map(Spent::ratio).collect::<Vec<_>>());
    println!("{what}: median ratio {ratio:.3}");
    assert!(ratio <= RATIO_MAX, "{what}: {ratio:.3} of the fixed counts, median over the rigs");
    for spent in all {
        let precise = spent.precise();
        assert!(precise >= 0.99, "{what}, {}: {precise:.3} of the runs are within 5 %", spent.name);
    }
}

#[test]
fn the_baselines_take_a_third_of_the_fixed_counts() {
    let all = in_two_threads(&rigs::NAMES, |name| spent(name, Some("baseline"), 1));
    assert_economic("baselines", &all);
}

#[test]
fn what_the_baselines_taught_makes_table_1_cheap() {
    let names = ["mtron", "transcend-module", "plain"];
    let all = in_two_threads(&names, |name| spent(name, None, 1));
    assert_economic("table 1", &all);
}

/// What the fixed counts claim, for the four baselines: 1.96 standard deviations over the root of the count,
/// as if response times were independent, and how often that holds the truth.
fn fixed_claims(name: &str, seeds: u64) -> (Vec<f64>, f64) {
    let spec = rigs::get(name).expect("a built-in rig");
    let (mut half_widths, mut held) = (Vec::new(), 0);
    for (rw, seed) in Rw::ALL.into_iter().flat_map(|rw| (0..seeds).map(move |seed| (rw, seed))) {
        let size = if rw.is_random() { spec.size } else { Bytes(64 << 20) };
        let pattern = Pattern::baseline(rw, Bytes(0), size);
        let pattern = Pattern { number_ios: Some(fixed_baseline_ios(rw)), ..pattern };
        let mut times_ns = times_ns(&mut Rig::new(spec.clone(), seed), &pattern, seed);
        times_ns.drain(..ignored_ios(name, rw));
        let ios = times_ns.len() as f64;
        let mean_ns = times_ns.iter().sum::<f64>() / ios;
        let squares: f64 = times_ns.iter().map(|ns| (ns - mean_ns) * (ns - mean_ns)).sum();
        let half_width_ns = 1.96 * (squares / (ios - 1.0) / ios).sqrt();
        let truth_ns = spec.truth(&pattern).mean_ns.expect("known for baselines");
        half_widths.push(half_width_ns / mean_ns);
        held += u64::from((truth_ns - mean_ns).abs() <= half_width_ns);
    }
    let held = held as f64 / half_widths.len() as f64;
    (half_widths, held)
}

fn times_ns(rig: &mut Rig, pattern: &Pattern, seed: u64) -> Vec<f64> {
    let mut times_ns = Vec::new();
    let mut streams = [Stream { source: PatternSource::new(pattern, 0, seed), pacing: pattern.pacing() }];
    let mut keep = |io: &Io| {
        times_ns.push(io.response.0 as f64);
        Control::Continue
    };
    drive(rig, &mut streams, Limits::default(), &mut keep).expect("a rig serves what is valid");
    times_ns
}

/// Largest and median half width, in percent.
fn widths(half_widths: &[f64]) -> String {
    let largest = half_widths.iter().fold(0.0f64, |largest, width| largest.max(*width));
    format!("{:.1} % ({:.2} %)", 100.0 * largest, 100.0 * median(half_widths))
}

#[test]
#[ignore = "all of table 1, three times, on all rigs; prints the table of docs/method.md"]
fn economy_table() {
    let (baselines, fixed) = ("baselines: IOs | of fixed | ±", "fixed: ± | holds");
    println!("| rig | {baselines} | {fixed} | table 1: IOs | of fixed | ± |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let all = in_two_threads(&rigs::NAMES, |name| {
        let baselines = spent(name, Some("baseline"), 3);
        let (fixed_widths, held) = fixed_claims(name, 50);
        let whole = spent(name, None, 3);
        let row = format!(
            "| {name} | {} | {:.2} | {} | {} | {:.0} % | {} | {:.2} | {} |",
            baselines.ios,
            baselines.ratio(),
            widths(&baselines.half_widths),
            widths(&fixed_widths),
            100.0 * held,
            whole.ios,
            whole.ratio(),
            widths(&whole.half_widths),
        );
        println!("{row}");
        (baselines, whole)
    });
    for spent in all.iter().map(|(_, whole)| whole).filter(|whole| !whole.wide.is_empty()) {
        println!("{}, wider than asked: {}", spent.name, spent.wide.join("; "));
    }
    let (baselines, whole): (Vec<Spent>, Vec<Spent>) = all.into_iter().unzip();
    assert_economic("baselines", &baselines);
    assert_economic("table 1", &whole);
}
