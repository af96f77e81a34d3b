//! How long a backlog of deferred work takes to fill, and what is left to pay when idle time drains it.

/// Writes that each leave work behind, with a pause after each burst of them.
pub(super) struct Draining {
    pub(super) capacity_ns: u64,
    pub(super) work_ns: u64,
    pub(super) pause_ns: u64,
    pub(super) burst_ios: u64,
}

impl Draining {
    /// Start-up in IOs, and the work that is paid for per IO afterwards. None where pauses empty the backlog
    /// and bursts overfill it.
    pub(super) fn steady(&self) -> Option<(u64, f64)> {
        let Draining { capacity_ns, work_ns, pause_ns, burst_ios } = *self;
        if pause_ns == 0 {
            return Some((self.after(0, 0), work_ns as f64));
        }
        let burst_ns = u128::from(burst_ios) * u128::from(work_ns);
        if u128::from(pause_ns) >= burst_ns {
            return (burst_ns <= u128::from(capacity_ns)).then_some((0, 0.0));
        }
        if pause_ns > capacity_ns || burst_ns > u128::from(u64::MAX) {
            return None;
        }
        let later_ns = work_ns as f64 - pause_ns as f64 / burst_ios as f64;
        Some((self.startup_with_pauses(burst_ns as u64), later_ns))
    }

    /// Start-up without pauses if the first `ios` leave `left_ns` of work behind.
    pub(super) fn after(&self, ios: u64, left_ns: u64) -> u64 {
        ios + self.capacity_ns.saturating_sub(left_ns).checked_div(self.work_ns).unwrap_or(0)
    }

    /// Whole bursts first, each of which adds its work less one pause, then the IOs of the burst that
    /// fills the backlog. A first write alone is not known to be random before the pause, which thus
    /// drains nothing.
    fn startup_with_pauses(&self, burst_ns: u64) -> u64 {
        let head_start_ns = if self.burst_ios == 1 { self.pause_ns } else { 0 };
        let net_ns = burst_ns - self.pause_ns;
        let room_ns = self.capacity_ns.checked_sub(burst_ns + head_start_ns);
        let bursts = room_ns.map_or(0, |room_ns| room_ns / net_ns + 1);
        let level_ns = bursts * net_ns + if bursts > 0 { head_start_ns } else { 0 };
        bursts * self.burst_ios + self.capacity_ns.saturating_sub(level_ns) / self.work_ns
    }
}
