//! What plans promise before anything is done: figures that do not contradict one another, and ends to what
//! may be asked for.

use flashscope_bench::{Length, Plan, Scope, Settings, Suites};
use flashscope_core::{Bytes, Nanos, TargetInfo};

fn target(size_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: "test".into(),
        size_bytes,
        logical_block_bytes: 512,
        virtual_time: false,
        engine: "test".into(),
        queue_depth_max: 1024,
    }
}

fn planned(suite: &str, values: &[(&str, &str)], size: u64, settings: &Settings) -> Result<Plan, String> {
    let suite = &Suites::builtin().find(suite).expect("a suite").clone();
    let values: Vec<_> = values.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let settings = Settings { can_trim: true, ..settings.clone() };
    Plan::of(suite, &values, &target(size), &settings).map_err(|error| error.to_string())
}

#[test]
fn every_plan_writes_about_no_less_than_its_least_and_no_more_than_its_most() {
    for suite in Suites::builtin().iter() {
        for size in [16 << 20, 1 << 30, 160_000_000_000 / 512 * 512] {
            for scope in [Scope::Quick, Scope::Table1] {
                for run_max in [None, Some(Nanos::from_s(30))] {
                    let settings =
                        Settings { scope, run_max, write: true, repeats: 1, ..Settings::default() };
                    let plan = planned(&suite.name, &[], size, &settings).expect("a plan");
                    let (least, most) = (plan.written_bytes_min, plan.written_bytes_max);
                    let is_within = (least..=most).contains(&plan.written_bytes);
                    let about = plan.written_bytes;
                    assert!(is_within, "{} on {size}: {about} of {least} to {most}", suite.name);
                }
            }
        }
    }
}

/// What no device of the estimate could take is not expected of it either.
#[test]
fn no_plan_is_expected_to_write_more_than_passes_in_its_time() {
    for suite in Suites::builtin().iter() {
        let settings = Settings { scope: Scope::Quick, write: true, repeats: 1, ..Settings::default() };
        let plan = planned(&suite.name, &[], 1 << 30, &settings).expect("a plan");
        let rate = plan.written_bytes as f64 / plan.duration.as_s();
        assert!(rate <= 1.01 * flashscope_bench::ASSUMED_RATE as f64, "{}: {rate} B/s", suite.name);
    }
}

#[test]
fn a_time_beyond_a_day_or_counts_beyond_a_lifetime_are_refused_with_what_is_allowed() {
    let settings = Settings { write: true, repeats: 1, ..Settings::default() };
    for (suite, key) in [("snia-pts", "round"), ("ajwani", "phase"), ("modern", "rest"), ("modern", "idles")]
    {
        let error = planned(suite, &[(key, "100000h")], 1 << 30, &settings).expect_err("too long");
        assert!(error.contains(&format!("setting {key}=100000h")) && error.contains("to 24h"), "{error}");
    }
    let error = planned("snia-pts", &[("jobs", "0")], 1 << 30, &settings).expect_err("none");
    assert!(error.contains("setting jobs=0: write a number from 1 to 4096"), "{error}");
    let long = [("runtime", "24h"), ("endurance", "1000")];
    let error = planned("ajwani", &long, 1 << 30, &settings).expect_err("centuries");
    assert!(error.contains("more than 30 years"), "{error}");
}

#[test]
fn a_part_is_found_by_its_name_and_all_of_them_are_done_where_none_is_named() {
    let settings = Settings {
        write: true,
        can_trim: true,
        repeats: 1,
        span: Some(Bytes(1 << 30)),
        ..Settings::default()
    };
    for (suite, setting) in [("modern", "parts"), ("snia-pts", "tests")] {
        let parts = Suites::builtin().find(suite).expect("a suite").parts;
        let steps =
            |value: &str| planned(suite, &[(setting, value)], 1 << 30, &settings).expect("a plan").steps;
        let alone: usize = parts.iter().map(|part| steps(part.name).len()).sum();
        assert_eq!(steps("all").len(), alone, "{suite}");
        let error = planned(suite, &[(setting, "al")], 1 << 30, &settings).expect_err("no part");
        assert!(parts.iter().all(|part| error.contains(part.name)), "{error}");
    }
}

#[test]
fn what_lasts_a_set_time_in_paper_000s_suite_has_ios_enough_for_a_speed() {
    let settings = Settings { scope: Scope::Quick, write: true, repeats: 1, ..Settings::default() };
    let plan = planned("ajwani", &[], 1 << 30, &settings).expect("a plan");
    for step in plan.steps.iter().filter(|step| matches!(step.length, Length::Time(_))) {
        let least = if step.windows.is_some() { 30 * 4 } else { 32 };
        assert_eq!(step.ios_min, least, "{}", step.experiment.id());
    }
}
