//! The drive loop: the one place where patterns, pacing, targets and observers meet, for real and simulated
//! time alike.
//!
//! It asks sources for requests in batches, shows each batch to the target ahead of time, submits when pacing
//! allows, reaps, and calls the observer. It knows no clock but the target's and allocates nothing while it
//! runs.
//!
//! A target that breaks a promise of [`Target`] ends the drive with an error
//! ([`crate::ErrorKind::Broken`]): no response time is made of times that cannot be.

mod flight;
mod flow;
mod lane;
mod write_budget;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::request::Op;
use crate::source::{RequestSource, Stream};
use crate::target::{ErrorKind, Target, TargetError, now_after};
use crate::time::{Nanos, Time};
use flight::Flight;
use lane::Lane;

pub use flow::{Flow, FlowShare};
pub use write_budget::WriteBudget;

/// Requests generated, and shown to the target, ahead of the one that is submitted.
pub const LOOK_AHEAD: usize = 64;

/// The longest wait without a look at the interruption flag.
const WAIT_MAX: Nanos = Nanos::from_ms(100);

/// One finished IO, as the observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Its number in its stream, from 0.
    pub index: u64,
    /// First byte on the target.
    pub offset_bytes: u64,
    /// When the target took it, or when it was due in an open loop, from the start of the drive.
    pub submitted: Time,
    /// From there to its completion.
    pub response: Nanos,
    /// How long after it was due the target took it; zero where nothing is due.
    pub late: Nanos,
    /// Length.
    pub length_bytes: u32,
    /// The stream it belongs to.
    pub stream: u16,
    /// What was done.
    pub op: Op,
}

/// What the observer wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Submit nothing more; the IOs in flight still finish and are observed.
    Stop,
}

/// Watches every IO: records it, judges whether enough is measured.
pub trait Observer {
    /// One IO is done. Called in order of completion, on the IO path: it must be quick.
    fn observe(&mut self, io: &Io) -> Control;

    /// One IO failed, and the target still serves others ([`TargetError::tag`]). The response of `io` is the
    /// time until its error was heard: no response time of the device.
    ///
    /// # Errors
    /// The error, if it is to end the drive: so does an observer that says nothing about it.
    fn fail(&mut self, io: &Io, error: TargetError) -> Result<Control, TargetError> {
        let _ = io;
        Err(error)
    }
}

impl<F: FnMut(&Io) -> Control> Observer for F {
    fn observe(&mut self, io: &Io) -> Control {
        self(io)
    }
}

/// What ends a drive besides its sources and its observer.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Submit nothing later than this after the start.
    pub runtime: Option<Nanos>,
    /// Submit no write for which there are no bytes left.
    pub writes: Option<&'a WriteBudget>,
    /// The share of each stream in what several drives do together; none where each goes as it can. A
    /// stream that is over leaves it.
    pub flow: &'a [FlowShare<'a>],
    /// Set from outside (Ctrl-C) to stop: the IOs in flight still finish.
    pub interrupted: &'a AtomicBool,
    /// Set by another drive beside this one to stop it in the same way.
    pub ended: &'a AtomicBool,
    /// The start, an instant of the target's clock that has come: several drives have it in common. None is
    /// the present one.
    pub start: Option<Time>,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { runtime: None, writes: None, flow: &[], interrupted: &NEVER, ended: &NEVER, start: None }
    }
}

impl Limits<'_> {
    /// What was said from outside.
    #[inline]
    fn heard(&self) -> Option<Driven> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Driven::Interrupted);
        }
        self.ended.load(Ordering::Relaxed).then_some(Driven::Ended)
    }
}

/// Why a drive ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// All sources ran dry.
    Exhausted,
    /// The observer had enough.
    Stopped,
    /// The runtime was over.
    OutOfTime,
    /// The next write was one too many for the bytes that may be written.
    OutOfBytes,
    /// Interrupted from outside.
    Interrupted,
    /// Another drive ended it.
    Ended,
}

/// Drives `streams` against `target` until something ends it, and passes every IO to `observer`.
///
/// # Errors
/// The first IO whose failure the observer did not accept ([`Observer::fail`]). All IOs that were done before
/// it, and those in flight beside it, have been observed. Or a promise that the target broke; what was
/// observed before it is all that is known.
///
/// # Panics
/// If a stream has a depth of 0, or there are more than 65,536 streams.
pub fn drive<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    streams: &mut [Stream<S>],
    limits: Limits<'_>,
    observer: &mut O,
) -> Result<Driven, TargetError> {
    assert!(streams.len() <= 1 << 16, "{} streams: at most 65,536 have a number", streams.len());
    let start = limits.start.unwrap_or_else(|| target.now());
    let deadline = limits.runtime.map_or(Time::NEVER, |runtime| start + runtime);
    let mut lanes: Vec<Lane<'_, S>> =
        (0..).zip(streams).map(|(number, stream)| Lane::new(number, stream, start, &limits)).collect();
    let driven = until_done(target, &mut lanes, start, deadline, &limits, observer);
    lanes.iter().for_each(Lane::close);
    driven
}

fn until_done<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    lanes: &mut [Lane<'_, S>],
    start: Time,
    deadline: Time,
    limits: &Limits<'_>,
    observer: &mut O,
) -> Result<Driven, TargetError> {
    if let [lane] = &mut *lanes
        && lane.is_one_by_one()
    {
        let mut clock = start;
        let driven = lane.one_by_one(target, &mut clock, deadline, limits, observer)?;
        now_after(target, clock)?;
        return Ok(driven);
    }
    let depth = lanes.iter().map(|lane| lane.pacing.iodepth() as usize).sum();
    let mut flight = Flight::new(depth, start);
    let driven = until_the_end(target, lanes, &mut flight, deadline, limits, observer);
    if driven.as_ref().is_err_and(|error| !matches!(error.kind, ErrorKind::Broken(_))) {
        drain(target, lanes, &mut flight, observer);
    }
    driven
}

fn until_the_end<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    lanes: &mut [Lane<'_, S>],
    flight: &mut Flight,
    deadline: Time,
    limits: &Limits<'_>,
    observer: &mut O,
) -> Result<Driven, TargetError> {
    let mut end = None;
    loop {
        end = end.or_else(|| limits.heard());
        if end.is_none() && flight.clock >= deadline {
            end = Some(Driven::OutOfTime);
        }
        let wake = match end {
            None => submit_all(target, lanes, flight)?,
            Some(_) => Time::NEVER,
        };
        if let Some(error) = flight.failed.take() {
            if flight.fail(target, lanes, observer, error)? == Control::Stop {
                end = end.or(Some(Driven::Stopped));
            }
            continue;
        }
        if flight.is_out_of_bytes {
            end = end.or(Some(Driven::OutOfBytes));
        }
        if flight.is_empty() {
            if end.is_some() || wake == Time::NEVER {
                flight.read_clock(target)?;
                return Ok(end.unwrap_or(Driven::Exhausted));
            }
            // In slices, so that an interruption is heard.
            flight.wait(target, wake.min(deadline).min(flight.clock + WAIT_MAX))?;
            continue;
        }
        let reaped = target.reap(1, wake, &mut flight.done);
        let is_empty = flight.done.is_empty();
        if flight.settle(target, lanes, observer)? == Control::Stop {
            end = end.or(Some(Driven::Stopped));
        }
        match reaped {
            Ok(()) if is_empty => flight.came_back_empty(target, wake)?,
            Ok(()) => {}
            Err(error) => {
                if flight.fail(target, lanes, observer, error)? == Control::Stop {
                    end = end.or(Some(Driven::Stopped));
                }
            }
        }
    }
}

/// Reaps and observes what is still in flight after an error. Each further error is one IO less to wait for,
/// and of those of single IOs the observer hears too.
#[cold]
fn drain<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    lanes: &mut [Lane<'_, S>],
    flight: &mut Flight,
    observer: &mut O,
) {
    while flight.taken() > flight.lost {
        let before = flight.taken();
        let reaped = target.reap(1, Time::NEVER, &mut flight.done);
        if flight.settle(target, lanes, observer).is_err() {
            return;
        }
        match reaped {
            Err(error) => drop(flight.fail(target, lanes, observer, error)),
            // It holds nothing any more.
            Ok(()) if flight.taken() == before => return,
            Ok(()) => {}
        }
    }
}

/// Submits whatever may go now; returns when more may go without waiting for a completion.
#[inline]
fn submit_all<T: Target, S: RequestSource>(
    target: &mut T,
    lanes: &mut [Lane<'_, S>],
    flight: &mut Flight,
) -> Result<Time, TargetError> {
    let mut wake = Time::NEVER;
    for lane in lanes {
        wake = wake.min(lane.submit_ready(target, flight)?);
        if flight.failed.is_some() {
            break;
        }
    }
    Ok(wake)
}
