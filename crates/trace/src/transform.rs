//! Records made from other records: sort, select, cut, repeat, scale, align, fit and split.
//!
//! A [`Transform`] is a function from one record to none, one or several; [`Transformed`] wraps records in
//! one and is [`Records`] again. [`Repeat`] is no such function, as it begins its input anew, nor is
//! [`Sort`], as it looks ahead; all others keep the order of their input. All use constant memory, except
//! where [`fit`] says what it keeps. All changes are reported: [`Records::notes`] counts what was
//! changed, and what cannot be changed as asked is an error.

pub mod align;
pub mod devices;
pub mod fit;
pub mod idle;
pub mod merge;
pub mod ops;
pub mod range;
pub mod repeat;
pub mod sample;
pub mod scale;
pub mod shift;
pub mod sort;
pub mod split;
pub mod window;
pub mod written;

pub use align::Align;
pub use devices::SelectDevices;
pub use fit::{Fit, FitMode, Layout};
pub use idle::CapIdle;
pub use merge::Merge;
pub use ops::SelectOps;
pub use range::{Across, SelectRange};
pub use repeat::{Opener, Repeat};
pub use sample::Sample;
pub use scale::{Factor, ScaleTime};
pub use shift::Shift;
pub use sort::Sort;
pub use split::Split;
pub use window::{Origin, TimeWindow};
pub use written::Written;

use crate::error::{Remedy, TraceError};
use crate::reading::Reading;
use crate::record::Record;
use crate::records::{BATCH, Counts, Records};

pub use crate::records::Note;

/// What becomes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is left out.
    Drop,
    /// It goes on as it now is.
    Keep,
    /// It goes on as it now is; then this one is looked at.
    KeepAnd(Record),
}

/// A function from one record to none, one or several.
pub trait Transform: Send {
    /// Changes `record` and says what becomes of it; `devices` are the names of its input.
    ///
    /// # Errors
    /// A record that cannot be changed as asked: why not, and the way out.
    fn step(&mut self, record: &mut Record, devices: &[String]) -> Result<Step, Refusal>;

    /// At the end of the input.
    ///
    /// # Errors
    /// What should have been in it.
    fn end(&self, devices: &[String]) -> Result<(), TraceError> {
        let _ = devices;
        Ok(())
    }

    /// The names of the devices behind it, if they are not those of its input.
    fn devices(&self) -> Option<&[String]> {
        None
    }

    /// What was changed so far.
    fn notes(&self) -> Vec<Note>;
}

/// Why a record cannot be changed as asked, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub remedy: String,
}

impl Refusal {
    pub(crate) fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Refusal {
        Refusal { problem: problem.into(), remedy: remedy.into() }
    }
}

/// Records behind a transform.
pub struct Transformed<R, T> {
    input: R,
    transform: T,
    batch: Vec<Record>,
    next: usize,
    /// What is left of a record of which a part went on already.
    rest: Option<Record>,
    taken: u64,
    given: u64,
    /// What ends the input, once its batch is done with.
    pending: Option<TraceError>,
    failed: Option<TraceError>,
    at_end: bool,
}

impl<R: Records, T: Transform> Transformed<R, T> {
    /// The records of `input` behind `transform`.
    pub fn new(input: R, transform: T) -> Transformed<R, T> {
        Transformed {
            input,
            transform,
            batch: Vec::new(),
            next: 0,
            rest: None,
            taken: 0,
            given: 0,
            pending: None,
            failed: None,
            at_end: false,
        }
    }

    fn fill(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        while !self.at_end {
            while let Some(record) = self.take() {
                self.step(record, records)?;
                if records.len() >= BATCH {
                    return Ok(());
                }
            }
            if let Some(error) = self.pending.take() {
                return Err(error);
            }
            if !records.is_empty() {
                return Ok(());
            }
            self.next = 0;
            match self.input.next_batch(&mut self.batch) {
                Ok(0) => {
                    self.at_end = true;
                    self.transform.end(self.input.devices())?;
                }
                Ok(_) => {}
                // What a failed batch still brought goes before its error.
                Err(error) => self.pending = Some(error),
            }
        }
        Ok(())
    }

    /// The next record to look at.
    #[inline]
    fn take(&mut self) -> Option<Record> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
        }
        let record = *self.batch.get(self.next)?;
        self.next += 1;
        self.taken += 1;
        Some(record)
    }

    #[inline]
    fn step(&mut self, mut record: Record, records: &mut Vec<Record>) -> Result<(), TraceError> {
        let asked = record;
        match self.transform.step(&mut record, self.input.devices()) {
            Ok(Step::Drop) => {}
            Ok(Step::Keep) => records.push(record),
            Ok(Step::KeepAnd(rest)) => {
                records.push(record);
                self.rest = Some(rest);
            }
            Err(refusal) => return Err(refused(self.taken, &asked, refusal)),
        }
        Ok(())
    }
}

#[cold]
fn refused(number: u64, record: &Record, refusal: Refusal) -> TraceError {
    let Record { op, length_bytes, offset_bytes, .. } = record;
    TraceError::Request {
        record: number,
        request: format!("{op} of {length_bytes} bytes at offset {offset_bytes}"),
        problem: refusal.problem,
        remedy: Remedy::Other(refusal.remedy),
    }
}

impl<R: Records, T: Transform> Records for Transformed<R, T> {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.fill(records);
        self.given += records.len() as u64;
        self.failed = result.clone().err();
        result.map(|()| records.len())
    }

    fn format(&self) -> &'static str {
        self.input.format()
    }

    fn devices(&self) -> &[String] {
        self.transform.devices().unwrap_or_else(|| self.input.devices())
    }

    fn counts(&self) -> Counts {
        Counts { records: self.given, ..self.input.counts() }
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.input.first_bad_line()
    }

    fn reading(&self) -> Option<Reading> {
        self.input.reading()
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = self.input.notes();
        notes.extend(self.transform.notes());
        notes
    }
}
