//! The drive loop: the one place where patterns, pacing, targets and observers meet, for real and simulated
//! time alike.
//!
//! It asks sources for requests in batches, shows each batch to the target ahead of time, submits when pacing
//! allows, reaps, and tells the observer. It knows no clock but the target's and allocates nothing while it
//! runs.

mod lane;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::request::{Completion, Op, Request};
use crate::source::{RequestSource, Stream};
use crate::target::{Target, TargetError};
use crate::time::{Nanos, Time};
use lane::Lane;

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

    /// How many IOs may come before what [`Observer::observe`] answers is heeded. Above 1, one closed stream
    /// of single IOs on a target in virtual time is served in batches; what is observed stays the same.
    fn free_run(&self) -> usize {
        1
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
    /// Set from outside (Ctrl-C) to stop: the IOs in flight still finish.
    pub interrupted: &'a AtomicBool,
}

static NEVER_INTERRUPTED: AtomicBool = AtomicBool::new(false);

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { runtime: None, interrupted: &NEVER_INTERRUPTED }
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
    /// Interrupted from outside.
    Interrupted,
}

/// Drives `streams` against `target` until something ends it, and tells `observer` every IO.
///
/// # Errors
/// The first IO that failed. All IOs that were done before it, and those in flight beside it, have been
/// observed.
///
/// # Panics
/// If a target completes a tag that is not in flight: the target is broken.
pub fn drive<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    streams: &mut [Stream<S>],
    limits: Limits<'_>,
    observer: &mut O,
) -> Result<Driven, TargetError> {
    let start = target.now();
    let mut lanes: Vec<Lane<'_, S>> = streams
        .iter_mut()
        .enumerate()
        .map(|(number, stream)| Lane::new(number as u16, stream, start))
        .collect();
    let depth: u32 = lanes.iter().map(|lane| lane.pacing.iodepth()).sum();
    let mut flight = Flight::new(depth as usize, start);
    let driven = until_the_end(target, &mut lanes, &mut flight, limits, observer);
    if driven.is_err() {
        drain(target, &mut lanes, &mut flight, observer);
    }
    driven
}

fn until_the_end<T: Target, S: RequestSource, O: Observer>(
    target: &mut T,
    lanes: &mut [Lane<'_, S>],
    flight: &mut Flight,
    limits: Limits<'_>,
    observer: &mut O,
) -> Result<Driven, TargetError> {
    let deadline = limits.runtime.map_or(Time::NEVER, |runtime| flight.start + runtime);
    let mut end = None;
    loop {
        if end.is_none() && limits.interrupted.load(Ordering::Relaxed) {
            end = Some(Driven::Interrupted);
        }
        if end.is_none() && flight.clock >= deadline {
            end = Some(Driven::OutOfTime);
        }
        if let (None, [lane]) = (end, &mut *lanes)
            && let free_run @ 2.. = observer.free_run()
            && lane.is_one_by_one(target, &limits)
        {
            match lane.run_free(target, flight, observer, free_run)? {
                (0, _) => return Ok(Driven::Exhausted),
                (_, Control::Stop) => return Ok(Driven::Stopped),
                (_, Control::Continue) => continue,
            }
        }
        let wake = match end {
            None => submit_all(target, lanes, flight)?,
            Some(_) => Time::NEVER,
        };
        if flight.is_empty() {
            if let Some(end) = end {
                return Ok(end);
            }
            if wake == Time::NEVER {
                return Ok(Driven::Exhausted);
            }
            // In slices, so that an interruption is heard.
            target.wait_until(wake.min(deadline).min(flight.clock + WAIT_MAX));
            flight.clock = target.now();
            continue;
        }
        let reaped = target.reap(1, wake, &mut flight.done);
        if flight.settle(lanes, observer) == Control::Stop {
            end = end.or(Some(Driven::Stopped));
        }
        if reaped.is_err() {
            flight.lost += 1;
        }
        reaped?;
    }
}

/// Reaps and observes what is still in flight after an error. Each further error is one IO less to wait for.
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
        flight.settle(lanes, observer);
        match reaped {
            Err(_) => flight.lost += 1,
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
    }
    Ok(wake)
}

/// The requests that the target holds, by tag.
struct Flight {
    start: Time,
    /// The latest instant that is known to have come.
    clock: Time,
    slots: Box<[Slot]>,
    /// The first `free_count` are the tags not in use.
    free: Box<[u32]>,
    free_count: usize,
    /// Tags in use that never come back: of requests that failed or that the target did not take.
    lost: usize,
    done: Vec<Completion>,
}

/// What is kept of a request in flight. Not the request itself: copied as a whole, right after its tag was
/// written, it would wait for that write to leave the store buffer.
#[derive(Clone, Copy, Default)]
struct Slot {
    index: u64,
    offset_bytes: u64,
    due: Time,
    length_bytes: u32,
    stream: u16,
    op: Op,
}

impl Flight {
    fn new(depth: usize, start: Time) -> Flight {
        Flight {
            start,
            clock: start,
            slots: vec![Slot::default(); depth].into(),
            free: (0..depth as u32).rev().collect(),
            free_count: depth,
            lost: 0,
            done: Vec::with_capacity(depth.max(LOOK_AHEAD)),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.taken() == 0
    }

    /// Tags in use.
    #[inline]
    fn taken(&self) -> usize {
        self.slots.len() - self.free_count
    }

    #[inline]
    fn take(&mut self, request: &mut Request, index: u64) {
        let Request { offset_bytes, due, length_bytes, stream, op, .. } = *request;
        // A lane submits no more than its depth, so one is free.
        self.free_count -= 1;
        let tag = self.free[self.free_count];
        request.tag = tag;
        self.slots[tag as usize] = Slot { index, offset_bytes, due, length_bytes, stream, op };
    }

    #[inline]
    fn give_back(&mut self, tag: u32) -> Slot {
        assert!(!self.is_empty(), "the target completed tag {tag} twice");
        self.free[self.free_count] = tag;
        self.free_count += 1;
        self.slots[tag as usize]
    }

    /// Observes and frees what was reaped.
    #[inline]
    fn settle<S: RequestSource, O: Observer>(
        &mut self,
        lanes: &mut [Lane<'_, S>],
        observer: &mut O,
    ) -> Control {
        let mut control = Control::Continue;
        for i in 0..self.done.len() {
            let completion = self.done[i];
            let Slot { index, offset_bytes, due, length_bytes, stream, op } = self.give_back(completion.tag);
            let submitted = lanes[stream as usize].complete(due, &completion);
            let late = completion.submitted.since(submitted);
            self.clock = self.clock.max(completion.completed);
            let io = Io {
                index,
                offset_bytes,
                submitted: Time(submitted.since(self.start).0),
                response: completion.completed.since(submitted),
                late,
                length_bytes,
                stream,
                op,
            };
            if observer.observe(&io) == Control::Stop {
                control = Control::Stop;
            }
        }
        self.done.clear();
        control
    }
}

/// How many of `requests` the target did not take, at most: those from the one on that the error names.
#[cold]
pub(crate) fn refused(requests: &[Request], error: &TargetError) -> usize {
    let place = |r: &Request| (r.op, r.offset_bytes, r.length_bytes);
    let named = (error.op, error.offset_bytes, error.length_bytes);
    requests.len() - requests.iter().position(|request| place(request) == named).unwrap_or(0)
}
