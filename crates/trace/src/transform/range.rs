//! A range of addresses.

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// What becomes of a request that lies partly in the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// The part inside is kept.
    Clip,
    /// It is left out.
    Drop,
}

/// Keeps the requests from one offset (included) to another (left out). Offsets stay as they are; flushes
/// belong to every range.
#[derive(Clone, Debug)]
pub struct SelectRange {
    from_bytes: u64,
    to_bytes: u64,
    across: Across,
    outside: u64,
    partly: u64,
}

impl SelectRange {
    /// From `from_bytes` to `to_bytes`.
    pub fn new(from_bytes: u64, to_bytes: u64, across: Across) -> SelectRange {
        SelectRange { from_bytes, to_bytes, across, outside: 0, partly: 0 }
    }
}

impl Transform for SelectRange {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let (start, length) = (record.offset_bytes, record.length_bytes);
        if record.op == flashscope_core::Op::Flush {
            return Ok(Step::Keep);
        }
        let end = start.saturating_add(length);
        if start >= self.from_bytes && end <= self.to_bytes && start < self.to_bytes {
            return Ok(Step::Keep);
        }
        let (from, to) = (start.max(self.from_bytes), end.min(self.to_bytes));
        if from >= to {
            self.outside += 1;
            return Ok(Step::Drop);
        }
        self.partly += 1;
        (record.offset_bytes, record.length_bytes) = (from, to - from);
        Ok(if self.across == Across::Clip { Step::Keep } else { Step::Drop })
    }

    fn notes(&self) -> Vec<Note> {
        let outside = Note::some(self.outside, "requests dropped: outside the address range");
        let partly = match self.across {
            Across::Clip => "requests clipped to the address range",
            Across::Drop => "requests dropped: across an end of the address range",
        };
        outside.into_iter().chain(Note::some(self.partly, partly)).collect()
    }
}
