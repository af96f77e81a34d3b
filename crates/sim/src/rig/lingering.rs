//! The after-effect of random writes on reads.

use flashscope_core::Time;

use super::spec;

pub(super) struct AfterEffect {
    spec: spec::Lingering,
    reads_left: u64,
    until: Time,
}

impl AfterEffect {
    pub(super) fn new(spec: spec::Lingering) -> AfterEffect {
        AfterEffect { spec, reads_left: 0, until: Time::ZERO }
    }

    /// A random write is done at `end`.
    #[inline]
    pub(super) fn random_write(&mut self, end: Time) {
        self.reads_left = self.spec.reads;
        self.until = end + self.spec.time;
    }

    /// The factor for a read that begins at `start`.
    #[inline]
    pub(super) fn read(&mut self, start: Time) -> f64 {
        if self.reads_left == 0 || start >= self.until {
            self.reads_left = 0;
            return 1.0;
        }
        self.reads_left -= 1;
        self.spec.factor
    }
}
