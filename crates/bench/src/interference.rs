//! The pause between runs, measured (paper 001, section 4.3): sequential reads, random writes,
//! sequential reads again. The reads of the second batch that are slower than those of the first show how
//! long the device goes on working on the writes.

use flashscope_analysis::{Interference, lingering};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Control, Io, Limits, Nanos, Pattern, PatternSource, Rw, Stream, Target, drive};

use crate::error::BenchError;
use crate::micro::{Frame, Scope};

/// Reads before the writes.
const BEFORE_IOS: u64 = 512;
/// Reads after them; four times as many until the effect has ended within them.
const AFTER_IOS: u64 = 1024;
/// Reads after them at most.
const AFTER_IOS_MAX: u64 = 1 << 16;
/// Random writes between the reads, beyond a start-up.
pub(crate) const WRITES: u64 = 256;
/// Times that it is done, at most: the reads grow from [`AFTER_IOS`] to [`AFTER_IOS_MAX`].
pub(crate) const ROUNDS_MAX: u64 = (AFTER_IOS_MAX / AFTER_IOS).ilog(4) as u64 + 1;
/// uFLIP's pause for devices without an effect: one second, "to be conservative".
const PAUSE: Nanos = Nanos::from_s(1);
/// The same in a quick run.
const PAUSE_QUICK: Nanos = Nanos::from_ms(20);

/// Learns the pause to keep between runs: twice the time that the writes lingered ("we propose to
/// significantly overestimate"), and never less than a minimum. `writes` random writes are enough to fill
/// what the device defers. None if `limits` ended it before it knew.
pub(crate) fn interference<T: Target>(
    target: &mut T,
    frame: &Frame,
    offset: Bytes,
    writes: Option<u64>,
    seed: u64,
    limits: Limits<'_>,
) -> Result<Option<Interference>, BenchError> {
    let least = if frame.scope == Scope::Quick { PAUSE_QUICK } else { PAUSE };
    let Some(writes) = writes else {
        return Ok(Some(Interference { lingering: None, pause_ns: Nanos::ZERO.0 }));
    };
    let mut after_ios = AFTER_IOS;
    for round in 0.. {
        let seed = derive(seed, round);
        let mut batch = |rw, ios| responses(target, frame, offset, rw, ios, seed, limits);
        let (before, _, after) =
            (batch(Rw::Read, BEFORE_IOS)?, batch(Rw::RandWrite, writes)?, batch(Rw::Read, after_ios)?);
        if after.len() < after_ios as usize {
            return Ok(None);
        }
        let found = lingering(&before, &after);
        if found.ended || after_ios >= AFTER_IOS_MAX {
            let pause_ns = (2.0 * found.affected_ns) as u64;
            return Ok(Some(Interference { lingering: Some(found), pause_ns: pause_ns.max(least.0) }));
        }
        // The reads before must not stand under the effect of the writes of this round.
        let now = target.now();
        target.wait_until(now + Nanos((4.0 * found.affected_ns) as u64));
        after_ios *= 4;
    }
    unreachable!("the last round ends at AFTER_IOS_MAX")
}

/// Response times of a batch, in nanoseconds.
fn responses<T: Target>(
    target: &mut T,
    frame: &Frame,
    offset: Bytes,
    rw: Rw,
    ios: u64,
    seed: u64,
    limits: Limits<'_>,
) -> Result<Vec<f64>, BenchError> {
    let size = if rw.is_random() { frame.span } else { frame.room };
    let size = Bytes(size.0 / frame.bs.0 * frame.bs.0);
    let pattern = Pattern { bs: frame.bs, number_ios: Some(ios), ..Pattern::baseline(rw, offset, size) };
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, seed), pacing: pattern.pacing() }];
    let mut all = Vec::with_capacity(ios as usize);
    let mut keep = |io: &Io| {
        all.push(io.response.0 as f64);
        Control::Continue
    };
    drive(target, &mut streams, limits, &mut keep)?;
    Ok(all)
}
