//! When the measuring process itself stood still: it was stopped, or the machine gave it no processor. A
//! response time that contains such a pause is no time of the drive, and the drive's clock cannot tell.

use flashscope_core::{Nanos, Time};
use serde::{Deserialize, Serialize};

/// A pause from here on is looked for; shorter ones are the machine's everyday noise.
pub const STANDSTILL_MIN: Nanos = Nanos::from_ms(20);

/// A mean of which pauses are more than this share is not the drive's.
pub(crate) const SHARE_MAX: f64 = 0.05;

/// One pause, as a watch beside the IOs saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standstill {
    /// The last time at which the process surely ran.
    pub from: Time,
    /// The first at which it surely ran again.
    pub to: Time,
    /// How long of that it stood still, at least.
    pub lost: Nanos,
}

impl Standstill {
    /// Whether an IO's response time holds most of it.
    pub fn is_within(&self, submitted: Time, response: Nanos) -> bool {
        submitted < self.to && submitted + response > self.from && response.0 >= self.lost.0 / 2
    }
}

/// The pauses of one run, and the response times that hold them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standstills {
    /// Pauses of at least [`STANDSTILL_MIN`].
    pub count: u64,
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// IOs whose response times hold one.
    pub ios: u64,
    /// What these pauses add to the sum of all response times.
    pub added_ns: u64,
}

impl Standstills {
    /// Counts one pause.
    pub fn add(&mut self, lost: Nanos) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(lost.0);
        self.max_ns = self.max_ns.max(lost.0);
    }

    /// Counts an IO of this response time if it holds some of `all`; whether it does.
    pub fn add_io(&mut self, all: &[Standstill], submitted: Time, response: Nanos) -> bool {
        let within = all.iter().filter(|one| one.is_within(submitted, response));
        let lost_ns: u64 = within.map(|one| one.lost.0).sum();
        self.ios += u64::from(lost_ns > 0);
        self.added_ns = self.added_ns.saturating_add(lost_ns.min(response.0));
        lost_ns > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_response_times_that_hold_a_pause_count() {
        let ms = |ms| Time::ZERO + Nanos::from_ms(ms);
        let all = [Standstill { from: ms(100), to: ms(420), lost: Nanos::from_ms(300) }];
        let mut found = Standstills::default();
        found.add(all[0].lost);
        // Over it; before it; behind it; beside it, but short: the loop itself ran on.
        assert!(found.add_io(&all, ms(105), Nanos::from_ms(305)));
        assert!(!found.add_io(&all, ms(10), Nanos::from_ms(80)));
        assert!(!found.add_io(&all, ms(430), Nanos::from_ms(400)));
        assert!(!found.add_io(&all, ms(200), Nanos::from_ms(50)));
        let ms_ns = 1_000_000;
        let expected = Standstills {
            count: 1,
            total_ns: 300 * ms_ns,
            max_ns: 300 * ms_ns,
            ios: 1,
            added_ns: 300 * ms_ns,
        };
        assert_eq!(found, expected);
    }
}
