//! Series too long to keep every value: the coarsened path.

use crate::devices::{Device, Noise, Running};
use flashscope_analysis::{Options, Phases, Series, estimate, phases, quantiles};

fn record(device: &Device, seed: u64, ios: u64) -> Series {
    let mut player = device.play(seed);
    let mut series = Series::new();
    (0..ios).for_each(|_| series.push(player.next_ns(), 4096));
    series
}

fn long(startup: &[(u64, f64)], running: Running, noise: Noise) -> Device {
    Device { name: "long", startup: startup.to_vec(), running, noise, explore_ios: 0, known: None }
}

fn look(series: &Series) -> Phases {
    phases(series, &Options::default())
}

#[test]
fn a_cliff_after_two_million_ios_is_found_within_a_few_bins() {
    let device = long(&[(2_000_000, 0.02)], Running::Level(0.08), Noise::Normal(0.05));
    let series = record(&device, 7, 5_000_000);
    let found = look(&series);
    assert!(found.startup_ios.abs_diff(2_000_000) <= 64, "{found:?}");
    assert!(found.startup_bytes.abs_diff(2_000_000 * 4096) <= 64 * 4096, "{found:?}");
    assert_eq!(found.regimes.len(), 2, "{found:?}");
    let mean = estimate(&series, &found, 0.99).unwrap();
    assert!((mean.ci_low_ns..mean.ci_high_ns).contains(&80_000.0), "{mean:?}");
    let spread = quantiles(&series, &found).unwrap();
    assert!((spread.p50_ns / 80_000.0 - 1.0).abs() < 0.01 && spread.min_ns > 40_000.0, "{spread:?}");
}

#[test]
fn a_short_start_up_is_not_lost_in_a_million_ios() {
    for (seed, ios) in [(1, 20_000), (2, 300_000), (3, 1_000_000)] {
        let device = long(&[(128, 0.1)], Running::Level(0.3), Noise::Normal(0.05));
        let found = look(&record(&device, seed, ios));
        assert!(found.startup_ios.abs_diff(128) <= 8, "of {ios}: {found:?}");
    }
}

#[test]
fn a_short_period_is_found_in_a_coarsened_series() {
    let cycle = Running::Cycle([vec![0.02; 9], vec![0.4]].concat());
    let series = record(&long(&[(500_000, 0.02)], cycle, Noise::Normal(0.05)), 3, 3_000_000);
    let found = look(&series);
    assert_eq!(found.period.map(|p| (p.ios, p.is_exact())), Some((10, true)), "{found:?}");
    assert!(found.startup_ios.abs_diff(500_000) <= 64, "{found:?}");
    let mean = estimate(&series, &found, 0.99).unwrap();
    assert!((mean.ci_low_ns..mean.ci_high_ns).contains(&58_000.0), "{mean:?}");
}

#[test]
fn a_period_of_many_thousand_ios_is_found_with_its_uncertainty() {
    let cycle = Running::Cycle([vec![0.02; 16_000], vec![0.1; 4_000]].concat());
    let found = look(&record(&long(&[], cycle, Noise::Normal(0.05)), 4, 900_000));
    let period = found.period.expect("45 cycles are enough");
    assert!((period.ios_low..=period.ios_high).contains(&20_000), "{found:?}");
    assert!(period.ios_high - period.ios_low <= 1_000 && found.startup_ios == 0, "{found:?}");
}
