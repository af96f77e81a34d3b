//! One die, and what waits for it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::NOTHING;
use super::priority::Work;
use super::ring::Id;

/// What a die does, and what waits for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Die {
    /// When it is free for something else, but for `sensing`.
    pub free_ns: u64,
    /// Until when its cells are at work on a program beside which it takes the data of the next one.
    pub array_ns: u64,
    /// The read whose page is on its way to the register; its end is the die's next event.
    pub sensing: Id,
    pub register: (u32, u32),
    pub channel: u32,
    /// Reads that wait for an end that is not known.
    pub unready_reads: u32,
    /// Reads that are ready, the oldest first, but for those that have priority.
    pub ready: VecDeque<Id>,
    /// Reads that will be ready at a known time, the first first.
    pub later: VecDeque<(u64, Id)>,
    /// Programs and erases, the oldest first, ready or not.
    pub programs: VecDeque<Id>,
    /// Reads that have priority and are ready, the oldest first.
    pub urgent: VecDeque<Id>,
    /// Reads that went before the operation whose turn it is.
    pub overtaking: u32,
    /// The program or erase that is at work or suspended, where they can be suspended.
    pub work: Work,
}

impl Die {
    pub(super) fn idle_from(free_ns: u64, register: (u32, u32), channel: u32) -> Die {
        Die {
            free_ns,
            array_ns: 0,
            sensing: NOTHING,
            register,
            channel,
            unready_reads: 0,
            ready: VecDeque::new(),
            later: VecDeque::new(),
            programs: VecDeque::new(),
            urgent: VecDeque::new(),
            overtaking: 0,
            work: Work::default(),
        }
    }

    /// From when on its cells are free too, if it is free at `ns`.
    #[inline]
    pub(super) fn cells_free_ns(&self, ns: u64) -> u64 {
        ns.max(self.array_ns)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.is_waiting() && self.unready_reads == 0
    }

    /// Nothing can begin or go on.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        let is_idle = self.sensing == NOTHING && self.work.id == NOTHING;
        let queues = [&self.ready, &self.programs, &self.urgent];
        is_idle && self.later.is_empty() && queues.into_iter().all(VecDeque::is_empty)
    }
}

/// Into its place in a queue in order, which is its end nearly always.
#[inline]
pub(super) fn insert<T: PartialOrd + Copy>(queue: &mut VecDeque<T>, entry: T) {
    match queue.back() {
        Some(last) if *last > entry => {
            let place = queue.partition_point(|other| *other <= entry);
            queue.insert(place, entry);
        }
        _ => queue.push_back(entry),
    }
}
