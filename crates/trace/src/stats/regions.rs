//! Addresses cut into regions of 64 KiB, by which both samples of addresses choose.

use flashscope_core::request::Op;

use super::CHUNK;
use super::clock::Chunk;
use super::footprint::{Footprint, Touch};
use super::reuse::{Access, Request, Reuse, blocks, blocks_chosen};
use super::settled::{Known, Open, Settled};
use crate::record::Record;

/// A region is 2 to the power of this, in bytes.
const REGION_SHIFT: u32 = 16;
const SECTOR_SHIFT: u32 = 9;
/// A block of the sample of re-use is 2 to the power of this, in bytes.
pub(super) const BLOCK_SHIFT: u32 = 12;

/// Of a longer request, only so much counts: none that a device takes is as long.
const LENGTH_BYTES_MAX: u64 = 1 << 30;
/// Touches that wait to be looked up at once.
const WAITING_MAX: usize = 4096;

/// Devices from this number on count as one: 16 bits of a region's name tell them apart.
pub(super) const DEVICES_MAX: u32 = 1 << 16;

/// A request's bytes.
struct Range {
    first_byte: u64,
    last_byte: u64,
    bucket: u16,
    is_write: bool,
}

/// Sectors and blocks that were read or written.
pub(super) struct Regions {
    pub(super) footprint: Footprint,
    pub(super) reuse: Reuse,
    settled: Settled,
    touches: Vec<Touch>,
    accesses: Vec<Access>,
    /// Those of the chunk that is being taken, as far as the accesses need them.
    issued: Vec<Request>,
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
            touches: Vec::with_capacity(2 * WAITING_MAX),
            accesses: Vec::with_capacity(2 * WAITING_MAX),
            issued: Vec::with_capacity(CHUNK),
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
            let (requests, written_bytes) = (self.requests, self.written_bytes);
            let bucket = bucket as u16;
            self.issued.push(Request { time_ns, requests, written_bytes, bucket, is_write });
            self.take(record, bucket, is_write, chunk.shift);
            self.requests += 1;
            self.written_bytes += if is_write { record.length_bytes.min(LENGTH_BYTES_MAX) } else { 0 };
        }
        self.look_up(chunk.shift);
        self.issued.clear();
    }

    #[inline]
    fn take(&mut self, record: &Record, bucket: u16, is_write: bool, shift: u32) {
        let (first_byte, length) = (record.offset_bytes, record.length_bytes);
        if length == 0 {
            return;
        }
        self.cut_requests += u64::from(length > LENGTH_BYTES_MAX);
        let last_byte = first_byte.saturating_add(length.min(LENGTH_BYTES_MAX) - 1);
        let device = u64::from(record.device.min(DEVICES_MAX - 1)) << (64 - REGION_SHIFT);
        let (mut first, last) = (device | first_byte >> REGION_SHIFT, device | last_byte >> REGION_SHIFT);
        let range = Range { first_byte, last_byte, bucket, is_write };
        loop {
            let open = self.settled.open(first, last, is_write);
            if open.regions != 0 {
                self.take_open(&open, &range, shift);
            }
            if open.end == last {
                return;
            }
            first = open.end + 1;
        }
    }

    /// Takes the regions of a group that still have something to tell.
    #[inline]
    fn take_open(&mut self, open: &Open, range: &Range, shift: u32) {
        let (mut regions, mut known) = (open.regions, Known::default());
        while regions != 0 {
            let bit = regions & regions.wrapping_neg();
            let region = open.base + u64::from(regions.trailing_zeros());
            self.touch(region, bit, open.unknown & bit != 0, range, &mut known);
            regions ^= bit;
        }
        self.settled.add(open.base, known);
        self.look_up_if_many(shift);
    }

    /// A request's part in one region, of which the footprint may know already.
    #[inline]
    fn touch(&mut self, region: u64, bit: u64, is_unknown: bool, range: &Range, known: &mut Known) {
        let Range { first_byte, last_byte, bucket, is_write } = *range;
        let begin = region << REGION_SHIFT;
        let from = first_byte.max(begin) - begin;
        let to = (last_byte - begin).min((1 << REGION_SHIFT) - 1);
        let hash = hash(region);
        let is_chosen = self.footprint.is_chosen(hash);
        if is_unknown && is_chosen {
            let (from, to) = ((from >> SECTOR_SHIFT) as u8, (to >> SECTOR_SHIFT) as u8);
            self.touches.push(Touch { hash, region, bucket, from, to, is_write });
        }
        let is_whole = to - from == (1 << REGION_SHIFT) - 1;
        known.reads |= if is_whole || !is_chosen { bit } else { 0 };
        known.writes |= if is_whole && is_write || !is_chosen { bit } else { 0 };
        let sampled = blocks_chosen(hash, self.reuse.level());
        known.unsampled |= if sampled == 0 { bit } else { 0 };
        let mut blocks = sampled & blocks(from >> BLOCK_SHIFT, to >> BLOCK_SHIFT);
        while blocks != 0 {
            let (block, request) = (blocks.trailing_zeros() / 4, self.issued.len() as u32 - 1);
            self.accesses.push(Access { hash, region, request, block });
            blocks &= blocks - 1;
        }
    }

    #[inline]
    fn look_up_if_many(&mut self, shift: u32) {
        if self.touches.len() >= WAITING_MAX || self.accesses.len() >= WAITING_MAX {
            self.look_up(shift);
        }
    }

    fn look_up(&mut self, shift: u32) {
        self.footprint.add(&self.touches, &mut self.settled);
        self.reuse.add(&self.accesses, &self.issued, shift, self.requests);
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

/// Spreads all bits over all (the final mixing of `SplitMix64`); no two numbers give the same.
#[inline]
pub(super) fn hash(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
