//! Proof of what a replay wrote: a list of the last write to each block, kept beside the target, and a read
//! of all those blocks at the end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_core::{Completion, Op, Request, Target, TargetError, TargetInfo, Time};
use flashscope_device::{Handle, ReadBack, sector_mark};

use crate::error::{Error, Result};

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

/// A target beside which the list is kept. It sees the requests in the order in which the engine does.
pub struct Ledger<T> {
    inner: T,
    /// None: nobody asked for it.
    written: Option<Written>,
}

impl<T: Target> Ledger<T> {
    /// Nothing written yet.
    pub fn new(inner: T, keeps: bool) -> Ledger<T> {
        let block_bytes = inner.info().logical_block_bytes;
        Ledger { inner, written: keeps.then(|| Written::new(block_bytes)) }
    }

    /// The list; it is kept no longer.
    pub fn written(&mut self) -> Option<Written> {
        self.written.take()
    }

    /// The target itself.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T: Target> Target for Ledger<T> {
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
        if let Some(written) = &mut self.written {
            requests.iter().for_each(|request| written.take_note(request));
        }
        self.inner.submit(requests)
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.inner.reap(min, until, out)
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        if let Some(written) = &mut self.written {
            written.take_note(request);
        }
        self.inner.serve(request)
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

/// Compares what was `found` with the numbers of the last writes to its blocks.
fn compare(found: &[u8], offset_bytes: u64, numbers: &[u32], (key, block_bytes): (u64, u64), bad: &mut Bad) {
    let sectors_each = (block_bytes as usize / SECTOR_BYTES).max(1);
    for (place, sector) in found.chunks_exact(SECTOR_BYTES).enumerate() {
        let number = numbers[place / sectors_each];
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn the_list_holds_the_last_write_to_each_block_and_forgets_trimmed_ones() {
        let mut random = Random::new(8);
        let mut written = Written::new(4096);
        let mut plain = BTreeMap::new();
        let mut number = 0;
        for _ in 0..5000 {
            let (block, count) = (random.below(20_000), 1 + random.below(300));
            let op = if random.below(5) == 0 { Op::Trim } else { Op::Write };
            number += u32::from(op == Op::Write);
            let (offset_bytes, length_bytes) = (block * 4096, count as u32 * 4096);
            written.take_note(&Request { offset_bytes, length_bytes, op, ..Request::default() });
            for block in block..block + count {
                match op {
                    Op::Trim => plain.remove(&block),
                    _ => plain.insert(block, number),
                };
            }
        }
        let mut listed = BTreeMap::new();
        for (offset_bytes, numbers) in written.runs(1 << 20) {
            assert!(numbers.len() <= 256, "runs are read at once");
            for (block, number) in (offset_bytes / 4096..).zip(numbers) {
                assert_eq!(listed.insert(block, *number), None, "each block once");
            }
        }
        assert_eq!(listed, plain, "seed 8");
    }

    #[test]
    fn what_is_not_the_last_write_whole_and_in_its_place_is_found() {
        const KEY: u64 = 77;
        let sector = |number: u64, place: u64, key: u64| {
            let mut sector = vec![number as u8; 512];
            sector[..8].copy_from_slice(&number.to_le_bytes());
            let mark = sector_mark(key, place, &sector).to_le_bytes();
            sector[8..16].copy_from_slice(&mark);
            sector[504..].copy_from_slice(&mark);
            sector
        };
        // Writes 1 and 2 to the sectors at 1024 and 1536.
        let check = |second: Vec<u8>| {
            let mut bad = Bad::default();
            compare(&[sector(1, 2, KEY), second].concat(), 1024, &[1, 2], (KEY, 512), &mut bad);
            (bad.sectors, bad.first.unwrap_or_default())
        };
        assert_eq!(check(sector(2, 3, KEY)), (0, String::new()));
        let torn = [&sector(2, 3, KEY)[..256], &sector(1, 3, KEY)[256..]].concat();
        let mut rotten = sector(2, 3, KEY);
        rotten[300] ^= 4;
        for (bad, words) in [
            (sector(1, 3, KEY), "holds the data of write 1, but write 2"),
            // The same write of an earlier replay, and another sector of the same write.
            (sector(2, 3, 78), "no data of this replay"),
            (sector(2, 2, KEY), "no data of this replay"),
            (torn, "no data of this replay"),
            (rotten, "or changed data"),
            (vec![0; 512], "holds zeros"),
        ] {
            let (sectors, error) = check(bad);
            assert_eq!(sectors, 1, "{error}");
            assert!(error.contains("offset 1536") && error.contains(words), "{error}");
        }
    }
}
