//! Which runs of an experiment make its mean.

use crate::table::{estimate, run, table_1};
use flashscope_analysis::{Experiment, Finished, Stop, points};

fn finished(experiment: &Experiment, repeat: u32, mean_ms: f64, sound: bool) -> Finished {
    let mut run = run(&experiment.pattern, estimate(mean_ms, 0.02));
    run.outcome.stationary = sound;
    Finished { experiment: experiment.clone(), repeat, run }
}

/// Mean in milliseconds, runs left out, and whether the mean is sound.
fn pooled(runs: &[Finished]) -> (f64, usize, bool) {
    let points = points(runs);
    let [point] = &points[..] else { panic!("{} points", points.len()) };
    let mean_ms = point.estimate.expect("a mean").mean_ns / 1e6;
    ((mean_ms * 1e6).round() / 1e6, point.left_out, point.is_sound())
}

#[test]
fn runs_that_never_became_level_do_not_count_beside_runs_that_did() {
    let of = &table_1()[0];
    let (first, second) = (finished(of, 0, 10.0, true), finished(of, 1, 12.0, true));
    let early = finished(of, 2, 1.0, false);
    assert_eq!(pooled(&[first.clone(), second.clone(), early.clone()]), (11.0, 1, true));
    assert_eq!(pooled(&[early.clone(), first]), (10.0, 1, true));
    let other = finished(of, 1, 3.0, false);
    assert_eq!(pooled(&[early, other]), (2.0, 0, false), "what there is is kept, and marked");
}

#[test]
fn runs_that_were_broken_off_do_not_count_beside_whole_ones() {
    let of = &table_1()[0];
    let whole = finished(of, 0, 10.0, true);
    for stop in [Stop::Interrupted, Stop::Failed, Stop::Budget] {
        let mut broken = finished(of, 1, 4.0, true);
        broken.run.outcome.stopped_because = stop;
        assert_eq!(pooled(&[whole.clone(), broken.clone()]), (10.0, 1, true), "{stop:?}");
        assert_eq!(pooled(&[broken]), (4.0, 0, false), "{stop:?}");
    }
    for stop in [Stop::Ios, Stop::Runtime] {
        let mut wide = finished(of, 1, 12.0, true);
        wide.run.outcome.stopped_because = stop;
        assert_eq!(pooled(&[whole.clone(), wide]), (11.0, 0, true), "{stop:?}: wide, but sound");
    }
}
