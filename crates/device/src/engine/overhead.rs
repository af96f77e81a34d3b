//! flashscope's own cost per IO, so that every report can say how far the tool was from its limit.

use std::hint::black_box;

use flashscope_core::{
    Bytes, Control, Io, Limits, Pattern, PatternSource, Record, Rw, Stream, Target, drive,
};
use serde::Serialize;

use super::NullTarget;

/// What flashscope costs when the device costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// Time per IO: generating, pacing, two clock readings, recording.
    pub ns_per_io: f64,
    /// IOs per second that one thread could do at most.
    pub iops_max: f64,
}

const ROUNDS: usize = 5;
const IOS_PER_ROUND: u64 = 20_000;

/// Drives random reads of 4 KiB against no device with recording on: the best of five rounds, for others on
/// the machine can only make it slower. Takes some 10 milliseconds.
pub fn overhead() -> Overhead {
    let mut records = vec![Record::default(); IOS_PER_ROUND as usize];
    let ns_per_io = (0..ROUNDS as u64).map(|seed| round_ns(seed, &mut records)).fold(f64::INFINITY, f64::min);
    Overhead { ns_per_io, iops_max: 1e9 / ns_per_io }
}

fn round_ns(seed: u64, records: &mut [Record]) -> f64 {
    let size = Bytes(1 << 40);
    let mut pattern = Pattern::baseline(Rw::RandRead, Bytes(0), size);
    pattern.bs = Bytes(4096);
    pattern.number_ios = Some(IOS_PER_ROUND);
    let mut target = NullTarget::new(size.0, 1);
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, seed), pacing: pattern.pacing() }];
    let start = target.now();
    let mut observer = |io: &Io| {
        records[io.index as usize] = Record::new(io.submitted, io.response, io.stream, io.index);
        Control::Continue
    };
    let driven = drive(&mut target, &mut streams, Limits::default(), &mut observer);
    let spent = target.now().since(start);
    debug_assert!(driven.is_ok(), "no device, no failure");
    black_box(&records);
    spent.0 as f64 / IOS_PER_ROUND as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_has_a_limit_and_states_it() {
        let overhead = overhead();
        assert!(overhead.ns_per_io > 1.0, "{overhead:?}");
        assert!((overhead.iops_max * overhead.ns_per_io - 1e9).abs() < 1.0);
    }
}
