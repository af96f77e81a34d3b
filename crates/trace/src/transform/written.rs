//! How much is written, in device writes.

use flashscope_core::Op;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Changes nothing and counts what is written. No public trace overwrites a device often enough to bring it
/// to steady collection by itself; this says how often it was.
#[derive(Clone, Debug)]
pub struct Written {
    capacity_bytes: Option<u64>,
    end_bytes: u64,
    written_bytes: u64,
}

impl Written {
    /// For a device of `capacity_bytes`; `None` is one that ends where the last request ends.
    pub fn new(capacity_bytes: Option<u64>) -> Written {
        Written { capacity_bytes, end_bytes: 0, written_bytes: 0 }
    }
}

impl Transform for Written {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        self.end_bytes = self.end_bytes.max(record.offset_bytes.saturating_add(record.length_bytes));
        if record.op == Op::Write {
            self.written_bytes = self.written_bytes.saturating_add(record.length_bytes);
        }
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        let capacity_bytes = self.capacity_bytes.unwrap_or(self.end_bytes);
        if capacity_bytes == 0 {
            return Vec::new();
        }
        let writes = self.written_bytes as f64 / capacity_bytes as f64;
        let about = format!("bytes are written: {writes:.2} device writes of {capacity_bytes} bytes");
        vec![Note { count: self.written_bytes, about }]
    }
}
