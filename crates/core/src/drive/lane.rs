//! One stream at work: its requests at hand, and when they may go.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Control, Driven, Flight, Io, LOOK_AHEAD, Observer};
use crate::pacing::Pacing;
use crate::request::{Completion, Request};
use crate::source::{RequestSource, Stream};
use crate::target::{Breach, Target, TargetError};
use crate::time::{Nanos, Time};

/// One stream at work: its look-ahead batch and its place in the pacing.
pub(super) struct Lane<'a, S> {
    source: &'a mut S,
    number: u16,
    pub(super) pacing: Pacing,
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
    pub(super) fn new(number: u16, stream: &'a mut Stream<S>, start: Time) -> Lane<'a, S> {
        assert!(stream.pacing.iodepth() > 0, "stream {number} may have no IO in flight");
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
    pub(super) fn submit_ready<T: Target>(
        &mut self,
        target: &mut T,
        flight: &mut Flight,
    ) -> Result<Time, TargetError> {
        loop {
            let room = u64::from(self.room).min(self.burst_left);
            if room == 0 || !self.look_ahead(target) {
                return Ok(Time::NEVER);
            }
            if self.not_before > flight.clock {
                flight.read_clock(target)?;
                if self.not_before > flight.clock {
                    return Ok(self.not_before);
                }
            }
            let mut count = room.min((self.filled - self.next) as u64) as usize;
            match self.pacing {
                Pacing::Closed { .. } => {}
                Pacing::Due { .. } => {
                    count = self.due_by(flight.clock, count);
                    if count == 0 {
                        self.not_before = self.start + Nanos(self.batch[self.next].due.0);
                        continue;
                    }
                }
                Pacing::Traced { iodepth } => {
                    count = self.within_depth(iodepth, count);
                    if count == 0 {
                        return Ok(Time::NEVER);
                    }
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
                (request.stream, request.tag) = (self.number, 0);
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

    /// How many of the next `count` requests find no more in flight than they did in the trace.
    fn within_depth(&self, iodepth: u32, count: usize) -> usize {
        let in_flight = iodepth - self.room;
        let fits = |(before, request): &(u32, &Request)| in_flight + before < u32::from(request.depth.max(1));
        (0..).zip(&self.batch[self.next..self.next + count]).take_while(fits).count()
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
        target.submit(requests).inspect_err(|error| flight.lost += error.refused(requests))?;
        self.next += count;
        self.room -= count as u32;
        self.burst_left -= count as u64;
        Ok(())
    }

    /// Whether each IO goes when the one before is done, and nothing else decides.
    pub(super) fn is_one_by_one(&self) -> bool {
        matches!(self.pacing, Pacing::Closed { pause: Nanos::ZERO, iodepth: 1, .. })
    }

    /// The short way of such a stream, in real and virtual time: nothing waits and nothing is looked up by
    /// its tag, which is always 0.
    pub(super) fn one_by_one<T: Target, O: Observer>(
        &mut self,
        target: &mut T,
        clock: &mut Time,
        deadline: Time,
        interrupted: &AtomicBool,
        observer: &mut O,
    ) -> Result<Driven, TargetError> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Driven::Interrupted);
            }
            if *clock >= deadline {
                return Ok(Driven::OutOfTime);
            }
            if !self.look_ahead(target) {
                return Ok(Driven::Exhausted);
            }
            let request = &self.batch[self.next];
            let done = target.serve(request)?;
            if let Err(breach) = answers(&done, *clock) {
                return Err(breach.of(target.info(), request));
            }
            *clock = done.completed;
            let io = Io {
                index: self.submitted,
                offset_bytes: request.offset_bytes,
                submitted: Time(done.submitted.since(self.start).0),
                response: done.completed.since(done.submitted),
                late: Nanos::ZERO,
                length_bytes: request.length_bytes,
                stream: self.number,
                op: request.op,
            };
            self.next += 1;
            self.submitted += 1;
            if observer.observe(&io) == Control::Stop {
                return Ok(Driven::Stopped);
            }
        }
    }

    /// Takes note of a completion; returns from when its response time counts.
    #[inline]
    pub(super) fn complete(&mut self, due: Time, completion: &Completion) -> Time {
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
            Pacing::Traced { .. } => completion.submitted,
        }
    }
}

/// Whether `done` can be the answer to the only request in flight, submitted when the clock
/// had passed `known`.
#[inline]
fn answers(done: &Completion, known: Time) -> Result<(), Breach> {
    if done.tag != 0 {
        return Err(Breach::NotInFlight { tag: done.tag });
    }
    Breach::in_times(known, done)
}

/// IOs until the next pause.
fn burst_of(pacing: &Pacing) -> u64 {
    match *pacing {
        Pacing::Closed { pause: Nanos(1..), burst, .. } => burst,
        _ => u64::MAX,
    }
}
