//! What a fit has to know of a whole trace before it begins.

use std::collections::BTreeMap;

use flashscope_core::Op;

use crate::error::TraceError;
use crate::record::Record;
use crate::records::Records;

/// The chunks of a footprint, unless asked otherwise.
pub const CHUNK_BYTES: u64 = 4096;

const WORDS: usize = 64;
/// Chunks of a page.
const PAGE_CHUNKS: u64 = 64 * WORDS as u64;
/// Pages of all devices, half a KiB each.
const PAGES_MAX: usize = 1 << 19;

/// How far each device of a trace reaches, and which chunks of it are read or written: a bit each, in pages
/// that are there only where there is one. What is only trimmed is no part of the footprint.
#[derive(Debug)]
pub struct Layout {
    chunk_bytes: u64,
    devices: Vec<Device>,
}

#[derive(Debug, Default)]
struct Device {
    /// End of the last request, in whole chunks.
    span_bytes: u64,
    /// Spans of the devices before it; none if they reach beyond 2^64.
    base_bytes: Option<u64>,
    /// Chunks in use of the devices before it, and its own.
    chunks_before: u64,
    chunks: u64,
    pages: Vec<Page>,
}

#[derive(Debug)]
struct Page {
    number: u64,
    /// Chunks in use before it, on this device.
    chunks_before: u64,
    bits: Box<[u64; WORDS]>,
}

/// Pages as they are found.
type Found = BTreeMap<u64, Box<[u64; WORDS]>>;

impl Layout {
    /// Of all of `records`, in chunks of `chunk_bytes`, at least 1.
    ///
    /// # Errors
    /// What reading them brings; a footprint that is too scattered to be kept; a device whose last chunk
    /// ends beyond 2^64.
    pub fn survey(records: &mut dyn Records, chunk_bytes: u64) -> Result<Layout, TraceError> {
        assert!(chunk_bytes > 0, "a chunk has at least a byte");
        let mut ends: Vec<(u64, Found)> = Vec::new();
        let (mut batch, mut pages) = (Vec::new(), 0);
        while records.next_batch(&mut batch)? > 0 {
            for record in &batch {
                let device = record.device as usize;
                if device >= ends.len() {
                    ends.resize_with(device + 1, Default::default);
                }
                let (end_bytes, found) = &mut ends[device];
                // An empty request lies somewhere, too.
                let end = record.offset_bytes.saturating_add(record.length_bytes.max(1));
                *end_bytes = (*end_bytes).max(end);
                mark(record, chunk_bytes, found, &mut pages)?;
            }
        }
        Layout::of(ends, chunk_bytes)
    }

    fn of(ends: Vec<(u64, Found)>, chunk_bytes: u64) -> Result<Layout, TraceError> {
        let (mut devices, mut base_bytes, mut chunks_before) = (Vec::new(), Some(0u64), 0);
        for (end_bytes, found) in ends {
            let mut device = Device { base_bytes, chunks_before, ..Device::default() };
            device.span_bytes = end_bytes
                .checked_next_multiple_of(chunk_bytes)
                .ok_or_else(|| too_far(end_bytes, chunk_bytes))?;
            device.take(found);
            base_bytes = base_bytes.and_then(|base_bytes| base_bytes.checked_add(device.span_bytes));
            chunks_before += device.chunks;
            devices.push(device);
        }
        Ok(Layout { chunk_bytes, devices })
    }

    /// The size of a chunk.
    pub fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// The chunks in use of the device that has most, or of all.
    pub fn footprint_bytes(&self, joined: bool) -> u64 {
        let chunks = self.devices.iter().map(|device| device.chunks);
        let chunks: u64 = if joined { chunks.sum() } else { chunks.max().unwrap_or(0) };
        chunks.saturating_mul(self.chunk_bytes)
    }

    /// An error if the devices, one behind the other, are longer than addresses reach.
    pub(super) fn check_joined(&self) -> Result<(), TraceError> {
        let end = |device: &Device| device.base_bytes?.checked_add(device.span_bytes);
        match self.devices.last() {
            Some(last) if end(last).is_none() => Err(too_long()),
            _ => Ok(()),
        }
    }

    /// Where the record's device begins, once all are laid one behind the other.
    pub(super) fn base_bytes(&self, record: &Record) -> Option<u64> {
        let device = self.devices.get(record.device as usize)?;
        let end_bytes = record.offset_bytes + record.length_bytes;
        device.base_bytes.filter(|_| end_bytes <= device.span_bytes)
    }

    /// How long the device is, or all are.
    pub(super) fn span_bytes(&self, record: &Record, joined: bool) -> Option<u64> {
        let device = if joined { self.devices.last() } else { self.devices.get(record.device as usize) }?;
        let base_bytes = if joined { device.base_bytes? } else { 0 };
        Some(base_bytes + device.span_bytes).filter(|&span_bytes| joined || record.offset_bytes < span_bytes)
    }

    /// Where an address lies once chunks that are not in use are squeezed out.
    pub(super) fn place(&self, device: u32, offset_bytes: u64, joined: bool) -> Option<u64> {
        let device = self.devices.get(device as usize)?;
        let (rank, is_used) = device.rank(offset_bytes / self.chunk_bytes);
        let chunks = rank + if joined { device.chunks_before } else { 0 };
        Some(chunks * self.chunk_bytes + if is_used { offset_bytes % self.chunk_bytes } else { 0 })
    }
}

#[cold]
fn too_far(end_bytes: u64, chunk_bytes: u64) -> TraceError {
    TraceError::Fit {
        problem: format!("a request ends at {end_bytes}, in a chunk of {chunk_bytes} bytes that 2^64 cuts"),
        remedy: "cut the address range first, or take smaller chunks".into(),
    }
}

#[cold]
fn too_long() -> TraceError {
    TraceError::Fit {
        problem: "its devices, concatenated, exceed 2^64 bytes".into(),
        remedy: "select devices, cut the address range first, or do not concatenate them".into(),
    }
}

/// Marks the chunks of a request.
fn mark(record: &Record, chunk_bytes: u64, found: &mut Found, pages: &mut usize) -> Result<(), TraceError> {
    if record.length_bytes == 0 || !matches!(record.op, Op::Read | Op::Write) {
        return Ok(());
    }
    let mut chunk = record.offset_bytes / chunk_bytes;
    let last = (record.offset_bytes + record.length_bytes - 1) / chunk_bytes;
    while chunk <= last {
        let number = chunk / PAGE_CHUNKS;
        let page = found.entry(number).or_insert_with(|| {
            *pages += 1;
            Box::new([0; WORDS])
        });
        if *pages > PAGES_MAX {
            return Err(TraceError::Fit {
                problem: format!(
                    "its footprint has more than {PAGES_MAX} separate chunks of {} bytes",
                    PAGE_CHUNKS * chunk_bytes
                ),
                remedy: "fit modulo, cut the address range first, or take larger chunks".into(),
            });
        }
        let end = last.min(number * PAGE_CHUNKS + (PAGE_CHUNKS - 1));
        set_bits(page, chunk % PAGE_CHUNKS, end % PAGE_CHUNKS);
        chunk = end + 1;
    }
    Ok(())
}

/// Sets the bits from `first` to `last`, both included.
fn set_bits(page: &mut [u64; WORDS], first: u64, last: u64) {
    for word in first / 64..=last / 64 {
        let low = if word == first / 64 { u64::MAX << (first % 64) } else { u64::MAX };
        let high = if word == last / 64 { u64::MAX >> (63 - last % 64) } else { u64::MAX };
        page[word as usize] |= low & high;
    }
}

impl Device {
    fn take(&mut self, found: Found) {
        for (number, bits) in found {
            let chunks: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
            self.pages.push(Page { number, chunks_before: self.chunks, bits });
            self.chunks += chunks;
        }
    }

    /// How many chunks below this one are in use, and whether it is.
    fn rank(&self, chunk: u64) -> (u64, bool) {
        let (number, bit) = (chunk / PAGE_CHUNKS, chunk % PAGE_CHUNKS);
        let at = self.pages.partition_point(|page| page.number < number);
        let Some(page) = self.pages.get(at) else { return (self.chunks, false) };
        if page.number != number {
            return (page.chunks_before, false);
        }
        let word = (bit / 64) as usize;
        let below: u32 = page.bits[..word].iter().map(|word| word.count_ones()).sum();
        let within = page.bits[word] & ((1 << (bit % 64)) - 1);
        let rank = page.chunks_before + u64::from(below) + u64::from(within.count_ones());
        (rank, page.bits[word] >> (bit % 64) & 1 == 1)
    }
}
