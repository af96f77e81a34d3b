//! A cache of blocks that hold one bit in each cell, in front of a page-mapped device.
//!
//! Most drives of today with three or four bits in each cell have one. What the host writes goes to blocks in
//! SLC mode, which program fast and hold less. A full cache takes nothing more: writes go straight to the
//! flash behind it, at its speed, until the device had time to fold, that is to move what the cache holds.
//! A device that does nothing in the background folds its oldest block when it needs one.
//!
//! The cache has blocks of its own, the last ones of the device; its size does not depend on how full the
//! device is.

use std::collections::VecDeque;

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::frontiers::Frontiers;
use super::newest_copies::NewestCopies;
use super::page::PageFtl;
use super::{Ftl, MapUse, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::{Block, Cause, Cell, Geometry, Lpn, Moment, NONE, Nand, PageRead, Ppn, Token};
use crate::prefetch::prefetch;
use crate::settings::Settings;
use crate::ssd::background::When;

/// The table `[slc_cache]` of a profile, for the FTL of that name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlcCacheSettings {
    /// Cache size, rounded up to whole blocks, at most the device's capacity. Its flash comes on top of
    /// `over_provisioning`.
    #[schemars(with = "String")]
    pub size: Bytes,
    /// Page read time in SLC mode, in microseconds.
    pub read_us: f64,
    /// Page program time in SLC mode, in microseconds.
    pub program_us: f64,
}

impl Default for SlcCacheSettings {
    fn default() -> SlcCacheSettings {
        SlcCacheSettings { size: Bytes(64 << 20), read_us: 25.0, program_us: 200.0 }
    }
}

impl SlcCacheSettings {
    /// Pages of a block in SLC mode: one for each bit of a cell otherwise, in whole programs.
    fn pages_per_block(settings: &Settings, pages_per_block: u32) -> u32 {
        let bits = match settings.nand.cell {
            Cell::Slc => 1,
            Cell::Mlc => 2,
            Cell::Tlc => 3,
            Cell::Qlc => 4,
        };
        let program = settings.nand.pages_per_program.saturating_mul(settings.nand.planes);
        let pages = pages_per_block / bits;
        (pages / program * program).max(program).min(pages_per_block)
    }

    /// Blocks of the cache, at least two: none for any other FTL.
    pub(crate) fn blocks(settings: &Settings, pages_per_block: u32) -> u64 {
        if settings.ftl != "slc-cache" {
            return 0;
        }
        let pages = u64::from(SlcCacheSettings::pages_per_block(settings, pages_per_block));
        settings.slc_cache.size.min(settings.capacity).0.div_ceil(pages * settings.nand.page.0).max(2)
    }
}

/// The FTL with a cache in SLC mode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlcCacheFtl {
    /// What is behind the cache. It knows nothing of a page that the cache holds.
    main: PageFtl,
    /// Where the cache holds a page; [`NONE`] if it does not.
    map: Vec<Ppn>,
    /// Pages that a block of the cache takes.
    pages_per_block: u32,
    /// Blocks of the cache in all.
    blocks: u32,
    open: Option<Block>,
    free: FreeBlocks,
    /// Full blocks, the oldest first.
    closed: VecDeque<Block>,
    /// The block that is being folded, and its first page that was not looked at.
    folding: Option<(Block, u32)>,
    folds_on_demand: bool,
    /// Pages that are folded at a time in the background.
    unit_pages: u32,
    /// Pages on the move; here so that no fold allocates.
    #[serde(skip)]
    moving: Vec<(Lpn, PageRead)>,
}

impl SlcCacheFtl {
    /// The first block of the cache, and what the flash behind it is made for.
    fn behind<'a>(setup: &Setup<'a>) -> (Block, Setup<'a>) {
        let Setup { settings, geometry, .. } = *setup;
        let first = geometry.blocks - settings.slc_blocks(&geometry);
        (first, Setup { geometry: Geometry { blocks: first, ..geometry }, ..*setup })
    }

    fn before(setup: &Setup<'_>, main: PageFtl, blocks: u32) -> SlcCacheFtl {
        let Setup { settings, geometry, .. } = *setup;
        SlcCacheFtl {
            main,
            map: vec![NONE; setup.logical_pages as usize],
            pages_per_block: SlcCacheSettings::pages_per_block(settings, geometry.pages_per_block),
            blocks,
            open: None,
            free: FreeBlocks::none(settings.wear.levelling),
            closed: VecDeque::new(),
            folding: None,
            folds_on_demand: settings.background.when == When::Never,
            unit_pages: geometry.stripe * settings.nand.pages_per_program,
            moving: Vec::new(),
        }
    }

    /// The block that takes the next page; none if the cache is full.
    #[inline]
    fn frontier(&mut self, nand: &mut Nand, at: Moment) -> Option<Block> {
        match self.open {
            Some(block) if nand.next_page(block) < self.pages_per_block => Some(block),
            _ => self.next_block(nand, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn next_block(&mut self, nand: &mut Nand, at: Moment) -> Option<Block> {
        self.closed.extend(self.open.take());
        if self.free.is_empty() && self.folds_on_demand {
            self.fold(nand, u32::MAX, at);
        }
        self.open = (!self.free.is_empty()).then(|| self.free.take());
        self.open
    }

    /// Moves up to `most` pages of the oldest block to the flash behind, and erases it after the last.
    /// Returns when that is done; none if the cache is empty.
    fn fold(&mut self, nand: &mut Nand, most: u32, at: Moment) -> Option<Moment> {
        let (block, mut page) = match self.folding {
            Some(folding) => folding,
            None => (self.closed.pop_front().or_else(|| self.open_block_in_use(nand))?, 0),
        };
        let mut moving = std::mem::take(&mut self.moving);
        while page < nand.next_page(block) && moving.len() < most as usize && nand.fault().is_none() {
            let from = nand.first_page(block) + page;
            page += 1;
            let lpn = nand.owner(from);
            if self.map.get(lpn as usize) == Some(&from) {
                moving.push((lpn, nand.read(from, Cause::Gc, at)));
            }
        }
        // Only now: no read waits for a program.
        let mut done = at;
        for (lpn, read) in moving.drain(..) {
            let written = self.main.write(nand, lpn, read.token, Cause::Gc, read.done);
            self.map[lpn as usize] = NONE;
            done = nand.both(done, written);
        }
        self.moving = moving;
        let is_empty = page == nand.next_page(block);
        self.folding = (!is_empty).then_some((block, page));
        if is_empty {
            done = nand.erase(block, Cause::Gc, done);
            self.free.give(nand, block);
        }
        let later = nand.later(at, 1);
        Some(nand.both(done, later))
    }

    fn open_block_in_use(&mut self, nand: &Nand) -> Option<Block> {
        self.open.take_if(|block| nand.next_page(*block) > 0)
    }

    /// After a loss of power: blocks without a page that counts are erased, all others are closed, the
    /// oldest first.
    fn sort_blocks(&mut self, nand: &mut Nand, newest: &NewestCopies, first: Block) {
        let mut in_use = vec![false; nand.blocks() as usize];
        self.map
            .iter()
            .filter(|ppn| **ppn != NONE)
            .for_each(|ppn| in_use[nand.block_of(*ppn) as usize] = true);
        let mut blocks: Vec<Block> = (first..nand.blocks()).collect();
        blocks.sort_by_key(|block| newest.youngest[*block as usize]);
        for block in blocks {
            if in_use[block as usize] {
                self.closed.push_back(block);
                continue;
            }
            if nand.next_page(block) > 0 {
                nand.erase(block, Cause::Gc, Moment::START);
            }
            self.free.give(nand, block);
        }
    }
}

impl Ftl for SlcCacheFtl {
    const NAME: &'static str = "slc-cache";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<SlcCacheFtl, SimError> {
        let (first, behind) = SlcCacheFtl::behind(setup);
        let blocks = setup.geometry.blocks - first;
        let mut ftl = SlcCacheFtl::before(setup, PageFtl::new(&behind, &())?, blocks);
        ftl.free = FreeBlocks::range(first..setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    /// As the `page` FTL, for the newest copies in either part.
    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<SlcCacheFtl, SimError> {
        let (first, behind) = SlcCacheFtl::behind(setup);
        let mut newest = NewestCopies::scan(nand, setup.logical_pages, trims);
        let is_cached = |ppn: &Ppn| *ppn != NONE && nand.block_of(*ppn) >= first;
        let cached = newest
            .copies
            .iter_mut()
            .map(|copy| if is_cached(copy) { std::mem::replace(copy, NONE) } else { NONE });
        let map: Vec<Ppn> = cached.collect();
        let main = PageFtl::rebuild_on(
            &behind,
            &(),
            nand,
            &newest,
            0..first,
            0..setup.logical_pages,
            Frontiers::of_page(setup.settings),
        )?;
        let mut ftl = SlcCacheFtl::before(setup, main, setup.geometry.blocks - first);
        ftl.map = map;
        ftl.sort_blocks(nand, &newest, first);
        Ok(ftl)
    }

    #[inline]
    fn prepare(&self, nand: &Nand, lpn: Lpn) {
        prefetch(&self.map, lpn as usize);
        self.main.prepare(nand, lpn);
    }

    #[inline]
    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        self.main.prepare_mapped(nand, lpn);
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.map[lpn as usize] {
            NONE => self.main.read(nand, lpn, cause, at),
            ppn => nand.read(ppn, cause, at),
        }
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let Some(block) = self.frontier(nand, at) else {
            self.map[lpn as usize] = NONE;
            return self.main.write(nand, lpn, token, cause, at);
        };
        let (ppn, done) = nand.append(block, lpn, token, cause, at);
        self.map[lpn as usize] = ppn;
        self.main.trim(nand, lpn, at);
        done
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        self.map[lpn as usize] = NONE;
        self.main.trim(nand, lpn, at);
    }

    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        self.fold(nand, self.unit_pages, at).or_else(|| self.main.tend(nand, bank, at))
    }

    fn settle(&mut self, nand: &mut Nand) {
        while nand.fault().is_none() && self.fold(nand, u32::MAX, Moment::START).is_some() {}
    }

    /// What the cache holds leaves it soon.
    fn refresh(&mut self, nand: &mut Nand, block: Block, at: Moment) {
        if !nand.timing().is_slc(block) {
            self.main.refresh(nand, block, at);
        }
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    fn reserve_blocks(&self) -> u32 {
        self.main.reserve_blocks() + self.blocks
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        let reserve_blocks = self.main.reserve_blocks();
        SpareUse { blocks: spare_blocks, cache_blocks: self.blocks, reserve_blocks, ..SpareUse::default() }
    }

    fn map_use(&self) -> Option<MapUse> {
        let behind = self.main.map_use()?.ram_bytes;
        Some(MapUse { ram_bytes: MapUse::of(self.map.len()).ram_bytes + behind, ..MapUse::default() })
    }

    fn free_blocks(&self) -> u32 {
        self.main.free_blocks() + self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::{Request, Target, Time};

    use super::*;
    use crate::Ssd;
    use crate::ftl::testing;
    use crate::settings::Initial;

    const PAGE: u64 = 512;

    /// 24 blocks of 4 pages; a cache of 3 blocks, with 2 pages in each.
    fn small(when: When) -> Settings {
        let mut settings = testing::small("slc-cache");
        settings.slc_cache.size = Bytes(6 * PAGE);
        settings.background.when = when;
        settings
    }

    fn write(ssd: &mut Ssd, pages: std::ops::Range<u64>) -> Vec<u64> {
        let mut out = Vec::new();
        for page in pages {
            let op = flashscope_core::Op::Write;
            let (offset_bytes, length_bytes) = (page * PAGE, PAGE as u32);
            let request = Request { op, offset_bytes, length_bytes, ..Request::default() };
            ssd.serve_in_turn(&[request], &mut out).unwrap_or_else(|error| panic!("{error}"));
        }
        out.iter().map(|done| done.completed.since(done.submitted).0 / 1_000).collect()
    }

    /// Transfer 20 µs; 200 µs in SLC mode, 800 µs in MLC mode.
    #[test]
    fn writes_are_fast_until_the_cache_is_full_and_again_once_it_had_time() {
        let mut ssd = Ssd::new("test", small(When::Idle), 1).expect("a device");
        assert_eq!(write(&mut ssd, 0..8), [220, 220, 220, 220, 220, 220, 820, 820]);
        let now = ssd.now();
        ssd.wait_until(Time(now.0 + 1_000_000_000));
        assert_eq!(write(&mut ssd, 20..27), [220, 220, 220, 220, 220, 220, 820]);
    }

    #[test]
    fn idle_time_gives_back_as_much_as_could_be_folded_in_it() {
        let mut ssd = Ssd::new("test", small(When::Idle), 1).expect("a device");
        write(&mut ssd, 0..8);
        // Two pages are read and written, and their block erased: 2 x (45 + 820) + 1500 µs.
        let now = ssd.now();
        ssd.wait_until(Time(now.0 + 4_000_000));
        let times = write(&mut ssd, 20..24);
        assert_eq!(times.iter().filter(|us| **us > 800).count(), 2, "{times:?}");
    }

    #[test]
    fn without_work_in_the_background_a_full_cache_folds_before_a_write() {
        let mut ssd = Ssd::new("test", Settings { initial: Initial::Empty, ..small(When::Never) }, 1)
            .expect("a device");
        let times = write(&mut ssd, 0..8);
        assert_eq!(times[..6], [220; 6], "{times:?}");
        assert!(times[6] > 2 * 865 + 1_500, "a block was folded first: {times:?}");
        assert_eq!(times[7], 220);
    }

    #[test]
    fn it_returns_what_was_written_and_survives_power_cuts() {
        for when in [When::Never, When::Idle] {
            testing::returns_what_was_written(&small(when));
            testing::survives_power_cuts(&small(when), 150);
        }
    }
}
