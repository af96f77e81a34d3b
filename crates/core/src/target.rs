//! What serves requests: a real device, a file, a simulated SSD, a virtual device of known truth, or nothing.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::request::{Completion, Op, Request};
use crate::time::Time;

/// What everyone may know of a target before the first IO.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// As the person named it: `/dev/nvme0n1`, `rig:mtron`, `null:`.
    pub name: String,
    /// Usable size in bytes.
    pub size_bytes: u64,
    /// The smallest unit of an IO in bytes; offsets and lengths are multiples of it.
    pub logical_block_bytes: u32,
    /// Whether time is the target's own invention: then a run costs no waiting.
    pub virtual_time: bool,
    /// What moves the bytes: `sync`, `io_uring`, `null`, `rig`, ...
    pub engine: String,
    /// The most IOs that it holds in flight.
    pub queue_depth_max: u32,
}

/// What went wrong with an IO, in a small word that a program can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The device reported that it could not do it (EIO and its kin).
    Device,
    /// The device is gone.
    Vanished,
    /// No room left on what carries the target.
    Full,
    /// The request is not one that this target can take.
    Invalid,
    /// The engine itself failed, not the device.
    Engine,
}

/// A request that failed. Names the thing, the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{target}: {op} of {length_bytes} bytes at offset {offset_bytes}: {cause}; {remedy}")]
pub struct TargetError {
    /// The small word.
    pub kind: ErrorKind,
    /// The target's name.
    pub target: String,
    /// What was asked.
    pub op: Op,
    /// Where.
    pub offset_bytes: u64,
    /// How much.
    pub length_bytes: u32,
    /// What the system said.
    pub cause: String,
    /// What the person can do.
    pub remedy: String,
}

/// Serves requests in its own time. The drive loop is generic over it, so nothing here costs a virtual call.
///
/// Invariants: completions carry the tag and never come back twice; `completed >= submitted`; `now` never
/// goes back; between `submit` and the matching `reap` the tag is not reused.
pub trait Target {
    /// Name, size, granularity.
    fn info(&self) -> &TargetInfo;

    /// The target's clock.
    fn now(&mut self) -> Time;

    /// A hint: these requests come next, in this order. Nothing for a real device; a simulated one prefetches
    /// the mapping entries they will touch.
    fn prepare(&mut self, requests: &[Request]) {
        let _ = requests;
    }

    /// Takes all of `requests` at the present instant. Their number together with those in flight stays
    /// within `queue_depth_max`.
    ///
    /// # Errors
    /// The first request that the target could not take. Earlier ones of the slice are in flight.
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError>;

    /// Appends completions to `out` and returns once at least `min` of them came or the clock reached
    /// `until`. `min` is at most the number in flight.
    ///
    /// # Errors
    /// The first IO that failed. Completions appended before it are valid.
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError>;

    /// Serves `requests` one after the other, each submitted when the one before is done, and appends their
    /// completions to `out` in this order. Called with nothing in flight. The same as [`Target::submit`] and
    /// [`Target::reap`] for each, which a simulated device can do faster at once.
    ///
    /// # Errors
    /// The first request that failed. The completions of those before it are in `out`.
    fn serve_in_turn(&mut self, requests: &[Request], out: &mut Vec<Completion>) -> Result<(), TargetError> {
        for request in requests {
            self.submit(std::slice::from_ref(request))?;
            self.reap(1, Time::NEVER, out)?;
        }
        Ok(())
    }

    /// Returns when the clock has reached `time`. Called with nothing in flight.
    fn wait_until(&mut self, time: Time);
}

impl<T: Target + ?Sized> Target for &mut T {
    fn info(&self) -> &TargetInfo {
        (**self).info()
    }
    fn now(&mut self) -> Time {
        (**self).now()
    }
    fn prepare(&mut self, requests: &[Request]) {
        (**self).prepare(requests);
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        (**self).submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        (**self).reap(min, until, out)
    }
    fn serve_in_turn(&mut self, requests: &[Request], out: &mut Vec<Completion>) -> Result<(), TargetError> {
        (**self).serve_in_turn(requests, out)
    }
    fn wait_until(&mut self, time: Time) {
        (**self).wait_until(time);
    }
}
