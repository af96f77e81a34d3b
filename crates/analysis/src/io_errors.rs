//! IOs that failed while others went on: how many, and where the first of them were.

use std::fmt;

use flashscope_core::number::exact_size;
use flashscope_core::{Io, TargetError};
use serde::{Deserialize, Serialize};

/// Failed IOs of a run. All are counted; of the first [`IoErrors::KEPT`] the places are kept. None of them
/// has a response time: they are in no mean, percentile or file of IOs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoErrors {
    /// How many.
    pub count: u64,
    /// The first of them, in the order in which they were heard of.
    pub first: Vec<IoError>,
}

/// One IO that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoError {
    /// `read`, `write`, `flush` or `trim`.
    pub op: String,
    /// First byte on the target.
    pub offset_bytes: u64,
    /// Length.
    pub length_bytes: u64,
    /// When it was submitted, from the start of the run.
    pub submit_ns: u64,
    /// From there to the error.
    pub after_ns: u64,
    /// What the system said.
    pub cause: String,
}

impl IoErrors {
    /// Places kept of a run.
    pub const KEPT: usize = 32;

    /// Whether no IO failed.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Counts one more.
    pub fn add(&mut self, io: &Io, error: &TargetError) {
        self.count += 1;
        if self.first.len() < IoErrors::KEPT {
            self.first.push(IoError {
                op: io.op.name().into(),
                offset_bytes: io.offset_bytes,
                length_bytes: io.length_bytes.into(),
                submit_ns: io.submitted.0,
                after_ns: io.response.0,
                cause: error.cause.clone(),
            });
        }
    }

    /// Counts those of another run behind these.
    pub fn append(&mut self, other: &IoErrors) {
        self.count += other.count;
        let room = IoErrors::KEPT.saturating_sub(self.first.len());
        self.first.extend(other.first.iter().take(room).cloned());
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IoError { op, offset_bytes, length_bytes, cause, .. } = self;
        match length_bytes {
            0 => write!(f, "{op}: {cause}"),
            bytes => write!(f, "{op} of {} at offset {offset_bytes}: {cause}", exact_size(*bytes)),
        }
    }
}
