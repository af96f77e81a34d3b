//! Requests whose end is not known yet. They wait for the flash, and read data for the link then: it carries
//! what is ready first.

use std::collections::VecDeque;

use flashscope_core::{Completion, Request, Time};

use super::host::Link;
use super::path::Path;
use crate::buffer::WriteBuffer;
use crate::flight::Flight;
use crate::nand::{Moment, Nand};

/// When a request is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    /// But for the link.
    pub done: Moment,
    /// Bytes that the link has to carry then, where it is not known yet.
    pub carry_bytes: u32,
}

impl From<Moment> for Served {
    #[inline]
    fn from(done: Moment) -> Served {
        Served { done, carry_bytes: 0 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    tag: u32,
    submitted_ns: u64,
    /// Bytes that the link has to carry in the end.
    carry_bytes: u32,
    /// Its place in the order of submission.
    number: u64,
}

/// Requests of which the flash has not said when they are done.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// By the number by which the flash knows them.
    slots: Vec<Waiting>,
    unused: Vec<u32>,
    submitted: u64,
    /// Data that are ready at a known time, the first first; then in the order of submission.
    outbound: VecDeque<(u64, u64, u32)>,
}

impl Pending {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.unused.len()
    }

    fn add(&mut self, request: &Request, submitted_ns: u64, carry_bytes: u32) -> u32 {
        self.submitted += 1;
        let waiting = Waiting { tag: request.tag, submitted_ns, carry_bytes, number: self.submitted };
        match self.unused.pop() {
            Some(slot) => {
                self.slots[slot as usize] = waiting;
                slot
            }
            None => {
                self.slots.push(waiting);
                self.slots.len() as u32 - 1
            }
        }
    }

    /// The data of a request are ready at `ns`.
    fn queue(&mut self, slot: u32, ns: u64) {
        let entry = (ns, self.slots[slot as usize].number, slot);
        let place = self.outbound.partition_point(|other| *other <= entry);
        self.outbound.insert(place, entry);
    }

    fn take(&mut self, slot: u32, done_ns: u64) -> Completion {
        self.unused.push(slot);
        let Waiting { tag, submitted_ns, .. } = self.slots[slot as usize];
        Completion { tag, submitted: Time(submitted_ns), completed: Time(done_ns) }
    }
}

/// What requests wait for, and where they are when they are done.
struct Ways<'a> {
    pending: &'a mut Pending,
    nand: &'a mut Nand,
    link: &'a mut Link,
    flight: &'a mut Flight,
}

impl Ways<'_> {
    /// What the flash says of requests.
    #[inline]
    fn collect(&mut self) {
        while let Some((slot, ns)) = self.nand.timing_mut().next_told() {
            match self.pending.slots[slot as usize].carry_bytes {
                0 => self.flight.push(self.pending.take(slot, ns)),
                _ => self.pending.queue(slot, ns),
            }
        }
    }

    /// When something happens inside next: an event of the flash, or data that are ready for the link.
    #[inline]
    fn next_ns(&self) -> u64 {
        let outbound_ns = self.pending.outbound.front().map_or(u64::MAX, |(ns, ..)| *ns);
        outbound_ns.min(self.nand.timing().next_event_ns())
    }

    /// What comes next inside happens.
    #[inline]
    fn step(&mut self) {
        let event_ns = self.nand.timing().next_event_ns();
        // Whatever is ready by then is known by then.
        if let Some(&(ready_ns, _, slot)) = self.pending.outbound.front()
            && ready_ns < event_ns
        {
            self.pending.outbound.pop_front();
            let bytes = self.pending.slots[slot as usize].carry_bytes;
            let done_ns = self.link.carry_out(bytes, ready_ns);
            self.flight.push(self.pending.take(slot, done_ns));
            return;
        }
        self.nand.timing_mut().step();
        self.collect();
    }

    /// Everything inside happens up to `until_ns`.
    fn advance(&mut self, until_ns: u64) {
        // The flash may have worked ahead since.
        self.collect();
        while self.next_ns() <= until_ns {
            self.step();
        }
        self.nand.timing_mut().run_until(until_ns);
    }

    /// When the next request is done, if it is by `until_ns`; perhaps also if it is later.
    fn next_done(&mut self, until_ns: u64) -> Option<u64> {
        while self.pending.len() > 0 {
            let inside_ns = self.next_ns();
            let is_done_first = self.flight.next().is_some_and(|done| done.0 < inside_ns);
            if is_done_first || inside_ns > until_ns || inside_ns == u64::MAX {
                break;
            }
            self.step();
        }
        Some(self.flight.next()?.0)
    }

    /// As [`Flight::reap`], with requests whose end is not known yet.
    fn reap(&mut self, mut clock: u64, min: usize, until: Time, out: &mut Vec<Completion>) -> u64 {
        let mut missing = min;
        loop {
            self.advance(clock);
            while let Some(completion) = self.flight.pop(Time(clock)) {
                out.push(completion);
                missing = missing.saturating_sub(1);
            }
            if missing == 0 {
                return clock;
            }
            match self.next_done(until.0) {
                Some(next) if next <= until.0 => clock = next,
                _ if until != Time::NEVER => return clock.max(until.0),
                _ => return clock,
            }
        }
    }
}

impl<B: WriteBuffer> Path<B> {
    #[inline]
    fn ways<'a>(&'a mut self, flight: &'a mut Flight) -> Ways<'a> {
        Ways { pending: &mut self.pending, nand: &mut self.nand, link: &mut self.link, flight }
    }

    /// A request was served as far as the flash's queues: it is done when they say so.
    #[inline]
    pub(super) fn expect(&mut self, request: &Request, at_ns: u64, served: Served, flight: &mut Flight) {
        if let (Some(done_ns), 0) = (served.done.known_ns(), served.carry_bytes) {
            let Request { tag, .. } = *request;
            flight.push(Completion { tag, submitted: Time(at_ns), completed: Time(done_ns) });
            return;
        }
        let slot = self.pending.add(request, at_ns, served.carry_bytes);
        self.nand.timing_mut().tell(slot, served.done);
    }

    /// Everything inside happens up to `until_ns`.
    #[inline]
    pub(super) fn advance(&mut self, until_ns: u64, flight: &mut Flight) {
        if !self.nand.timing().books() {
            self.ways(flight).advance(until_ns);
        }
    }

    /// As [`Flight::reap`].
    #[inline]
    pub(super) fn reap(
        &mut self,
        clock: u64,
        min: usize,
        until: Time,
        flight: &mut Flight,
        out: &mut Vec<Completion>,
    ) -> u64 {
        if self.nand.timing().books() {
            return flight.reap(clock, min, until, out);
        }
        self.ways(flight).reap(clock, min, until, out)
    }

    /// Without power nothing is in flight any more.
    pub(super) fn forget_requests(&mut self) {
        self.pending = Pending::default();
        self.behind.restart();
    }

    /// When a request is done that comes alone: time inside goes on as far as that takes.
    #[inline]
    pub(super) fn finish(&mut self, served: Served) -> u64 {
        let ready_ns = self.nand.time_of(served.done);
        match served.carry_bytes {
            0 => ready_ns,
            bytes => self.link.carry_out(bytes, ready_ns),
        }
    }
}
