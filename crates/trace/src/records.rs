//! The one shape of everything that yields records: a reader, a transform of another, a generator.

use crate::error::TraceError;
use crate::reader::Counts;
use crate::record::Record;
use crate::transform::Note;

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
}
