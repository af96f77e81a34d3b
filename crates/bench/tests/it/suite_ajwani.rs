//! Paper 000's suite on devices of known truth.

use crate::common::reading::{number, says};
use flashscope_analysis::{Finished, Reading};
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::{Bytes, Target};
use flashscope_sim::{Rig, RigSpec, rigs};

fn read<T: Target>(target: T, values: &[(&str, &str)], span: u64) -> (Vec<Finished>, Reading) {
    let suite = &Suites::builtin().find("ajwani").expect("a suite").clone();
    let values: Vec<_> = values.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let span = Some(Bytes(span));
    let settings = Settings { scope: Scope::Quick, write: true, repeats: 2, span, ..Settings::default() };
    conduct(suite, &values, &mut Alone(target), &settings).expect("it runs")
}

const SHORT: &[(&str, &str)] = &[("runtime", "100ms"), ("phase", "20ms"), ("long", "2000")];

#[test]
fn the_row_of_a_plain_device_is_its_truth_and_nothing_else_is_found() {
    let (finished, reading) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), SHORT, 64 << 20);
    // 60 us + 512 B / 32 KiB of 40 us; 150 us + 512 B / 32 KiB of 100 us.
    for (pattern, us) in
        [("seq read", 60.625), ("rand read", 60.625), ("seq write", 151.5625), ("rand write", 151.5625)]
    {
        let speed = number(&reading, "table-3-1", &Bytes(512).to_string(), pattern);
        assert!((speed / (512.0 / us) - 1.0).abs() < 0.03, "{pattern}: {speed} MB/s");
    }
    for words in [
        "not lower than of sequential ones",
        "do not slow down subsequent sequential writes",
        "Misalignment does not slow down",
        "shows no spikes",
    ] {
        assert!(says(&reading, words), "{words}: {:?}", reading.sentences);
    }
    let phases = reading.charts.iter().find(|chart| chart.id == "figure-3-3").expect("a chart");
    assert_eq!(phases.title, "After a burst, relative to steady: 30 phases of 20.0 ms");
    // Of IOs that are short beside a phase: larger ones end beyond their phase's end.
    let is_short =
        |done: &&Finished| done.experiment.micro == "after-burst" && done.experiment.pattern.bs.0 <= 32 << 10;
    let bursts: Vec<_> = finished.iter().filter(is_short).collect();
    assert!(!bursts.is_empty() && bursts.iter().all(|done| done.run.windows.len() == 30));
}

/// The runs of 8 MiB would be over after one or two IOs, their phases hold none: what is said of them is the
/// device's truth all the same.
#[test]
fn ios_that_take_longer_than_a_phase_have_the_speed_of_the_device() {
    let text = "size = \"64MiB\"\n[latency]\nsequential_read = [[\"0\", \"1ms\"], [\"1MiB\", \"29ms\"]]\n\
                sequential_write = [[\"0\", \"1ms\"], [\"1MiB\", \"29ms\"]]\n";
    let spec = RigSpec::parse("slow", text).unwrap_or_else(|error| panic!("{error}"));
    let values = [("runtime", "200ms"), ("phase", "20ms"), ("long", "0")];
    let (finished, reading) = read(Rig::new(spec, 1), &values, 64 << 20);
    for done in finished.iter().filter(|done| done.experiment.micro == "aligned") {
        assert!(done.run.ios >= 32, "{}: {} IOs", done.experiment.id(), done.run.ios);
    }
    let table = reading.tables.iter().find(|table| table.id == "after-bursts").expect("a table");
    let place = table.columns.iter().position(|column| column.label == "ratio to steady").expect("a ratio");
    for row in &table.rows {
        let beside = row[place].value.expect("phases enough");
        assert!((beside - 1.0).abs() < 0.03, "{row:?}");
    }
    assert!(says(&reading, "do not slow down subsequent sequential writes"), "{:?}", reading.sentences);
}

/// A result with fewer, cut short, has its numbers, and no conclusion.
#[test]
fn nothing_is_concluded_from_runs_of_a_few_ios() {
    let (mut finished, _) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), SHORT, 64 << 20);
    finished.iter_mut().for_each(|done| done.run.ios = 3);
    let suite = &Suites::builtin().find("ajwani").expect("a suite").clone();
    let context = flashscope_analysis::Context {
        target: Rig::new(rigs::get("plain").expect("a rig"), 1).info().clone(),
        state: "as-is".into(),
        generator_iops_max: None,
        interference: None,
        complete: true,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: Default::default(),
    };
    let reading = (suite.reading)(&context, &finished);
    assert!(says(&reading, "No conclusion"), "{:?}", reading.sentences);
    for words in ["saturates", "slow down subsequent", "Misalign"] {
        assert!(!says(&reading, words), "{words}: {:?}", reading.sentences);
    }
    assert!(!reading.tables.is_empty());
}

#[test]
fn a_misaligned_device_is_found_out() {
    let (_, reading) = read(Rig::new(rigs::get("misaligned").expect("a rig"), 1), SHORT, 64 << 20);
    assert!(says(&reading, "Misaligned random writes reach"), "{:?}", reading.sentences);
}

#[test]
fn the_endurance_loop_looks_as_often_as_it_is_told() {
    let values = [&[("endurance", "2"), ("endurance_writes", "1")], SHORT].concat();
    let (finished, reading) = read(Rig::new(rigs::get("plain").expect("a rig"), 1), &values, 32 << 20);
    let mut looks: Vec<&str> = finished
        .iter()
        .filter(|done| done.experiment.micro == "endurance")
        .map(|done| done.experiment.label.as_str())
        .collect();
    looks.dedup();
    assert_eq!(looks, ["1 writes", "2 writes"]);
    assert!(says(&reading, "Throughput does not fall with age"), "{:?}", reading.sentences);
}

/// Figure 3.2's device: nothing for the first writes, then one in so many pays for all.
#[test]
fn spikes_of_a_long_series_are_counted() {
    let text = "size = \"64MiB\"\n[latency]\nsequential_read = [[\"0\", \"60us\"]]\n\
                sequential_write = [[\"0\", \"200us\"]]\nrandom_write = [[\"0\", \"3ms\"]]\n\
                [background]\nstartup = 1000\nperiod = 400\ndrains_while_idle = false\n";
    let spec = RigSpec::parse("spiky", text).unwrap_or_else(|error| panic!("{error}"));
    let values = [("runtime", "20ms"), ("phase", "1ms"), ("long", "4000")];
    let (_, reading) = read(Rig::new(spec, 1), &values, 64 << 20);
    let found = reading.sentences.iter().find(|said| said.text.contains("spikes")).expect("said");
    let numbers: Vec<f64> =
        found.text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    let [count, first, gap] = numbers[..] else { panic!("{}", found.text) };
    // What the earlier experiments left decides where in its cycle the device is.
    assert!((7.0..=10.0).contains(&count) && gap == 400.0 && first <= 1400.0, "{}", found.text);
}
