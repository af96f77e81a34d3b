//! Rounds of a steady-state test: the same runs again and again until one of them is level.

use flashscope_analysis::{Experiment, Finished, points, steady_window};

/// IOs a second of a curve in each round before `next`, in order.
fn rounds(finished: &[Finished], next: &Experiment, curve: &str) -> Vec<f64> {
    let is_before = |done: &Experiment| {
        done.micro == next.micro && done.curve == curve && done.parameter < next.parameter
    };
    let mut rounds: Vec<(f64, f64)> = points(finished)
        .iter()
        .filter(|point| is_before(point.experiment))
        .filter_map(|point| {
            let run = point.runs.last().filter(|run| run.elapsed_ns > 0)?;
            Some((point.experiment.parameter, run.ios as f64 * 1e9 / run.elapsed_ns as f64))
        })
        .collect();
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    rounds.into_iter().map(|round| round.1).collect()
}

/// Whether the rounds before `next` end in a steady window.
pub(crate) fn is_steady(finished: &[Finished], next: &Experiment, curve: &str) -> bool {
    steady_window(&rounds(finished, next, curve)).is_some_and(|window| window.is_steady())
}
