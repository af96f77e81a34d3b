//! A window in time.

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// What times of a window count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The first record that the window sees. One that is earlier counts as being with it.
    FirstRecord,
    /// The trace's own zero.
    Trace,
}

/// Keeps the requests from one time (included) to another (left out). It reads on behind its end, since
/// traces are not always sorted.
#[derive(Clone, Debug)]
pub struct TimeWindow {
    from_ns: u64,
    to_ns: u64,
    /// Not known before the first record.
    zero_ns: Option<u64>,
    before: u64,
    after: u64,
}

impl TimeWindow {
    /// From `from_ns` to `to_ns`, counted from `origin`.
    pub fn new(origin: Origin, from_ns: u64, to_ns: u64) -> TimeWindow {
        let zero_ns = (origin == Origin::Trace).then_some(0);
        TimeWindow { from_ns, to_ns, zero_ns, before: 0, after: 0 }
    }
}

impl Transform for TimeWindow {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let zero_ns = *self.zero_ns.get_or_insert(record.time_ns);
        let time_ns = record.time_ns.saturating_sub(zero_ns);
        if (self.from_ns..self.to_ns).contains(&time_ns) {
            return Ok(Step::Keep);
        }
        if time_ns < self.from_ns {
            self.before += 1
        } else {
            self.after += 1
        }
        Ok(Step::Drop)
    }

    fn notes(&self) -> Vec<Note> {
        let before = Note::some(self.before, "requests dropped: before the time window");
        let after = Note::some(self.after, "requests dropped: after the time window");
        before.into_iter().chain(after).collect()
    }
}
