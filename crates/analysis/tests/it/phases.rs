//! Start-up and regimes of short series, to the IO.

use crate::devices::{Device, Noise, Running};
use flashscope_analysis::{Options, Phases, Series, phases};

fn look(startup: &[(u64, f64)], running: Running, noise: Noise, seed: u64, ios: u64) -> Phases {
    let device = Device { name: "", startup: startup.to_vec(), running, noise, explore_ios: 0, known: None };
    let (mut player, mut series) = (device.play(seed), Series::new());
    (0..ios).for_each(|_| series.push(player.next_ns(), 4096));
    phases(&series, &Options::default())
}

fn mtron() -> Running {
    Running::Cycle(vec![0.4, 0.4, 26.2])
}

#[test]
fn mtrons_start_up_is_128_ios_exactly() {
    for seed in 0..40 {
        let found = look(&[(128, 0.4)], mtron(), Noise::Normal(0.02), seed, 512);
        assert_eq!(found.startup_ios, 128, "seed {seed}");
        assert_eq!(found.startup_bytes, 128 * 4096);
        assert!((128..=130).contains(&found.startup_ios_high), "two cheap IOs fit either side: {found:?}");
    }
}

#[test]
fn any_start_up_before_a_cycle_is_found() {
    for startup in [0, 5, 30, 31, 32, 64, 127, 129, 200] {
        let found = look(&[(startup, 0.4)], mtron(), Noise::Normal(0.02), startup, 768);
        assert!(found.startup_ios.abs_diff(startup) <= 2, "{startup}: {found:?}");
    }
}

#[test]
fn a_start_up_shorter_than_the_period_is_found() {
    let cycle = Running::Cycle([vec![1.0; 60], vec![8.0; 40]].concat());
    let found = look(&[(70, 4.0)], cycle, Noise::Normal(0.03), 1, 1100);
    assert_eq!(found.period.map(|p| p.ios), Some(100), "{found:?}");
    assert!(found.startup_ios.abs_diff(70) <= 4 && found.startup_ios_high >= 70, "{found:?}");
}

#[test]
fn all_steps_of_a_slow_decay_are_listed() {
    let steps = [(170, 0.40), (190, 0.52), (160, 0.64), (200, 0.76), (180, 0.88)];
    for seed in 0..20 {
        let found = look(&steps, Running::Level(1.0), Noise::Normal(0.05), seed, 1536);
        let starts: Vec<u64> = found.regimes.iter().map(|r| r.from_ios).collect();
        let truth = [0, 170, 360, 520, 720, 900];
        let near = starts.iter().zip(truth).all(|(a, b)| a.abs_diff(b) <= 8);
        assert!(near && starts.len() == 6, "seed {seed}: {starts:?}");
        let means: Vec<f64> = found.regimes.iter().map(|r| r.mean_ns / 1e6).collect();
        let close =
            means.iter().zip([0.40, 0.52, 0.64, 0.76, 0.88, 1.0]).all(|(a, b)| (a / b - 1.0).abs() < 0.03);
        assert!(close, "seed {seed}: {means:?}");
        assert!(found.regimes.iter().all(|r| r.from_bytes == r.from_ios * 4096));
    }
}

#[test]
fn a_hiccup_is_no_regime() {
    let startup = [(700, 0.4), (20, 3.0)];
    let found = look(&startup, Running::Level(0.4), Noise::Normal(0.05), 1, 1536);
    assert_eq!((found.startup_ios, found.regimes.len()), (0, 1), "{found:?}");
}

#[test]
fn few_turns_of_a_long_oscillation_are_no_regimes() {
    let cycle = Running::Cycle([vec![1.0; 100], vec![5.0; 100]].concat());
    let found = look(&[], cycle, Noise::Normal(0.05), 1, 590);
    assert!(found.startup_ios == 0 && found.alternations >= 3, "{found:?}");
}

#[test]
fn series_without_noise_are_exact() {
    let found = look(&[(77, 0.4)], mtron(), Noise::None, 1, 400);
    assert_eq!((found.startup_ios, found.period.map(|p| p.ios)), (77, Some(3)), "{found:?}");
    let level = look(&[], Running::Level(0.4), Noise::None, 1, 400);
    assert_eq!((level.startup_ios, level.regimes.len(), level.period), (0, 1, None));
    let cliff = look(&[(100, 0.4)], Running::Level(0.5), Noise::None, 1, 400);
    assert_eq!((cliff.startup_ios, cliff.startup_ios_low, cliff.startup_ios_high), (100, 100, 100));
}
