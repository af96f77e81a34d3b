//! Binary formats whose entries all have one length.

use crate::decoder::{Decoder, Sink};
use crate::devices::Devices;
use crate::error::{TraceError, hexadecimal};
use crate::record::Record;
use crate::records::BATCH;
use crate::text::Problem;

/// A binary format whose entries have one length: understands one at a time.
pub trait EntryFormat: Default + Send {
    /// Length of an entry; above 0.
    const BYTES: usize;

    /// Appends the requests of an entry of [`EntryFormat::BYTES`] bytes; none for other entries.
    /// Of a bad entry, nothing that is appended is kept.
    ///
    /// # Errors
    /// Why the entry is bad.
    fn entry(
        &mut self,
        entry: &[u8],
        devices: &mut Devices,
        records: &mut Vec<Record>,
    ) -> Result<(), Problem>;
}

/// The decoder of such a format.
#[derive(Default)]
pub(crate) struct Entries<F> {
    format: F,
}

impl<F: EntryFormat + 'static> Entries<F> {
    pub(crate) fn decoder() -> Box<dyn Decoder> {
        Box::new(Entries::<F>::default())
    }
}

impl<F: EntryFormat> Decoder for Entries<F> {
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let mut done = 0;
        while sink.records.len() < BATCH && bytes.len() - done >= F::BYTES {
            let entry = &bytes[done..done + F::BYTES];
            done += F::BYTES;
            sink.counts.lines += 1;
            let before = sink.records.len();
            match self.format.entry(entry, sink.devices, sink.records) {
                Ok(()) => sink.counts.other_lines += u64::from(sink.records.len() == before),
                Err(problem) => {
                    sink.records.truncate(before);
                    sink.bad_line(|counts| bad::<F>(counts.lines, problem, entry))?;
                }
            }
        }
        let rest = &bytes[done..];
        if last && !rest.is_empty() && rest.len() < F::BYTES {
            done = bytes.len();
            sink.counts.lines += 1;
            sink.counts.is_last_line_open = true;
            sink.bad_line(|counts| bad::<F>(counts.lines, "the file ends within it", rest))?;
        }
        Ok(done)
    }
}

#[cold]
fn bad<F: EntryFormat>(number: u64, problem: Problem, entry: &[u8]) -> TraceError {
    TraceError::Entry {
        entry: number,
        offset_bytes: (number - 1) * F::BYTES as u64,
        problem: problem.into(),
        bytes: hexadecimal(entry),
    }
}

/// The share of good entries at the front of a trace, in percent; 0 if there is no request among them.
pub(crate) fn sniff_entries<F: EntryFormat>(head: &[u8]) -> u8 {
    const ENTRIES: usize = 100;
    let (mut format, mut devices, mut records) = (F::default(), Devices::default(), Vec::new());
    let whole = head.chunks_exact(F::BYTES).take(ENTRIES);
    let count = whole.len();
    let good = whole.filter(|entry| format.entry(entry, &mut devices, &mut records).is_ok()).count();
    if records.is_empty() { 0 } else { (100 * good / count) as u8 }
}

/// The little-endian number at this place.
#[inline(always)]
pub(crate) fn u16_at(entry: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([entry[at], entry[at + 1]])
}

/// The little-endian number at this place.
#[inline(always)]
pub(crate) fn u32_at(entry: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(entry[at..at + 4].try_into().expect("four bytes"))
}

/// The little-endian number at this place.
#[inline(always)]
pub(crate) fn u64_at(entry: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"))
}
