//! Paper 003 on simulated devices: the penalty is there where the mechanism is, and nowhere else.

use crate::common::reading::{number, says};
use flashscope_analysis::reading::Cell;
use flashscope_analysis::{Context, Reading};
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::{Bytes, Target};
use flashscope_sim::profiles::Profile;
use flashscope_sim::{Rig, Ssd, rigs};

fn read<T: Target>(target: T, can_trim: bool, span: u64) -> Reading {
    with(target, can_trim, Settings { repeats: 2, write: true, span: Some(Bytes(span)), ..quick() })
}

fn quick() -> Settings {
    let bs = Suites::builtin().find("rewrite").expect("a suite").bs.expect("a size");
    Settings { scope: Scope::Quick, bs, ..Settings::default() }
}

fn with<T: Target>(target: T, can_trim: bool, settings: Settings) -> Reading {
    let suite = &Suites::builtin().find("rewrite").expect("a suite").clone();
    let settings = Settings { can_trim, ..settings };
    conduct(suite, &[], &mut Alone(target), &settings).expect("it runs").1
}

#[test]
fn a_drive_that_collects_pays_for_having_been_used() {
    let overrides = [("capacity".to_string(), "64MiB".to_string())];
    let Ok(Profile::Ssd(settings)) = Profile::find("x25m-2009", &overrides) else { panic!("a drive") };
    let reading = read(Ssd::new("x25m-2009", *settings, 3).expect("settings"), true, 64 << 20);
    let penalty = number(&reading, "penalty", "RW", "increase");
    assert!(penalty > 50.0, "{penalty} %");
    let lost = number(&reading, "penalty", "RW", "IOPS lost");
    assert!((lost - 100.0 * (1.0 - 100.0 / (100.0 + penalty))).abs() < 0.01, "{lost} and {penalty}");
    assert!(number(&reading, "penalty", "RR", "increase").abs() < 20.0);
    assert!(says(&reading, "everything was discarded") && says(&reading, "No CPU share"));
}

#[test]
fn a_device_without_structure_has_no_penalty_and_its_row_is_its_truth() {
    // rigs/plain.toml: reads of 32 KiB take 100 us, 1 MiB by its curve; noise of 5 %.
    let reading = read(Rig::new(rigs::get("plain").expect("a rig"), 1), false, 64 << 20);
    assert!(number(&reading, "penalty", "RW", "increase").abs() < 3.0);
    assert!(
        says(&reading, "No significant difference between fresh and used in random writes"),
        "{:?}",
        reading.sentences
    );
    assert!(says(&reading, "after a sequential fill"));
    let chart = reading.charts.iter().find(|chart| chart.id == "read-across").expect("a curve");
    assert!(chart.series.iter().all(|curve| curve.points.len() > 32), "{}", chart.series[0].points.len());
    // 60 us and what half a KiB takes of the 40 us for 32 KiB.
    let access = number(&reading, "hd-tach", "random access", "time");
    assert!((access / 0.0606 - 1.0).abs() < 0.02, "{access} ms");
}

#[test]
fn what_was_not_written_is_neither_fresh_nor_used() {
    let plain = Rig::new(rigs::get("plain").expect("a rig"), 1);
    let reading = with(plain, false, Settings { span: Some(Bytes(64 << 20)), repeats: 1, ..quick() });
    let said: String = reading.sentences.iter().map(|one| format!("{} {}\n", one.text, one.detail)).collect();
    let columns = reading.tables.iter().flat_map(|table| &table.columns).map(|column| &*column.label);
    let words = columns.chain(reading.tables.iter().flat_map(|table| [&*table.title, &*table.caption]));
    let all = words.chain([&*said]).collect::<Vec<_>>().join("\n").to_lowercase();
    assert!(!["fresh", "used", "lost"].iter().any(|word| all.contains(word)), "{all}");
    assert!(all.contains("nothing was written") && all.contains("if writing is allowed"), "{all}");
    // rigs/plain.toml: 60 us and an eighth of the 40 us for 32 KiB.
    let found = number(&reading, "as-found", "RR", "mean");
    assert!((found / 0.065 - 1.0).abs() < 0.02, "{found} ms");
}

/// Twice as long in every other run: what lies between the means is no more than chance.
#[test]
fn a_penalty_has_the_interval_of_the_two_means() {
    let (spread, level) = (reading_of([1.0, 3.0], [2.0, 4.0]), reading_of([1.0, 1.01], [2.0, 2.01]));
    let cell = |reading: &Reading, heading| {
        let table = reading.tables.iter().find(|table| table.id == "penalty").expect("a table");
        table.cell("RW", heading).cloned().expect("a cell")
    };
    // Two runs 1 ms from their mean of 2: +- 12.7 ms, Student's interval at one degree of freedom.
    assert_eq!(cell(&spread, "increase"), Cell::words("not known"));
    assert!(
        says(&spread, "No significant difference between fresh and used in random writes"),
        "{:?}",
        spread.sentences
    );
    assert!(!says(&spread, "longer"), "{:?}", spread.sentences);
    for (heading, truth) in [("increase", 100.0 * (2.005 / 1.005 - 1.0)), ("IOPS lost", 49.875)] {
        let Cell { value: Some(value), interval: Some([low, high]), .. } = cell(&level, heading) else {
            panic!("{heading} has an interval");
        };
        assert!((value - truth).abs() < 0.01 && low < truth && truth < high, "{low} to {high}");
    }
    assert!(
        says(&level, "take 100 % longer") && !says(&level, "No significant difference"),
        "{:?}",
        level.sentences
    );
}

/// What the suite says of two runs each of fresh and used random writes with these times in ms.
fn reading_of(fresh: [f64; 2], used: [f64; 2]) -> Reading {
    let suite = &Suites::builtin().find("rewrite").expect("a suite").clone();
    let settings = Settings { repeats: 2, write: true, span: Some(Bytes(16 << 20)), ..quick() };
    let plain = Rig::new(rigs::get("plain").expect("a rig"), 1);
    let (mut finished, _) = conduct(suite, &[], &mut Alone(plain), &settings).expect("it runs");
    finished.retain(|done| done.experiment.curve == "RW");
    for done in &mut finished {
        let times = if done.experiment.micro == "used" { used } else { fresh };
        let ms = times[done.repeat as usize];
        done.run.windows.iter_mut().for_each(|window| window.sum_ns = (window.ios as f64 * ms * 1e6) as u64);
    }
    let context = Context {
        target: Rig::new(rigs::get("plain").expect("a rig"), 1).info().clone(),
        state: "as-is".into(),
        generator_iops_max: None,
        interference: None,
        complete: true,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: Default::default(),
    };
    (suite.reading)(&context, &finished)
}
