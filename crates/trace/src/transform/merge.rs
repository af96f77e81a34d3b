//! Several traces as one, in the order of time.

use std::collections::HashMap;

use super::Note;
use crate::error::TraceError;
use crate::record::Record;
use crate::records::{BATCH, Counts, Records};

/// The records of several inputs, the earliest first; of those that are equally early, the one of the first
/// input. Each input keeps its own order: a record that is earlier than the one before it in the same input
/// comes right behind that. Times are compared as they stand, so that the inputs must share an epoch. Devices
/// of the same name are the same device.
///
/// An input that fails ends the whole where its next record would have been looked at.
pub struct Merge {
    inputs: Vec<Input>,
    devices: Vec<String>,
    numbers: HashMap<String, u32>,
    records: u64,
    unsorted: u64,
    last_time_ns: u64,
    failed: Option<TraceError>,
}

struct Input {
    records: Box<dyn Records>,
    batch: Vec<Record>,
    next: usize,
    /// Its devices' numbers in the whole.
    numbers: Vec<u32>,
    /// What comes behind the batch, when that is no further batch.
    end: Option<Result<(), TraceError>>,
}

impl Merge {
    /// The records of these that they have not given yet.
    pub fn new(inputs: Vec<Box<dyn Records>>) -> Merge {
        let input = |records| Input { records, batch: Vec::new(), next: 0, numbers: Vec::new(), end: None };
        Merge {
            inputs: inputs.into_iter().map(input).collect(),
            devices: Vec::new(),
            numbers: HashMap::new(),
            records: 0,
            unsorted: 0,
            last_time_ns: 0,
            failed: None,
        }
    }

    /// The next record of all; none at the end of all.
    fn next(&mut self) -> Result<Option<Record>, TraceError> {
        let mut earliest: Option<(u64, usize)> = None;
        for (number, input) in self.inputs.iter_mut().enumerate() {
            if let Some(time_ns) = input.time_ns()?
                && earliest.is_none_or(|(least_ns, _)| time_ns < least_ns)
            {
                earliest = Some((time_ns, number));
            }
        }
        let Some((_, number)) = earliest else { return Ok(None) };
        let input = &mut self.inputs[number];
        let record = input.batch[input.next];
        input.next += 1;
        while input.numbers.len() <= record.device as usize {
            let name = &input.records.devices()[input.numbers.len()];
            let known = self.numbers.get(name).copied();
            input.numbers.push(known.unwrap_or_else(|| {
                let number = self.devices.len() as u32;
                self.devices.push(name.clone());
                self.numbers.insert(name.clone(), number);
                number
            }));
        }
        Ok(Some(Record { device: input.numbers[record.device as usize], ..record }))
    }

    fn fill(&mut self, records: &mut Vec<Record>) -> Result<(), TraceError> {
        while records.len() < BATCH
            && let Some(record) = self.next()?
        {
            records.push(record);
        }
        Ok(())
    }
}

impl Input {
    /// The time of the next record, none at the end.
    #[inline]
    fn time_ns(&mut self) -> Result<Option<u64>, TraceError> {
        while self.next == self.batch.len() {
            match &self.end {
                Some(end) => return end.clone().map(|()| None),
                None => self.refill(),
            }
        }
        Ok(Some(self.batch[self.next].time_ns))
    }

    /// What a failed batch still brought is served before its error.
    fn refill(&mut self) {
        self.next = 0;
        self.end = match self.records.next_batch(&mut self.batch) {
            Ok(0) => Some(Ok(())),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        };
    }
}

impl Records for Merge {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.fill(records);
        for record in records.iter() {
            self.unsorted += u64::from(record.time_ns < self.last_time_ns);
            self.last_time_ns = record.time_ns;
        }
        self.records += records.len() as u64;
        self.failed = result.clone().err();
        result.map(|()| records.len())
    }

    fn format(&self) -> &'static str {
        let mut formats = self.inputs.iter().map(|input| input.records.format());
        let first = formats.next().unwrap_or("nothing");
        if formats.all(|format| format == first) { first } else { "several" }
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn counts(&self) -> Counts {
        let all = || self.inputs.iter().map(|input| input.records.counts());
        Counts {
            lines: all().map(|counts| counts.lines).sum(),
            records: self.records,
            bad_lines: all().map(|counts| counts.bad_lines).sum(),
            other_lines: all().map(|counts| counts.other_lines).sum(),
            unsorted: self.unsorted,
            is_last_line_open: all().any(|counts| counts.is_last_line_open),
        }
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        self.inputs.iter().find_map(|input| input.records.first_bad_line())
    }

    fn notes(&self) -> Vec<Note> {
        self.inputs.iter().flat_map(|input| input.records.notes()).collect()
    }
}
