//! A cache of blocks that hold one bit in each cell, in front of a page-mapped device.
//!
//! Most drives of today with three or four bits in each cell have one. What the host writes goes to blocks in
//! SLC mode, which program fast and hold less. A full cache takes nothing more: writes go straight to the
//! flash behind it, at its speed, until the device had time to fold, that is to move what the cache holds.
//! A device that does nothing in the background folds its oldest block when it needs one.
//!
//! The cache has blocks of its own, the last ones of the device. A dynamic one takes blocks of the flash
//! behind it as well while the device is not full, and gives them back when they are folded.

#[cfg(test)]
mod tests;

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
use crate::nand::{Block, Cause, Cell, Geometry, Lpn, Moment, NONE, Nand, PageRead, Ppn, Tag, Token};
use crate::prefetch::prefetch;
use crate::settings::Settings;
use crate::ssd::background::When;

/// What a block behind the cache says of itself while the cache has it.
const IN_SLC_MODE: u32 = 0x51c;

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
    /// What an empty device caches beyond `size`, in blocks that it does not need yet, at most the device's
    /// capacity; less the fuller it is. 0 for none.
    #[schemars(with = "String")]
    pub dynamic_size: Bytes,
    /// The share of the capacity in use at which nothing of `dynamic_size` is left. Between, a straight line.
    pub dynamic_until: f64,
}

impl Default for SlcCacheSettings {
    fn default() -> SlcCacheSettings {
        SlcCacheSettings {
            size: Bytes(64 << 20),
            read_us: 25.0,
            program_us: 200.0,
            dynamic_size: Bytes(0),
            dynamic_until: 1.0,
        }
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

    /// Blocks of the flash behind that an empty device uses as well.
    fn dynamic_blocks(settings: &Settings, pages_per_block: u32) -> u32 {
        let pages = u64::from(SlcCacheSettings::pages_per_block(settings, pages_per_block));
        let blocks =
            settings.slc_cache.dynamic_size.min(settings.capacity).0 / (pages * settings.nand.page.0);
        blocks.min(u64::from(u32::MAX)) as u32
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
    /// Blocks of its own.
    blocks: u32,
    /// Pages that it holds.
    cached: u32,
    /// Blocks that it has of the flash behind it.
    lent: u32,
    /// The most of these, of an empty device, and the pages in use at which there may be none.
    lent_max: u32,
    lent_until_pages: u32,
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
            cached: 0,
            lent: 0,
            lent_max: SlcCacheSettings::dynamic_blocks(settings, geometry.pages_per_block),
            lent_until_pages: (settings.slc_cache.dynamic_until * f64::from(setup.logical_pages)) as u32,
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
        if self.free.is_empty()
            && let Some(block) = self.borrow(nand)
        {
            self.open = Some(block);
            return self.open;
        }
        if self.free.is_empty() && self.folds_on_demand {
            self.fold(nand, u32::MAX, at);
        }
        self.open = (!self.free.is_empty()).then(|| self.free.take());
        self.open
    }

    /// Pages that the device holds, here or behind.
    fn used_pages(&self) -> u32 {
        self.main.mapped_pages() + self.cached
    }

    /// A block of the flash behind, in SLC mode, if the device is not too full for it.
    fn borrow(&mut self, nand: &mut Nand) -> Option<Block> {
        let used = f64::from(self.used_pages()) / f64::from(self.lent_until_pages.max(1));
        let most = (f64::from(self.lent_max) * (1.0 - used).max(0.0)) as u32;
        // What the block will hold must fit behind too.
        let pages = self.used_pages() + self.pages_per_block;
        if self.lent >= most || self.main.blocks_beside(nand, pages) < 2 {
            return None;
        }
        let block = self.main.lend()?;
        self.lent += 1;
        nand.set_slc(block, true);
        nand.set_tag(block, Tag { kind: IN_SLC_MODE, owner: 0 });
        Some(block)
    }

    /// The flash behind needs its blocks back before it takes more pages.
    #[cold]
    #[inline(never)]
    fn give_back(&mut self, nand: &mut Nand, at: Moment) {
        while self.lent > 0
            && self.main.blocks_beside(nand, self.used_pages() + 1) == 0
            && nand.fault().is_none()
            && self.fold(nand, u32::MAX, at).is_some()
        {}
    }

    fn forget(&mut self, lpn: Lpn) {
        self.cached -= u32::from(std::mem::replace(&mut self.map[lpn as usize], NONE) != NONE);
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
            self.forget(lpn);
            done = nand.both(done, written);
        }
        self.moving = moving;
        let is_empty = page == nand.next_page(block);
        self.folding = (!is_empty).then_some((block, page));
        if is_empty {
            done = nand.erase(block, Cause::Gc, done);
            self.free_again(nand, block);
        }
        let later = nand.later(at, 1);
        Some(nand.both(done, later))
    }

    /// An erased block goes where it belongs.
    fn free_again(&mut self, nand: &mut Nand, block: Block) {
        if block >= nand.blocks() - self.blocks {
            self.free.give(nand, block);
        } else {
            nand.set_slc(block, false);
            self.main.take_back(nand, block);
            self.lent -= 1;
        }
    }

    fn open_block_in_use(&mut self, nand: &Nand) -> Option<Block> {
        self.open.take_if(|block| nand.next_page(*block) > 0)
    }

    /// After a loss of power: blocks without a page that counts are erased, all others are closed, the
    /// oldest first.
    fn sort_blocks(&mut self, nand: &mut Nand, newest: &NewestCopies, mut blocks: Vec<Block>) {
        let mut in_use = vec![false; nand.blocks() as usize];
        self.map
            .iter()
            .filter(|ppn| **ppn != NONE)
            .for_each(|ppn| in_use[nand.block_of(*ppn) as usize] = true);
        blocks.sort_by_key(|block| newest.youngest[*block as usize]);
        for block in blocks {
            if in_use[block as usize] {
                self.closed.push_back(block);
                continue;
            }
            if nand.next_page(block) > 0 {
                nand.erase(block, Cause::Gc, Moment::START);
            }
            self.free_again(nand, block);
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
        let kinds: Vec<u32> = (0..first).map(|block| nand.tag(block).kind).collect();
        let is_lent = |block: &Block| kinds[*block as usize] == IN_SLC_MODE;
        let (lent, behind_blocks): (Vec<Block>, Vec<Block>) = (0..first).partition(is_lent);
        if setup.settings.slc_cache.dynamic_size.0 > 0 {
            // One may have been erased, and not have been given back.
            behind_blocks.iter().for_each(|block| nand.set_slc(*block, false));
        }
        let is_cached =
            |ppn: &Ppn| *ppn != NONE && (nand.block_of(*ppn) >= first || is_lent(&nand.block_of(*ppn)));
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
            behind_blocks.into_iter(),
            0..setup.logical_pages,
            Frontiers::of_page(setup.settings),
        )?;
        let mut ftl = SlcCacheFtl::before(setup, main, setup.geometry.blocks - first);
        ftl.cached = map.iter().filter(|ppn| **ppn != NONE).count() as u32;
        ftl.map = map;
        ftl.lent = lent.len() as u32;
        ftl.sort_blocks(nand, &newest, lent.into_iter().chain(first..nand.blocks()).collect());
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
            self.forget(lpn);
            if self.lent > 0 {
                self.give_back(nand, at);
            }
            return self.main.write(nand, lpn, token, cause, at);
        };
        let (ppn, done) = nand.append(block, lpn, token, cause, at);
        self.cached += u32::from(std::mem::replace(&mut self.map[lpn as usize], ppn) == NONE);
        self.main.trim(nand, lpn, at);
        done
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        self.forget(lpn);
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
