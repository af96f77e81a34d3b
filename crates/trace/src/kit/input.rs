//! What has to hold of every input, damaged or not.

use std::fmt;
use std::io::Read;

use flashscope_core::Op;
use flashscope_core::seed::Random;

use super::{Failure, options};
use crate::error::TraceError;
use crate::format::{Format, Formats};
use crate::record::Record;
use crate::records::{Counts, Records};
use crate::seekable::is_read_whole;

/// A table may say in a few bytes that it has very many equal rows.
const RECORDS_MAX: usize = 1 << 20;

/// What came of some inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Inputs read.
    pub inputs: u64,
    /// Of those, read strictly to the end.
    pub good: u64,
    /// Requests found.
    pub records: u64,
    /// Lines or entries left out.
    pub bad_lines: u64,
}

impl Seen {
    /// And what came of others.
    pub fn add(&mut self, other: &Seen) {
        self.inputs += other.inputs;
        self.good += other.good;
        self.records += other.records;
        self.bad_lines += other.bad_lines;
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seen { inputs, good, records, bad_lines } = self;
        write!(f, "{inputs:>9} inputs ({good} without fault), {records} records, {bad_lines} bad lines")
    }
}

/// What a reader made of an input.
#[derive(Default, PartialEq, Eq)]
struct Outcome {
    records: Vec<Record>,
    devices: Vec<String>,
    counts: Counts,
    first_bad: Option<TraceError>,
    error: Option<TraceError>,
}

fn outcome(trace: Result<Box<dyn Records>, TraceError>) -> Outcome {
    let mut trace = match trace {
        Ok(trace) => trace,
        Err(error) => return Outcome { error: Some(error), ..Outcome::default() },
    };
    let (mut records, mut batch) = (Vec::new(), Vec::new());
    let error = loop {
        let result = trace.next_batch(&mut batch);
        records.extend_from_slice(&batch);
        match result {
            Ok(0) => break None,
            Ok(_) if records.len() > RECORDS_MAX => break None,
            Ok(_) => {}
            Err(error) => break Some(error),
        }
    };
    Outcome {
        records,
        devices: trace.devices().to_vec(),
        counts: trace.counts(),
        first_bad: trace.first_bad_line().cloned(),
        error,
    }
}

/// Gives its bytes a few at a time, as a pipe may.
struct Trickle {
    bytes: std::io::Cursor<Vec<u8>>,
    piece: usize,
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.piece.min(buffer.len());
        self.bytes.read(&mut buffer[..length])
    }
}

/// Reads the input in all ways as this format of these.
///
/// # Errors
/// What does not hold.
pub fn check_input(
    formats: &Formats,
    format: &'static Format,
    bytes: &[u8],
    random: &mut Random,
) -> Result<Seen, Failure> {
    check(formats, format.name, bytes, random).map_err(|what| Failure { format: format.name, what })
}

fn check(formats: &Formats, format: &str, bytes: &[u8], random: &mut Random) -> Result<Seen, String> {
    let strict = outcome(formats.open_bytes_with(bytes.to_vec(), &options(format, false)));
    let lenient = outcome(formats.open_bytes_with(bytes.to_vec(), &options(format, true)));
    for outcome in [&strict, &lenient] {
        check_records(outcome)?;
    }
    check_agreement(&strict, &lenient)?;
    let is_lenient = random.below(2) == 0;
    let most = 1 + random.below(300);
    let piece = 1 + random.below(most) as usize;
    if !is_read_whole(format) {
        let input = Trickle { bytes: std::io::Cursor::new(bytes.to_vec()), piece };
        let trickled =
            outcome(formats.open_with(input, &options(format, is_lenient)).map(|trace| Box::new(trace) as _));
        let whole = if is_lenient { &lenient } else { &strict };
        holds(trickled == *whole, || format!("in reads of {piece} bytes it is other than at once"))?;
    }
    if random.below(16) == 0 {
        let percent = formats.sniff(bytes).first().map_or(0, |(_, percent)| *percent);
        holds(percent <= 100, || format!("sniffed with {percent} %"))?;
    }
    Ok(Seen {
        inputs: 1,
        good: u64::from(strict.error.is_none()),
        records: lenient.records.len() as u64,
        bad_lines: lenient.counts.bad_lines,
    })
}

fn holds(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn check_records(outcome: &Outcome) -> Result<(), String> {
    let mut last_time_ns = 0;
    let mut unsorted = 0;
    for record in &outcome.records {
        let end = record.offset_bytes.checked_add(record.length_bytes);
        holds(end.is_some(), || format!("{record:?} ends beyond 64 bits"))?;
        let is_empty = record.length_bytes == 0;
        holds(is_empty == (record.op == Op::Flush), || format!("{record:?} has a wrong length"))?;
        holds(!is_empty || record.offset_bytes == 0, || format!("{record:?} has an offset"))?;
        let is_known = (record.device as usize) < outcome.devices.len();
        holds(is_known, || format!("{record:?} has a device without name"))?;
        unsorted += u64::from(record.time_ns < last_time_ns);
        last_time_ns = record.time_ns;
    }
    let Counts { lines, records, bad_lines, other_lines, unsorted: counted, .. } = outcome.counts;
    holds(records == outcome.records.len() as u64, || format!("{records} records are counted"))?;
    holds(counted == unsorted, || format!("{counted} unsorted are counted, not {unsorted}"))?;
    holds(lines >= bad_lines + other_lines, || format!("{:?} do not add up", outcome.counts))?;
    holds((bad_lines > 0) == outcome.first_bad.is_some(), || "the first bad line is not kept".into())
}

/// A strict reader reads what a lenient one does, up to the first bad line. Only completions behind that
/// line are unknown to it.
fn check_agreement(strict: &Outcome, lenient: &Outcome) -> Result<(), String> {
    let is_same = |(strict, lenient): (&Record, &Record)| {
        strict == lenient || *strict == Record { latency_ns: None, ..*lenient }
    };
    let is_shorter = strict.records.len() <= lenient.records.len();
    let is_prefix = is_shorter && strict.records.iter().zip(&lenient.records).all(is_same);
    holds(is_prefix, || "strict and lenient read other records".into())?;
    holds(strict.counts.bad_lines == 0, || "a strict reader left out lines".into())?;
    match (&strict.error, &lenient.first_bad) {
        (None, None) => holds(strict == lenient, || "without a fault, lenient is other than strict".into()),
        (Some(error), Some(first)) => holds(error == first, || format!("{error}, not {first}, is the first")),
        (Some(error), None) => {
            holds(Some(error) == lenient.error.as_ref(), || format!("lenient does not fail with {error}"))
        }
        (None, Some(first)) => Err(format!("only lenient finds {first}")),
    }
}
