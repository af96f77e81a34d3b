//! Long requests cut into blocks.

use flashscope_core::number::{count, exact_size};

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Cuts requests at the multiples of a block size, so that no piece crosses one. All pieces have the time,
/// the flags and the latency of the whole.
#[derive(Clone, Debug)]
pub struct Split {
    block_bytes: u64,
    /// Within a request that is being cut.
    is_cutting: bool,
    requests: u64,
    pieces: u64,
}

impl Split {
    /// At the multiples of `block_bytes`, at least 1.
    pub fn new(block_bytes: u64) -> Split {
        assert!(block_bytes > 0, "a block has at least a byte");
        Split { block_bytes, is_cutting: false, requests: 0, pieces: 0 }
    }
}

impl Transform for Split {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let room = self.block_bytes - record.offset_bytes % self.block_bytes;
        let is_whole = record.length_bytes <= room;
        self.requests += u64::from(!is_whole && !self.is_cutting);
        self.pieces += u64::from(!is_whole || self.is_cutting);
        self.is_cutting = !is_whole;
        Ok(if is_whole { Step::Keep } else { cut(record, room) })
    }

    fn notes(&self) -> Vec<Note> {
        let about = format!("requests split at multiples of {}", exact_size(self.block_bytes));
        let pieces = format!("into {}", count(self.pieces));
        Note::some(self.requests, about).map(|note| note.with(pieces)).into_iter().collect()
    }
}

/// Keeps the first `bytes` of a longer record and looks at the rest. No overflow: the range fits 64 bits.
#[inline]
pub(super) fn cut(record: &mut Record, bytes: u64) -> Step {
    let mut rest = *record;
    rest.offset_bytes += bytes;
    rest.length_bytes -= bytes;
    record.length_bytes = bytes;
    Step::KeepAnd(rest)
}
