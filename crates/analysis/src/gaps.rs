//! What the instrument itself adds: the time between the end of an IO and the submission of the next, where
//! the pattern asks for none. A device may use it to recover (paper 001, section 4.3), so it is measured.

use flashscope_core::Nanos;
use serde::{Deserialize, Serialize};

/// A gap from here on is long enough for a device to do something.
pub const GAP_LONG: Nanos = Nanos::from_us(100);

/// The gaps of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaps {
    /// Gaps counted: one before each IO.
    pub ios: u64,
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// Those of at least [`GAP_LONG`].
    pub long: u64,
}

impl Gaps {
    /// Counts one.
    #[inline]
    pub fn push(&mut self, gap: Nanos) {
        self.ios += 1;
        self.total_ns = self.total_ns.saturating_add(gap.0);
        self.max_ns = self.max_ns.max(gap.0);
        self.long += u64::from(gap >= GAP_LONG);
    }

    /// Their share of a run of `elapsed_ns`.
    pub fn share(&self, elapsed_ns: u64) -> f64 {
        self.total_ns as f64 / elapsed_ns.max(1) as f64
    }
}
