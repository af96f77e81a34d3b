//! Some operations of a trace.

use flashscope_core::Op;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Keeps the requests of these operations.
#[derive(Clone, Debug)]
pub struct SelectOps {
    wanted: [bool; Op::ALL.len()],
    left_out: u64,
}

impl SelectOps {
    /// These operations.
    pub fn new(ops: impl IntoIterator<Item = Op>) -> SelectOps {
        let mut wanted = [false; Op::ALL.len()];
        ops.into_iter().for_each(|op| wanted[op as usize] = true);
        SelectOps { wanted, left_out: 0 }
    }
}

impl Transform for SelectOps {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        if self.wanted[record.op as usize] {
            return Ok(Step::Keep);
        }
        self.left_out += 1;
        Ok(Step::Drop)
    }

    fn notes(&self) -> Vec<Note> {
        Note::some(self.left_out, "requests dropped: other operations").into_iter().collect()
    }
}
