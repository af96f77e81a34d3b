//! A trace many times over.

use super::Note;
use crate::error::TraceError;
use crate::reading::Reading;
use crate::record::Record;
use crate::records::{Counts, Records};

/// Begins a trace anew.
pub type Opener = Box<dyn FnMut() -> Result<Box<dyn Records>, TraceError> + Send>;

/// A trace so many times, one behind the other. The first request of a pass comes after the latest of the
/// pass before by the mean distance of that pass's requests, and everything else after it as before.
pub struct Repeat {
    open: Opener,
    pass: Box<dyn Records>,
    passes_left: u64,
    passes: u64,
    /// What this pass has shown so far.
    seen: Seen,
    /// Where this pass begins.
    start_ns: u64,
    /// Names and counts of whole passes.
    names: Vec<String>,
    counts: Counts,
    notes: Vec<Note>,
    first_bad: Option<TraceError>,
    failed: Option<TraceError>,
}

/// Requests of one pass, and their first and latest time as they are in it.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    records: u64,
    first_ns: u64,
    latest_ns: u64,
}

impl Repeat {
    /// What `open` opens, `times` times, at least once.
    ///
    /// # Errors
    /// What `open` says.
    pub fn new(mut open: Opener, times: u64) -> Result<Repeat, TraceError> {
        assert!(times > 0, "a trace is repeated at least once");
        let pass = open()?;
        Ok(Repeat {
            open,
            pass,
            passes_left: times - 1,
            passes: 1,
            seen: Seen::default(),
            start_ns: 0,
            names: Vec::new(),
            counts: Counts::default(),
            notes: Vec::new(),
            first_bad: None,
            failed: None,
        })
    }

    fn next(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        let result = loop {
            let result = self.pass.next_batch(records);
            if !matches!(result, Ok(0)) || self.passes_left == 0 || self.seen.records == 0 {
                break result;
            }
            self.begin_again()?;
        };
        self.place(records)?;
        result.map(|_| ())
    }

    /// Puts the records of a batch where this pass lies in time.
    fn place(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        if let (Some(first), 0) = (records.first(), self.seen.records) {
            self.seen.first_ns = first.time_ns;
            self.seen.latest_ns = first.time_ns;
            if self.passes == 1 {
                self.start_ns = first.time_ns;
            }
        }
        for at in 0..records.len() {
            let record = &mut records[at];
            self.seen.records += 1;
            self.seen.latest_ns = self.seen.latest_ns.max(record.time_ns);
            let time_ns =
                i128::from(self.start_ns) + i128::from(record.time_ns) - i128::from(self.seen.first_ns);
            match u64::try_from(time_ns) {
                Ok(time_ns) => record.time_ns = time_ns,
                Err(_) => {
                    records.truncate(at);
                    // The first pass stays where it is.
                    return Err(TraceError::TooLong { passes: self.passes - 1 });
                }
            }
        }
        Ok(())
    }

    fn begin_again(&mut self) -> Result<(), TraceError> {
        let Seen { records, first_ns, latest_ns } = std::mem::take(&mut self.seen);
        let length_ns = latest_ns - first_ns;
        let distance_ns = length_ns.checked_div(records - 1).unwrap_or(0);
        let start_ns = self.start_ns.checked_add(length_ns).and_then(|end| end.checked_add(distance_ns));
        self.start_ns = start_ns.ok_or(TraceError::TooLong { passes: self.passes })?;
        if self.names.is_empty() {
            self.names = self.pass.devices().to_vec();
        }
        self.counts = self.counts();
        self.notes = self.summed_notes();
        self.first_bad = self.first_bad_line().cloned();
        self.pass = (self.open)()?;
        self.passes += 1;
        self.passes_left -= 1;
        Ok(())
    }

    /// The notes of all passes, equal ones added up.
    fn summed_notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        for note in self.pass.notes() {
            match notes.iter_mut().find(|old| old.about == note.about) {
                Some(old) => old.count += note.count,
                None => notes.push(note),
            }
        }
        notes
    }
}

impl Records for Repeat {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.next(records);
        self.failed = result.clone().err();
        result.map(|()| records.len())
    }

    fn format(&self) -> &'static str {
        self.pass.format()
    }

    /// A pass after the first finds the names of the first again, in the same order.
    fn devices(&self) -> &[String] {
        let names = self.pass.devices();
        if names.len() > self.names.len() { names } else { &self.names }
    }

    fn counts(&self) -> Counts {
        let (before, now) = (self.counts, self.pass.counts());
        Counts {
            lines: before.lines + now.lines,
            records: before.records + now.records,
            bad_lines: before.bad_lines + now.bad_lines,
            other_lines: before.other_lines + now.other_lines,
            unsorted: before.unsorted + now.unsorted,
            is_last_line_open: before.is_last_line_open || now.is_last_line_open,
        }
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.first_bad.as_ref().or_else(|| self.pass.first_bad_line())
    }

    fn reading(&self) -> Option<Reading> {
        self.pass.reading()
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = self.summed_notes();
        notes.extend(Note::some(self.passes, "passes over the trace"));
        notes
    }
}
