//! IOs in flight, in the order in which they will be done.

use std::collections::VecDeque;

use flashscope_core::{Completion, Time};

#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    /// In order of completion, then of submission.
    completions: VecDeque<Completion>,
}

impl Flight {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.completions.len()
    }

    #[inline]
    pub(super) fn push(&mut self, completion: Completion) {
        if self.completions.back().is_none_or(|last| last.completed <= completion.completed) {
            self.completions.push_back(completion);
        } else {
            let place = self.completions.partition_point(|other| other.completed <= completion.completed);
            self.completions.insert(place, completion);
        }
    }

    /// When the next IO is done.
    #[inline]
    pub(super) fn next(&self) -> Option<Time> {
        self.completions.front().map(|completion| completion.completed)
    }

    /// The next IO, if it is done by `clock`.
    #[inline]
    pub(super) fn pop(&mut self, clock: Time) -> Option<Completion> {
        if self.next()? > clock { None } else { self.completions.pop_front() }
    }
}
