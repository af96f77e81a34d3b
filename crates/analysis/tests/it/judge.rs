//! The stopping rule: what it waits for, what it says, and what it admits at the end.

use crate::devices::{Device, Noise, Running};
use flashscope_analysis::{
    Bounds, Decision, Goal, Judge, Options, Outcome, Series, Stop, Why, estimate, phases, trend,
};

fn scripted(startup: &[(u64, f64)], running: Running, noise: Noise) -> Device {
    Device { name: "", startup: startup.to_vec(), running, noise, explore_ios: 0, known: None }
}

/// Runs to the end and returns every look's reason with the length it was given at.
fn run(device: &Device, goal: Goal) -> (Outcome, Vec<(u64, Why)>) {
    let (mut judge, mut player, mut series) =
        (Judge::new(goal, Options::default()), device.play(3), Series::new());
    let (mut next, mut reasons) = (judge.first_check_ios(), Vec::new());
    loop {
        (series.len()..next).for_each(|_| series.push(player.next_ns(), 512));
        match judge.check(&series) {
            Decision::Enough(outcome) => return (*outcome, reasons),
            Decision::Continue { next_check_ios, why, .. } => {
                assert!(next_check_ios > series.len() && next_check_ios <= goal.ios_max);
                reasons.push((series.len(), why));
                next = next_check_ios;
            }
        }
    }
}

#[test]
fn a_quiet_device_stops_after_the_first_look() {
    let device = scripted(&[], Running::Level(0.1), Noise::Normal(0.03));
    let (outcome, reasons) = run(&device, Goal::reads());
    assert_eq!((outcome.phases.ios, outcome.stopped_because), (256, Stop::Precision));
    assert!(outcome.stationary && outcome.missing.is_none());
    assert!(reasons.len() <= 3, "{reasons:?}");
    assert_eq!(reasons[0].1.to_string(), "looking for a later change of level: 64 of 256 IOs");
}

#[test]
fn a_late_change_must_be_outlived() {
    let device = scripted(&[(400, 0.1)], Running::Level(0.3), Noise::Normal(0.03));
    let (outcome, reasons) = run(&device, Goal::exploring(512));
    assert!(outcome.phases.ios >= 780, "{:?}", outcome.phases);
    let waited = reasons.iter().any(|(_, why)| matches!(why, Why::StartupNotOver { .. }));
    assert!(waited, "{reasons:?}");
}

/// A bound may be far too long: a quarter of the run is behind it, and 256 IOs.
#[test]
fn nothing_before_a_known_bound_enters_the_mean() {
    let device = scripted(&[(20_000, 0.1)], Running::Level(0.4), Noise::Normal(0.03));
    let known = Some(Bounds { startup_ios: 20_000, period_ios: 1 });
    let (outcome, _) = run(&device, Goal { known, ..Goal::writes() });
    assert!(outcome.phases.ios >= 26_666 && outcome.phases.startup_ios_high == 20_000, "{outcome:?}");
    let estimate = outcome.estimate.expect("a mean");
    assert!((estimate.mean_ns / 0.4e6 - 1.0).abs() < 0.02 && outcome.stationary, "{estimate:?}");
}

#[test]
fn a_quarter_of_a_run_is_behind_a_known_bound_and_256_ios() {
    let first_ios = |startup_ios, period_ios| {
        Goal { known: Some(Bounds { startup_ios, period_ios }), ..Goal::writes() }.first_ios()
    };
    assert_eq!((first_ios(0, 1), first_ios(0, 32)), (64, 256), "no bound, nothing to be behind");
    assert_eq!((first_ios(100, 1), first_ios(100, 64)), (356, 612));
    assert_eq!((first_ios(131_072, 1), first_ios(131_072, 64)), (174_762, 174_762));
}

/// Half-way to the bound plus its quarter, what the run itself shows is all that is left out.
#[test]
fn too_few_ios_behind_a_known_bound_are_no_running_phase() {
    let device = scripted(&[(500, 0.1)], Running::Level(0.4), Noise::Normal(0.03));
    let known = Some(Bounds { startup_ios: 8_000, period_ios: 1 });
    let (outcome, _) = run(&device, Goal { known, ios_max: 8_100, ..Goal::writes() });
    let startup_ios = outcome.phases.startup_ios_high;
    assert!((500..600).contains(&startup_ios) && !outcome.stationary, "{outcome:?}");
}

#[test]
fn a_run_broken_off_before_a_known_bound_says_so() {
    let device = scripted(&[(400, 0.1)], Running::Level(0.4), Noise::Normal(0.03));
    let known = Some(Bounds { startup_ios: 400, period_ios: 1 });
    let (outcome, _) = run(&device, Goal { known, ios_max: 300, ..Goal::writes() });
    assert_eq!((outcome.stopped_because, outcome.stationary), (Stop::Ios, false));
    assert!(matches!(outcome.missing, Some(Why::Exploring { .. })), "{:?}", outcome.missing);
}

#[test]
fn the_number_of_ios_ends_the_run_and_what_is_missing_is_said() {
    let device = scripted(&[(900, 0.1)], Running::Level(0.3), Noise::Normal(0.03));
    let (outcome, _) = run(&device, Goal { ios_max: 1000, ..Goal::exploring(950) });
    assert_eq!((outcome.phases.ios, outcome.stopped_because), (1000, Stop::Ios));
    assert!(!outcome.stationary);
    let missing = outcome.missing.expect("the new regime is too short").to_string();
    assert!(missing.starts_with("warm-up may not be over: level changed at IO 900"), "{missing}");
}

#[test]
fn noise_is_measured_until_the_precision_is_reached() {
    let device = scripted(&[], Running::TwoLevels(0.4, 26.2, 0.33), Noise::Normal(0.02));
    let (outcome, reasons) = run(&device, Goal::reads());
    assert!(outcome.estimate.unwrap().relative_half_width() <= 0.05);
    let shown = reasons.last().unwrap().1.to_string();
    assert!(shown.starts_with("95 % CI ± ") && shown.ends_with(" %, target ± 5.0 %"), "{shown}");
    let lengths: Vec<f64> = reasons.iter().map(|r| r.0 as f64).collect();
    assert!(lengths.windows(2).all(|w| w[1] / w[0] >= 1.149), "looks are geometric: {lengths:?}");
}

#[test]
fn a_series_that_climbs_for_ever_is_not_stationary() {
    let mut series = Series::new();
    let mut noise = crate::devices::Rng::new(1);
    (0..4000).for_each(|i| {
        series.push((1e6 * (1.0 + i as f64 / 4000.0) * (1.0 + 0.02 * noise.normal())) as u64, 0)
    });
    let outcome = Judge::new(Goal::writes(), Options::default()).finish(&series, Stop::Budget);
    assert_eq!(outcome.stopped_because, Stop::Budget);
    assert!(!outcome.stationary && outcome.missing.is_some(), "{outcome:?}");
}

#[test]
fn a_level_series_has_no_trend_and_a_drifting_one_has() {
    for (slope, level) in [(0.0, true), (0.1, false)] {
        let mut right = 0;
        for seed in 0..50 {
            let mut noise = crate::devices::Rng::new(seed);
            let mut series = Series::new();
            let value = |i: u64, noise: &mut crate::devices::Rng| {
                1e6 * (1.0 + slope * i as f64 / 1000.0 + 0.05 * noise.normal())
            };
            (0..1000).for_each(|i| series.push(value(i, &mut noise) as u64, 0));
            let whole =
                flashscope_analysis::Phases { startup_ios_high: 0, ..phases(&series, &Options::default()) };
            right += u64::from(trend(&series, &whole).unwrap().is_stationary(0.02) == level);
        }
        assert!(right >= 48, "slope {slope}: {right} of 50");
    }
}

#[test]
fn an_interrupted_run_keeps_its_estimate() {
    let device = scripted(&[], Running::Level(0.1), Noise::Normal(0.03));
    let (mut player, mut series) = (device.play(1), Series::new());
    (0..100).for_each(|_| series.push(player.next_ns(), 0));
    let outcome = Judge::new(Goal::reads(), Options::default()).finish(&series, Stop::Interrupted);
    assert!(outcome.estimate.is_some() && outcome.missing.is_some() && !outcome.stationary);
    assert_eq!(outcome.stopped_because, Stop::Interrupted);
}

#[test]
fn nothing_measured_is_no_result_but_no_panic() {
    for ios in 0..20 {
        let mut series = Series::new();
        (0..ios).for_each(|_| series.push(1000, 0));
        let outcome = Judge::new(Goal::reads(), Options::default()).finish(&series, Stop::Interrupted);
        assert_eq!(outcome.phases.ios, ios);
        assert_eq!(outcome.estimate.is_some(), ios >= 4, "{ios}");
    }
}

#[test]
fn a_wrong_confidence_is_an_error() {
    let series = Series::new();
    let found = phases(&series, &Options::default());
    assert!(estimate(&series, &found, 1.0).is_err() && estimate(&series, &found, f64::NAN).is_err());
}
