//! The pause between runs, measured (paper 001, section 4.3): sequential reads, random writes,
//! sequential reads again. The reads of the second batch that are slower than those of the first show how
//! long the device goes on working on the writes. Whether a pause of twice that is enough is seen by doing
//! it all again with the pause in between.

use std::sync::atomic::Ordering;

use flashscope_analysis::{Interference, Lingering, lingering};
use flashscope_core::seed::derive;
use flashscope_core::{
    Bytes, Driven, Io, Limits, Nanos, Pattern, PatternSource, Rw, Stream, Target, TargetError, Time, drive,
    wait,
};

use crate::error::BenchError;
use crate::micro::{Frame, Scope};
use crate::on_error::Tally;

/// Reads before the writes.
const BEFORE_IOS: u64 = 512;
/// Reads after them; four times as many until the effect has ended within them.
const AFTER_IOS: u64 = 1024;
/// Reads after them at most.
const AFTER_IOS_MAX: u64 = 1 << 16;
/// Random writes between the reads, beyond a start-up.
pub(crate) const WRITES: u64 = 256;
/// Times that it is done at least: once at once and once with the pause.
pub(crate) const ROUNDS_MIN: u64 = 2;
/// uFLIP's pause for devices without an effect: one second, "to be conservative".
const PAUSE: Nanos = Nanos::from_s(1);
/// The same in a quick run.
const PAUSE_QUICK: Nanos = Nanos::from_ms(20);
/// No pause is doubled beyond this: twelve times the longest of uFLIP's.
const PAUSE_MAX: Nanos = Nanos::from_s(60);
/// The longest wait without a look at the interruption flag.
const WAIT_MAX: Nanos = Nanos::from_ms(100);

/// The pause that is kept at least.
fn pause_min(scope: Scope) -> Nanos {
    if scope == Scope::Quick { PAUSE_QUICK } else { PAUSE }
}

/// The pause beyond which none is tried: where time counts, what a run may take only to be more precise.
pub(crate) fn pause_max(patience: Option<Nanos>) -> Nanos {
    patience.map_or(PAUSE_MAX, |patience| patience.min(PAUSE_MAX))
}

/// Times that the writes are done, at most: the reads grow from [`AFTER_IOS`] to [`AFTER_IOS_MAX`], then the
/// pause doubles from the least to the most.
pub(crate) fn rounds_max(scope: Scope, patience: Option<Nanos>) -> u64 {
    let growing = (AFTER_IOS_MAX / AFTER_IOS).ilog(4) + 1;
    let doublings = (pause_max(patience).0 / pause_min(scope).0).max(1).ilog2();
    u64::from(growing + doublings + 1)
}

/// What the experiment is done with.
pub(crate) struct Probe<'a, T> {
    /// What is asked.
    pub target: &'a mut T,
    /// Where.
    pub frame: &'a Frame,
    /// Random writes that are enough to fill what the device defers; none if writing is not allowed.
    pub writes: Option<u64>,
    /// The pause beyond which none is tried.
    pub pause_max: Nanos,
    /// Seed of the addresses.
    pub seed: u64,
    /// When to give up.
    pub limits: Limits<'a>,
    /// IOs that were done and that failed.
    pub tally: &'a mut Tally,
}

impl<T: Target> Probe<'_, T> {
    /// Learns the pause to keep between runs: twice the time that the writes lingered ("we propose to
    /// significantly overestimate"), and never less than a minimum. A device may need longer while it is idle
    /// than while it is read, so as long as reads after the pause are still slow, it is doubled. None if the
    /// limits ended it before it knew.
    pub(crate) fn pause(mut self) -> Result<Option<Interference>, BenchError> {
        let Some(writes) = self.writes else {
            return Ok(Some(Interference { lingering: None, pause_ns: 0, after_pause: None }));
        };
        let end = self.limits.runtime.map_or(Time::NEVER, |runtime| self.target.now() + runtime);
        let mut round = Round { probe: &mut self, writes, after_ios: AFTER_IOS, end, number: 0 };
        let Some(found) = round.at_once()? else { return Ok(None) };
        let least = pause_min(round.probe.frame.scope);
        let mut pause = Nanos((2.0 * found.affected_ns) as u64).max(least);
        let lingering = Some(found);
        if !round.is_affordable() {
            return Ok(Some(Interference { lingering, pause_ns: pause.0, after_pause: None }));
        }
        loop {
            let Some(left) = round.done(pause)? else { return Ok(None) };
            let doubled = pause + pause;
            let is_last = doubled > round.probe.pause_max || !round.is_affordable();
            if left.affected_ios == 0 || is_last {
                return Ok(Some(Interference { lingering, pause_ns: pause.0, after_pause: Some(left) }));
            }
            pause = doubled;
        }
    }
}

/// Reads, writes and reads, again and again.
struct Round<'a, 'b, T> {
    probe: &'a mut Probe<'b, T>,
    writes: u64,
    after_ios: u64,
    end: Time,
    number: u64,
}

impl<T: Target> Round<'_, '_, T> {
    /// Whether the bytes that may be written are enough for the writes of another round.
    fn is_affordable(&self) -> bool {
        let bytes = self.writes.saturating_mul(self.probe.frame.bs.0);
        self.probe.limits.writes.is_none_or(|writes| writes.available_bytes() >= bytes)
    }

    /// How long the writes linger if reads follow at once; the reads grow until they see the end of it.
    fn at_once(&mut self) -> Result<Option<Lingering>, BenchError> {
        loop {
            let Some(found) = self.done(Nanos::ZERO)? else { return Ok(None) };
            if found.ended || self.after_ios >= AFTER_IOS_MAX || !self.is_affordable() {
                return Ok(Some(found));
            }
            // The reads before must not stand under the effect of the writes of this round.
            self.rest(Nanos((4.0 * found.affected_ns) as u64))?;
            self.after_ios *= 4;
        }
    }

    /// One round. The reads before come after the same rest as those after, so that what idleness alone does
    /// is no effect of the writes. There are as many after as the effect lasts: the next round begins clean.
    fn done(&mut self, pause: Nanos) -> Result<Option<Lingering>, BenchError> {
        self.number += 1;
        self.rest(pause)?;
        let Some(before) = self.responses(Rw::Read, BEFORE_IOS)? else { return Ok(None) };
        if self.responses(Rw::RandWrite, self.writes)?.is_none() {
            return Ok(None);
        }
        self.rest(pause)?;
        let after = self.responses(Rw::Read, self.after_ios)?;
        Ok(after.map(|after| lingering(&before, &after)))
    }

    fn rest(&mut self, pause: Nanos) -> Result<(), TargetError> {
        let now = self.probe.target.now();
        idle(self.probe.target, (self.end.since(now)).min(pause), self.probe.limits)
    }

    /// Response times of a batch, in nanoseconds; none if a limit ended it.
    fn responses(&mut self, rw: Rw, ios: u64) -> Result<Option<Vec<f64>>, BenchError> {
        let Probe { target, frame, seed, limits, tally, .. } = &mut *self.probe;
        let size = if rw.is_random() { frame.span } else { frame.room };
        let size = Bytes(size.0 / frame.bs.0 * frame.bs.0);
        let pattern =
            Pattern { bs: frame.bs, number_ios: Some(ios), ..Pattern::baseline(rw, Bytes(0), size) };
        let source = PatternSource::new(&pattern, 0, derive(*seed, self.number));
        let mut streams = [Stream { source, pacing: pattern.pacing() }];
        let mut all = Vec::with_capacity(ios as usize);
        let keep = |io: &Io| all.push(io.response.0 as f64);
        let left = limits.runtime.map(|_| self.end.since(target.now()));
        let limits = Limits { runtime: left, ..*limits };
        let driven = drive(&mut **target, &mut streams, limits, &mut tally.with(keep))?;
        Ok((driven == Driven::Exhausted).then_some(all))
    }
}

/// Leaves the target alone, in slices, so that Ctrl-C is heard.
///
/// # Errors
/// The target's clock did not come to where it was to wait: it never would.
pub(crate) fn idle<T: Target>(target: &mut T, span: Nanos, limits: Limits<'_>) -> Result<(), TargetError> {
    let mut now = target.now();
    let end = now + span;
    let slice = if target.info().virtual_time { span } else { WAIT_MAX };
    while now < end && !limits.interrupted.load(Ordering::Relaxed) {
        now = wait(target, now, end.min(now + slice))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use flashscope_core::{Breach, Completion, ErrorKind, Request, TargetInfo};

    use super::*;

    /// A clock that stands still.
    struct Stopped(TargetInfo);

    impl Target for Stopped {
        fn info(&self) -> &TargetInfo {
            &self.0
        }
        fn now(&mut self) -> Time {
            Time(7)
        }
        fn submit(&mut self, _: &[Request]) -> Result<(), TargetError> {
            unreachable!("it is left alone")
        }
        fn reap(&mut self, _: usize, _: Time, _: &mut Vec<Completion>) -> Result<(), TargetError> {
            unreachable!("it is left alone")
        }
        fn serve(&mut self, _: &Request) -> Result<Completion, TargetError> {
            unreachable!("it is left alone")
        }
        fn wait_until(&mut self, _: Time) {}
    }

    #[test]
    fn a_target_that_never_wakes_is_named() {
        for virtual_time in [false, true] {
            let mut target = Stopped(TargetInfo {
                name: "stopped".into(),
                size_bytes: 1 << 20,
                logical_block_bytes: 512,
                virtual_time,
                engine: "test".into(),
                queue_depth_max: 1,
                placements: 1,
                zones: None,
            });
            let error = idle(&mut target, Nanos::from_s(1), Limits::default()).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Broken(Breach::WokeEarly { .. })), "{error}");
        }
    }
}
