//! Addresses cut into regions of 64 KiB, by which both samples of addresses choose.

use flashscope_core::request::Op;

use super::clock::Chunk;
use super::footprint::{Footprint, Touch};
use super::reuse::{Access, Reuse, blocks_chosen};
use super::settled::Settled;
use crate::record::Record;

/// A region is 2 to the power of this, in bytes.
const REGION_SHIFT: u32 = 16;
const SECTOR_SHIFT: u32 = 9;
/// A block of the sample of re-use is 2 to the power of this, in bytes.
pub(super) const BLOCK_SHIFT: u32 = 12;

/// Of a longer request, only so much counts: none that a device takes is as long.
const LENGTH_BYTES_MAX: u64 = 1 << 30;
/// A request that touches more regions than this is first looked up among those that are settled.
const LONG: u64 = 2;
/// Touches that wait to be looked up at once.
const WAITING_MAX: usize = 4096;

/// Devices from this number on count as one: 16 bits of a region's name tell them apart.
pub(super) const DEVICES_MAX: u32 = 1 << 16;

/// Sectors and blocks that were read or written.
pub(super) struct Regions {
    pub(super) footprint: Footprint,
    pub(super) reuse: Reuse,
    settled: Settled,
    touches: Vec<Touch>,
    accesses: Vec<Access>,
    /// Reads and writes so far.
    requests: u64,
    written_bytes: u64,
    /// Requests of which the end was left out.
    pub(super) cut_requests: u64,
}

impl Regions {
    pub(super) fn new(regions_max: usize, blocks_max: usize) -> Regions {
        Regions {
            footprint: Footprint::new(regions_max),
            reuse: Reuse::new(blocks_max),
            settled: Settled::default(),
            touches: Vec::with_capacity(WAITING_MAX + 1),
            accesses: Vec::with_capacity(WAITING_MAX + 16),
            requests: 0,
            written_bytes: 0,
            cut_requests: 0,
        }
    }

    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        for ((record, bucket), &time_ns) in chunk.buckets().zip(chunk.times_ns) {
            let is_write = match record.op {
                Op::Read => false,
                Op::Write => true,
                Op::Flush | Op::Trim => continue,
            };
            let access = Access {
                hash: 0,
                region: 0,
                time_ns,
                requests: self.requests,
                written_bytes: self.written_bytes,
                bucket: bucket as u32,
                block: 0,
                is_write,
            };
            self.take(record, &access, chunk.shift);
            self.requests += 1;
            self.written_bytes += if is_write { record.length_bytes.min(LENGTH_BYTES_MAX) } else { 0 };
        }
        self.look_up(chunk.shift);
    }

    #[inline]
    fn take(&mut self, record: &Record, access: &Access, shift: u32) {
        let (first_byte, length) = (record.offset_bytes, record.length_bytes);
        if length == 0 {
            return;
        }
        self.cut_requests += u64::from(length > LENGTH_BYTES_MAX);
        let last_byte = first_byte.saturating_add(length.min(LENGTH_BYTES_MAX) - 1);
        let device = u64::from(record.device.min(DEVICES_MAX - 1)) << (64 - REGION_SHIFT);
        let [first, last] = [first_byte, last_byte].map(|byte| device | (byte >> REGION_SHIFT));
        if last - first < LONG {
            for region in first..=last {
                self.touch(region, [first_byte, last_byte], access, shift);
            }
        } else {
            self.take_long([first, last], [first_byte, last_byte], access, shift);
        }
    }

    /// Passes over regions that have nothing more to tell.
    fn take_long(&mut self, [mut first, last]: [u64; 2], bytes: [u64; 2], access: &Access, shift: u32) {
        loop {
            let (mut open, base, end) = self.settled.open(first, last, access.is_write);
            while open != 0 {
                self.touch(base + u64::from(open.trailing_zeros()), bytes, access, shift);
                open &= open - 1;
            }
            if end == last {
                return;
            }
            first = end + 1;
        }
    }

    /// A request's part in one region.
    #[inline]
    fn touch(&mut self, region: u64, [first_byte, last_byte]: [u64; 2], access: &Access, shift: u32) {
        let begin = region << REGION_SHIFT;
        let from = first_byte.max(begin) - begin;
        let to = (last_byte - begin).min((1 << REGION_SHIFT) - 1);
        let hash = hash(region);
        let is_chosen = self.footprint.is_chosen(hash);
        if is_chosen {
            let sectors = bits(from >> SECTOR_SHIFT, to >> SECTOR_SHIFT);
            let Access { bucket, is_write, .. } = *access;
            self.touches.push(Touch { hash, region, sectors, bucket, is_write });
        }
        let mut blocks = blocks_chosen(hash, self.reuse.level(), from >> BLOCK_SHIFT, to >> BLOCK_SHIFT);
        if blocks == 0 && to - from == (1 << REGION_SHIFT) - 1 {
            self.settled.add(region, access.is_write || !is_chosen);
        }
        while blocks != 0 {
            let block = blocks.trailing_zeros() / 4;
            self.accesses.push(Access { hash, region, block, ..*access });
            blocks &= blocks - 1;
        }
        if self.touches.len() >= WAITING_MAX || self.accesses.len() >= WAITING_MAX {
            self.look_up(shift);
        }
    }

    fn look_up(&mut self, shift: u32) {
        self.footprint.add(&self.touches);
        self.reuse.add(&self.accesses, shift, self.requests);
        self.touches.clear();
        self.accesses.clear();
    }

    pub(super) fn fold(&mut self) {
        self.footprint.fold();
        self.reuse.fold();
    }
}

/// The device of a region.
pub(super) fn device_of(region: u64) -> usize {
    (region >> (64 - REGION_SHIFT)) as usize
}

/// Bits `from` to `to` of 128.
#[inline]
fn bits(from: u64, to: u64) -> u128 {
    (u128::MAX >> (127 - to)) & (u128::MAX << from)
}

/// Spreads all bits over all (the final mixing of `SplitMix64`); no two numbers give the same.
#[inline]
pub(super) fn hash(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
