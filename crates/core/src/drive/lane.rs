//! One stream at work: its requests at hand, and when they may go.

use super::flow::ASK_EVERY;
use super::{Control, Driven, Flight, FlowShare, Io, LOOK_AHEAD, Limits, Observer, WriteBudget};
use crate::pacing::Pacing;
use crate::request::{Completion, Request};
use crate::source::{RequestSource, Stream};
use crate::target::{Breach, Target, TargetError, now_after};
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
    writes: Option<&'a WriteBudget>,
    flow: Option<&'a FlowShare<'a>>,
    /// The source had a write for which there were no bytes left: nothing comes behind it.
    is_out_of_bytes: bool,
}

impl<'a, S: RequestSource> Lane<'a, S> {
    pub(super) fn new(
        number: u16,
        stream: &'a mut Stream<S>,
        start: Time,
        limits: &Limits<'a>,
    ) -> Lane<'a, S> {
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
            writes: limits.writes,
            flow: limits.flow.get(usize::from(number)),
            is_out_of_bytes: false,
        }
    }

    /// Takes the bytes of a new batch; returns how much of it may go.
    #[inline]
    fn within_bytes(&mut self, filled: usize) -> usize {
        let Some(writes) = self.writes else { return filled };
        let taken = writes.take(&self.batch[..filled]);
        self.is_out_of_bytes = taken < filled;
        taken
    }

    fn leave(&self) {
        if let Some(share) = self.flow {
            share.leave();
        }
    }

    /// Gives back the bytes of writes that were taken from the source and not submitted, and its turns to
    /// others.
    pub(super) fn close(&self) {
        self.leave();
        if let Some(writes) = self.writes {
            writes.give_back(&self.batch[self.next..self.filled]);
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
            if room == 0 {
                return Ok(Time::NEVER);
            }
            if !self.look_ahead(target) {
                flight.is_out_of_bytes |= self.is_spent();
                self.leave();
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
            if let Some(share) = self.flow {
                if !share.take() {
                    target.give_way();
                    flight.read_clock(target)?;
                    return Ok(flight.clock + ASK_EVERY);
                }
                count = 1;
            }
            if !self.submit(target, flight, count)? {
                return Ok(Time::NEVER);
            }
        }
    }

    /// Makes sure that a request is at hand; shows new ones to the target at once.
    #[inline]
    fn look_ahead<T: Target>(&mut self, target: &mut T) -> bool {
        if self.next == self.filled && !self.is_out_of_bytes {
            self.next = 0;
            self.filled = self.source.fill(&mut self.batch[..]);
            self.filled = self.within_bytes(self.filled);
            for request in &mut self.batch[..self.filled] {
                (request.stream, request.tag) = (self.number, 0);
            }
            target.prepare(&self.batch[..self.filled]);
        }
        self.next < self.filled
    }

    /// Whether nothing goes any more, for want of bytes.
    fn is_spent(&self) -> bool {
        self.is_out_of_bytes && self.next == self.filled
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

    /// Submits the next `count` requests; false if one of them failed at once, which ends the submitting.
    #[inline]
    fn submit<T: Target>(
        &mut self,
        target: &mut T,
        flight: &mut Flight,
        count: usize,
    ) -> Result<bool, TargetError> {
        let requests = &mut self.batch[self.next..self.next + count];
        for request in requests.iter_mut() {
            flight.take(request, self.submitted);
            self.submitted += 1;
        }
        let Err(error) = target.submit(requests) else {
            self.advance(count);
            return Ok(true);
        };
        let taken = stopped_at(error, requests, flight)?;
        self.submitted -= (count - taken) as u64;
        self.advance(taken);
        Ok(false)
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.next += count;
        self.room -= count as u32;
        self.burst_left -= count as u64;
    }

    /// Whether each IO goes when the one before is done, and nothing else decides.
    pub(super) fn is_one_by_one(&self) -> bool {
        self.flow.is_none() && matches!(self.pacing, Pacing::Closed { pause: Nanos::ZERO, iodepth: 1, .. })
    }

    /// The short way of such a stream, in real and virtual time: nothing waits and nothing is looked up by
    /// its tag, which is always 0.
    pub(super) fn one_by_one<T: Target, O: Observer>(
        &mut self,
        target: &mut T,
        clock: &mut Time,
        deadline: Time,
        limits: &Limits<'_>,
        observer: &mut O,
    ) -> Result<Driven, TargetError> {
        loop {
            if let Some(heard) = limits.heard() {
                return Ok(heard);
            }
            if *clock >= deadline {
                return Ok(Driven::OutOfTime);
            }
            if !self.look_ahead(target) {
                return Ok(if self.is_spent() { Driven::OutOfBytes } else { Driven::Exhausted });
            }
            let request = &self.batch[self.next];
            let done = match target.serve(request) {
                Ok(done) => done,
                Err(error) => match self.one_failed(target, clock, observer, error)? {
                    Control::Continue => continue,
                    Control::Stop => return Ok(Driven::Stopped),
                },
            };
            if let Err(breach) = answers(&done, *clock) {
                return Err(breach.of(target.info(), request));
            }
            *clock = done.completed;
            let io = self.next_ended(done.submitted, done.completed);
            if observer.observe(&io) == Control::Stop {
                return Ok(Driven::Stopped);
            }
        }
    }

    /// Tells the observer of the request that [`Lane::one_by_one`] submitted last and that failed.
    #[cold]
    fn one_failed<T: Target, O: Observer>(
        &mut self,
        target: &mut T,
        clock: &mut Time,
        observer: &mut O,
        error: TargetError,
    ) -> Result<Control, TargetError> {
        let request = self.batch[self.next];
        let submitted = *clock;
        *clock = now_after(target, submitted)?;
        match error.tag {
            None => return Err(error),
            Some(0) => {}
            Some(tag) => return Err(Breach::NotInFlight { tag }.of(target.info(), &request)),
        }
        let io = self.next_ended(submitted, *clock);
        observer.fail(&io, error)
    }

    /// The next request of [`Lane::one_by_one`], over from `submitted` to `completed`; the one behind it is
    /// the next then.
    #[inline(always)]
    fn next_ended(&mut self, submitted: Time, completed: Time) -> Io {
        let request = &self.batch[self.next];
        let io = Io {
            index: self.submitted,
            offset_bytes: request.offset_bytes,
            submitted: Time(submitted.since(self.start).0),
            response: completed.since(submitted),
            late: Nanos::ZERO,
            length_bytes: request.length_bytes,
            stream: self.number,
            op: request.op,
        };
        self.next += 1;
        self.submitted += 1;
        io
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

/// How many of `requests` were submitted when one of them failed, itself included. Those behind it wait until
/// the observer has heard.
#[cold]
fn stopped_at(error: TargetError, requests: &[Request], flight: &mut Flight) -> Result<usize, TargetError> {
    let Some(failed) = error.place_among(requests) else {
        flight.lost += error.refused(requests);
        return Err(error);
    };
    flight.leave(&requests[failed + 1..]);
    flight.failed = Some(error);
    Ok(failed + 1)
}

/// IOs until the next pause.
fn burst_of(pacing: &Pacing) -> u64 {
    match *pacing {
        Pacing::Closed { pause: Nanos(1..), burst, .. } => burst,
        _ => u64::MAX,
    }
}
