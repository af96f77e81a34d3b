//! What serves requests: a real device, a file, a simulated SSD, a virtual device of known truth, or nothing.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::request::{Completion, Op, Request};
use crate::time::Time;
use crate::zoned::ZoneLayout;

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
    /// Placement handles that a write may carry: those below this number ([`Request::placement`]). 1 for a
    /// target that cannot tell data apart; it refuses any handle but 0.
    #[serde(default = "no_choice", skip_serializing_if = "is_no_choice")]
    pub placements: u16,
    /// Its zones, each written in order; none for a target that takes writes anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneLayout>,
}

fn no_choice() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_no_choice(placements: &u16) -> bool {
    *placements == no_choice()
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
    /// The target broke a promise of [`Target`]: a defect of its code. None of its times can be trusted.
    Broken(Breach),
}

/// No IO takes so long, in nanoseconds.
const NEVER_NS: u64 = 1 << 62;

/// A promise of [`Target`] that was broken. Times are in nanoseconds of the target's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Breach {
    /// A completion of an IO that is not in flight: never submitted, or completed before.
    #[error("it completed tag {tag}, which is not in flight")]
    NotInFlight {
        /// As in the completion.
        tag: u32,
    },
    /// An IO was taken before the drive loop submitted it.
    #[error("it accepted an IO at {} ns, after its clock had passed {} ns", submitted.0, known.0)]
    TakenEarly {
        /// As in the completion.
        submitted: Time,
        /// The clock when the IO was submitted.
        known: Time,
    },
    /// An IO was done before it was taken.
    #[error("it completed an IO at {} ns that it accepted at {} ns", completed.0, submitted.0)]
    DoneEarly {
        /// As in the completion.
        submitted: Time,
        /// As in the completion.
        completed: Time,
    },
    /// An IO took longer than any can: 2^62 ns are 146 years.
    #[error("it completed an IO at {} ns that it accepted at {} ns: for ever", completed.0, submitted.0)]
    DoneNever {
        /// As in the completion.
        submitted: Time,
        /// As in the completion.
        completed: Time,
    },
    /// [`Target::now`] returned an instant before one that had come.
    #[error("its clock went back from {} ns to {} ns", from.0, to.0)]
    ClockWentBack {
        /// The latest instant known.
        from: Time,
        /// What the clock says.
        to: Time,
    },
    /// [`Target::wait_until`] returned too soon.
    #[error("it waited until {} ns instead of {} ns", reached.0, asked.0)]
    WokeEarly {
        /// What was asked for.
        asked: Time,
        /// What the clock says.
        reached: Time,
    },
    /// [`Target::reap`] or [`Target::serve`] returned without the completion that it had to wait for.
    #[error("it returned no completion, with {in_flight} IOs in flight")]
    NothingDone {
        /// IOs that it holds.
        in_flight: usize,
    },
}

impl Breach {
    /// Whether an IO that was submitted when the clock had passed `known` was taken and done after that, in
    /// this order.
    #[inline]
    pub(crate) fn in_times(known: Time, done: &Completion) -> Result<(), Breach> {
        let Completion { submitted, completed, .. } = *done;
        if submitted < known {
            return Err(Breach::TakenEarly { submitted, known });
        }
        // One comparison for both ends: what is early wraps.
        if completed.0.wrapping_sub(submitted.0) >= NEVER_NS {
            return Err(match completed < submitted {
                true => Breach::DoneEarly { submitted, completed },
                false => Breach::DoneNever { submitted, completed },
            });
        }
        Ok(())
    }

    /// The error that it is: of `target`, about `request`, or about none of length 0.
    #[cold]
    pub(crate) fn of(self, target: &TargetInfo, request: &Request) -> TargetError {
        TargetError {
            kind: ErrorKind::Broken(self),
            tag: None,
            target: target.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: self.to_string(),
            remedy: "this is a defect of the target's code; please report it".into(),
        }
    }
}

/// A request that failed. Names the thing, the place and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{target}: {}{cause}; {remedy}", self.place())]
pub struct TargetError {
    /// The small word.
    pub kind: ErrorKind,
    /// The tag of the one request that failed, where the target still serves others. None where it does not,
    /// or where the request was wrong.
    pub tag: Option<u32>,
    /// The target's name.
    pub target: String,
    /// What was asked.
    pub op: Op,
    /// Where.
    pub offset_bytes: u64,
    /// How much; 0 for a flush, and where the error is of no one request.
    pub length_bytes: u32,
    /// What the system said.
    pub cause: String,
    /// What the person can do.
    pub remedy: String,
}

impl TargetError {
    fn place(&self) -> String {
        let TargetError { op, offset_bytes, length_bytes, .. } = self;
        match (op, length_bytes) {
            (Op::Flush, _) => "flush: ".into(),
            (_, 0) => String::new(),
            _ => format!("{op} of {length_bytes} bytes at offset {offset_bytes}: "),
        }
    }

    /// How many of `requests` the target did not take, at most: those from the one on that the error names.
    #[cold]
    pub(crate) fn refused(&self, requests: &[Request]) -> usize {
        let place = |r: &Request| (r.op, r.offset_bytes, r.length_bytes);
        let named = (self.op, self.offset_bytes, self.length_bytes);
        requests.len() - requests.iter().position(|request| place(request) == named).unwrap_or(0)
    }

    /// Which of `requests` is the one that failed, if the target serves the others.
    #[cold]
    pub(crate) fn place_among(&self, requests: &[Request]) -> Option<usize> {
        requests.iter().position(|request| Some(request.tag) == self.tag)
    }
}

/// Serves requests in its own time. The drive loop is generic over it, so nothing here costs a virtual call.
///
/// Invariants, which [`crate::drive()`] checks in every build ([`Breach`]): a completion carries the tag of
/// an IO in flight, once; `completed >= submitted`, and `submitted` is not before the IO was submitted; `now`
/// never goes back. Between `submit` and the matching completion the tag is not reused.
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

    /// Others that run beside it come first for a moment: it waits for them. Nothing where time is virtual.
    fn give_way(&mut self) {}

    /// Takes all of `requests` at the present instant. Their number together with those in flight stays
    /// within `queue_depth_max`.
    ///
    /// # Errors
    /// The first request that the target could not take. Earlier ones of the slice are in flight, later ones
    /// are not; they may be submitted again if the error is of that request alone ([`TargetError::tag`]).
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError>;

    /// Appends completions to `out` and returns once at least `min` of them came or the clock reached
    /// `until`. `min` is at most the number in flight.
    ///
    /// # Errors
    /// The first IO that failed. Completions appended before it are valid; the failed IO is in flight no
    /// longer.
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError>;

    /// Serves one request from submission to completion: all that queue depth 1 needs, and what a simulated
    /// device does fastest. Called with nothing in flight. The same as [`Target::submit`] and
    /// [`Target::reap`], which [`submit_and_reap`] is for targets that have no shorter way.
    ///
    /// # Errors
    /// The request failed; nothing is in flight.
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError>;

    /// Returns when the clock has reached `time`. Called with nothing in flight.
    fn wait_until(&mut self, time: Time);
}

/// [`Target::serve`] by way of [`Target::submit`] and [`Target::reap`]. `scratch` is room for completions.
///
/// # Errors
/// The request failed, or the target did not answer it with one completion.
pub fn submit_and_reap<T: Target + ?Sized>(
    target: &mut T,
    request: &Request,
    scratch: &mut Vec<Completion>,
) -> Result<Completion, TargetError> {
    scratch.clear();
    target.submit(std::slice::from_ref(request))?;
    target.reap(1, Time::NEVER, scratch)?;
    match scratch[..] {
        [done] => Ok(done),
        [] => Err(Breach::NothingDone { in_flight: 1 }.of(target.info(), request)),
        [_, next, ..] => Err(Breach::NotInFlight { tag: next.tag }.of(target.info(), request)),
    }
}

/// The target's clock, which may not be behind an instant that has come.
///
/// # Errors
/// It is: [`Breach::ClockWentBack`].
#[inline]
pub fn now_after<T: Target + ?Sized>(target: &mut T, known: Time) -> Result<Time, TargetError> {
    let to = target.now();
    if to < known {
        return Err(Breach::ClockWentBack { from: known, to }.of(target.info(), &Request::default()));
    }
    Ok(to)
}

/// Lets time pass with nothing in flight, from `known` to `until` at least; returns what the clock says then.
///
/// # Errors
/// The clock went back, or is not there yet: [`Breach::WokeEarly`].
pub fn wait<T: Target + ?Sized>(target: &mut T, known: Time, until: Time) -> Result<Time, TargetError> {
    target.wait_until(until);
    let reached = now_after(target, known)?;
    if reached < until {
        return Err(Breach::WokeEarly { asked: until, reached }.of(target.info(), &Request::default()));
    }
    Ok(reached)
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
    fn give_way(&mut self) {
        (**self).give_way();
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        (**self).submit(requests)
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        (**self).reap(min, until, out)
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        (**self).serve(request)
    }
    fn wait_until(&mut self, time: Time) {
        (**self).wait_until(time);
    }
}
