//! Work that random writes leave behind: done later at a later write's expense, or in idle time.

use super::spec::RigSpec;

/// The IO size by which `startup` counts.
pub(super) const REFERENCE_BYTES: u64 = 32 << 10;

/// The work that a random write of this size leaves behind, at the plain level.
pub(super) fn work_ns(spec: &RigSpec, length_bytes: u64) -> u64 {
    let random = spec.latency.random_write().at(length_bytes);
    random.saturating_sub(spec.latency.sequential_write.at(length_bytes))
}

/// What the device puts off before anybody pays.
pub(super) fn capacity_ns(spec: &RigSpec, startup: u32) -> u64 {
    u64::from(startup) * work_ns(spec, REFERENCE_BYTES)
}

pub(super) struct Backlog {
    capacity_ns: u64,
    period: u32,
    drains_while_idle: bool,
    pending_ns: u64,
    /// Random writes since the backlog was last cut down to its capacity.
    unpaid: u32,
}

impl Backlog {
    pub(super) fn new(spec: &RigSpec) -> Option<Backlog> {
        spec.background.map(|background| Backlog {
            capacity_ns: capacity_ns(spec, background.startup),
            period: background.period,
            drains_while_idle: background.drains_while_idle,
            pending_ns: 0,
            unpaid: 0,
        })
    }

    pub(super) fn idle(&mut self, span_ns: u64) {
        if self.drains_while_idle {
            self.pending_ns = self.pending_ns.saturating_sub(span_ns);
        }
    }

    /// Puts this work off; returns the work that must be done now.
    #[inline]
    pub(super) fn put_off(&mut self, work_ns: u64) -> u64 {
        self.pending_ns += work_ns;
        if self.pending_ns <= self.capacity_ns {
            self.unpaid = 0;
            return 0;
        }
        self.unpaid += 1;
        if self.unpaid < self.period {
            return 0;
        }
        self.unpaid = 0;
        let due = self.pending_ns - self.capacity_ns;
        self.pending_ns = self.capacity_ns;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(startup: u64, period: u32) -> Backlog {
        Backlog { capacity_ns: startup * 10, period, drains_while_idle: true, pending_ns: 0, unpaid: 0 }
    }

    #[test]
    fn work_is_put_off_up_to_the_capacity_and_then_paid_for_by_every_third() {
        let mut backlog = backlog(4, 3);
        let paid: Vec<u64> = (0..10).map(|_| backlog.put_off(10)).collect();
        assert_eq!(paid, [0, 0, 0, 0, 0, 0, 30, 0, 0, 30]);
    }

    #[test]
    fn idle_time_takes_the_place_of_payment() {
        let mut backlog = backlog(2, 3);
        let paid: Vec<u64> = (0..20)
            .map(|_| {
                backlog.idle(4);
                backlog.put_off(10)
            })
            .filter(|paid| *paid > 0)
            .collect();
        assert_eq!(paid, [14, 18, 18, 18, 18, 18]);
    }
}
