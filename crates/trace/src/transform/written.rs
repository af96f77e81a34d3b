//! How much is written, in device writes.

use flashscope_core::{
    Op,
    number::{digits, exact_size},
};

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// Changes nothing and counts what is written. No public trace overwrites a device often enough to bring it
/// to steady collection by itself; this says how often it was.
#[derive(Clone, Debug)]
pub struct Written {
    capacity_bytes: Option<u64>,
    /// Where the last request of each device ends.
    ends_bytes: Vec<u64>,
    written_bytes: u64,
}

impl Written {
    /// For devices of `capacity_bytes` each; with `None`, a device ends where its last request ends.
    pub fn new(capacity_bytes: Option<u64>) -> Written {
        Written { capacity_bytes, ends_bytes: Vec::new(), written_bytes: 0 }
    }
}

impl Transform for Written {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let device = record.device as usize;
        if device >= self.ends_bytes.len() {
            self.ends_bytes.resize(device + 1, 0);
        }
        let end_bytes = record.offset_bytes.saturating_add(record.length_bytes);
        self.ends_bytes[device] = self.ends_bytes[device].max(end_bytes);
        if record.op == Op::Write {
            self.written_bytes = self.written_bytes.saturating_add(record.length_bytes);
        }
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        // Flushes reach nowhere: a device that has nothing else is none.
        let ends_bytes = || self.ends_bytes.iter().copied().filter(|&end_bytes| end_bytes > 0);
        let devices = ends_bytes().count() as u64;
        let sizes_bytes = ends_bytes().map(|end_bytes| self.capacity_bytes.unwrap_or(end_bytes));
        let bytes: u128 = sizes_bytes.map(u128::from).sum();
        if bytes == 0 || self.written_bytes == 0 {
            return Vec::new();
        }
        let writes = self.written_bytes as f64 / bytes as f64;
        let span = if self.capacity_bytes.is_none() { "the span of " } else { "" };
        let size = exact_size(u64::try_from(bytes).unwrap_or(u64::MAX));
        let of = if devices > 1 { format!(" of {devices} devices") } else { String::new() };
        let detail = format!("{} device writes of {span}{size}{of}", digits(writes));
        vec![Note::new(self.written_bytes, "written").bytes().with(detail)]
    }
}
