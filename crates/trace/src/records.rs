//! The one shape of everything that yields records: a reader, a transform of another, a generator.

use std::fmt;

use flashscope_core::number::{count, exact_size};

use crate::error::TraceError;
use crate::reading::Reading;
use crate::record::Record;

/// Records of a batch, or one more if a line has two.
pub const BATCH: usize = 1024;

/// What a reader has seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines, or records of a binary format.
    pub lines: u64,
    /// Requests.
    pub records: u64,
    /// Lines left out because they are bad; always 0 in a strict reader.
    pub bad_lines: u64,
    /// Valid lines without a request: comments, other events, commands passed through.
    pub other_lines: u64,
    /// Requests that are earlier than the one before them.
    pub unsorted: u64,
    /// The last line had no end: the file may have been cut there.
    pub is_last_line_open: bool,
}

/// What a transform changed, for a person: "requests split at multiples of 4 KiB: 12, into 36".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// How many things, or bytes.
    pub count: u64,
    /// Whether they are bytes.
    pub is_bytes: bool,
    /// What was counted.
    pub about: String,
    /// What there is to say besides, for behind the count; may be empty.
    pub detail: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = if self.is_bytes { exact_size(self.count) } else { count(self.count) };
        let comma = if self.detail.is_empty() { "" } else { ", " };
        write!(f, "{}: {count}{comma}{}", self.about, self.detail)
    }
}

impl Note {
    /// A note, if the count is not 0.
    pub(crate) fn some(count: u64, about: impl Into<String>) -> Option<Note> {
        (count > 0).then(|| Note::new(count, about))
    }

    /// So many of what `about` says, in the plural.
    pub fn new(count: u64, about: impl Into<String>) -> Note {
        Note { count, about: about.into(), ..Note::default() }
    }

    /// With more to say behind the count.
    pub fn with(self, detail: impl Into<String>) -> Note {
        Note { detail: detail.into(), ..self }
    }

    /// A count of bytes.
    pub fn bytes(self) -> Note {
        Note { is_bytes: true, ..self }
    }
}

/// Records, many at a time, in constant memory.
pub trait Records: Send {
    /// The next records, about [`crate::BATCH`] of them, in place of those in `records`; returns how many, 0
    /// at the end.
    ///
    /// # Errors
    /// The first bad line (unless lenient), bytes that cannot be read, or a trace without any request.
    /// `records` then holds those before it, and every further call fails alike.
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError>;

    /// The format that is read, or what else the records come from.
    fn format(&self) -> &'static str;

    /// Names of the devices seen so far; [`Record::device`] is an index into them. Names are only ever added.
    fn devices(&self) -> &[String];

    /// What was read so far, the present batch included.
    fn counts(&self) -> Counts;

    /// The first line that was left out as bad.
    fn first_bad_line(&self) -> Option<&TraceError>;

    /// What was changed of what was read, first things first.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// How the file is read, as far as it is; none of what comes from no file, or from several.
    fn reading(&self) -> Option<Reading> {
        None
    }
}

/// Records that come through a function: it draws each batch from those behind it, and may change it. In all
/// else they are what is behind.
pub struct Through<F> {
    records: Box<dyn Records>,
    draw: F,
}

impl<F> Through<F>
where
    F: FnMut(&mut dyn Records, &mut Vec<Record>) -> Result<usize, TraceError> + Send,
{
    /// `draw` keeps the promises of [`Records::next_batch`].
    pub fn new(records: Box<dyn Records>, draw: F) -> Through<F> {
        Through { records, draw }
    }
}

impl<F> Records for Through<F>
where
    F: FnMut(&mut dyn Records, &mut Vec<Record>) -> Result<usize, TraceError> + Send,
{
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        (self.draw)(&mut *self.records, records)
    }
    fn format(&self) -> &'static str {
        self.records.format()
    }
    fn devices(&self) -> &[String] {
        self.records.devices()
    }
    fn counts(&self) -> Counts {
        self.records.counts()
    }
    fn first_bad_line(&self) -> Option<&TraceError> {
        self.records.first_bad_line()
    }
    fn notes(&self) -> Vec<Note> {
        self.records.notes()
    }
    fn reading(&self) -> Option<Reading> {
        self.records.reading()
    }
}

impl<R: Records + ?Sized> Records for Box<R> {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        (**self).next_batch(records)
    }
    fn format(&self) -> &'static str {
        (**self).format()
    }
    fn devices(&self) -> &[String] {
        (**self).devices()
    }
    fn counts(&self) -> Counts {
        (**self).counts()
    }
    fn first_bad_line(&self) -> Option<&TraceError> {
        (**self).first_bad_line()
    }
    fn notes(&self) -> Vec<Note> {
        (**self).notes()
    }
    fn reading(&self) -> Option<Reading> {
        (**self).reading()
    }
}
