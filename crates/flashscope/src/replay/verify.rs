//! Proof of what a replay wrote: a list of the last write to each block, kept beside the target, and a read
//! of all those blocks at the end.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use flashscope_core::{Completion, Op, Request, Target, TargetError, TargetInfo, Time};
use flashscope_device::{Handle, ReadBack};

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
                // The engine numbers its writes from 1 on, in this order.
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

    fn serve_in_turn(&mut self, requests: &[Request], out: &mut Vec<Completion>) -> Result<(), TargetError> {
        if let Some(written) = &mut self.written {
            requests.iter().for_each(|request| written.take_note(request));
        }
        self.inner.serve_in_turn(requests, out)
    }

    fn wait_until(&mut self, time: Time) {
        self.inner.wait_until(time);
    }
}

/// Reads back all that was written; returns how many blocks hold what they must: all, or it is an error. A
/// simulated SSD compares in its token mode, and its read fails.
pub fn read_back(written: &Written, target: &mut impl Target, handle: Option<Arc<Handle>>) -> Result<u64> {
    let mut verified = 0;
    let mut device = handle.map(ReadBack::new);
    for (offset_bytes, numbers) in written.runs(ReadBack::BYTES_MAX as u64) {
        let length = numbers.len() * written.block_bytes as usize;
        match &mut device {
            Some(device) => compare(device.read(offset_bytes, length)?, offset_bytes, numbers, written)?,
            None => {
                let length_bytes = length as u32;
                let request = Request { offset_bytes, length_bytes, op: Op::Read, ..Request::default() };
                target.serve_in_turn(&[request], &mut Vec::new())?;
            }
        }
        verified += numbers.len() as u64;
    }
    Ok(verified)
}

fn compare(found: &[u8], offset_bytes: u64, numbers: &[u32], written: &Written) -> Result<()> {
    let block_bytes = written.block_bytes as usize;
    for (block, number) in found.chunks(block_bytes).zip(numbers) {
        for sector in block.chunks(SECTOR_BYTES) {
            let stamp = u64::from_le_bytes(sector[..8].try_into().expect("a sector has eight bytes"));
            if stamp as u32 != *number {
                let at = offset_bytes + (block.as_ptr() as usize - found.as_ptr() as usize) as u64;
                let held = match stamp {
                    0 => "none".into(),
                    stamp if stamp <= written.writes => format!("the data of write {stamp}"),
                    _ => "data of no write of this replay".into(),
                };
                bail!(
                    "the block at offset {at} holds {held}, but write {number} was the last one to it: the \
                     target lost or mixed up data; do not trust it"
                );
            }
        }
    }
    Ok(())
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
    fn a_block_that_holds_an_older_write_is_found() {
        let mut written = Written::new(512);
        let write =
            |offset_bytes| Request { offset_bytes, length_bytes: 512, op: Op::Write, ..Request::default() };
        written.take_note(&write(0));
        written.take_note(&write(512));
        let mut data = vec![0; 1024];
        data[0] = 1;
        data[512] = 2;
        let numbers = written.runs(1 << 20).next().unwrap().1.to_vec();
        assert!(compare(&data, 0, &numbers, &written).is_ok());
        data[512] = 1;
        let error = compare(&data, 0, &numbers, &written).unwrap_err().to_string();
        assert!(error.contains("offset 512 holds the data of write 1, but write 2"), "{error}");
    }
}
