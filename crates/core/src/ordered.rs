//! Order kept where it decides what the device holds: a wrapper around any target.
//!
//! Whoever wrote a trace waited for a write before the next one to the same place. A replay with many IOs in
//! flight would let them race, and the device would hold whichever came last. Here a request that overlaps
//! one that is not done yet, and of which at least one changes data, waits for it; a flush waits for every
//! change before it. All others pass.

use std::collections::VecDeque;

use crate::request::{Completion, Op, Request};
use crate::target::{Target, TargetError, TargetInfo};
use crate::time::Time;

/// A target that keeps the order of overlapping requests.
pub struct Ordered<T> {
    inner: T,
    /// What the inner target holds.
    flying: Vec<Range>,
    /// What waits for an earlier request, in order.
    held: VecDeque<Request>,
    /// Empty; takes turns with `held`.
    spare: VecDeque<Request>,
    /// What may go in the same call.
    free: Vec<Request>,
    /// Requests that had to wait so far.
    held_back: u64,
    /// Requests in `flying` that failed and never come back. From the first one on, nothing new goes.
    lost: usize,
}

/// Where a request is, and what it may not overtake.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    end: u64,
    tag: u32,
    op: Op,
}

impl Range {
    fn of(request: &Request) -> Range {
        let start = request.offset_bytes;
        let end = start.saturating_add(u64::from(request.length_bytes));
        Range { start, end, tag: request.tag, op: request.op }
    }

    /// Whether `later` must not go before this one is done.
    #[inline]
    fn holds_back(&self, later: &Range) -> bool {
        let changes = |op| matches!(op, Op::Write | Op::Trim);
        match later.op {
            Op::Flush => changes(self.op),
            _ => (changes(self.op) || changes(later.op)) && self.start < later.end && later.start < self.end,
        }
    }
}

impl<T: Target> Ordered<T> {
    /// Nothing in flight yet.
    pub fn new(inner: T) -> Ordered<T> {
        Ordered {
            inner,
            flying: Vec::new(),
            held: VecDeque::new(),
            spare: VecDeque::new(),
            free: Vec::new(),
            held_back: 0,
            lost: 0,
        }
    }

    /// How many requests had to wait for another one.
    pub fn held_back(&self) -> u64 {
        self.held_back
    }

    /// The target itself.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    /// The target itself.
    pub fn into_inner(self) -> T {
        self.inner
    }

    fn may_go(&self, request: &Request) -> bool {
        let range = Range::of(request);
        !self.flying.iter().any(|earlier| earlier.holds_back(&range))
            && !self.held.iter().any(|earlier| Range::of(earlier).holds_back(&range))
    }

    /// Passes on what was collected.
    fn pass(&mut self) -> Result<(), TargetError> {
        if self.free.is_empty() {
            return Ok(());
        }
        let passed = self.inner.submit(&self.free);
        if let Err(error) = &passed {
            self.lost += error.refused(&self.free);
        }
        self.free.clear();
        passed
    }

    fn take(&mut self, request: Request) {
        self.flying.push(Range::of(&request));
        self.free.push(request);
    }

    /// Submits what waits for nothing any more.
    fn release(&mut self) -> Result<(), TargetError> {
        std::mem::swap(&mut self.held, &mut self.spare);
        while let Some(request) = self.spare.pop_front() {
            // `held` grows again by those that still wait, so each is compared with those before it only.
            if self.may_go(&request) {
                self.take(request);
            } else {
                self.held.push_back(request);
            }
        }
        self.pass()
    }
}

impl<T: Target> Target for Ordered<T> {
    fn info(&self) -> &TargetInfo {
        self.inner.info()
    }

    #[inline]
    fn now(&mut self) -> Time {
        self.inner.now()
    }

    #[inline]
    fn prepare(&mut self, requests: &[Request]) {
        self.inner.prepare(requests);
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.may_go(request) {
                self.take(*request);
            } else {
                self.held.push_back(*request);
                self.held_back += 1;
            }
        }
        self.pass()
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let wanted = out.len() + min;
        loop {
            let before = out.len();
            let more = wanted.saturating_sub(before).min(self.flying.len() - self.lost);
            if more == 0 && self.lost > 0 {
                return Ok(());
            }
            let reaped = self.inner.reap(more, until, out);
            for completion in &out[before..] {
                self.flying.retain(|range| range.tag != completion.tag);
            }
            if reaped.is_err() {
                self.lost += 1;
                return reaped;
            }
            if !self.held.is_empty() && out.len() > before && self.lost == 0 {
                self.release()?;
            }
            if out.len() >= wanted || (until != Time::NEVER && self.inner.now() >= until) {
                return Ok(());
            }
        }
    }

    /// One after the other is in order.
    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        self.inner.serve(request)
    }

    fn wait_until(&mut self, time: Time) {
        self.inner.wait_until(time);
    }
}
