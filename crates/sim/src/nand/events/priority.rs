//! Reads of the host before anything else, and programs and erases that are suspended for them.
//!
//! Such a read goes next, whatever else is ready on its die. What is at work is finished first, or suspended
//! where that is allowed: its end is not known then before it is over. A page that is on the bus is finished.
//! A read does not wait for the program that it overtakes either: until then the controller still has the
//! data, or the page from which they are moved.

use serde::{Deserialize, Serialize};

use super::super::times::Times;
use super::agenda::NEVER;
use super::die::{Die, insert};
use super::ring::{Id, Kind, Node};
use super::{Events, NOTHING};

/// A program or an erase that can be suspended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Work {
    pub id: Id,
    /// From when on it is at work: a program when its page has come, what was suspended when it goes on.
    from_ns: u64,
    /// When it is done, if nothing comes between.
    end_ns: u64,
    suspend_ns: u64,
    /// What is left of it; none while it is at work.
    left_ns: Option<u64>,
}

impl Work {
    fn is_going_on(&self) -> bool {
        self.id != NOTHING && self.left_ns.is_none()
    }
}

impl Die {
    /// The next read that has priority, unless so many went before what waits that it is that one's turn.
    fn first_of_the_urgent(&self, times: &Times) -> Option<Id> {
        let read = self.urgent.front().copied();
        read.filter(|_| self.overtaking < times.scheduler.overtaking_max)
    }
}

impl Events {
    /// How long it takes to suspend such an operation; none if that cannot be.
    #[inline]
    pub(super) fn suspend_ns(times: &Times, kind: Kind, ns: u64) -> Option<u64> {
        match kind {
            Kind::Erase => times.scheduler.erase_suspend_ns,
            _ if ns > 0 => times.scheduler.program_suspend_ns,
            _ => None,
        }
    }

    /// An operation begins that is done at `free_ns` of its die, if it is not suspended.
    pub(super) fn work(&mut self, die: usize, id: Id, from_ns: u64, suspend_ns: u64) {
        let state = &mut self.dies[die];
        state.work = Work { id, from_ns, end_ns: state.free_ns, suspend_ns, left_ns: None };
    }

    /// Sets the next event of a die that is not sensing.
    pub(super) fn schedule_by_priority(&mut self, times: &Times, die: usize) {
        if self.dies[die].work.is_going_on() && !self.suspends_for_a_read(times, die) {
            let Die { work, later, .. } = &self.dies[die];
            let later_ns = later.front().map_or(NEVER, |(ns, _)| *ns);
            self.agenda.set(die, work.end_ns.min(later_ns));
            return;
        }
        let state = &self.dies[die];
        let is_in_order = state.unready_reads == 0 && state.later.is_empty();
        if times.scheduler.overtaking_max == u32::MAX
            && is_in_order
            && let Some(&read) = state.urgent.front()
        {
            // Whatever comes before the die is free goes after it.
            let start_ns = state.free_ns.max(self.ring.get(read).ns);
            self.dies[die].urgent.pop_front();
            self.sense(times, read, die, start_ns);
            return;
        }
        let first_ns = self.first_ready_ns(die).max(self.dies[die].free_ns);
        self.agenda.set(die, first_ns);
    }

    /// When the first of all that waits is ready, or what was suspended could go on.
    fn first_ready_ns(&mut self, die: usize) -> u64 {
        let Die { work, urgent, ready, later, programs, .. } = &self.dies[die];
        if work.id != NOTHING {
            return 0;
        }
        let [urgent, ready, program] = [urgent, ready, programs].map(|queue| queue.front().copied());
        let later_ns = later.front().map_or(NEVER, |(ns, _)| *ns);
        let waiting = [urgent, ready, program].into_iter().flatten();
        waiting.fold(later_ns, |first_ns, id| first_ns.min(self.ring.get(id).ns))
    }

    /// Suspends what is at work on a die if a read wants that and it saves time.
    fn suspends_for_a_read(&mut self, times: &Times, die: usize) -> bool {
        let now_ns = self.now_ns;
        let state = &mut self.dies[die];
        let stop_ns = state.work.from_ns.max(now_ns);
        let free_ns = stop_ns + state.work.suspend_ns;
        let is_worth_it = state.first_of_the_urgent(times).is_some() && free_ns < state.work.end_ns;
        if is_worth_it {
            state.work.left_ns = Some(state.work.end_ns - stop_ns);
            state.free_ns = free_ns;
        }
        is_worth_it
    }

    /// The next event of a die that is not sensing.
    pub(super) fn begin_by_priority(&mut self, times: &Times, die: usize, now_ns: u64) {
        let state = &self.dies[die];
        if state.work.is_going_on() {
            if state.work.end_ns <= now_ns {
                self.work_is_done(die);
            }
            self.schedule(times, die);
            return;
        }
        let is_free = state.work.id == NOTHING;
        let other = if is_free { self.oldest_ready(die, now_ns) } else { None };
        let state = &mut self.dies[die];
        // Nobody is overtaken where nobody waits.
        let nobody_waits = is_free && other.is_none();
        let read =
            if nobody_waits { state.urgent.front().copied() } else { state.first_of_the_urgent(times) };
        if let Some(read) = read {
            state.urgent.pop_front();
            state.overtaking = if nobody_waits { 0 } else { state.overtaking.saturating_add(1) };
            self.sense(times, read, die, now_ns);
        } else if let Some(other) = other {
            self.take(times, die, other, now_ns);
        } else {
            self.resume(times, die, now_ns);
            self.schedule(times, die);
        }
    }

    /// What was suspended goes on, if something was.
    fn resume(&mut self, times: &Times, die: usize, now_ns: u64) {
        let state = &mut self.dies[die];
        if let Some(left_ns) = state.work.left_ns.take() {
            state.work.from_ns = now_ns + times.scheduler.resume_ns;
            state.work.end_ns = state.work.from_ns + left_ns;
            state.free_ns = state.work.end_ns;
        }
    }

    fn work_is_done(&mut self, die: usize) {
        let state = &mut self.dies[die];
        state.overtaking = 0;
        let Work { id, end_ns, .. } = std::mem::take(&mut state.work);
        self.altered(id, end_ns);
    }

    /// A read that was not ready is.
    #[inline]
    pub(super) fn enqueue_ready(&mut self, die: usize, id: Id) {
        let Node { kind, .. } = *self.ring.get(id);
        let Die { urgent, ready, .. } = &mut self.dies[die];
        insert(if kind == Kind::UrgentRead { urgent } else { ready }, id);
    }
}
