//! How long writes disturb the reads after them (uFLIP, figure 5).

use crate::devices::{Device, Noise, Running};
use flashscope_analysis::lingering;

fn reads(startup: &[(u64, f64)], noise: Noise, seed: u64, ios: usize) -> Vec<f64> {
    let startup = startup.to_vec();
    let device =
        Device { name: "", startup, running: Running::Level(0.4), noise, explore_ios: 0, known: None };
    let mut player = device.play(seed);
    (0..ios).map(|_| player.next_ns() as f64).collect()
}

const NOISES: [Noise; 6] = [
    Noise::None,
    Noise::Normal(0.05),
    Noise::Skewed(0.3),
    Noise::Wandering(0.5, 0.05),
    Noise::Wandering(0.8, 0.05),
    Noise::Spikes(0.01, 20.0),
];

#[test]
fn reads_after_harmless_writes_are_not_affected() {
    for noise in NOISES {
        let found = |seed| lingering(&reads(&[], noise, seed, 512), &reads(&[], noise, seed + 1000, 4096));
        let wrong: Vec<u64> = (0..100).filter(|seed| found(*seed).affected_ios > 0).collect();
        assert!(wrong.len() <= 1, "{noise:?}: seeds {wrong:?}");
    }
}

#[test]
fn affected_reads_are_counted() {
    for noise in NOISES {
        for seed in 0..30 {
            let after = reads(&[(3000, 0.9)], noise, seed + 1000, 5000);
            let found = lingering(&reads(&[], noise, seed, 1000), &after);
            assert!(
                found.affected_ios.abs_diff(3000) <= 60 && found.ended,
                "{noise:?}, seed {seed}: {found:?}"
            );
            let took: f64 = after[..found.affected_ios as usize].iter().sum();
            assert_eq!(found.affected_ns, took);
        }
    }
}

#[test]
fn reads_that_are_slow_now_and_then_count_to_the_last() {
    let before = reads(&[], Noise::Normal(0.05), 1, 1000);
    let mut after = reads(&[], Noise::Normal(0.05), 2, 5000);
    after[..3000].iter_mut().step_by(3).for_each(|v| *v *= 4.0);
    let found = lingering(&before, &after);
    assert!(found.affected_ios.abs_diff(3000) <= 30, "{found:?}");
}

#[test]
fn an_effect_that_outlasts_the_reads_is_marked() {
    let found =
        lingering(&reads(&[], Noise::Normal(0.05), 1, 500), &reads(&[(900, 0.9)], Noise::None, 2, 800));
    assert_eq!((found.affected_ios, found.ended), (800, false));
    assert_eq!(lingering(&[], &[1.0]).affected_ios, 0);
    assert_eq!(lingering(&[1.0], &[]).affected_ios, 0);
}
