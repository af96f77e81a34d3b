//! A test kit for trace formats: what has to hold of each, whoever wrote it.
//!
//! ```no_run
//! # use flashscope_trace::format::Format;
//! # const MINE: Format = flashscope_trace::FORMATS[0];
//! use flashscope_trace::kit::Kit;
//!
//! static FORMAT: Format = MINE;
//!
//! #[test]
//! fn the_format_keeps_its_promises() {
//!     Kit::new(&FORMAT, include_bytes!("kit.rs"), b"no line of the format\n").check().unwrap();
//! }
//! ```
//!
//! [`Kit::check`] reads the sample as it is, with a bad line, damaged at random and in small pieces, and
//! writes and reads again what the format can hold. [`Kit::check_memory`] reads a long trace.

mod damage;
mod input;
mod memory;
mod round_trip;

pub use self::damage::Damage;
pub use self::input::{Seen, check_input};

use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

use crate::error::TraceError;
use crate::format::{Format, Formats};
use crate::reader::ReadOptions;
use crate::record::Record;
use crate::records::Records;

/// What is damaged at random makes no sense as a trace: it is read whatever its units may be.
fn options(format: &str, lenient: bool) -> ReadOptions {
    ReadOptions { certainty_min: 0.0, ..ReadOptions::new(Some(format), lenient) }
}

/// A promise that a format does not keep.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{format}: {what}")]
pub struct Failure {
    /// The format.
    pub format: &'static str,
    /// What was seen.
    pub what: String,
}

/// A format, and what testing it takes.
#[derive(Clone, Debug)]
pub struct Kit<'a> {
    formats: Formats,
    format: &'static Format,
    sample: &'a [u8],
    bad: &'a [u8],
    /// Seed of damage and of records.
    pub seed: u64,
    /// Damaged inputs to read.
    pub inputs: u64,
    /// Records to write and to read again.
    pub records: u64,
}

impl<'a> Kit<'a> {
    /// Of a format, with a `sample`: a whole trace of it without fault, uncompressed, of a few lines or
    /// entries. `bad` is a line (with its end) or an entry that is bad wherever it stands; empty if there is
    /// none, as where a format takes what it does not know for another event.
    pub fn new(format: &'static Format, sample: &'a [u8], bad: &'a [u8]) -> Kit<'a> {
        let formats = Formats::builtin().with(format);
        Kit { formats, format, sample, bad, seed: 1, inputs: 300, records: 500 }
    }

    /// All but [`Kit::check_memory`].
    ///
    /// # Errors
    /// The first promise that is not kept.
    pub fn check(&self) -> Result<(), Failure> {
        self.check_sample()?;
        self.check_bad_line()?;
        self.check_damaged()?;
        self.check_round_trip()
    }

    /// The sample is recognised, and read without fault; the format says what its files mean.
    ///
    /// # Errors
    /// It is not.
    pub fn check_sample(&self) -> Result<(), Failure> {
        let sure = self.formats.sniff(self.sample);
        let first = sure.first().map_or("nothing", |(format, _)| format.name);
        self.holds(first == self.format.name, || format!("its sample is recognised as {first}"))?;
        let (records, trace) =
            self.read(self.sample, false).map_err(|error| self.failure(error.to_string()))?;
        self.holds(!records.is_empty() && trace.counts().bad_lines == 0, || "its sample is bad".into())?;
        self.holds(trace.reading().is_some(), || "it does not say what its units are (Format::reads)".into())
    }

    /// A bad line or entry ends a strict reader with its number, behind all that was before it. A lenient
    /// reader counts it.
    ///
    /// # Errors
    /// It does not.
    pub fn check_bad_line(&self) -> Result<(), Failure> {
        if self.bad.is_empty() {
            return Ok(());
        }
        let (records, whole) =
            self.read(self.sample, false).map_err(|error| self.failure(error.to_string()))?;
        let number = whole.counts().lines + 1;
        let bytes = [self.sample, self.bad].concat();
        match self.read(&bytes, false).map(|(records, _)| records.len()) {
            Err(
                TraceError::Line { line: at, problem, .. } | TraceError::Entry { entry: at, problem, .. },
            ) => {
                self.holds(at == number, || format!("line {number} is bad, and it names line {at}"))?;
                self.holds(!problem.is_empty(), || "it does not say what is wrong".into())?;
            }
            other => return Err(self.failure(format!("line {number} is bad, and it reads {other:?}"))),
        }
        let (lenient, trace) = self.read(&bytes, true).map_err(|error| self.failure(error.to_string()))?;
        let bad_lines = trace.counts().bad_lines;
        self.holds(bad_lines == 1, || format!("1 line is bad, and it counts {bad_lines}"))?;
        self.holds(lenient == records, || "with a bad line behind it, a trace has other requests".into())
    }

    /// Damaged samples never make it panic; strict and lenient, in pieces and at once, it reads the same.
    ///
    /// # Errors
    /// The number of the first input where that does not hold: [`Damage::input`] makes it again.
    pub fn check_damaged(&self) -> Result<(), Failure> {
        let damage = Damage::new(vec![self.sample.to_vec()], Vec::new(), self.seed);
        for number in 0..self.inputs {
            let (bytes, mut random) = damage.input(number);
            let check = || check_input(&self.formats, self.format, &bytes, &mut random);
            let checked = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Err(self.failure(format!("it panics: {text}")))
            });
            let seed = self.seed;
            checked.map_err(|Failure { what, .. }| {
                self.failure(format!("damaged input {number}, seed {seed}: {what}"))
            })?;
        }
        Ok(())
    }

    fn open(&self, bytes: &[u8], lenient: bool) -> Result<Box<dyn Records>, TraceError> {
        self.formats.open_bytes_with(bytes.to_vec(), &options(self.format.name, lenient))
    }

    /// All of it, and what was read.
    fn read(&self, bytes: &[u8], lenient: bool) -> Result<(Vec<Record>, Box<dyn Records>), TraceError> {
        let mut trace = self.open(bytes, lenient)?;
        let (mut records, mut batch) = (Vec::new(), Vec::new());
        while trace.next_batch(&mut batch)? > 0 {
            records.extend_from_slice(&batch);
        }
        Ok((records, trace))
    }

    fn failure(&self, what: String) -> Failure {
        Failure { format: self.format.name, what }
    }

    fn holds(&self, holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failure> {
        if holds { Ok(()) } else { Err(self.failure(otherwise())) }
    }
}
