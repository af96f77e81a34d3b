//! Requests made whole blocks: the start rounded down, the end up.

use flashscope_core::number::exact_size;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Grows each request to whole blocks of the target: its start goes down, its end up. An empty one stays
/// empty.
#[derive(Clone, Debug)]
pub struct Align {
    block_bytes: u64,
    moved: u64,
    grown: u64,
    added_bytes: u64,
}

impl Align {
    /// To blocks of `block_bytes`, at least 1.
    pub fn new(block_bytes: u64) -> Align {
        assert!(block_bytes > 0, "a block has at least a byte");
        Align { block_bytes, moved: 0, grown: 0, added_bytes: 0 }
    }
}

impl Transform for Align {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let Record { offset_bytes, length_bytes, .. } = *record;
        let start = offset_bytes - offset_bytes % self.block_bytes;
        let end = offset_bytes.checked_add(length_bytes).and_then(|end| {
            if length_bytes == 0 { Some(start) } else { end.checked_next_multiple_of(self.block_bytes) }
        });
        let problem = || format!("it cannot be aligned to {} bytes: its end exceeds 2^64", self.block_bytes);
        let end = end.ok_or_else(|| Refusal::new(problem(), "cut the address range first"))?;
        (record.offset_bytes, record.length_bytes) = (start, end - start);
        self.moved += u64::from(start != offset_bytes);
        self.grown += u64::from(end - start != length_bytes);
        // No less: an aligned request covers what it covered.
        self.added_bytes = self.added_bytes.saturating_add(end - start - length_bytes);
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        let block = exact_size(self.block_bytes);
        let moved = Note::some(self.moved, format!("requests moved back to a multiple of {block}"));
        let grown = Note::some(self.grown, format!("requests lengthened to a multiple of {block}"));
        let added = format!("{} added", exact_size(self.added_bytes));
        moved.into_iter().chain(grown.map(|note| note.with(added))).collect()
    }
}
