//! Proof of what a replay wrote: a list of the last write to each block, kept beside the target. Each read of
//! the replay is held against it as it completes, and a read of all those blocks at the end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_core::{Completion, Op, Request, Target, TargetError, TargetInfo, Time};
use flashscope_device::{Handle, ReadBack, sector_mark};

use crate::error::{Error, Result};
use crate::target::AnyTarget;

/// Blocks of a chunk of the list.
const CHUNK_BLOCKS: u64 = 4096;
const SECTOR_BYTES: usize = 512;

/// The number of the last write to each block; 0 where nothing is known. Takes 4 bytes for each block of the
/// chunks (of 4,096 blocks) that were written.
pub struct Written {
    block_bytes: u64,
    chunks: HashMap<u64, Box<[u32]>>,
    writes: u64,
}

impl Written {
    /// Nothing written yet.
    fn new(block_bytes: u32) -> Written {
        Written { block_bytes: u64::from(block_bytes.max(1)), chunks: HashMap::new(), writes: 0 }
    }

    fn set(&mut self, request: &Request, number: u32) {
        let first = request.offset_bytes / self.block_bytes;
        let end = (request.offset_bytes + u64::from(request.length_bytes)).div_ceil(self.block_bytes);
        let mut block = first;
        while block < end {
            let chunk = self.chunks.entry(block / CHUNK_BLOCKS);
            let chunk = chunk.or_insert_with(|| vec![0; CHUNK_BLOCKS as usize].into());
            let last = end.min((block / CHUNK_BLOCKS + 1) * CHUNK_BLOCKS);
            let from = (block % CHUNK_BLOCKS) as usize;
            chunk[from..from + (last - block) as usize].fill(number);
            block = last;
        }
    }

    /// The number of the last write to each block of a range, in place of those in `numbers`.
    fn numbers(&self, offset_bytes: u64, length_bytes: u64, numbers: &mut Vec<u32>) {
        let first = offset_bytes / self.block_bytes;
        let end = (offset_bytes + length_bytes).div_ceil(self.block_bytes);
        numbers.clear();
        numbers.extend((first..end).map(|block| {
            let chunk = self.chunks.get(&(block / CHUNK_BLOCKS));
            chunk.map_or(0, |chunk| chunk[(block % CHUNK_BLOCKS) as usize])
        }));
    }

    fn take_note(&mut self, request: &Request) {
        match request.op {
            Op::Write => {
                self.writes += 1;
                // The engine numbers its writes from 1, in this order.
                self.set(request, self.writes as u32);
            }
            // What a trimmed block holds is the device's affair.
            Op::Trim => self.set(request, 0),
            Op::Read | Op::Flush => {}
        }
    }

    /// The runs of blocks that were written, in the order of their addresses: offset, and the number of the
    /// last write to each. No run is longer than `bytes_max`.
    fn runs(&self, bytes_max: u64) -> impl Iterator<Item = (u64, &[u32])> {
        let most = (bytes_max / self.block_bytes).max(1) as usize;
        let mut order: Vec<_> = self.chunks.keys().copied().collect();
        order.sort_unstable();
        order.into_iter().flat_map(move |chunk| {
            let blocks = &self.chunks[&chunk];
            let known = blocks.chunk_by(|a, b| (*a == 0) == (*b == 0)).scan(0, |at, run| {
                *at += run.len();
                Some((*at - run.len(), run))
            });
            known.filter(|(_, run)| run[0] != 0).flat_map(move |(at, run)| {
                run.chunks(most).enumerate().map(move |(part, run)| {
                    let block = chunk * CHUNK_BLOCKS + (at + part * most) as u64;
                    (block * self.block_bytes, run)
                })
            })
        })
    }
}

/// A target that shows what its reads brought.
pub trait ReadContents: Target {
    /// The first `length` bytes that the read of this tag brought, from its completion until the tag is
    /// submitted again; none where nothing is read in truth.
    fn read_contents(&self, tag: u32, length: usize) -> Option<&[u8]>;
}

impl ReadContents for &mut AnyTarget {
    fn read_contents(&self, tag: u32, length: usize) -> Option<&[u8]> {
        AnyTarget::read_contents(self, tag, length)
    }
}

/// Reads of the replay held against what was written before them.
#[derive(Default)]
struct Reads {
    /// Seed of the engine that writes; none if contents are not known.
    key: Option<u64>,
    /// By tag.
    flying: HashMap<u32, Request>,
    /// Sectors that were written before and were read.
    checked: u64,
    bad: Bad,
    numbers: Vec<u32>,
}

/// A target beside which the list is kept. It sees the requests in the order in which the engine does, and no
/// request before an overlapping one is done, if one of the two changes data: so when a read completes, the
/// list still holds what it had to find.
pub struct Ledger<T> {
    inner: T,
    /// None: nobody asked for it.
    written: Option<Written>,
    reads: Reads,
}

impl<T: ReadContents> Ledger<T> {
    /// Nothing written yet. `key`: the seed of the engine that writes, where reads bring contents.
    pub fn new(inner: T, keeps: bool, key: Option<u64>) -> Ledger<T> {
        let block_bytes = inner.info().logical_block_bytes;
        let reads = Reads { key, ..Reads::default() };
        Ledger { inner, written: keeps.then(|| Written::new(block_bytes)), reads }
    }

    /// The list; it is kept no longer.
    pub fn written(&mut self) -> Option<Written> {
        self.written.take()
    }

    /// How many sectors were read that had been written before, all as they were written.
    ///
    /// # Errors
    /// A read that brought something else.
    pub fn reads_checked(&self) -> Result<u64> {
        let Reads { checked, bad, .. } = &self.reads;
        match &bad.first {
            None => Ok(*checked),
            Some(first) => Err(Error::failed(format!(
                "{} of {checked} sectors read during the replay differ from the data written before; {first}",
                bad.sectors
            ))),
        }
    }

    /// The target itself.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.inner
    }

    fn take_note(&mut self, requests: &[Request]) {
        let Some(written) = &mut self.written else { return };
        requests.iter().for_each(|request| written.take_note(request));
        if self.reads.key.is_some() {
            let reads = requests.iter().filter(|request| request.op == Op::Read);
            self.reads.flying.extend(reads.map(|request| (request.tag, *request)));
        }
    }

    /// Compares what completed reads brought.
    fn check(&mut self, completions: &[Completion]) {
        let (Some(written), Some(key)) = (&self.written, self.reads.key) else { return };
        for completion in completions {
            let Some(request) = self.reads.flying.remove(&completion.tag) else { continue };
            let length = request.length_bytes as usize;
            let Some(found) = self.inner.read_contents(request.tag, length) else { continue };
            let Reads { numbers, checked, bad, .. } = &mut self.reads;
            written.numbers(request.offset_bytes, u64::from(request.length_bytes), numbers);
            *checked += compare(found, request.offset_bytes, numbers, (key, written.block_bytes), bad);
        }
    }
}

impl<T: ReadContents> Target for Ledger<T> {
    fn info(&self) -> &TargetInfo {
        self.inner.info()
    }

    fn now(&mut self) -> Time {
        self.inner.now()
    }

    fn prepare(&mut self, requests: &[Request]) {
        self.inner.prepare(requests);
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        self.take_note(requests);
        self.inner.submit(requests)
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let before = out.len();
        let reaped = self.inner.reap(min, until, out);
        self.check(&out[before..]);
        reaped
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        self.take_note(std::slice::from_ref(request));
        let done = self.inner.serve(request)?;
        self.check(&[Completion { tag: request.tag, ..done }]);
        Ok(done)
    }

    fn wait_until(&mut self, time: Time) {
        self.inner.wait_until(time);
    }
}

/// Reads back all that was written; returns how many blocks hold what they must: all, or it is an error. A
/// simulated SSD compares in its token mode, and its read fails. `real`: the target's handle, and the seed of
/// the engine that wrote. None when interrupted.
pub fn read_back(
    written: &Written,
    target: &mut impl Target,
    real: Option<(Arc<Handle>, u64)>,
    interrupted: &AtomicBool,
) -> Result<Option<u64>> {
    let (mut verified, mut bad) = (0, Bad::default());
    let mut device = real.map(|(handle, key)| (ReadBack::new(handle), key));
    for (offset_bytes, numbers) in written.runs(ReadBack::BYTES_MAX as u64) {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let length = numbers.len() * written.block_bytes as usize;
        match &mut device {
            Some((device, key)) => {
                let found = device.read(offset_bytes, length)?;
                compare(found, offset_bytes, numbers, (*key, written.block_bytes), &mut bad);
            }
            None => {
                let length_bytes = length as u32;
                let request = Request { offset_bytes, length_bytes, op: Op::Read, ..Request::default() };
                target.serve(&request)?;
            }
        }
        verified += numbers.len() as u64;
    }
    match bad.first {
        None => Ok(Some(verified)),
        Some(first) => Err(Error::failed(format!(
            "{} of {} written sectors differ from the data written; {first}",
            bad.sectors,
            written_sectors(written)
        ))),
    }
}

fn written_sectors(written: &Written) -> u64 {
    let blocks = written.chunks.values().flat_map(|chunk| chunk.iter()).filter(|number| **number != 0);
    blocks.count() as u64 * (written.block_bytes / SECTOR_BYTES as u64)
}

/// Sectors that do not hold what they must.
#[derive(Default)]
struct Bad {
    sectors: u64,
    first: Option<String>,
}

/// Compares what was `found` with the numbers of the last writes to its blocks, where these are known;
/// returns how many sectors that are.
fn compare(
    found: &[u8],
    offset_bytes: u64,
    numbers: &[u32],
    (key, block_bytes): (u64, u64),
    bad: &mut Bad,
) -> u64 {
    let sectors_each = (block_bytes as usize / SECTOR_BYTES).max(1);
    let mut compared = 0;
    for (place, sector) in found.chunks_exact(SECTOR_BYTES).enumerate() {
        let number = numbers[place / sectors_each];
        if number == 0 {
            continue;
        }
        compared += 1;
        let at = offset_bytes + (place * SECTOR_BYTES) as u64;
        let word = |from: usize| u64::from_le_bytes(sector[from..from + 8].try_into().expect("8 bytes"));
        let stamp = word(0);
        let mark = sector_mark(key, at / SECTOR_BYTES as u64, sector);
        let is_whole = word(8) == mark && word(SECTOR_BYTES - 8) == mark;
        if stamp as u32 == number && is_whole {
            continue;
        }
        bad.sectors += 1;
        bad.first.get_or_insert_with(|| {
            let held = match is_whole {
                true => format!("the data of write {stamp}"),
                false if sector.iter().all(|byte| *byte == 0) => "zeros".into(),
                false => "no data of this replay, or changed data".into(),
            };
            format!(
                "the first, at offset {at}, holds {held}, but write {number} was the last one to it: the \
                 target lost or mixed up data, or another program wrote to it"
            )
        });
    }
    compared
}

#[cfg(test)]
mod tests;
