//! When the requests of an open loop are due.

use crate::pacing::Arrivals;
use crate::seed::Random;
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
