//! The self-scaling block size (paper 000, appendix A): double the block size until throughput grows by less
//! than 2.5 %.

use flashscope_analysis::{Experiment, Finished, Run, points};
use flashscope_core::Bytes;

/// Growth below which doubling stops.
pub const GAIN_MIN: f64 = 0.025;
/// The largest block size of the paper's series.
const BS_MAX: Bytes = Bytes(8 << 20);

/// What a self-scaling experiment found.
#[derive(Debug)]
pub struct Scaled {
    /// The smallest block size after which doubling brings less than 2.5 %.
    pub bs: Bytes,
    /// Every size tried, with its run.
    pub tried: Vec<(Bytes, Run)>,
}

/// Doubles the block size from `first` and runs each; stops by the rule, at `size_max`, or where a run has no
/// mean.
///
/// # Errors
/// What `run` returns.
pub fn self_scaling<E>(
    first: Bytes,
    size_max: Bytes,
    mut run: impl FnMut(Bytes) -> Result<Run, E>,
) -> Result<Scaled, E> {
    let mut tried = vec![(first, run(first)?)];
    loop {
        let (bs, last) = tried.last().expect("one was tried");
        let (bs, speed) = (*bs, throughput(*bs, last));
        let next = Bytes(bs.0 * 2);
        let Some(speed) = speed.filter(|_| next <= BS_MAX && next <= size_max) else {
            return Ok(Scaled { bs, tried });
        };
        let next_run = run(next)?;
        let gain = throughput(next, &next_run).map(|faster| faster / speed - 1.0);
        tried.push((next, next_run));
        if gain.is_none_or(|gain| gain < GAIN_MIN) {
            return Ok(Scaled { bs, tried });
        }
    }
}

/// Bytes a second.
fn throughput(bs: Bytes, run: &Run) -> Option<f64> {
    let mean_ns = run.outcome.estimate?.mean_ns;
    (mean_ns > 0.0).then(|| bs.0 as f64 * 1e9 / mean_ns)
}

/// Whether the last doubling before `next` on its curve was worth it: bytes a second of all repeats together.
pub(crate) fn grows(finished: &[Finished], next: &Experiment) -> bool {
    let is_before = |done: &Experiment| {
        done.micro == next.micro && done.curve == next.curve && done.parameter < next.parameter
    };
    let mut speeds: Vec<(f64, f64)> = points(finished)
        .iter()
        .filter(|point| is_before(point.experiment))
        .filter_map(|point| Some((point.experiment.parameter, speed(&point.runs)?)))
        .collect();
    speeds.sort_by(|a, b| b.0.total_cmp(&a.0));
    match speeds[..] {
        [(_, last), (_, before), ..] => last / before - 1.0 >= GAIN_MIN,
        _ => true,
    }
}

/// Bytes a second of several runs.
fn speed(runs: &[&Run]) -> Option<f64> {
    let bytes: u64 = runs.iter().map(|run| run.read_bytes + run.written_bytes).sum();
    let nanos: u64 = runs.iter().map(|run| run.elapsed_ns).sum();
    (bytes > 0 && nanos > 0).then(|| bytes as f64 * 1e9 / nanos as f64)
}
