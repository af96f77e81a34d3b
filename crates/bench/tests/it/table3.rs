//! The seven devices of paper 001's table 3, as rigs: a run must give the published row back.

use flashscope_analysis::Indicator;
use flashscope_analysis::published::{Row, TABLE_3};
use flashscope_bench::{Scope, Settings};

/// The paper's rounding: one significant digit, halves below two.
fn rounded(factor: f64) -> f64 {
    if factor < 0.95 {
        return (factor * 10.0).round() / 10.0;
    }
    if factor < 2.0 {
        return (factor * 2.0).round() / 2.0;
    }
    let unit = 10f64.powf(factor.log10().floor());
    (factor / unit).round() * unit
}

#[track_caller]
fn same(device: &str, what: &str, found: Option<Indicator>, published: Option<f64>, round: fn(f64) -> f64) {
    let found = found.map(|indicator| round(indicator.value));
    assert_eq!(found, published, "{device}: {what}");
}

fn check(row: &Row, only: Option<&[&str]>, seed: u64) {
    let only = only.map(|names| names.iter().map(ToString::to_string).collect());
    let settings = Settings { only, ..crate::common::settings(Scope::Table1, seed) };
    let (outcome, found) = crate::common::characterise(row.name, &settings);
    assert!(outcome.stopped.is_none());
    let mut outside = Vec::new();
    let times = [found.sr_ms, found.rr_ms, found.sw_ms, found.rw_ms];
    for (i, (time, published)) in times.into_iter().zip(row.times_ms).enumerate() {
        let time = time.expect("a time");
        let column = ["SR", "RR", "SW", "RW"][i];
        let error = (time.value / published - 1.0).abs();
        assert!(error <= 0.05, "{} {column}: {} ms, published {published} ms", row.name, time.value);
        if !(time.ci_low..=time.ci_high).contains(&published) {
            outside.push((column, time, published));
        }
    }
    // An interval at 95 % misses one time in twenty: one in four is chance, two (1.4 %) would be a defect.
    assert!(outside.len() <= 1, "{} (seed {seed}): outside their intervals: {outside:?}", row.name);
    let (name, whole) = (row.name, f64::round as fn(f64) -> f64);
    same(name, "pause", found.pause_ms, row.pause_ms, whole);
    same(name, "locality area", found.locality_mib, row.locality.map(|(area, _)| area), whole);
    same(name, "locality factor", found.locality_factor, row.locality.map(|(_, factor)| factor), rounded);
    same(name, "partitions", found.partitions, Some(row.partitions.0), whole);
    same(name, "partitions factor", found.partitions_factor, Some(row.partitions.1), rounded);
    let [reverse, in_place, large_increment] = row.order;
    same(name, "reverse", found.reverse_factor, Some(reverse), rounded);
    same(name, "in place", found.in_place_factor, Some(in_place), rounded);
    same(name, "large increments", found.large_increment_factor, Some(large_increment), rounded);
}

/// One test a device, so that they run side by side and name the device that fails.
macro_rules! devices {
    ($($test:ident: $place:expr),*) => { $(
        #[test]
        fn $test() {
            check(&TABLE_3[$place], Some(&COLUMNS), 7);
        }
    )* };
}

/// The micro-benchmarks that the columns come from.
const COLUMNS: [&str; 4] = ["locality", "partitioning", "order", "pause"];

/// All of table 1, as `flashscope run rig:NAME` does it: 906 runs a device.
#[test]
#[ignore = "takes a minute; run with --release -- --ignored"]
fn whole_runs_of_all_seven() {
    for row in &TABLE_3 {
        check(row, None, 7);
    }
}

devices! {
    memoright: 0, mtron: 1, samsung: 2, transcend_module: 3, transcend_mlc: 4,
    kingston_dthx: 5, kingston_dti: 6
}
