//! Levels of the cost of writes along the bytes written.

use super::spec;

pub(super) struct Levels {
    spec: spec::Regimes,
    written_bytes: u64,
    factor: f64,
    /// Where the next level begins.
    next_bytes: u64,
}

impl Levels {
    pub(super) fn new(spec: spec::Regimes) -> Levels {
        let mut levels = Levels { spec, written_bytes: 0, factor: 1.0, next_bytes: 0 };
        levels.look_up();
        levels
    }

    pub(super) fn idle(&mut self, span_ns: u64) {
        if self.spec.reset_after_idle.is_some_and(|reset| span_ns >= reset.0) {
            self.written_bytes = 0;
            self.look_up();
        }
    }

    /// The factor for a write that comes now; counts its bytes.
    #[inline]
    pub(super) fn write(&mut self, length_bytes: u64) -> f64 {
        if self.written_bytes >= self.next_bytes {
            self.look_up();
        }
        self.written_bytes += length_bytes;
        self.factor
    }

    fn look_up(&mut self) {
        let begun = self.spec.steps.partition_point(|step| step.from.0 <= self.written_bytes);
        self.factor = if begun == 0 { 1.0 } else { self.spec.steps[begun - 1].factor };
        self.next_bytes = self.spec.steps.get(begun).map_or(u64::MAX, |step| step.from.0);
    }
}
