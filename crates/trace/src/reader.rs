//! A trace as it streams by: opened, uncompressed, decoded in batches, in constant memory.

use std::io::Read;

use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{TraceError, hexadecimal, shown};
use crate::format::{Format, Formats};
use crate::input::{Input, read_some, uncompressed};
use crate::record::Record;
use crate::records::{Counts, Records};
use crate::seen::Seen;

/// More than any line or binary record, so that a full buffer always holds one.
const BUFFER_BYTES: usize = 256 << 10;
/// What the buffer begins with, for the many traces that are short.
const FIRST_BYTES: usize = 8 << 10;
/// What is looked at to recognise a format.
const HEAD_BYTES: usize = 64 << 10;

/// Reads a trace.
pub struct Reader {
    format: &'static Format,
    input: Box<dyn Read + Send>,
    decoder: Box<dyn Decoder>,
    lenient: bool,
    buffer: Vec<u8>,
    /// The part of the buffer that is read and not yet decoded.
    start: usize,
    end: usize,
    at_end: bool,
    /// Why it could not be read on: comes behind what was read before.
    pending: Option<TraceError>,
    devices: Devices,
    seen: Seen,
    first_bad: Option<TraceError>,
}

impl Formats {
    /// Opens a trace, plain or compressed (gzip, zstd, xz), of the `format` named or recognised. Lenient: bad
    /// lines are left out and counted. A format that is not named is recognised from the first 64 KiB, which
    /// a pipe has to deliver first.
    ///
    /// # Errors
    /// An empty or unreadable input, a compression or format that is not known.
    pub fn open(
        &self,
        input: impl Read + Send + 'static,
        format: Option<&str>,
        lenient: bool,
    ) -> Result<Reader, TraceError> {
        let named = format.map(|name| self.find(name)).transpose()?;
        let (wanted, room) = if named.is_some() { (1, FIRST_BYTES) } else { (HEAD_BYTES, HEAD_BYTES) };
        let mut input = Input { read: uncompressed(Box::new(input))?, bytes: vec![0; room], end: 0 };
        let (at_end, pending) = input.fill_head(wanted)?;
        let head = &input.bytes[..input.end.min(HEAD_BYTES)];
        let format = match named {
            Some(format) => format,
            None => match self.sniff(head).first() {
                Some((format, _)) => format,
                None => return Err(pending.unwrap_or_else(|| self.unrecognised(head))),
            },
        };
        Ok(Reader {
            format,
            decoder: format.decoder(),
            lenient,
            input: input.read,
            buffer: input.bytes,
            start: 0,
            end: input.end,
            at_end,
            pending,
            devices: Devices::default(),
            seen: Seen::default(),
            first_bad: None,
        })
    }

    /// The formats that an input may have, and how sure each is in percent, the most likely first.
    ///
    /// # Errors
    /// An empty or unreadable input, an unknown compression, or one that looks like no format.
    pub fn sniff_input(
        &self,
        input: impl Read + Send + 'static,
    ) -> Result<Vec<(&'static Format, u8)>, TraceError> {
        let mut input = Input { read: uncompressed(Box::new(input))?, bytes: vec![0; HEAD_BYTES], end: 0 };
        let (_, failed) = input.fill_head(HEAD_BYTES)?;
        let head = &input.bytes[..input.end];
        match self.sniff(head) {
            all if all.is_empty() => Err(failed.unwrap_or_else(|| self.unrecognised(head))),
            all => Ok(all),
        }
    }

    fn unrecognised(&self, head: &[u8]) -> TraceError {
        let line = head.split(|&c| c == b'\n').next().unwrap_or_default();
        let is_text = std::str::from_utf8(&line[..line.len().min(64)]).is_ok_and(|text| !text.contains('\0'));
        let text = if is_text { shown(line) } else { hexadecimal(&head[..head.len().min(16)]) };
        TraceError::Unrecognised { text, known: self.names() }
    }
}

/// As [`Formats::open`], of the formats that come with the crate.
///
/// # Errors
/// As [`Formats::open`].
pub fn open(
    input: impl Read + Send + 'static,
    format: Option<&str>,
    lenient: bool,
) -> Result<Reader, TraceError> {
    Formats::builtin().open(input, format, lenient)
}

/// As [`Formats::sniff_input`], of the formats that come with the crate.
///
/// # Errors
/// As [`Formats::sniff_input`].
pub fn sniff_input(input: impl Read + Send + 'static) -> Result<Vec<(&'static Format, u8)>, TraceError> {
    Formats::builtin().sniff_input(input)
}

impl Records for Reader {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        self.seen.check()?;
        let read = self.decode(records);
        self.seen.take(records, read, self.format.name)
    }

    fn format(&self) -> &'static str {
        self.format.name
    }

    fn devices(&self) -> &[String] {
        self.devices.names()
    }

    fn counts(&self) -> Counts {
        self.seen.counts
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.first_bad.as_ref()
    }
}

impl Reader {
    fn decode(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        loop {
            let mut sink = Sink {
                records,
                devices: &mut self.devices,
                counts: &mut self.seen.counts,
                first_bad: &mut self.first_bad,
                lenient: self.lenient,
            };
            let bytes = &self.buffer[self.start..self.end];
            self.start += self.decoder.decode(bytes, self.at_end, &mut sink)?;
            if !records.is_empty() {
                return Ok(());
            }
            if self.at_end {
                return self.pending.take().map_or(Ok(()), Err);
            }
            self.refill();
        }
    }

    fn refill(&mut self) {
        if self.pending.is_none() {
            let is_full = self.end == self.buffer.len();
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if is_full {
                self.buffer.resize(BUFFER_BYTES, 0);
            }
            assert!(self.end < self.buffer.len(), "a decoder takes some of a full buffer");
            match read_some(&mut self.input, &mut self.buffer[self.end..]) {
                Ok(read) => (self.end, self.at_end) = (self.end + read, read == 0),
                Err(error) => self.pending = Some(error),
            }
        }
        if let Some(TraceError::Read { line, .. }) = &mut self.pending {
            // Of a line that was begun nothing is known; what the decoder keeps back is whole.
            *line = self.seen.counts.lines;
            (self.end, self.at_end) = (self.start, true);
        }
    }
}
