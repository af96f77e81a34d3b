//! Traces written, compressed or not.

use std::io::Write;

use crate::encoder::{Encoder, Losses};
use crate::error::TraceError;
use crate::format::{Format, Formats};
use crate::output::{Compress, Output};
use crate::record::Record;

/// Writes a trace.
pub struct Writer {
    encoder: Box<dyn Encoder>,
    output: Output,
    bytes: Vec<u8>,
    losses: Losses,
    records: u64,
}

impl Formats {
    /// Writes to `output` in the format of this name, compressed or not.
    ///
    /// # Errors
    /// A format that is not known or not written; an output that cannot be set up.
    pub fn writer(
        &self,
        output: impl Write + Send + 'static,
        format: &str,
        compress: Compress,
    ) -> Result<Writer, TraceError> {
        let format: &Format = self.find(format)?;
        let unwritten =
            || TraceError::UnwrittenFormat { name: format.name.into(), known: self.written_names() };
        let mut encoder = format.encoder().ok_or_else(unwritten)?;
        if format.name == crate::format::parquet::NAME && compress != Compress::No {
            return Err(TraceError::CompressedTwice { format: format.name });
        }
        let mut bytes = Vec::new();
        encoder.begin(&mut bytes);
        let output = Output::new(Box::new(output), compress).map_err(|error| failed(0, error))?;
        Ok(Writer { encoder, output, bytes, losses: Losses::default(), records: 0 })
    }
}

impl Writer {
    /// As [`Formats::writer`], of the formats that come with the crate.
    ///
    /// # Errors
    /// As [`Formats::writer`].
    pub fn new(
        output: impl Write + Send + 'static,
        format: &str,
        compress: Compress,
    ) -> Result<Writer, TraceError> {
        Formats::builtin().writer(output, format, compress)
    }

    /// Writes some more requests; `devices` are the names so far, as [`crate::Records::devices`] gives them.
    ///
    /// # Errors
    /// When the output cannot take the bytes.
    pub fn write(&mut self, records: &[Record], devices: &[String]) -> Result<(), TraceError> {
        self.encoder.batch(records, devices, &mut self.bytes, &mut self.losses);
        self.records += records.len() as u64;
        self.flush()
    }

    /// Writes what is left and returns what the format could not hold.
    ///
    /// # Errors
    /// When the output cannot take the bytes.
    pub fn finish(mut self) -> Result<Losses, TraceError> {
        while self.encoder.kept_back(&mut self.bytes).map_err(|error| failed(self.records, error))? {
            self.flush()?;
        }
        self.encoder.end(&mut self.bytes, &mut self.losses);
        self.flush()?;
        self.output.finish().map_err(|error| failed(self.records, error))?;
        Ok(self.losses)
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        self.output.write_all(&self.bytes).map_err(|error| failed(self.records, error))?;
        self.bytes.clear();
        Ok(())
    }
}

#[cold]
fn failed(record: u64, error: std::io::Error) -> TraceError {
    TraceError::Write { record, cause: error.into() }
}
