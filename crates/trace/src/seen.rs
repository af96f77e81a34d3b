//! What every reader keeps of what it has read, whatever it reads from.

use crate::error::TraceError;
use crate::record::Record;
use crate::records::Counts;

/// Counts, and the error that ended the trace.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) counts: Counts,
    last_time_ns: u64,
    failed: Option<TraceError>,
}

impl Seen {
    /// Fails as an earlier batch did.
    pub(crate) fn check(&self) -> Result<(), TraceError> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Takes note of a batch and of how reading it ended, and returns its length. A trace of this `format`
    /// that ends without any request is an error.
    pub(crate) fn take(
        &mut self,
        records: &[Record],
        read: Result<(), TraceError>,
        format: &'static str,
    ) -> Result<usize, TraceError> {
        for record in records {
            self.counts.unsorted += u64::from(record.time_ns < self.last_time_ns);
            self.last_time_ns = record.time_ns;
        }
        self.counts.records += records.len() as u64;
        let Counts { lines, bad_lines, records: all, .. } = self.counts;
        let read = match read {
            Ok(()) if all == 0 => Err(TraceError::NoRequests { format, lines, bad_lines }),
            read => read,
        };
        self.failed = read.clone().err();
        read.map(|()| records.len())
    }
}
