//! The requests that a target holds, by tag, and whether it keeps its promises about them.

use super::{Control, Io, LOOK_AHEAD, Lane, Observer};
use crate::request::{Completion, Op, Request};
use crate::source::RequestSource;
use crate::target::{Breach, Target, TargetError, now_after, wait};
use crate::time::Time;

/// The requests that the target holds, by tag.
pub(super) struct Flight {
    pub(super) start: Time,
    /// The latest instant that is known to have come.
    pub(super) clock: Time,
    slots: Box<[Slot]>,
    /// The first `free_count` are the tags not in use.
    free: Box<[u32]>,
    free_count: usize,
    /// Tags in use that never come back: of requests that failed or that the target did not take.
    pub(super) lost: usize,
    pub(super) done: Vec<Completion>,
    /// What failed as it was submitted; its tag is in use until the observer has heard.
    pub(super) failed: Option<TargetError>,
    /// A lane has a write at hand that may not go.
    pub(super) is_out_of_bytes: bool,
}

/// What is kept of a request in flight. Not the request itself: copied as a whole, right after its tag was
/// written, it would wait for that write to leave the store buffer.
#[derive(Clone, Copy, Default)]
struct Slot {
    index: u64,
    offset_bytes: u64,
    due: Time,
    /// The clock when it was submitted: the target cannot have taken it before.
    known: Time,
    length_bytes: u32,
    stream: u16,
    op: Op,
    in_flight: bool,
}

impl Flight {
    pub(super) fn new(depth: usize, start: Time) -> Flight {
        Flight {
            start,
            clock: start,
            slots: vec![Slot::default(); depth].into(),
            free: (0..depth as u32).rev().collect(),
            free_count: depth,
            lost: 0,
            done: Vec::with_capacity(depth.max(LOOK_AHEAD)),
            failed: None,
            is_out_of_bytes: false,
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.taken() == 0
    }

    /// Tags in use.
    #[inline]
    pub(super) fn taken(&self) -> usize {
        self.slots.len() - self.free_count
    }

    /// Gives a request a tag.
    #[inline]
    pub(super) fn take(&mut self, request: &mut Request, index: u64) {
        let Request { offset_bytes, due, length_bytes, stream, op, .. } = *request;
        // A lane submits no more than its depth, so one is free.
        self.free_count -= 1;
        let tag = self.free[self.free_count];
        request.tag = tag;
        let known = self.clock;
        self.slots[tag as usize] =
            Slot { index, offset_bytes, due, known, length_bytes, stream, op, in_flight: true };
    }

    /// Takes back the tags of requests that the target was not given.
    #[cold]
    pub(super) fn leave(&mut self, requests: &[Request]) {
        for request in requests.iter().rev() {
            self.slots[request.tag as usize].in_flight = false;
            self.free[self.free_count] = request.tag;
            self.free_count += 1;
        }
    }

    /// Takes the tag back, once and only if the completion can be true.
    #[inline]
    fn give_back(&mut self, done: &Completion) -> Result<Slot, Breach> {
        let slot = match self.slots.get_mut(done.tag as usize) {
            Some(slot) if slot.in_flight => slot,
            _ => return Err(Breach::NotInFlight { tag: done.tag }),
        };
        Breach::in_times(slot.known, done)?;
        slot.in_flight = false;
        self.free[self.free_count] = done.tag;
        self.free_count += 1;
        Ok(*slot)
    }

    /// Observes and frees what was reaped.
    #[inline]
    pub(super) fn settle<T: Target, S: RequestSource, O: Observer>(
        &mut self,
        target: &T,
        lanes: &mut [Lane<'_, S>],
        observer: &mut O,
    ) -> Result<Control, TargetError> {
        let mut control = Control::Continue;
        for i in 0..self.done.len() {
            let completion = self.done[i];
            let slot = match self.give_back(&completion) {
                Ok(slot) => slot,
                Err(breach) => return Err(breach.of(target.info(), &self.last_with(completion.tag))),
            };
            if observer.observe(&self.landed(&slot, &completion, lanes)) == Control::Stop {
                control = Control::Stop;
            }
        }
        self.done.clear();
        Ok(control)
    }

    /// Makes room in its lane, and says what the observer sees of it.
    #[inline]
    fn landed<S: RequestSource>(
        &mut self,
        slot: &Slot,
        completion: &Completion,
        lanes: &mut [Lane<'_, S>],
    ) -> Io {
        let Slot { index, offset_bytes, due, length_bytes, stream, op, .. } = *slot;
        let submitted = lanes[stream as usize].complete(due, completion);
        let late = completion.submitted.since(submitted);
        self.clock = self.clock.max(completion.completed);
        Io {
            index,
            offset_bytes,
            submitted: Time(submitted.since(self.start).0),
            response: completion.completed.since(submitted),
            late,
            length_bytes,
            stream,
            op,
        }
    }

    /// Tells the observer of the IO that failed. Its tag is free again, unless the error is of no one IO.
    #[cold]
    pub(super) fn fail<T: Target, S: RequestSource, O: Observer>(
        &mut self,
        target: &mut T,
        lanes: &mut [Lane<'_, S>],
        observer: &mut O,
        error: TargetError,
    ) -> Result<Control, TargetError> {
        let Some(tag) = error.tag else {
            self.lost += 1;
            return Err(error);
        };
        let submitted = self.slots.get(tag as usize).map_or(self.clock, |slot| slot.known);
        let completed = now_after(target, self.clock).inspect_err(|_| self.lost += 1)?;
        let completion = Completion { tag, submitted, completed };
        match self.give_back(&completion) {
            Ok(slot) => observer.fail(&self.landed(&slot, &completion, lanes), error),
            Err(breach) => {
                self.lost += 1;
                Err(breach.of(target.info(), &self.last_with(tag)))
            }
        }
    }

    /// The request that had this tag last; one of length 0 if none had.
    #[cold]
    fn last_with(&self, tag: u32) -> Request {
        let Slot { offset_bytes, length_bytes, op, .. } =
            self.slots.get(tag as usize).copied().unwrap_or_default();
        Request { offset_bytes, length_bytes, op, ..Request::default() }
    }

    /// Reads the target's clock.
    #[inline]
    pub(super) fn read_clock<T: Target>(&mut self, target: &mut T) -> Result<(), TargetError> {
        self.clock = now_after(target, self.clock)?;
        Ok(())
    }

    /// Lets time pass with nothing in flight.
    pub(super) fn wait<T: Target>(&mut self, target: &mut T, until: Time) -> Result<(), TargetError> {
        self.clock = wait(target, self.clock, until)?;
        Ok(())
    }

    /// Whether a reap without a completion had reason to end: its deadline has come.
    #[cold]
    pub(super) fn came_back_empty<T: Target>(
        &mut self,
        target: &mut T,
        until: Time,
    ) -> Result<(), TargetError> {
        self.read_clock(target)?;
        if until != Time::NEVER && self.clock >= until {
            return Ok(());
        }
        Err(Breach::NothingDone { in_flight: self.taken() }.of(target.info(), &Request::default()))
    }
}
