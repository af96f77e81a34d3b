//! From the kernel's text to the file, counted on the way.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Result, anyhow};
use flashscope_core::request::Op;
use flashscope_trace::capture::{Stream, Verbatim};
use flashscope_trace::{Counts, Losses, Record, Records, TraceError, Writer};

use super::form::Form;
use crate::traces::named;

/// Requests and bytes of each operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Requests.
    pub reads: u64,
    /// Requests.
    pub writes: u64,
    /// Requests.
    pub flushes: u64,
    /// Requests.
    pub trims: u64,
    /// Bytes.
    pub read_bytes: u64,
    /// Bytes.
    pub written_bytes: u64,
    /// Requests whose completion was seen.
    pub completed: u64,
}

impl Tally {
    fn count(&mut self, record: &Record) {
        match record.op {
            Op::Read => {
                (self.reads, self.read_bytes) = (self.reads + 1, self.read_bytes + record.length_bytes)
            }
            Op::Write => {
                (self.writes, self.written_bytes) =
                    (self.writes + 1, self.written_bytes + record.length_bytes);
            }
            Op::Flush => self.flushes += 1,
            Op::Trim => self.trims += 1,
        }
        self.completed += u64::from(record.latency_ns.is_some());
    }
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Requests by their operation.
    pub tally: Tally,
    /// Lines and requests.
    pub counts: Counts,
    /// The first line that the reader cannot use.
    pub first_bad_line: Option<TraceError>,
    /// What the format written cannot hold.
    pub losses: Losses,
}

/// Writes the stream to the file until it ends.
pub fn record(stream: Stream, form: &Form, file: Box<dyn Write + Send>, output: &Path) -> Result<Recorded> {
    match form {
        Form::Written(format, compress) => {
            let writer = Writer::new(file, format, *compress).map_err(|error| named(output, error))?;
            read_all(stream, Some(writer)).map_err(|error| named(output, error))
        }
        Form::Verbatim(compress) => {
            let text = Verbatim::new(stream, file, *compress)?;
            let failure = text.failure();
            let result = read_all(text, None);
            match failure.cause() {
                Some(cause) => Err(anyhow!("cannot write the trace {}: {cause}", output.display())),
                None => result.map_err(|error| named(output, error)),
            }
        }
    }
}

fn read_all(text: impl Read + Send + 'static, mut writer: Option<Writer>) -> Result<Recorded, TraceError> {
    let mut recorded = Recorded::default();
    // Where events were lost, a strict reader would stop; the kernel's own count is told anyway.
    match flashscope_trace::open(text, Some("tracefs"), true) {
        Ok(mut reader) => read_on(&mut reader, writer.as_mut(), &mut recorded)?,
        Err(TraceError::Empty) => {}
        Err(error) => return Err(error),
    }
    recorded.losses = writer.map(Writer::finish).transpose()?.unwrap_or_default();
    Ok(recorded)
}

fn read_on(
    reader: &mut dyn Records,
    mut writer: Option<&mut Writer>,
    recorded: &mut Recorded,
) -> Result<(), TraceError> {
    let mut batch = Vec::new();
    loop {
        let count = match reader.next_batch(&mut batch) {
            // Nothing was asked of the device.
            Err(TraceError::NoRequests { .. }) => 0,
            result => result?,
        };
        if count == 0 {
            break;
        }
        batch.iter().for_each(|record| recorded.tally.count(record));
        if let Some(writer) = &mut writer {
            writer.write(&batch, reader.devices())?;
        }
    }
    recorded.counts = reader.counts();
    recorded.first_bad_line = reader.first_bad_line().cloned();
    Ok(())
}
