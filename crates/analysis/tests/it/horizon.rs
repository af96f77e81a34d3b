//! What stalls that were not seen could add to a mean: by hand, from the rule of three.

use crate::table::{Device, EVEN, context};
use flashscope_analysis::{Finished, Horizon, Limit, Quantiles, Support, points, trust};

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

/// A device that gives the same numbers beside others' work: what is concluded of it rests on their share of
/// the processors over all rounds, and never grows stronger with it.
#[test]
fn others_that_use_the_processors_make_conclusions_weak_and_leave_numbers_alone() {
    let with = |rounds: [(u64, Option<f64>); 3]| {
        let mut finished = runs(1, 2e6);
        for (entry, (ms, share)) in finished.iter_mut().zip(rounds) {
            (entry.run.elapsed_ns, entry.run.others_share) = (ms * 1_000_000, share);
        }
        let found = points(&finished);
        assert_eq!(found[0].estimate.unwrap().mean_ns, 1e6);
        assert!(found[0].is_sound());
        (found[0].others_excess(), found[0].confidence(None))
    };
    let each = |share| with([(100, Some(share)); 3]);
    assert_eq!(with([(100, None); 3]), (None, Support::Supported));
    assert_eq!(each(0.0), (None, Support::Supported));
    assert_eq!(each(0.5), (Some(0.5), Support::Weak));
    // 30 of 600 ms are a twentieth, and no more; 90 are.
    assert_eq!(with([(400, Some(0.0)), (100, Some(0.3)), (100, Some(0.0))]), (None, Support::Supported));
    let (share, state) = with([(400, Some(0.15)), (100, Some(0.3)), (100, Some(0.0))]);
    assert!((share.unwrap() - 0.15).abs() < 1e-12 && state == Support::Weak, "{share:?} {state}");
    // What nobody looked at says nothing of the others.
    assert_eq!(with([(100, Some(0.5)), (900, None), (900, None)]), (Some(0.5), Support::Weak));
    let states: Vec<Support> = (0..=20).map(|part| each(f64::from(part) / 20.0).1).collect();
    assert!(states.is_sorted_by(|before, after| before >= after), "{states:?}");
}

#[test]
fn a_single_measurement_beside_others_is_weak_with_their_share_as_the_reason() {
    let mut done = runs(1, 2e6).remove(0);
    let limit = |done: &Finished| {
        let trust = trust(done, &context());
        let of_others = trust.limits.into_iter().find(|limit| matches!(limit, Limit::OtherPrograms { .. }));
        (of_others, trust.confidence)
    };
    done.run.others_share = Some(0.25);
    assert_eq!(limit(&done), (Some(Limit::OtherPrograms { share: 0.25 }), Support::Weak));
    for little in [None, Some(0.0), Some(0.05)] {
        done.run.others_share = little;
        assert_eq!(limit(&done).0, None, "{little:?}");
    }
}
