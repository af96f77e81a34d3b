//! IOs in flight: channels that serve them in order of submission, and completions in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use flashscope_core::{Completion, Time};

/// One IO in flight, ordered by when it is done, then by when it was taken.
type Entry = Reverse<(Time, u64, u32, Time)>;

pub(super) struct Queue {
    /// When each channel is free.
    channels: Vec<Time>,
    flight: BinaryHeap<Entry>,
    taken: u64,
    /// When the last IO so far is done.
    pub(super) busy_until: Time,
}

impl Queue {
    pub(super) fn new(channels: u32) -> Queue {
        Queue {
            channels: vec![Time::ZERO; channels as usize],
            flight: BinaryHeap::with_capacity(1024),
            taken: 0,
            busy_until: Time::ZERO,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.flight.len()
    }

    /// The channel that is free first, and when an IO taken at `now` begins there.
    #[inline]
    pub(super) fn earliest(&self, now: Time) -> (usize, Time) {
        let mut best = 0;
        for (i, free) in self.channels.iter().enumerate() {
            if *free < self.channels[best] {
                best = i;
            }
        }
        (best, self.channels[best].max(now))
    }

    #[inline]
    pub(super) fn push(&mut self, channel: usize, tag: u32, submitted: Time, completed: Time) {
        self.channels[channel] = completed;
        self.busy_until = self.busy_until.max(completed);
        self.push_aside(tag, submitted, completed);
    }

    /// An IO that keeps no channel busy.
    #[inline]
    pub(super) fn push_aside(&mut self, tag: u32, submitted: Time, completed: Time) {
        self.taken += 1;
        self.flight.push(Reverse((completed, self.taken, tag, submitted)));
    }

    /// When the next IO is done.
    #[inline]
    pub(super) fn next(&self) -> Option<Time> {
        self.flight.peek().map(|Reverse((completed, ..))| *completed)
    }

    /// The next IO, if it is done by `clock`.
    #[inline]
    pub(super) fn pop(&mut self, clock: Time) -> Option<Completion> {
        if self.next()? > clock {
            return None;
        }
        let Reverse((completed, _, tag, submitted)) = self.flight.pop()?;
        Some(Completion { tag, submitted, completed })
    }
}
