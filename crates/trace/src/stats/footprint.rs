//! Sectors that were read or written: exact while they fit into memory, then a sample of regions.
//!
//! A region of 64 KiB is 16 bytes in one hash table: its name, and which of its 16 blocks of 4 KiB were
//! touched and which written. Only a region of which a part of a block was touched also has two bitmaps of
//! its 128 sectors. When the table is full, the regions whose hash begins with one more zero bit stay and
//! the others go, so that the table always holds every region that was touched and chosen, and each is
//! chosen with the same probability `p`. The estimate is the sectors found over `p`; its variance is
//! estimated without bias by `(1 - p) / p^2` times the sum of the squares of the regions' sectors, however
//! these are clustered (Horvitz and Thompson 1952).

use super::clock::{BUCKETS, fold};
use super::regions::device_of;
use super::settled::Settled;
use super::summary::Estimate;

const SECTOR_BYTES: f64 = 512.0;
const SLOTS_MIN: usize = 1024;

/// A request's part in one region.
pub(super) struct Touch {
    pub(super) hash: u64,
    pub(super) region: u64,
    pub(super) bucket: u16,
    /// The first and the last of 128 sectors.
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) is_write: bool,
}

impl Touch {
    /// A bit for each block, if all blocks are whole.
    #[inline]
    fn blocks(&self) -> Option<u16> {
        let (from, to) = (self.from / 8, self.to / 8);
        let is_whole = self.from.is_multiple_of(8) && self.to % 8 == 7;
        is_whole.then_some((u16::MAX >> (15 - to)) & (u16::MAX << from))
    }

    /// A bit for each sector.
    fn sectors(&self) -> u128 {
        (u128::MAX >> (127 - self.to)) & (u128::MAX << self.from)
    }
}

/// A region in the table; nothing of an unused place was touched.
#[derive(Clone, Copy, Default)]
struct Slot {
    region: u64,
    touched: u16,
    written: u16,
    /// The number of its sectors, from 1 on, if there are some; they count instead of the blocks.
    sectors: u32,
}

impl Slot {
    #[inline]
    fn is_used(&self) -> bool {
        u32::from(self.touched) | self.sectors != 0
    }
}

/// Sectors of a region that were touched, and that were written.
type Sectors = [u128; 2];

/// The regions chosen.
pub(super) struct Footprint {
    slots: Vec<Slot>,
    sectors: Vec<Sectors>,
    used: usize,
    regions_max: usize,
    /// Regions are chosen whose hash begins with so many zero bits.
    level: u32,
    /// Sectors touched and written for the first time, estimated when they were.
    news: Vec<[f64; 2]>,
}

/// Sectors found in regions.
#[derive(Clone, Copy, Default)]
struct Found {
    sectors: f64,
    squares: f64,
}

impl Found {
    fn add(&mut self, sectors: u32) {
        let sectors = f64::from(sectors);
        self.sectors += sectors;
        self.squares += sectors * sectors;
    }
}

impl Footprint {
    pub(super) fn new(regions_max: usize) -> Footprint {
        Footprint {
            slots: vec![Slot::default(); SLOTS_MIN],
            sectors: Vec::new(),
            used: 0,
            regions_max,
            level: 0,
            news: vec![[0.0; 2]; BUCKETS],
        }
    }

    #[inline]
    pub(super) fn is_chosen(&self, hash: u64) -> bool {
        hash <= u64::MAX >> self.level
    }

    /// Tells those regions to `settled` of which all sectors are known by now.
    pub(super) fn add(&mut self, touches: &[Touch], settled: &mut Settled) {
        self.fetch(touches);
        for touch in touches {
            // The level may have risen since it was chosen.
            if self.is_chosen(touch.hash) {
                self.touch(touch, settled);
            }
        }
    }

    /// Looks at all places beforehand, without waiting for any: they are far apart in memory.
    fn fetch(&self, touches: &[Touch]) {
        let mask = self.slots.len() - 1;
        let slot = |touch: &Touch| &self.slots[touch.hash as usize & mask];
        let all = touches.iter().fold(0, |all, touch| all ^ slot(touch).sectors);
        std::hint::black_box(all);
        if !self.sectors.is_empty() {
            let sectors = |touch| self.sectors.get(slot(touch).sectors as usize).map_or(0, |two| two[0]);
            std::hint::black_box(touches.iter().fold(0, |all, touch| all ^ sectors(touch)));
        }
    }

    #[inline]
    fn touch(&mut self, touch: &Touch, settled: &mut Settled) {
        let Some(at) = self.place(touch) else { return };
        let slot = &mut self.slots[at];
        let sectors = match touch.blocks() {
            Some(blocks) if slot.sectors == 0 => {
                let written = blocks & u16::from(touch.is_write).wrapping_neg();
                let news = [blocks & !slot.touched, written & !slot.written];
                slot.touched |= blocks;
                slot.written |= written;
                [8 * news[0].count_ones(), 8 * news[1].count_ones()]
            }
            _ => self.touch_sectors(at, touch),
        };
        if sectors != [0, 0] {
            let news = &mut self.news[usize::from(touch.bucket)];
            let weight = (1u64 << self.level.min(63)) as f64;
            news[0] += weight * f64::from(sectors[0]);
            news[1] += weight * f64::from(sectors[1]);
            let Slot { touched, written, .. } = self.slots[at];
            if touched == u16::MAX {
                settled.add_region(touch.region, true, written == u16::MAX);
            }
        }
    }

    /// Where parts of blocks are touched. Returns how many sectors were not touched, and not written, before.
    fn touch_sectors(&mut self, at: usize, touch: &Touch) -> [u32; 2] {
        let slot = &mut self.slots[at];
        if slot.sectors == 0 {
            self.sectors.push([slot.touched, slot.written].map(sectors));
            slot.sectors = self.sectors.len() as u32;
        }
        let [touched, written] = &mut self.sectors[slot.sectors as usize - 1];
        let sectors = touch.sectors();
        let news = [set(touched, sectors), set(written, if touch.is_write { sectors } else { 0 })];
        (slot.touched, slot.written) = (blocks(*touched), blocks(*written));
        news
    }

    /// The region's place, new or old; none if it is no longer chosen.
    #[inline]
    fn place(&mut self, touch: &Touch) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = touch.hash as usize & mask;
        while self.slots[at].is_used() {
            if self.slots[at].region == touch.region {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
        self.place_new(touch, at)
    }

    fn place_new(&mut self, touch: &Touch, at: usize) -> Option<usize> {
        if self.used < self.regions_max.min(self.slots.len() / 4 * 3) {
            self.used += 1;
            self.slots[at].region = touch.region;
            return Some(at);
        }
        self.make_room();
        if self.is_chosen(touch.hash) { self.place(touch) } else { None }
    }

    /// A table of twice the size, or half the regions.
    #[cold]
    fn make_room(&mut self) {
        if self.used < self.regions_max {
            return self.refill(2 * self.slots.len());
        }
        while self.used >= self.regions_max {
            self.level += 1;
            self.refill(self.slots.len());
        }
    }

    /// A table of so many places, and in it those regions that are still chosen.
    fn refill(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); slots]);
        let sectors = std::mem::take(&mut self.sectors);
        self.used = 0;
        for mut slot in old.into_iter().filter(Slot::is_used) {
            let hash = super::regions::hash(slot.region);
            if self.is_chosen(hash) {
                if slot.sectors != 0 {
                    self.sectors.push(sectors[slot.sectors as usize - 1]);
                    slot.sectors = self.sectors.len() as u32;
                }
                let at = self.free(hash);
                self.slots[at] = slot;
                self.used += 1;
            }
        }
    }

    /// The unused place of a region that is not there.
    fn free(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].is_used() {
            at = (at + 1) & mask;
        }
        at
    }

    pub(super) fn fold(&mut self) {
        fold(&mut self.news, |a, b| [a[0] + b[0], a[1] + b[1]]);
    }

    /// One region in so many is looked at.
    pub(super) fn one_in(&self) -> u64 {
        1 << self.level.min(63)
    }

    /// What was touched and what was written, of all devices and of each of the first `devices`.
    pub(super) fn estimates(&self, devices: usize) -> ([Estimate; 2], Vec<[Estimate; 2]>) {
        let mut all = [Found::default(); 2];
        let mut of = vec![[Found::default(); 2]; devices];
        for slot in self.slots.iter().filter(|slot| slot.is_used()) {
            let [touched, written] = self.sectors_of(slot);
            let device = of.get_mut(device_of(slot.region));
            for found in std::iter::once(&mut all).chain(device) {
                found[0].add(touched);
                found[1].add(written);
            }
        }
        let estimate = |found: Found| self.estimate(found);
        (all.map(estimate), of.into_iter().map(|found| found.map(estimate)).collect())
    }

    /// How many sectors were touched, and how many written.
    fn sectors_of(&self, slot: &Slot) -> [u32; 2] {
        match slot.sectors.checked_sub(1) {
            None => [slot.touched, slot.written].map(|blocks| 8 * blocks.count_ones()),
            Some(at) => self.sectors[at as usize].map(u128::count_ones),
        }
    }

    fn estimate(&self, found: Found) -> Estimate {
        let one_in = self.one_in() as f64;
        let variance = one_in * (one_in - 1.0) * found.squares;
        Estimate {
            bytes: (found.sectors * one_in * SECTOR_BYTES) as u64,
            error_bytes: (variance.sqrt() * SECTOR_BYTES) as u64,
        }
    }

    /// Bytes touched and bytes written for the first time, in windows of so many buckets.
    pub(super) fn news(&self, used: usize, window: usize) -> Vec<[f64; 2]> {
        let sum = |news: &[[f64; 2]]| news.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        self.news[..used].chunks(window).map(sum).map(|news| news.map(|n| n * SECTOR_BYTES)).collect()
    }
}

/// Sets bits; returns how many were not set before.
fn set(bitmap: &mut u128, bits: u128) -> u32 {
    let news = bits & !*bitmap;
    *bitmap |= bits;
    news.count_ones()
}

/// The sectors of blocks.
fn sectors(blocks: u16) -> u128 {
    let all = (0..16).filter(|block| blocks >> block & 1 != 0);
    all.fold(0, |sectors, block| sectors | 0xff << (8 * block))
}

/// The blocks of which all sectors are there.
fn blocks(sectors: u128) -> u16 {
    let is_whole = sectors.to_le_bytes().map(|byte| byte == 0xff);
    is_whole.iter().rev().fold(0, |blocks, whole| blocks << 1 | u16::from(*whole))
}
