//! IOs in flight whose end is known, in the order of their ends.

use std::collections::VecDeque;

use flashscope_core::{Completion, Time};

#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    /// In order of completion, then of submission.
    completions: VecDeque<Completion>,
}

impl Flight {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.completions.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, completion: Completion) {
        if self.completions.back().is_none_or(|last| last.completed <= completion.completed) {
            self.completions.push_back(completion);
        } else {
            let place = self.completions.partition_point(|other| other.completed <= completion.completed);
            self.completions.insert(place, completion);
        }
    }

    /// Moves completions to `out` until `min` came or the clock, now at `clock`, reaches `until`. Returns
    /// the clock.
    #[inline]
    pub(crate) fn reap(&mut self, clock: u64, min: usize, until: Time, out: &mut Vec<Completion>) -> u64 {
        let (mut clock, mut missing) = (clock, min);
        loop {
            while let Some(completion) = self.pop(Time(clock)) {
                out.push(completion);
                missing = missing.saturating_sub(1);
            }
            match self.next() {
                Some(next) if missing > 0 && next <= until => clock = next.0,
                _ if missing > 0 && until != Time::NEVER => return clock.max(until.0),
                _ => return clock,
            }
        }
    }

    /// When the next IO is done.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        self.completions.front().map(|completion| completion.completed)
    }

    /// The next IO, if it is done by `clock`.
    #[inline]
    pub(crate) fn pop(&mut self, clock: Time) -> Option<Completion> {
        if self.next()? > clock { None } else { self.completions.pop_front() }
    }
}
