//! When the requests of an open loop are due.

use crate::pacing::Arrivals;
use crate::seed::{Random, derive};
use crate::time::Time;

/// Open-loop arrival times.
#[derive(Clone, Debug)]
pub(super) struct ArrivalClock {
    gap_ns: f64,
    arrivals: Arrivals,
    next_ns: f64,
    random: Random,
}

impl ArrivalClock {
    /// So many arrivals a second.
    pub(super) fn new(rate_iops: f64, arrivals: Arrivals, seed: u64) -> ArrivalClock {
        ArrivalClock { gap_ns: 1e9 / rate_iops, arrivals, next_ns: 0.0, random: Random::new(seed) }
    }

    pub(super) fn next(&mut self) -> Time {
        let due = Time(self.next_ns as u64);
        self.next_ns += match self.arrivals {
            Arrivals::Fixed => self.gap_ns,
            Arrivals::Poisson => -libm::log(1.0 - self.random.unit()) * self.gap_ns,
        };
        due
    }
}

/// Whose turn it is in a mix over one space.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    /// The second's by chance.
    Chance { percent: u64, coin: Random },
    /// Who is due first, the first pattern where both are.
    Due(Box<[ArrivalClock; 2]>),
}

impl Turn {
    /// Each pattern arrives so often.
    pub(super) fn due(rates_iops: [f64; 2], arrivals: Arrivals, seed: u64) -> Turn {
        let seeds = [seed, derive(seed, 1)];
        let clock = |of: usize| ArrivalClock::new(rates_iops[of], arrivals, seeds[of]);
        Turn::Due(Box::new([clock(0), clock(1)]))
    }

    /// Whether the next IO is of the second, and when it is due; at 0 where chance decides.
    #[inline]
    pub(super) fn next(&mut self) -> (bool, Time) {
        match self {
            Turn::Chance { percent, coin } => (coin.below(100) < *percent, Time::ZERO),
            Turn::Due(clocks) => {
                let is_second = clocks[1].next_ns < clocks[0].next_ns;
                (is_second, clocks[usize::from(is_second)].next())
            }
        }
    }
}
