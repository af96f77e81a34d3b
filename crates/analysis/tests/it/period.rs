//! Periods: found where there are any, never invented.
#![allow(missing_docs, clippy::print_stdout)]

use crate::devices::{Device, Noise, Rng, Running};
use flashscope_analysis::{Period, period_of};

fn values(running: Running, noise: Noise, seed: u64, ios: usize) -> Vec<f64> {
    let device = Device { name: "", startup: vec![], running, noise, explore_ios: 0, known: None };
    let mut player = device.play(seed);
    (0..ios).map(|_| player.next_ns() as f64).collect()
}

fn noises() -> Vec<(&'static str, Running, Noise)> {
    let level = Running::Level(0.4);
    vec![
        ("normal", level.clone(), Noise::Normal(0.05)),
        ("skewed", level.clone(), Noise::Skewed(0.5)),
        ("ar 0.5", level.clone(), Noise::Wandering(0.5, 0.05)),
        ("ar 0.8", level.clone(), Noise::Wandering(0.8, 0.05)),
        ("ar 0.95", level.clone(), Noise::Wandering(0.95, 0.05)),
        ("spikes", level, Noise::Spikes(0.01, 20.0)),
        ("two levels", Running::TwoLevels(0.4, 26.2, 0.33), Noise::Normal(0.02)),
        ("rare level", Running::TwoLevels(0.4, 26.2, 0.05), Noise::Normal(0.02)),
    ]
}

fn invented(running: &Running, noise: Noise, ios: usize, seeds: u64) -> u64 {
    (0..seeds).filter(|seed| period_of(&values(running.clone(), noise, *seed, ios)).is_some()).count() as u64
}

#[test]
fn no_period_is_invented_in_noise() {
    for (name, running, noise) in noises() {
        for ios in [64, 100, 256, 1536] {
            let found = invented(&running, noise, ios, 40);
            assert!(found <= 1, "{name}: {found} of 40 invented in {ios} IOs");
        }
    }
}

#[test]
#[ignore = "long: prints shares"]
fn invented_periods() {
    for (name, running, noise) in noises() {
        let shares = [64, 100, 256, 512, 1536, 4096].map(|ios| invented(&running, noise, ios, 1000));
        println!("{name}: {shares:?} of 1000");
    }
}

#[test]
fn eight_cycles_of_any_length_are_enough() {
    let mut rng = Rng::new(11);
    for seed in 0..60 {
        let length = 2 + (rng.uniform() * 100.0) as usize;
        let mut costs = vec![0.4; length];
        costs[length - 1 - (rng.uniform() * (length - 1) as f64 / 2.0) as usize..].fill(4.0);
        let ios = (9 * length).max(64);
        let found = period_of(&values(Running::Cycle(costs), Noise::Normal(0.05), seed, ios));
        assert_eq!(found.map(|p| (p.ios, p.is_exact())), Some((length as u64, true)), "seed {seed}");
    }
}

#[test]
fn cycles_that_vary_have_an_uncertain_period() {
    for seed in 0..40 {
        let running = Running::Jittered(0.25, 300.0, 36, 44);
        let Period { ios_low, ios_high, .. } =
            period_of(&values(running, Noise::Normal(0.05), seed, 2000)).unwrap();
        assert!(
            ios_low < ios_high && (37..=43).contains(&ios_low) | (37..=43).contains(&ios_high),
            "seed {seed}"
        );
    }
}

#[test]
fn constant_values_have_none() {
    assert_eq!(period_of(&[5.0; 1000]), None);
    assert_eq!(period_of(&[]), None);
}
