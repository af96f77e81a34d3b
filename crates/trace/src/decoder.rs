//! The seam to the formats that are read: bytes in, records out.

use crate::devices::Devices;
use crate::error::TraceError;
use crate::reading::{Stage, StatedUnits, Units};
use crate::record::Record;
use crate::records::Counts;

/// Where a decoder puts what it finds.
pub struct Sink<'a> {
    /// Requests; the reader counts them.
    pub records: &'a mut Vec<Record>,
    /// Names of devices.
    pub devices: &'a mut Devices,
    /// Lines or entries; the decoder counts `lines`, `other_lines` and sets `is_last_line_open`.
    pub counts: &'a mut Counts,
    pub(crate) first_bad: &'a mut Option<TraceError>,
    pub(crate) lenient: bool,
}

impl Sink<'_> {
    /// The same sink, but for where the records go.
    pub(crate) fn with_records<'a>(&'a mut self, records: &'a mut Vec<Record>) -> Sink<'a> {
        Sink {
            records,
            devices: self.devices,
            counts: self.counts,
            first_bad: self.first_bad,
            lenient: self.lenient,
        }
    }

    /// A line or entry is bad: counts it if the reader is lenient.
    ///
    /// # Errors
    /// With `error`, if the reader is strict. It is only made of the first one.
    #[cold]
    pub fn bad_line(&mut self, error: impl FnOnce(&Counts) -> TraceError) -> Result<(), TraceError> {
        if !self.lenient {
            return Err(error(self.counts));
        }
        self.counts.bad_lines += 1;
        if self.first_bad.is_none() {
            *self.first_bad = Some(error(self.counts));
        }
        Ok(())
    }
}

/// Turns bytes into records, many at a time.
pub trait Decoder: Send {
    /// Decodes from the front of `bytes` until [`crate::BATCH`] records are there or no whole line or entry
    /// is left; returns how many bytes are done with: the others come again in front of those behind them.
    /// With `last`, nothing follows. Of 256 KiB, it takes some.
    ///
    /// # Errors
    /// Of [`Sink::bad_line`].
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError>;

    /// Only requests at this stage count from here on; false if the format has no such choice.
    fn take_stage(&mut self, _: Stage) -> bool {
        false
    }

    /// The stage of the requests that were decoded, where it depends on the file.
    fn stage(&mut self) -> Option<Stage> {
        None
    }

    /// Reads times and latencies in these units from here on; false if it reads them in the format's, to be
    /// changed afterwards.
    fn take_times(&mut self, _: &StatedUnits) -> bool {
        false
    }

    /// The file's units, where it names them.
    fn units(&self) -> Option<Units> {
        None
    }
}
