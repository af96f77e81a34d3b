//! One stream at work: its requests at hand, and when they may go.

use super::{Control, Flight, Io, LOOK_AHEAD, Limits, Observer, Stream, refused};
use crate::pacing::Pacing;
use crate::request::{Completion, Request};
use crate::source::RequestSource;
use crate::target::{Target, TargetError};
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
                flight.clock = target.now();
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
        target.submit(requests).inspect_err(|error| flight.lost += refused(requests, error))?;
        self.next += count;
        self.room -= count as u32;
        self.burst_left -= count as u64;
        Ok(())
    }

    /// Whether each IO goes when the one before is done, and nothing else decides.
    #[inline]
    pub(super) fn is_one_by_one<T: Target>(&self, target: &T, limits: &Limits<'_>) -> bool {
        matches!(self.pacing, Pacing::Closed { pause: Nanos::ZERO, iodepth: 1, .. })
            && limits.runtime.is_none()
            && target.info().virtual_time
    }

    /// Serves at most `count` requests in turn; returns how many, 0 if the source is dry.
    #[inline]
    pub(super) fn run_free<T: Target, O: Observer>(
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
                late: Nanos::ZERO,
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

/// IOs until the next pause.
fn burst_of(pacing: &Pacing) -> u64 {
    match *pacing {
        Pacing::Closed { pause: Nanos(1..), burst, .. } => burst,
        _ => u64::MAX,
    }
}
