//! The drive loop: the one place where patterns, pacing, targets and observers meet, for real and simulated
//! time alike.
//!
//! It asks sources for requests in batches, shows each batch to the target ahead of time, submits when pacing
//! allows, reaps, and tells the observer. It knows no clock but the target's and allocates nothing while it
//! runs.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::pacing::Pacing;
use crate::request::{Completion, Op, Request};
use crate::source::RequestSource;
use crate::target::{Target, TargetError};
use crate::time::{Nanos, Time};

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

/// A source and when its requests go. Parallel processes are several streams.
pub struct Stream<S> {
    /// What and where.
    pub source: S,
    /// When.
    pub pacing: Pacing,
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
            self.clock = self.clock.max(completion.completed);
            let io = Io {
                index,
                offset_bytes,
                submitted: Time(submitted.since(self.start).0),
                response: completion.completed.since(submitted),
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

/// One stream at work: its look-ahead batch and its place in the pacing.
struct Lane<'a, S> {
    source: &'a mut S,
    number: u16,
    pacing: Pacing,
    start: Time,
    batch: Box<[Request; LOOK_AHEAD]>,
    /// The part of the batch not yet submitted.
    next: usize,
    filled: usize,
    /// Requests submitted so far; the next one's number.
    submitted: u64,
    /// How many more may be in flight.
    room: u32,
    /// IOs left in the burst before the pause.
    burst_left: u64,
    /// Nothing goes before this.
    not_before: Time,
}

impl<'a, S: RequestSource> Lane<'a, S> {
    fn new(number: u16, stream: &'a mut Stream<S>, start: Time) -> Lane<'a, S> {
        Lane {
            burst_left: burst_of(&stream.pacing),
            source: &mut stream.source,
            number,
            pacing: stream.pacing,
            start,
            batch: Box::new([Request::default(); LOOK_AHEAD]),
            next: 0,
            filled: 0,
            submitted: 0,
            room: stream.pacing.iodepth(),
            not_before: start,
        }
    }

    /// Submits what may go now; returns when more may go, or never if that takes a completion or there is
    /// nothing left.
    #[inline]
    fn submit_ready<T: Target>(&mut self, target: &mut T, flight: &mut Flight) -> Result<Time, TargetError> {
        loop {
            let room = u64::from(self.room).min(self.burst_left);
            if room == 0 || !self.look_ahead(target) {
                return Ok(Time::NEVER);
            }
            if self.not_before > flight.clock {
                flight.clock = target.now();
                if self.not_before > flight.clock {
                    return Ok(self.not_before);
                }
            }
            let mut count = room.min((self.filled - self.next) as u64) as usize;
            if let Pacing::Due { .. } = self.pacing {
                count = self.due_by(flight.clock, count);
                if count == 0 {
                    self.not_before = self.start + Nanos(self.batch[self.next].due.0);
                    continue;
                }
            }
            self.submit(target, flight, count)?;
        }
    }

    /// Makes sure that a request is at hand; shows new ones to the target at once.
    #[inline]
    fn look_ahead<T: Target>(&mut self, target: &mut T) -> bool {
        if self.next == self.filled {
            self.next = 0;
            self.filled = self.source.fill(&mut self.batch[..]);
            for request in &mut self.batch[..self.filled] {
                request.stream = self.number;
            }
            target.prepare(&self.batch[..self.filled]);
        }
        self.next < self.filled
    }

    /// How many of the next `count` requests are due.
    fn due_by(&self, clock: Time, count: usize) -> usize {
        let due = |request: &&Request| self.start + Nanos(request.due.0) <= clock;
        self.batch[self.next..self.next + count].iter().take_while(due).count()
    }

    #[inline]
    fn submit<T: Target>(
        &mut self,
        target: &mut T,
        flight: &mut Flight,
        count: usize,
    ) -> Result<(), TargetError> {
        let requests = &mut self.batch[self.next..self.next + count];
        for request in requests.iter_mut() {
            flight.take(request, self.submitted);
            self.submitted += 1;
        }
        target.submit(requests).inspect_err(|error| flight.lost += refused(requests, error))?;
        self.next += count;
        self.room -= count as u32;
        self.burst_left -= count as u64;
        Ok(())
    }

    /// Whether each IO goes when the one before is done, and nothing else decides.
    #[inline]
    fn is_one_by_one<T: Target>(&self, target: &T, limits: &Limits<'_>) -> bool {
        matches!(self.pacing, Pacing::Closed { pause: Nanos::ZERO, iodepth: 1, .. })
            && limits.runtime.is_none()
            && target.info().virtual_time
    }

    /// Serves at most `count` requests in turn; returns how many, 0 if the source is dry.
    #[inline]
    fn run_free<T: Target, O: Observer>(
        &mut self,
        target: &mut T,
        flight: &mut Flight,
        observer: &mut O,
        count: usize,
    ) -> Result<(usize, Control), TargetError> {
        self.look_ahead(target);
        let count = count.min(self.filled - self.next);
        let requests = &self.batch[self.next..self.next + count];
        let served = target.serve_in_turn(requests, &mut flight.done);
        let mut control = Control::Continue;
        for ((index, request), completion) in (self.submitted..).zip(requests).zip(&flight.done) {
            let io = Io {
                index,
                offset_bytes: request.offset_bytes,
                submitted: Time(completion.submitted.since(flight.start).0),
                response: completion.completed.since(completion.submitted),
                length_bytes: request.length_bytes,
                stream: self.number,
                op: request.op,
            };
            flight.clock = completion.completed;
            if observer.observe(&io) == Control::Stop {
                control = Control::Stop;
            }
        }
        flight.done.clear();
        served?;
        self.next += count;
        self.submitted += count as u64;
        Ok((count, control))
    }

    /// Takes note of a completion; returns from when its response time counts.
    #[inline]
    fn complete(&mut self, due: Time, completion: &Completion) -> Time {
        self.room += 1;
        match self.pacing {
            Pacing::Closed { pause, iodepth, .. } => {
                if self.burst_left == 0 && self.room == iodepth {
                    self.burst_left = burst_of(&self.pacing);
                    self.not_before = completion.completed + pause;
                }
                completion.submitted
            }
            Pacing::Due { .. } => self.start + Nanos(due.0),
        }
    }
}

/// How many of `requests` the target did not take, at most: those from the one on that the error names.
#[cold]
fn refused(requests: &[Request], error: &TargetError) -> usize {
    let place = |r: &Request| (r.op, r.offset_bytes, r.length_bytes);
    let named = (error.op, error.offset_bytes, error.length_bytes);
    requests.len() - requests.iter().position(|request| place(request) == named).unwrap_or(0)
}

/// IOs until the next pause.
fn burst_of(pacing: &Pacing) -> u64 {
    match *pacing {
        Pacing::Closed { pause: Nanos(1..), burst, .. } => burst,
        _ => u64::MAX,
    }
}
