//! Long gaps cut short.

use flashscope_core::number::span;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Makes no gap between one request and the next longer than so much; what follows moves up. A gap begins
/// with the latest request so far; one that is out of order stays as far from it as it was.
#[derive(Clone, Debug)]
pub struct CapIdle {
    gap_ns_max: u64,
    /// The latest time so far, as it was.
    latest_ns: Option<u64>,
    removed_ns: u64,
    gaps: u64,
    clamped: u64,
}

impl CapIdle {
    /// To `gap_ns_max`.
    pub fn new(gap_ns_max: u64) -> CapIdle {
        CapIdle { gap_ns_max, latest_ns: None, removed_ns: 0, gaps: 0, clamped: 0 }
    }
}

impl Transform for CapIdle {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let latest_ns = *self.latest_ns.get_or_insert(record.time_ns);
        let gap_ns = record.time_ns.saturating_sub(latest_ns);
        if gap_ns > self.gap_ns_max {
            self.removed_ns += gap_ns - self.gap_ns_max;
            self.gaps += 1;
        }
        self.latest_ns = Some(latest_ns.max(record.time_ns));
        self.clamped += u64::from(record.time_ns < self.removed_ns);
        record.time_ns = record.time_ns.saturating_sub(self.removed_ns);
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        let gaps = Note::some(self.gaps, format!("gaps shortened to {}", span(self.gap_ns_max as f64)));
        let removed = format!("the trace by {}", span(self.removed_ns as f64));
        let clamped = "requests out of order, moved to time 0 from before it";
        let clamped = Note::some(self.clamped, clamped);
        gaps.map(|note| note.with(removed)).into_iter().chain(clamped).collect()
    }
}
