//! All addresses moved by the same distance.

use flashscope_core::Op;
use flashscope_core::number::exact_size;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Moves every request, flushes excepted, by so many bytes.
#[derive(Clone, Debug)]
pub struct Shift {
    bytes: i128,
    moved: u64,
}

impl Shift {
    /// By `bytes`, up or down.
    pub fn new(bytes: i128) -> Shift {
        Shift { bytes, moved: 0 }
    }
}

impl Transform for Shift {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        if record.op == Op::Flush || self.bytes == 0 {
            return Ok(Step::Keep);
        }
        let start = i128::from(record.offset_bytes).checked_add(self.bytes);
        let start = start.and_then(|start| u64::try_from(start).ok());
        let start = start.filter(|start| start.checked_add(record.length_bytes).is_some());
        let problem = || format!("moved by {} bytes, it would lie outside the address space", self.bytes);
        let remedy = "move it less far, or cut the address range first";
        record.offset_bytes = start.ok_or_else(|| Refusal::new(problem(), remedy))?;
        self.moved += 1;
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        // `step` lets no distance pass that has more than 64 bits.
        let distance = exact_size(u64::try_from(self.bytes.unsigned_abs()).unwrap_or(u64::MAX));
        let way = if self.bytes < 0 { "down" } else { "up" };
        let about = format!("requests moved {way} by {distance}");
        Note::some(self.moved, about).into_iter().collect()
    }
}
