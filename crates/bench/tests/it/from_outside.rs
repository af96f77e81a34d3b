//! What comes from outside of the repository: a suite and a micro-benchmark.

use std::sync::atomic::AtomicBool;

use flashscope_bench::suite::{Act, Parameters, Probe, Program};
use flashscope_bench::{
    Alone, BenchError, Campaign, Draft, Frame, Length, Micro, Micros, Plan, Prior, Settings, Suite,
    SuiteError, Suites, Unkept, run,
};
use flashscope_core::{Bytes, Pattern, Rw, Target};
use flashscope_sim::{Rig, rigs};

#[path = "../../examples/own_suite.rs"]
#[allow(dead_code)]
mod own_suite;

#[test]
fn a_suite_of_ones_own_says_what_the_rig_is_made_of() {
    let reading = own_suite::small_writes("mtron").expect("it runs");
    let [table] = &reading.tables[..] else { panic!("one table: {reading:?}") };
    let ms = |size: &str| table.cell(size, "mean").and_then(|cell| cell.value).expect("measured");
    // The rig's rule for random writes: the size is all that varies.
    assert!(ms("64KiB") > ms("512B"), "{table:?}");
    assert!(reading.sentences[0].text.starts_with("A write of 64KiB takes"), "{reading:?}");
}

#[test]
fn a_suite_that_is_handed_in_is_found_beside_the_others_or_takes_their_place() {
    let count = Suites::builtin().iter().count();
    let known = Suites::builtin().with(own_suite::SMALL_WRITES);
    assert_eq!((known.iter().count(), known.find("small-writes").is_ok()), (count + 1, true));
    assert_eq!(known.with(own_suite::SMALL_WRITES).iter().count(), count + 1);
    let Err(SuiteError::Unknown { known, .. }) = Suites::builtin().find("small-writes") else {
        panic!("it was handed to others")
    };
    assert_eq!(known.len(), count);
}

const SPARSE: Micro = Micro {
    name: "sparse",
    doc: "random reads of less and less of the span",
    parameter: "share of the span",
    is_uflip: false,
    points: |frame: &Frame| {
        let point = |halvings: u32| {
            let size = Bytes((frame.span.0 >> halvings) / frame.bs.0 * frame.bs.0);
            let pattern = Pattern { size, ..frame.baseline(Rw::RandRead) };
            Draft { curve: "RR".into(), parameter: f64::from(halvings), label: halvings.to_string(), pattern }
        };
        (1..=3).map(point).collect()
    },
};

#[test]
fn a_micro_benchmark_of_ones_own_is_planned_and_run_beside_the_baselines() {
    let mut lab = Alone(Rig::new(rigs::get("plain").expect("a rig"), 1));
    let only = Some(vec!["sparse".to_string()]);
    let settings =
        Settings { micros: Micros::builtin().with(SPARSE), only, repeats: 1, ..Settings::default() };
    let plan = Plan::new(lab.0.info(), &settings).expect("a plan");
    let interrupted = AtomicBool::new(false);
    let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, &mut lab, &mut Unkept, Prior::default());
    let ids: Vec<String> = outcome.finished.iter().map(|done| done.experiment.id()).collect();
    assert_eq!(ids, ["baseline/SR/32KiB", "baseline/RR/32KiB", "sparse/RR/1", "sparse/RR/2", "sparse/RR/3"]);
    let error = Plan::new(lab.0.info(), &Settings { micros: Micros::builtin(), ..settings }).unwrap_err();
    assert!(matches!(error, BenchError::UnknownMicro { name, .. } if name == "sparse"));
}

#[test]
fn points_that_a_result_could_not_hold_are_not_planned() {
    fn draft(frame: &Frame, parameter: f64, label: &str) -> Draft {
        Draft { curve: "RR".into(), parameter, label: label.into(), pattern: frame.baseline(Rw::RandRead) }
    }
    let twice = |frame: &Frame| vec![draft(frame, 1.0, "a"), draft(frame, 2.0, "a")];
    let no_number = |frame: &Frame| vec![draft(frame, f64::NAN, "a")];
    let endless = |frame: &Frame| vec![draft(frame, f64::INFINITY, "a")];
    let long = |frame: &Frame| vec![draft(frame, 1.0, &"a".repeat(400))];
    let all: [fn(&Frame) -> Vec<Draft>; 4] = [twice, no_number, endless, long];
    let rig = Rig::new(rigs::get("plain").expect("a rig"), 1);
    for points in all {
        let micros = Micros::builtin().with(Micro { points, ..SPARSE });
        let only = Some(vec!["sparse".to_string()]);
        let settings = Settings { micros, only, repeats: 1, ..Settings::default() };
        let error = Plan::new(rig.info(), &settings).expect_err("it cannot be stored");
        let is_named = |id: &str| id.starts_with("sparse/RR/a");
        assert!(matches!(&error, BenchError::Unstorable { id, .. } if is_named(id)), "{error}");
    }
}

/// Writes behind the part that was asked for.
fn greedy(given: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let whole = given.baseline(Rw::Write, given.frame.bs);
    let behind = Pattern { offset: given.frame.span, ..whole };
    Ok(vec![Probe::new("greedy", "SW", behind, Length::Ios(1)).act()])
}

#[test]
fn a_suite_never_leaves_the_part_of_the_target_that_was_asked_for() {
    let rig = Rig::new(rigs::get("plain").expect("a rig"), 1);
    let suite = Suite { program: Program::Acts(greedy), ..own_suite::SMALL_WRITES };
    let settings = Settings { write: true, span: Some(Bytes(64 << 20)), ..Settings::default() };
    let error = Plan::of(&suite, &[], rig.info(), &settings).expect_err("it exceeds");
    assert!(matches!(error, BenchError::Beyond { span: Bytes(span), .. } if span == 64 << 20), "{error}");
}
