//! What stalls that were not seen could add to a mean: by hand, from the rule of three.

use crate::table::{Device, EVEN, context};
use flashscope_analysis::{Finished, Horizon, Quantiles, points};

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
