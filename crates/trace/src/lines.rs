//! Text formats: from bytes to lines, and from lines that a format understands to records.

use memchr::memchr;

use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{TraceError, shown};
use crate::reading::{Stage, StatedUnits, Units};
use crate::record::Record;
use crate::records::BATCH;
use crate::stage::Choice;
use crate::text::Problem;

/// A longer line is no line of a trace.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;

/// A text format: understands one line at a time.
pub trait LineFormat: Default + Send {
    /// Appends the requests of a line, which is without its end; none if it is a comment or describes
    /// something else. Of a bad line, nothing that is appended is kept.
    ///
    /// # Errors
    /// Why the line is bad.
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem>;

    /// The file's units, once a heading has named them.
    fn units(&self) -> Option<Units> {
        None
    }

    /// As [`Decoder::take_times`].
    fn take_times(&mut self, _: &StatedUnits) -> bool {
        false
    }

    /// Which of several events is the request, in a format that has several.
    #[doc(hidden)]
    fn choice(&mut self) -> Option<&mut Choice> {
        None
    }
}

/// The decoder of a text format.
#[derive(Default)]
pub(crate) struct Lines<F> {
    pub(crate) format: F,
    /// Behind the first bytes of the text.
    is_begun: bool,
    /// Within a line that is too long and already counted.
    in_long_line: bool,
}

impl<F: LineFormat + 'static> Lines<F> {
    /// Of a format that is more than its default.
    pub(crate) fn of(format: F) -> Lines<F> {
        Lines { format, is_begun: false, in_long_line: false }
    }

    pub(crate) fn decoder() -> Box<dyn Decoder> {
        Box::new(Lines::<F>::default())
    }
}

/// What some editors and spreadsheets put before a text: it says UTF-8, and is no part of the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<F: LineFormat> Decoder for Lines<F> {
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let decoded = self.lines(bytes, last, sink);
        if let Some(choice) = self.format.choice() {
            if last && decoded == Ok(bytes.len()) {
                // There are no more devices than were counted as they waited.
                let _ = choice.end(sink.records, sink.devices);
            }
            sink.counts.other_lines -= choice.late();
        }
        decoded
    }

    fn take_stage(&mut self, stage: Stage) -> bool {
        self.format.choice().is_some_and(|choice| choice.want(stage))
    }

    fn stage(&mut self) -> Option<Stage> {
        self.format.choice().and_then(|choice| choice.stage())
    }

    fn take_times(&mut self, stated: &StatedUnits) -> bool {
        self.format.take_times(stated)
    }

    fn units(&self) -> Option<Units> {
        self.format.units()
    }
}

impl<F: LineFormat> Lines<F> {
    /// Reads lines until there are enough records.
    fn lines(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let is_marked = !self.is_begun && bytes.starts_with(BYTE_ORDER_MARK);
        let mut done = if is_marked { BYTE_ORDER_MARK.len() } else { 0 };
        while sink.records.len() < BATCH && done < bytes.len() {
            let rest = &bytes[done..];
            let length = match memchr(b'\n', rest) {
                Some(length) => length,
                None if last || rest.len() > LINE_BYTES_MAX => rest.len(),
                None => break,
            };
            let ended = length < rest.len();
            done += length + usize::from(ended);
            sink.counts.is_last_line_open = !ended;
            if std::mem::replace(&mut self.in_long_line, !ended && !last) {
                continue;
            }
            sink.counts.lines += 1;
            self.is_begun = true;
            self.line(&rest[..length], sink)?;
        }
        self.is_begun |= done > 0;
        Ok(done)
    }

    #[inline]
    fn line(&mut self, line: &[u8], sink: &mut Sink<'_>) -> Result<(), TraceError> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let before = sink.records.len();
        let result = match line.len() {
            0..=LINE_BYTES_MAX => self.format.line(line, sink.devices, sink.records),
            _ => Err("longer than 64 KiB"),
        };
        match result {
            Ok(()) => {
                sink.counts.other_lines += u64::from(sink.records.len() == before);
                Ok(())
            }
            Err(problem) => {
                sink.records.truncate(before);
                sink.bad_line(|counts| TraceError::Line {
                    line: counts.lines,
                    problem: problem.into(),
                    text: shown(line),
                })
            }
        }
    }
}

/// A text without its byte order mark.
pub(crate) fn unmarked(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)
}

/// How sure a text format may be of a trace that begins like this, in percent: the share of good lines
/// among those that are good or bad, 0 if there is no request among them.
pub(crate) fn sniff_lines<F: LineFormat>(head: &[u8]) -> u8 {
    const LINES: usize = 100;
    let (mut format, mut devices, mut records) = (F::default(), Devices::default(), Vec::new());
    let (mut good, mut bad) = (0, 0);
    // The last line may be cut.
    let head = unmarked(head);
    let whole = memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end]);
    for line in whole.split(|&c| c == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let before = records.len();
        let waiting = |format: &mut F| format.choice().map_or(0, |choice| choice.waiting());
        let before_waiting = waiting(&mut format);
        match format.line(line, &mut devices, &mut records) {
            Ok(()) => {
                let is_request = records.len() > before || waiting(&mut format) > before_waiting;
                good += usize::from(is_request);
            }
            Err(_) => bad += 1,
        }
        if good + bad == LINES {
            break;
        }
    }
    (100 * good / (good + bad).max(1)) as u8
}
