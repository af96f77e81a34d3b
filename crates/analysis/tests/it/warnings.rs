//! Every warning has a result that calls for it; a sound result has none.

use crate::table::{EVEN, context, estimate};
use flashscope_analysis::{
    Context, Disturbance, Finished, Interference, Lingering, Remedy, Stop, Warning, Why, indicators, points,
    warnings,
};

fn of(context: &Context, finished: &[Finished]) -> Vec<Warning> {
    let points = points(finished);
    warnings(context, &indicators(&points), &points)
}

/// Exactly one warning, with these words in what was seen; and what to do.
#[track_caller]
fn only(warnings: &[Warning], seen: &[&str]) -> Remedy {
    let [only] = warnings else { panic!("not one: {warnings:#?}") };
    for word in seen {
        assert!(only.seen.contains(word), "'{word}' in {only:#?}");
    }
    only.remedy.clone()
}

/// A sound result, changed in the runs of one experiment.
fn changed(id: &str, change: impl Fn(&mut Finished)) -> Vec<Finished> {
    let mut finished = EVEN.characterised();
    finished.iter_mut().filter(|entry| entry.experiment.id() == id).for_each(change);
    finished
}

#[test]
fn a_sound_result_has_no_warning() {
    assert_eq!(of(&context(), &EVEN.characterised()), []);
}

#[test]
fn an_incomplete_run_says_how_to_finish_it() {
    let context = Context { complete: false, ..context() };
    assert_eq!(only(&of(&context, &EVEN.characterised()), &["Incomplete"]), Remedy::Resume);
}

#[test]
fn blank_for_lack_of_a_run_is_told_from_blank_for_lack_of_an_effect() {
    let mut finished = EVEN.characterised();
    for entry in finished.iter_mut().filter(|entry| entry.experiment.id().starts_with("locality/RW")) {
        entry.run.outcome.estimate = None;
    }
    let found = of(&context(), &finished);
    assert!(found[0].seen.contains("effect: random writes within (no mean of locality/RW)"), "{found:#?}");
    assert_eq!(found[0].remedy, Remedy::Measure(vec!["locality".into()]));
    finished.retain(|entry| !entry.experiment.pattern.writes());
    assert_eq!(
        only(&of(&context(), &finished), &["seq write, rand write", "baseline/SW"]),
        Remedy::AllowWrites
    );
    let stopped = Context { complete: false, ..context() };
    let found = of(&stopped, &finished);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].remedy, Remedy::Resume);
}

#[test]
fn nobody_is_scolded_for_what_was_not_asked_for() {
    let mut finished = EVEN.characterised();
    finished.retain(|entry| entry.experiment.micro == "baseline");
    assert_eq!(of(&context(), &finished), []);
}

#[test]
fn a_fallback_curve_is_enough() {
    let mut finished = EVEN.characterised();
    finished.retain(|entry| {
        !["alignment/RW", "granularity/RW"].iter().any(|id| entry.experiment.id().starts_with(id))
    });
    assert_eq!(of(&context(), &finished), []);
}

#[test]
fn runs_without_a_mean_are_named() {
    let finished = changed("locality/RW/32768", |entry| {
        entry.run.outcome.estimate = None;
        entry.run.outcome.stopped_because = Stop::Budget;
    });
    assert_eq!(
        only(&of(&context(), &finished), &["3 runs", "too early", "locality/RW/32768"]),
        Remedy::Limit(Stop::Budget)
    );
}

#[test]
fn a_curve_without_any_mean_counts_as_not_measured() {
    let mut finished = EVEN.characterised();
    for entry in finished.iter_mut().filter(|entry| entry.experiment.id().starts_with("pause/RW")) {
        entry.run.outcome.estimate = None;
    }
    let found = of(&context(), &finished);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].seen.contains("effect: effective pause ("), "{found:#?}");
    assert!(
        found[1].seen.starts_with("Ignored: 27 runs that ended too early")
            && found[1].seen.contains("and 4 more")
    );
}

#[test]
fn a_regime_that_was_not_reached_is_named_with_its_reason() {
    let missing = Why::StartupNotOver { startup_ios: 300, ios: 400, need_ios: 600 };
    let finished = changed("baseline/RW/32KiB", |entry| {
        entry.run.outcome.stationary = false;
        entry.run.outcome.missing = Some(missing);
        entry.run.outcome.stopped_because = Stop::Budget;
    });
    let seen = ["3 runs", "baseline/RW", "level changed at IO 300", "Their means may include the warm-up"];
    assert_eq!(only(&of(&context(), &finished), &seen), Remedy::Limit(Stop::Budget));
}

#[test]
fn runs_that_count_for_nothing_beside_sound_ones_are_told_from_those_that_count() {
    let never_level = |ids: [&str; 2]| {
        let mut finished = changed(ids[0], |entry| entry.run.outcome.stationary = entry.repeat > 0);
        let all = finished.iter_mut().filter(|entry| entry.experiment.id() == ids[1]);
        all.for_each(|entry| entry.run.outcome.stationary = false);
        finished
    };
    let rr = "baseline/RR/32KiB";
    let found = of(&context(), &never_level([rr, "none"]));
    assert_eq!(only(&found, &["1 run ended", "It is ignored"]), Remedy::Limit(Stop::Precision));
    assert!(!found[0].seen.contains("warm-up"), "{found:#?}");
    let found = of(&context(), &never_level([rr, "baseline/RW/32KiB"]));
    assert_eq!(
        only(&found, &["4 runs ended", "1 of them is ignored", "warm-up"]),
        Remedy::Limit(Stop::Precision)
    );
}

#[test]
fn runs_that_were_not_alone_are_named() {
    let with = |share: fn(u32) -> f64| {
        let finished = changed("baseline/RR/32KiB", |entry| {
            let disk = Some(share(entry.repeat));
            entry.run.disturbance = Some(Disturbance { disk, ..Disturbance::default() });
        });
        of(&context(), &finished)
    };
    let seen = ["during 3 runs: baseline/RR", "others made 40 % of the disk's traffic", "weak evidence"];
    assert!(matches!(only(&with(|_| 0.4), &seen), Remedy::Other(_)));
    only(&with(|repeat| if repeat == 1 { 0.4 } else { 0.0 }), &["during 1 run", "They are ignored"]);
}

#[test]
fn a_precision_that_was_not_reached_is_named() {
    let finished = changed("baseline/RR/32KiB", |entry| {
        entry.run.outcome.missing = Some(Why::Wide { share: 0.12, asked: 0.05 });
        entry.run.outcome.stopped_because = Stop::Ios;
    });
    assert_eq!(
        only(&of(&context(), &finished), &["precision", "baseline/RR", "95 % CI ± 12 %"]),
        Remedy::Limit(Stop::Ios)
    );
}

#[test]
fn repeats_that_do_not_agree_are_named() {
    let finished = changed("baseline/SW/32KiB", |entry| {
        entry.run.outcome.estimate = Some(estimate(1.0 + 0.5 * f64::from(entry.repeat), 0.02));
    });
    let found = of(&context(), &finished);
    assert!(
        only(&found, &["1 experiment", "baseline/SW/32KiB", "1.00 ms", "2.00 ms"])
            .to_string()
            .contains("precondition")
    );
    // Sure but small: 5 % apart at 1 % either way.
    let finished = changed("baseline/SW/32KiB", |entry| {
        entry.run.outcome.estimate = Some(estimate(1.0 + 0.025 * f64::from(entry.repeat), 0.01));
    });
    assert_eq!(of(&context(), &finished), []);
}

#[test]
fn an_unknown_state_is_told() {
    let context = Context { state: "as-is".into(), ..context() };
    assert_eq!(only(&of(&context, &EVEN.characterised()), &["No preconditioning"]), Remedy::EnforceState);
}

#[test]
fn an_effect_that_did_not_end_is_told() {
    let lingering = |ended| {
        let lingering = Some(Lingering { affected_ios: 65536, affected_ns: 2e9, ended });
        let interference = Interference { lingering, pause_ns: 4_000_000_000, after_pause: None };
        Context { interference: Some(interference), ..context() }
    };
    let seen = ["65,536 IOs", "2.00 s"];
    assert!(only(&of(&lingering(false), &EVEN.characterised()), &seen).to_string().contains("4.00 s"));
    assert_eq!(of(&lingering(true), &EVEN.characterised()), []);
}

#[test]
fn a_pause_that_is_not_long_enough_is_told() {
    let after_pause_of = |affected_ios| {
        let seen = |affected_ios| Some(Lingering { affected_ios, affected_ns: 3e8, ended: true });
        let (lingering, after_pause) = (seen(800), seen(affected_ios));
        let interference = Interference { lingering, pause_ns: 1_000_000_000, after_pause };
        Context { interference: Some(interference), ..context() }
    };
    let seen = ["800 IOs (300 ms)", "pause of 1.00 s"];
    assert_eq!(only(&of(&after_pause_of(800), &EVEN.characterised()), &seen), Remedy::LongerPauses);
    assert_eq!(of(&after_pause_of(0), &EVEN.characterised()), []);
}

#[test]
fn a_device_near_the_limit_of_the_tool_is_told() {
    // 1 ms at queue depth 1 is 1,000 IO/s; the even device does no more at any depth.
    let limit = |iops| Context { generator_iops_max: Some(iops), ..context() };
    let fine = Context { generator_iops_max: None, ..context() };
    assert!(
        only(&of(&limit(5_000.0), &EVEN.characterised()), &["limit of 5,000 IO/s"])
            .to_string()
            .contains("faster")
    );
    assert_eq!(of(&fine, &EVEN.characterised()), []);
    assert_eq!(of(&limit(1e6), &EVEN.characterised()), []);
}

#[test]
fn a_part_of_a_target_is_not_the_target() {
    let mut large = context();
    large.target.size_bytes = 1 << 40;
    assert_eq!(only(&of(&large, &EVEN.characterised()), &["4 GiB of 1 TiB"]), Remedy::MoreOfTarget);
}

#[test]
fn an_area_without_a_limit_is_told_from_none() {
    let device =
        crate::table::Device { sw: 0.1, area: Some((1 << 40, 1.0)), streams: Some((4, 1.0)), ..EVEN };
    let found = of(&context(), &device.characterised());
    assert_eq!(only(&found, &["fast within 2 GiB", "locality limit not found"]), Remedy::LargerAreas);
}
