//! Sectors that were read or written: exact while they fit into memory, then a sample of regions.
//!
//! A region of 64 KiB is two bitmaps of its 128 sectors in one hash table. When the table is full, the
//! regions whose hash begins with one more zero bit stay and the others go, so that the table always holds
//! every region that was touched and chosen, and each is chosen with the same probability `p`. The estimate
//! is the sectors found over `p`; its variance is estimated without bias by `(1 - p) / p^2` times the sum of
//! the squares of the regions' sectors, however these are clustered (Horvitz and Thompson 1952).

use super::clock::{BUCKETS, fold};
use super::regions::device_of;
use super::summary::Estimate;

const SECTOR_BYTES: f64 = 512.0;
const SLOTS_MIN: usize = 1024;

/// A request's part in one region.
pub(super) struct Touch {
    pub(super) hash: u64,
    pub(super) region: u64,
    pub(super) sectors: u128,
    pub(super) bucket: u32,
    pub(super) is_write: bool,
}

/// A region in the table; an unused place has no sector that was touched.
#[derive(Clone, Copy, Default)]
struct Slot {
    region: u64,
    touched: [u64; 2],
    written: [u64; 2],
}

impl Slot {
    fn is_used(&self) -> bool {
        self.touched != [0, 0]
    }
}

/// The regions chosen.
pub(super) struct Footprint {
    slots: Vec<Slot>,
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
    fn add(&mut self, bitmap: [u64; 2]) {
        let sectors = f64::from(bitmap[0].count_ones() + bitmap[1].count_ones());
        self.sectors += sectors;
        self.squares += sectors * sectors;
    }
}

impl Footprint {
    pub(super) fn new(regions_max: usize) -> Footprint {
        Footprint {
            slots: vec![Slot::default(); SLOTS_MIN],
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

    pub(super) fn add(&mut self, touches: &[Touch]) {
        self.fetch(touches);
        for touch in touches {
            // The level may have risen since it was chosen.
            if self.is_chosen(touch.hash) {
                self.touch(touch);
            }
        }
    }

    /// Looks at all places beforehand, without waiting for any: they are far apart in memory.
    fn fetch(&self, touches: &[Touch]) {
        let mask = self.slots.len() - 1;
        let all = touches.iter().fold(0, |all, touch| all ^ self.slots[touch.hash as usize & mask].region);
        std::hint::black_box(all);
    }

    #[inline]
    fn touch(&mut self, touch: &Touch) {
        let Some(at) = self.place(touch) else { return };
        let slot = &mut self.slots[at];
        let sectors = [touch.sectors as u64, (touch.sectors >> 64) as u64];
        let news = &mut self.news[touch.bucket as usize];
        let weight = (1u64 << self.level.min(63)) as f64;
        news[0] += weight * set(&mut slot.touched, sectors);
        if touch.is_write {
            news[1] += weight * set(&mut slot.written, sectors);
        }
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
            let slots = vec![Slot::default(); 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, slots);
            return self.refill(old.iter().filter(|slot| slot.is_used()));
        }
        while self.used >= self.regions_max {
            self.level += 1;
            let is_kept = |slot: &&Slot| slot.is_used() && self.is_chosen(super::regions::hash(slot.region));
            let kept: Vec<Slot> = self.slots.iter().filter(is_kept).copied().collect();
            self.slots.fill(Slot::default());
            self.refill(kept.iter());
        }
    }

    fn refill<'a>(&mut self, slots: impl Iterator<Item = &'a Slot>) {
        let mask = self.slots.len() - 1;
        self.used = 0;
        for slot in slots {
            let mut at = super::regions::hash(slot.region) as usize & mask;
            while self.slots[at].is_used() {
                at = (at + 1) & mask;
            }
            self.slots[at] = *slot;
            self.used += 1;
        }
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
            let device = of.get_mut(device_of(slot.region));
            for found in std::iter::once(&mut all).chain(device) {
                found[0].add(slot.touched);
                found[1].add(slot.written);
            }
        }
        let estimate = |found: Found| self.estimate(found);
        (all.map(estimate), of.into_iter().map(|found| found.map(estimate)).collect())
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
#[inline]
fn set(bitmap: &mut [u64; 2], bits: [u64; 2]) -> f64 {
    let news = [bits[0] & !bitmap[0], bits[1] & !bitmap[1]];
    *bitmap = [bitmap[0] | bits[0], bitmap[1] | bits[1]];
    f64::from(news[0].count_ones() + news[1].count_ones())
}
