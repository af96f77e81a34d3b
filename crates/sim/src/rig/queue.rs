//! IOs in flight: channels that serve them in order of submission, and completions in order of time.

use std::collections::VecDeque;

use flashscope_core::{Completion, Time};

pub(super) struct Queue {
    /// When each channel is free.
    channels: Vec<Time>,
    /// In order of completion, then of submission.
    flight: VecDeque<Completion>,
    /// When the last IO so far is done.
    pub(super) busy_until: Time,
}

impl Queue {
    pub(super) fn new(channels: u32) -> Queue {
        Queue {
            channels: vec![Time::ZERO; channels as usize],
            flight: VecDeque::with_capacity(1024),
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
        let completion = Completion { tag, submitted, completed };
        if self.flight.back().is_none_or(|last| last.completed <= completed) {
            self.flight.push_back(completion);
        } else {
            let place = self.flight.partition_point(|other| other.completed <= completed);
            self.flight.insert(place, completion);
        }
    }

    /// When the next IO is done.
    #[inline]
    pub(super) fn next(&self) -> Option<Time> {
        self.flight.front().map(|completion| completion.completed)
    }

    /// The next IO, if it is done by `clock`.
    #[inline]
    pub(super) fn pop(&mut self, clock: Time) -> Option<Completion> {
        if self.next()? > clock { None } else { self.flight.pop_front() }
    }
}
