//! A trace in the order of its times.

use flashscope_core::number::count;

use super::Note;
use crate::error::TraceError;
use crate::reading::Reading;
use crate::record::Record;
use crate::records::{BATCH, Counts, Records};

/// Records to look ahead, unless asked otherwise: more than queues hold. Some 10 MB.
pub const WINDOW: usize = 65_536;

/// The records in the order of their times; those of equal times keep theirs.
///
/// Tools that write a request down when it is done (biosnoop, ETW) bring an early one behind later ones that
/// were faster, and traces of several CPUs interleave them loosely. As many records as the window holds are
/// looked at ahead, so that a record that comes up to so many too late finds its place, in constant memory.
/// One that comes later still goes on where it comes: [`Counts::unsorted`] counts these alone.
pub struct Sort<R> {
    input: R,
    window: usize,
    /// Looked at and not yet given, in order; all of it but the last `window` can go.
    ahead: Vec<Record>,
    next: usize,
    ready: usize,
    batch: Vec<Record>,
    /// What comes behind `ahead`, when that is no further record.
    end: Option<Result<(), TraceError>>,
    given: u64,
    /// How often time goes back in the input, and in what is given.
    found: Backwards,
    left: Backwards,
}

/// Records that are earlier than the one before them.
#[derive(Default)]
struct Backwards {
    last_time_ns: u64,
    records: u64,
}

impl Backwards {
    fn add(&mut self, records: &[Record]) {
        for record in records {
            self.records += u64::from(record.time_ns < self.last_time_ns);
            self.last_time_ns = record.time_ns;
        }
    }
}

impl<R: Records> Sort<R> {
    /// The records of `input`, with `window` of them (at least 1) looked at ahead.
    pub fn new(input: R, window: usize) -> Sort<R> {
        assert!(window > 0, "nothing is put in order without looking ahead");
        Sort {
            input,
            window,
            ahead: Vec::new(),
            next: 0,
            ready: 0,
            batch: Vec::new(),
            end: None,
            given: 0,
            found: Backwards::default(),
            left: Backwards::default(),
        }
    }

    /// Looks ahead by another window, or to the end.
    fn refill(&mut self) {
        self.ahead.drain(..self.next);
        self.next = 0;
        while self.ahead.len() < 2 * self.window && self.end.is_none() {
            // What a failed batch still brought is served before its error.
            self.end = match self.input.next_batch(&mut self.batch) {
                Ok(0) => Some(Ok(())),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            };
            self.found.add(&self.batch);
            self.ahead.append(&mut self.batch);
        }
        // Stable, and no more than a look at what is in order already.
        self.ahead.sort_by_key(|record| record.time_ns);
        let kept = if self.end.is_some() { 0 } else { self.window };
        self.ready = self.ahead.len() - kept;
    }
}

impl<R: Records> Records for Sort<R> {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        if self.next == self.ready && self.end.is_none() {
            self.refill();
        }
        let stop = self.ready.min(self.next + BATCH);
        records.extend_from_slice(&self.ahead[self.next..stop]);
        self.next = stop;
        self.left.add(records);
        self.given += records.len() as u64;
        match &self.end {
            Some(Err(error)) if records.is_empty() => Err(error.clone()),
            _ => Ok(records.len()),
        }
    }

    fn format(&self) -> &'static str {
        self.input.format()
    }

    fn devices(&self) -> &[String] {
        self.input.devices()
    }

    fn counts(&self) -> Counts {
        Counts { records: self.given, unsorted: self.left.records, ..self.input.counts() }
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.input.first_bad_line()
    }

    fn reading(&self) -> Option<Reading> {
        self.input.reading()
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = self.input.notes();
        let found = "requests out of time order, sorted";
        let left =
            format!("requests more than {} places out of order, not sorted", count(self.window as u64));
        notes.extend(Note::some(self.found.records, found));
        notes.extend(Note::some(self.left.records, left));
        notes
    }
}
