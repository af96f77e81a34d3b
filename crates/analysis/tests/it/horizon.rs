//! What stalls that were not seen could add to a mean: by hand, from the rule of three.

use crate::table::{Device, EVEN, context};
use flashscope_analysis::{
    Disturbance, Disturbed, Finished, Horizon, Limit, Quantiles, Support, points, trust,
};

/// Three runs of 512 IOs of 1 ms, one or four in flight.
fn runs(iodepth: u32, max_ns: f64) -> Vec<Finished> {
    let mut finished = Device { half: 0.01, ..EVEN }.characterised();
    finished.retain(|entry| (&*entry.experiment.micro, &*entry.experiment.curve) == ("baseline", "SR"));
    for entry in &mut finished {
        entry.experiment.pattern.iodepth = iodepth;
        let (min_ns, p50_ns, p99_ns) = (1e6, 1e6, 1e6);
        let found = Quantiles { min_ns, p50_ns, p99_ns, max_ns, stddev_ns: 0.0, ios: 512 };
        entry.run.outcome.quantiles = Some(found);
    }
    assert_eq!(finished.len(), 3);
    finished
}

#[track_caller]
fn close(value: Option<f64>, expected: f64) {
    let value = value.expect("an effect");
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} for {expected}");
}

#[test]
fn three_stalls_of_100_ms_or_nearly_four_of_the_longest_seen() {
    let effect = |iodepth, max_ns| Horizon::of(&runs(iodepth, max_ns)[0], &context()).effect;
    close(effect(1, 2e6), 300.0 / 512.0);
    // One holds up all that are in flight.
    close(effect(4, 2e6), 4.0 * 300.0 / 512.0);
    close(effect(1, 200e6), 3.74 * 200.0 / 512.0);
}

#[test]
fn rounds_have_looked_together() {
    let unseen = |max_ns| points(&runs(1, max_ns))[0].unseen_share();
    close(unseen(2e6), 300.0 / (3.0 * 512.0));
    close(unseen(200e6), 3.74 * 200.0 / (3.0 * 512.0));
}

/// Set-up and ticks of the kernel's clock are most of a short run.
#[test]
fn a_processor_is_busy_for_all_of_a_run_at_most_and_of_a_short_one_nobody_knows() {
    let busy = |elapsed_ns: u64, cpu_ns: u64| {
        let mut done = runs(1, 2e6).remove(0);
        (done.run.elapsed_ns, done.run.cpu_ns) = (elapsed_ns, Some(cpu_ns));
        let limits = trust(&done, &context()).limits;
        limits.into_iter().find_map(|limit| match limit {
            Limit::Processor { share } => Some(share),
            _ => None,
        })
    };
    assert_eq!(busy(100_000, 431_000), None);
    assert_eq!(busy(1_000_000_000, 1_004_000_000), Some(1.0));
    assert_eq!(busy(1_000_000_000, 950_000_000), Some(0.95));
    assert_eq!(busy(1_000_000_000, 500_000_000), None);
}

fn by_processors(share: f64) -> Option<Disturbance> {
    Some(Disturbance { processors: Some(share), ..Disturbance::default() })
}

/// A device that gives the same numbers whatever goes on beside it: a round that was not alone does not count
/// beside rounds that were, and what is left is no surer than so many rounds are.
#[test]
fn rounds_that_were_not_alone_count_for_nothing_beside_those_that_were() {
    let with = |rounds: [Option<Disturbance>; 3]| {
        let mut finished = runs(1, 2e6);
        finished.iter_mut().zip(rounds).for_each(|(entry, round)| entry.run.disturbance = round);
        let found = points(&finished);
        assert_eq!(found[0].estimate.unwrap().mean_ns, 1e6);
        (found[0].left_out, found[0].confidence(None))
    };
    let [alone, little, much] = [0.0, 0.05, 0.051].map(by_processors);
    assert_eq!(with([None, alone, little]), (0, Support::Supported));
    assert_eq!(with([alone, alone, much]), (1, Support::Weak), "two rounds are left");
    assert_eq!(with([much; 3]), (0, Support::Weak), "what there is is kept");
    let states: Vec<Support> =
        (0..=20).map(|part| with([by_processors(f64::from(part) / 20.0); 3]).1).collect();
    assert!(states.is_sorted_by(|before, after| before >= after), "{states:?}");
}

#[test]
fn a_single_measurement_that_was_not_alone_is_weak_with_the_share_as_the_reason() {
    let mut done = runs(1, 2e6).remove(0);
    let mut limits = |disturbance| {
        done.run.disturbance = disturbance;
        let trust = trust(&done, &context());
        let is_of_it = |limit: &Limit| matches!(limit, Limit::Disturbed { .. });
        (trust.limits.into_iter().filter(is_of_it).collect::<Vec<_>>(), trust.confidence)
    };
    let shares = Disturbance { processors: Some(0.25), disk: Some(0.04), quota: Some(0.5) };
    let (found, confidence) = limits(Some(shares));
    let by = |by, share| Limit::Disturbed { by, share };
    assert_eq!(found, [by(Disturbed::Processors, 0.25), by(Disturbed::Quota, 0.5)]);
    assert_eq!(confidence, Support::Weak);
    let disk = Disturbance { disk: Some(0.9), ..Disturbance::default() };
    assert_eq!(limits(Some(disk)).0, [by(Disturbed::Disk, 0.9)]);
    for little in [None, by_processors(0.0), by_processors(0.05)] {
        assert_eq!(limits(little).0, [], "{little:?}");
    }
}
