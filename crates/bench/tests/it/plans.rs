//! What plans promise before anything is done: figures that do not contradict one another, and ends to what
//! may be asked for.

use std::sync::atomic::AtomicBool;

use flashscope_bench::{
    Alone, Campaign, Effort, Lab, Length, Plan, Prior, Scope, Settings, Suites, Unkept, run,
};
use flashscope_core::{Bytes, Nanos, Target, TargetInfo};

fn target(size_bytes: u64) -> TargetInfo {
    TargetInfo {
        name: "test".into(),
        size_bytes,
        logical_block_bytes: 512,
        virtual_time: false,
        engine: "test".into(),
        queue_depth_max: 1024,
        placements: 1,
        zones: None,
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

/// What varies on a machine varies over minutes: no experiment has one place in time alone.
#[test]
fn every_round_has_all_experiments_in_an_order_of_its_own() {
    let settings = Settings { write: true, repeats: 5, ..Settings::default() };
    let plan = Plan::new(&target(4 << 30), &settings).unwrap();
    let round = |repeat: u32| -> Vec<String> {
        let of_round = plan.steps.iter().filter(|step| step.repeat == repeat);
        of_round.map(|step| step.experiment.id()).collect()
    };
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    for repeat in 1..5 {
        assert_eq!(sorted(round(repeat)), sorted(round(0)), "round {repeat}");
        assert_ne!(round(repeat), round(0), "round {repeat}");
        assert_eq!(round(repeat)[..4], round(0)[..4], "the baselines come first, in their order");
    }
    let again = Plan::new(&target(4 << 30), &settings).unwrap();
    assert_eq!(plan.steps, again.steps, "the same settings give the same plan");
}

/// Rounds are added where the mean is not precise enough, and only there.
#[test]
fn rounds_are_added_only_where_the_precision_is_not_reached() {
    let rounds = |spread: &str, ios_max: u64| {
        let text = format!(
            "size = \"64MiB\"\n[latency]\nsequential_read = [[\"0\", \"100us\"]]\n\
             sequential_write = [[\"0\", \"200us\"]]\n[noise]\nspread = \"{spread}\"\ncorrelation = 0.95\n"
        );
        let spec = flashscope_sim::RigSpec::parse("noisy", &text).unwrap();
        let mut lab = Alone(flashscope_sim::Rig::new(spec, 7));
        let effort = Effort { precision: 0.02, confidence: 0.95, explore_factor: 1, ios_max };
        let settings = Settings {
            effort,
            scope: Scope::Quick,
            only: Some(vec!["alignment".into()]),
            write: true,
            seed: 7,
            ..Settings::default()
        };
        let plan = Plan::new(lab.target(1).unwrap().info(), &settings).unwrap();
        let never = AtomicBool::new(false);
        let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &never };
        let outcome = run(&campaign, &mut lab, &mut Unkept, Prior::default());
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        outcome.finished.iter().map(|done| done.repeat + 1).max().unwrap()
    };
    assert_eq!(rounds("0.1%", 16_384), 5, "a quiet device needs no more");
    assert!(rounds("25%", 512) > 5, "a noisy one, whose runs may not be long, does");
}
