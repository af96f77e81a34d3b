//! Records from a list, lists from records, an output that can be looked into, and tests that run alone.

use std::io::{Result as IoResult, Write};
use std::process::Command;
use std::sync::{Arc, Mutex};

use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::{Counts, Record, Records, TraceError};

/// An output that can be looked into.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// What was written since it was last asked for.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

/// Records of a list, a few at a time.
pub struct Listed {
    records: Vec<Record>,
    devices: Vec<String>,
    next: usize,
    batch: usize,
    /// Comes behind the last record, in its batch.
    error: Option<TraceError>,
}

impl Listed {
    pub fn new(records: Vec<Record>) -> Listed {
        let count = records.iter().map(|record| record.device + 1).max().unwrap_or(0);
        let devices = (0..count).map(|number| format!("d{number}")).collect();
        Listed { records, devices, next: 0, batch: 7, error: None }
    }

    /// The same, with this error at the end.
    pub fn failing(self, error: TraceError) -> Listed {
        Listed { error: Some(error), ..self }
    }
}

impl Records for Listed {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        let end = (self.next + self.batch).min(self.records.len());
        records.extend_from_slice(&self.records[self.next..end]);
        self.next = end;
        match &self.error {
            Some(error) if end == self.records.len() => Err(error.clone()),
            _ => Ok(records.len()),
        }
    }
    fn format(&self) -> &'static str {
        "list"
    }
    /// Only those seen so far, as a reader has them.
    fn devices(&self) -> &[String] {
        let seen = self.records[..self.next].iter().map(|record| record.device as usize + 1).max();
        &self.devices[..seen.unwrap_or(0)]
    }
    fn counts(&self) -> Counts {
        Counts { lines: self.next as u64, records: self.next as u64, ..Counts::default() }
    }
    fn first_bad_line(&self) -> Option<&TraceError> {
        None
    }
}

/// All records, and the error that ended them.
pub fn drain(records: &mut dyn Records) -> (Vec<Record>, Option<TraceError>) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        let result = records.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        match result {
            Ok(0) => {
                assert_eq!(records.next_batch(&mut batch), Ok(0), "0 ever after");
                return (all, None);
            }
            Ok(count) => assert_eq!(count, batch.len()),
            Err(error) => {
                assert_eq!(records.next_batch(&mut batch), Err(error.clone()), "the error ever after");
                assert!(batch.is_empty());
                return (all, Some(error));
            }
        }
    }
}

/// All records of what ends well.
pub fn all(records: &mut dyn Records) -> Vec<Record> {
    let (all, error) = drain(records);
    assert_eq!(error, None);
    all
}

pub fn record(op: Op, time_ns: u64, offset_bytes: u64, length_bytes: u64) -> Record {
    Record { op, time_ns, offset_bytes, length_bytes, ..Record::default() }
}

/// Requests of all kinds on two devices, in blocks of 512 bytes below `span_bytes`, sorted by time.
pub fn random_records(seed: u64, count: u64, span_bytes: u64) -> Vec<Record> {
    let mut random = Random::new(seed);
    let mut time_ns = 1_000_000;
    let mut one = |random: &mut Random| {
        time_ns += random.below(2000);
        let op = Op::ALL[random.below(4) as usize];
        let device = random.below(2) as u32;
        if op == Op::Flush {
            return Record { device, ..record(op, time_ns, 0, 0) };
        }
        let blocks = span_bytes / 512;
        let start = random.below(blocks);
        let length = 1 + random.below((blocks - start).min(64));
        Record { device, ..record(op, time_ns, start * 512, length * 512) }
    };
    (0..count).map(|_| one(&mut random)).collect()
}

/// Set in a process that runs one test alone.
const ALONE: &str = "FLASHSCOPE_TEST_ALONE";

/// Runs the test of this full name in a process of its own: the peak of memory is the whole process's.
pub fn alone(test: &str, run: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        return run();
    }
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).args([test, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
    let [out, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success() && out.contains("1 passed"), "{test}: {out}{errors}");
}

/// The most memory that this process has ever held.
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
