//! A bus or a link that carries one thing at a time. Whoever asks is served as early as there is room: data
//! that are ready early do not wait for data that were asked for first and come late.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Idle spans that are remembered. Older ones lie in the past, or nearly so.
const GAPS_MAX: usize = 64;

/// When the line is taken, as nanoseconds of the device's clock.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Idle from here on.
    idle_from: u64,
    /// Idle spans before that, in order.
    gaps: VecDeque<(u64, u64)>,
}

impl Line {
    /// Takes the line for `length_ns`, no earlier than `ready`. Returns the end.
    #[inline]
    pub(crate) fn take(&mut self, ready: u64, length_ns: u64) -> u64 {
        if ready < self.idle_from {
            return self.take_gap(ready, length_ns);
        }
        if ready > self.idle_from {
            if self.gaps.len() == GAPS_MAX {
                self.gaps.pop_front();
            }
            self.gaps.push_back((self.idle_from, ready));
        }
        self.idle_from = ready + length_ns;
        self.idle_from
    }

    #[inline(never)] // out of the way of a line that is idle
    fn take_gap(&mut self, ready: u64, length_ns: u64) -> u64 {
        let first = self.gaps.partition_point(|gap| gap.1 < ready + length_ns);
        for i in first..self.gaps.len() {
            let (begin, end) = self.gaps[i];
            let start = begin.max(ready);
            if start + length_ns <= end {
                self.gaps[i].0 = start + length_ns;
                if begin < start && self.gaps.len() < GAPS_MAX {
                    self.gaps.insert(i, (begin, start));
                }
                return start + length_ns;
            }
        }
        self.idle_from += length_ns;
        self.idle_from
    }

    /// Idle from now on, for all that was asked so far.
    pub(crate) fn idle_from(&self) -> u64 {
        self.idle_from
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn what_is_ready_early_overtakes_what_comes_late() {
        let mut line = Line::default();
        assert_eq!(line.take(1_000, 10), 1_010, "asked first, ready late");
        assert_eq!(line.take(0, 10), 10, "goes into the idle time before");
        assert_eq!(line.take(995, 10), 1_020, "no room before: behind it");
        assert_eq!(line.take(0, 10), 20);
    }

    /// The oracle is a bit for each nanosecond.
    #[test]
    fn each_transfer_takes_the_first_room_there_is() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let (mut line, mut taken) = (Line::default(), vec![false; 4_000]);
            for _ in 0..60 {
                let (ready, length) = (random.below(500) as usize, 1 + random.below(12) as usize);
                let free = |start: &usize| taken[*start..*start + length].iter().all(|taken| !taken);
                let start = (ready..).find(free).expect("the list is long");
                taken[start..start + length].fill(true);
                let end = line.take(ready as u64, length as u64);
                assert_eq!(end, (start + length) as u64, "seed {seed}, ready {ready}, length {length}");
            }
        }
    }
}
