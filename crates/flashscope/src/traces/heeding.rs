//! Traces that end when the person interrupts.

use std::io::{Error, Read};
use std::sync::atomic::Ordering;

use flashscope_trace::transform::Note;
use flashscope_trace::{Counts, Record, Records, TraceError};

use crate::signal;

/// Bytes, or the records made of them, that end at Ctrl-C. Records heed it between two batches; bytes do
/// where a pipe has no request for a long time.
pub struct Heeding<T> {
    /// What ends.
    pub inner: T,
}

fn is_interrupted() -> bool {
    signal::flag().load(Ordering::Relaxed)
}

impl<R: Read> Read for Heeding<R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        // Not of the kind that asks to try again.
        if is_interrupted() { Err(Error::other("interrupted")) } else { self.inner.read(bytes) }
    }
}

impl Records for Heeding<Box<dyn Records>> {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<usize, TraceError> {
        if is_interrupted() {
            batch.clear();
            return Err(TraceError::Interrupted);
        }
        let read = self.inner.next_batch(batch);
        read.map_err(|error| if is_interrupted() { TraceError::Interrupted } else { error })
    }

    fn format(&self) -> &'static str {
        self.inner.format()
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn counts(&self) -> Counts {
        self.inner.counts()
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.inner.first_bad_line()
    }

    fn notes(&self) -> Vec<Note> {
        self.inner.notes()
    }
}
