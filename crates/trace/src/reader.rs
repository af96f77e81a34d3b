//! A trace as it streams by: opened, uncompressed, decoded in batches, in constant memory.

use std::collections::VecDeque;
use std::io::Read;

use crate::check::Check;
use crate::columns::{COLUMNS, Columns};
use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{TraceError, hexadecimal, shown};
use crate::format::{Format, Formats};
use crate::input::{Input, read_some, uncompressed};
use crate::reading::{CERTAINTY_MIN, Reading, Stage, StatedUnits, Trust, Units, restate};
use crate::record::Record;
use crate::records::{BATCH, Counts, Records};
use crate::seen::Seen;

/// More than any line or binary record, so that a full buffer always holds one.
const BUFFER_BYTES: usize = 256 << 10;
/// What the buffer begins with, for the many traces that are short.
const FIRST_BYTES: usize = 8 << 10;
/// What is looked at to recognise a format.
const HEAD_BYTES: usize = 64 << 10;

/// How a trace is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The name of its format; none to recognise it.
    pub format: Option<String>,
    /// The end of the file's name, without the dot: one that only one format has speaks for it, where the
    /// data do not contradict.
    pub extension: String,
    /// Bad lines are left out and counted.
    pub lenient: bool,
    /// Which events of a format that has several stages are the requests; none: what reached the device, or
    /// the nearest to that which the trace has.
    pub stage: Option<Stage>,
    /// Units in place of the format's own; not with columns, which have theirs.
    pub units: StatedUnits,
    /// The columns of a text table; it then needs no format.
    pub columns: Option<Columns>,
    /// A reading below this certainty is refused, from 0 to 1.
    pub certainty_min: f64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            extension: String::new(),
            lenient: false,
            stage: None,
            units: StatedUnits::default(),
            columns: None,
            certainty_min: CERTAINTY_MIN,
        }
    }
}

impl ReadOptions {
    /// A format, named or recognised, strictly or not.
    pub fn new(format: Option<&str>, lenient: bool) -> ReadOptions {
        ReadOptions { format: format.map(String::from), lenient, ..ReadOptions::default() }
    }

    fn trust(&self, format: &Format) -> Trust {
        match &self.format {
            Some(_) => Trust::Named,
            None if format.is_suggested_by(&self.extension) => Trust::Suggested,
            None => Trust::Recognised,
        }
    }
}

/// Requests that wait for their reading to be judged wait no longer than so many bytes without a request.
const PATIENCE_BYTES: u64 = 1 << 20;

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
    check: Option<Check>,
    /// The units that the format says, those that are stated, and whether its decoder reads times in those.
    claimed: Option<Units>,
    stated: StatedUnits,
    takes_times: bool,
    /// The stage of the requests so far, where it depends on the file.
    stage: Option<Stage>,
    /// What a decoder gave at once beyond a batch.
    beyond: VecDeque<Record>,
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
        self.open_with(input, &ReadOptions::new(format, lenient))
    }

    /// The same as the `options` say.
    ///
    /// # Errors
    /// As [`Formats::open`], and a stage that the format does not have.
    pub fn open_with(
        &self,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Reader, TraceError> {
        let named = match (&options.columns, &options.format) {
            (Some(_), _) => Some(&COLUMNS),
            (None, name) => name.as_ref().map(|name| self.find(name)).transpose()?,
        };
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
        let (mut decoder, check) = match &options.columns {
            Some(columns) => (columns.decoder(), Some(Check::stated(columns.claim()))),
            None => {
                let (trust, least) = (options.trust(format), options.certainty_min);
                let claim = format.claim().map(|claim| claim.stating(options.units));
                (format.decoder(), claim.map(|claim| Check::new(claim, trust, least)))
            }
        };
        if let Some(stage) = options.stage.filter(|stage| !decoder.take_stage(*stage)) {
            return Err(TraceError::NoStages { format: format.name, stage });
        }
        let stated = check.as_ref().map_or(options.units, Check::stated_units);
        let takes_times = !stated.is_empty() && decoder.take_times(&stated);
        if !stated.is_empty() && check.is_none() {
            return Err(TraceError::NoUnits { format: format.name });
        }
        Ok(Reader {
            claimed: format.claim().map(|claim| claim.units),
            stated,
            takes_times,
            format,
            decoder,
            lenient: options.lenient,
            input: input.read,
            buffer: input.bytes,
            start: 0,
            end: input.end,
            at_end,
            pending,
            devices: Devices::default(),
            seen: Seen::default(),
            first_bad: None,
            check,
            stage: None,
            beyond: VecDeque::new(),
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
        let read = self.checked(records);
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

    fn reading(&self) -> Option<Reading> {
        self.check.as_ref().map(|check| check.reading(self.stage))
    }
}

impl Reader {
    /// The next records, if their reading is certain enough.
    fn checked(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        let Some(mut check) = self.check.take() else { return self.decode(records, u64::MAX) };
        let read = check.next(records, self.format.name, |batch, some_wait| {
            batch.clear();
            let read = self.decode(batch, if some_wait { PATIENCE_BYTES } else { u64::MAX });
            let units = self.decoder.units();
            match units.or(self.claimed).filter(|_| !self.stated.is_empty()) {
                None => (read, units),
                Some(units) => {
                    let (from, to) = self.restated(units);
                    let restated = restate(batch, &from, &to).ok_or(TraceError::BeyondUnits { units: to });
                    (read.and(restated), Some(to))
                }
            }
        });
        self.check = Some(check);
        read
    }

    /// The units in which records come from the decoder, and those in which they are to be.
    fn restated(&self, claimed: Units) -> (Units, Units) {
        let to = self.stated.over(claimed);
        let from = match self.takes_times {
            true => Units { time: to.time, latency: to.latency, ..claimed },
            false => claimed,
        };
        (from, to)
    }

    /// The next records; none at the end, or behind so many bytes without one.
    fn decode(&mut self, records: &mut Vec<Record>, patience_bytes: u64) -> Result<(), TraceError> {
        let mut passed_bytes = 0;
        if !self.beyond.is_empty() {
            records.extend(self.beyond.drain(..BATCH.min(self.beyond.len())));
            return Ok(());
        }
        loop {
            let mut sink = Sink {
                records,
                devices: &mut self.devices,
                counts: &mut self.seen.counts,
                first_bad: &mut self.first_bad,
                lenient: self.lenient,
            };
            let bytes = &self.buffer[self.start..self.end];
            let taken = self.decoder.decode(bytes, self.at_end, &mut sink)?;
            self.start += taken;
            passed_bytes += taken as u64;
            if !records.is_empty() {
                self.stage = self.decoder.stage();
                if records.len() > BATCH + 1 {
                    self.beyond.extend(records.drain(BATCH..));
                }
                return Ok(());
            }
            if self.at_end && taken > 0 && self.start < self.end {
                continue;
            }
            if self.at_end {
                return self.pending.take().map_or(Ok(()), Err);
            }
            if passed_bytes > patience_bytes {
                return Ok(());
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
