//! Paper 003 on simulated devices: the penalty is there where the mechanism is, and nowhere else.
#![allow(missing_docs)]

mod common;

use common::reading::{number, says};
use flashscope_analysis::Reading;
use flashscope_bench::{Alone, Order, Scope, Settings, Suite, conduct};
use flashscope_core::{Bytes, Target};
use flashscope_sim::profiles::Profile;
use flashscope_sim::{Rig, Ssd, rigs};

fn read<T: Target>(target: T, can_trim: bool, span: u64) -> Reading {
    let suite = Suite::find("rewrite").expect("a suite");
    let order = Order { suite, values: &[], can_trim };
    let bs = suite.bs.expect("a size");
    let span = Some(Bytes(span));
    let settings = Settings { scope: Scope::Quick, write: true, repeats: 2, bs, span, ..Settings::default() };
    conduct(&order, &mut Alone(target), &settings).expect("it runs").1
}

#[test]
fn a_drive_that_collects_pays_for_having_been_used() {
    let overrides = [("capacity".to_string(), "64MiB".to_string())];
    let Ok(Profile::Ssd(settings)) = Profile::find("x25m-2009", &overrides) else { panic!("a drive") };
    let reading = read(Ssd::new("x25m-2009", *settings, 3).expect("settings"), true, 64 << 20);
    let penalty = number(&reading, "penalty", "RW", "longer by");
    assert!(penalty > 50.0, "{penalty} %");
    let lost = number(&reading, "penalty", "RW", "performance lost");
    assert!((lost - 100.0 * (1.0 - 100.0 / (100.0 + penalty))).abs() < 0.01, "{lost} and {penalty}");
    assert!(number(&reading, "penalty", "RR", "longer by").abs() < 20.0);
    assert!(says(&reading, "found everything discarded") && says(&reading, "No share of a processor"));
}

#[test]
fn a_device_without_structure_has_no_penalty_and_its_row_is_its_truth() {
    // rigs/plain.toml: reads of 32 KiB take 100 us, 1 MiB by its curve; noise of 5 %.
    let reading = read(Rig::new(rigs::get("plain").expect("a rig"), 1), false, 64 << 20);
    assert!(number(&reading, "penalty", "RW", "longer by").abs() < 3.0);
    assert!(says(&reading, "Use does not slow down") && says(&reading, "written once in order here"));
    let chart = reading.charts.iter().find(|chart| chart.id == "read-across").expect("a curve");
    assert!(chart.series.iter().all(|curve| curve.points.len() > 32), "{}", chart.series[0].points.len());
    // 60 us and what half a KiB takes of the 40 us for 32 KiB.
    let access = number(&reading, "hd-tach", "random access", "time");
    assert!((access / 0.0606 - 1.0).abs() < 0.02, "{access} ms");
}
