//! The pause between runs is long enough for what random writes leave behind, whether the device is read
//! meanwhile or not, and no longer than asked where they leave nothing.

use std::sync::atomic::AtomicBool;

use crate::common::{Memory, rig, settings};
use crate::statistics::in_two_threads;
use flashscope_analysis::{Interference, points};
use flashscope_bench::{Campaign, Outcome, Plan, Prior, Scope, Settings, State, run};
use flashscope_core::{Bytes, Nanos, Target};
use flashscope_sim::rigs;

/// The baselines and a few experiments more on 64 MiB, as it is.
fn small(scope: Scope, seed: u64) -> Settings {
    let only = Some(vec!["order".to_string()]);
    Settings { only, span: Some(Bytes(64 << 20)), state: State::AsIs, repeats: 1, ..settings(scope, seed) }
}

fn campaign(name: &str, settings: &Settings) -> Outcome {
    let mut bench = rig(name, settings.seed);
    let plan = Plan::new(bench.0.info(), settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    run(&campaign, &mut bench, &mut Memory::default(), Prior::default())
}

fn kept(name: &str, settings: &Settings) -> Interference {
    campaign(name, settings).interference.unwrap_or_else(|| panic!("{name}: no pause"))
}

fn pause_min(scope: Scope) -> Nanos {
    if scope == Scope::Quick { Nanos::from_ms(20) } else { Nanos::from_s(1) }
}

#[test]
fn a_pause_outlasts_what_lingers_longer_while_the_device_is_idle() {
    for (name, scope) in
        [("lingering-reads", Scope::Quick), ("lingering-reads", Scope::Table1), ("mtron", Scope::Quick)]
    {
        let spec = rigs::get(name).expect("a built-in rig").lingering.expect("a rig that lingers");
        for seed in 0..5 {
            let found = kept(name, &small(scope, seed));
            let (seen, left) = (found.lingering.expect("writes"), found.after_pause.expect("writes"));
            assert!(
                seen.affected_ios.abs_diff(spec.reads) <= spec.reads / 20,
                "{name} seed {seed}: {} reads, not {}",
                seen.affected_ios,
                spec.reads
            );
            let enough = spec.time.0..2 * spec.time.0.max(2 * seen.affected_ns as u64);
            assert!(enough.contains(&found.pause_ns), "{name} seed {seed}: {found:?}");
            assert_eq!(left.affected_ios, 0, "{name} seed {seed}");
        }
    }
}

/// The second and third sequential reads come right after the scattered writes of the repeat before.
#[test]
fn repeats_after_random_writes_hold_the_truth_of_a_rested_device() {
    let spec = rigs::get("lingering-reads").expect("a built-in rig");
    for seed in 0..5 {
        let settings = Settings { repeats: 3, ..small(Scope::Quick, seed) };
        let outcome = campaign("lingering-reads", &settings);
        let all = points(&outcome.finished);
        let is_read = |id: &str| ["baseline/SR/32KiB", "baseline/RR/32KiB"].contains(&id);
        let reads: Vec<_> = all.iter().filter(|point| is_read(&point.experiment.id())).collect();
        assert_eq!(reads.len(), 2);
        for point in reads {
            let id = point.experiment.id();
            let truth_ns = spec.truth(&point.experiment.pattern).mean_ns.expect("known for baselines");
            assert_eq!(point.runs.len(), 3);
            for run in &point.runs {
                let regimes = &run.outcome.phases.regimes;
                assert_eq!(regimes.len(), 1, "seed {seed}: {id}: {regimes:?}");
                let mean_ns = run.outcome.estimate.expect("a mean").mean_ns;
                assert!((mean_ns / truth_ns - 1.0).abs() < 0.02, "seed {seed}: {id}: {mean_ns} ns");
            }
        }
    }
}

#[test]
fn a_rig_without_an_effect_keeps_the_least_pause() {
    let names: Vec<&str> = rigs::NAMES
        .iter()
        .copied()
        .filter(|name| rigs::get(name).is_some_and(|spec| spec.lingering.is_none()))
        .collect();
    assert_eq!(names.len(), rigs::NAMES.len() - 2);
    in_two_threads(&names, |name| {
        for (seed, scope) in (0..6).map(|seed| (seed, [Scope::Quick, Scope::Table1][seed as usize % 2])) {
            let found = kept(name, &small(scope, seed));
            assert_eq!(found.pause_ns, pause_min(scope).0, "{name} seed {seed}: {found:?}");
            assert_eq!(found.after_pause.map(|left| left.affected_ios), Some(0), "{name} seed {seed}");
        }
    });
}

#[test]
fn a_pause_for_which_there_is_no_time_is_marked() {
    let patient = |patience| Settings { patience: Some(patience), ..small(Scope::Quick, 3) };
    let found = kept("lingering-reads", &patient(Nanos::from_s(1)));
    assert!((500_000_000..=1_000_000_000).contains(&found.pause_ns), "{found:?}");
    assert!(found.after_pause.is_some_and(|left| left.affected_ios > 100), "{found:?}");
    let found = kept("lingering-reads", &patient(Nanos::from_s(20)));
    assert!(found.pause_ns >= 4_000_000_000 && found.after_pause.is_some_and(|left| left.affected_ios == 0));
    // A minute leaves less than two seconds for each of the runs still to come.
    let hurried = Settings { budget: Some(Nanos::from_s(60)), ..small(Scope::Quick, 3) };
    let found = kept("lingering-reads", &hurried);
    assert!(found.pause_ns < 4_000_000_000, "{found:?}");
    assert!(found.after_pause.is_some_and(|left| left.affected_ios > 0), "{found:?}");
}
