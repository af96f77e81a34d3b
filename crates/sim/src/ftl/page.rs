//! Page mapping: every logical page can be anywhere (paper 002, section 2.2; a log-structured device).
//!
//! Pages are appended to an open block. When free blocks run short, the victim policy names a closed block,
//! its valid pages are appended too, and it is erased. With `page.frontiers = 2` collected pages have an open
//! block of their own, away from what the host writes.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::frontiers::Frontiers;
use super::newest_copies::NewestCopies;
use super::valid::ValidPages;
use super::wear::StaticLevelling;
use super::{Ftl, MapUse, Setup, Tombstone};
use crate::error::SimError;
use crate::gc::{AnyPolicy, PolicySetup, VictimPolicy};
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};
use crate::prefetch::prefetch;
use crate::settings::Settings;

/// The table `[page]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageSettings {
    /// Open blocks: 1 shared by host writes and collected pages, 2 for one each. Of each placement handle
    /// where there are several.
    pub frontiers: u32,
    /// Erased blocks kept in reserve; 0 for the minimum.
    pub reserve_blocks: u32,
    /// Target of background collection in erased blocks: see `background.when`.
    pub idle_blocks: u32,
}

impl Default for PageSettings {
    fn default() -> PageSettings {
        PageSettings { frontiers: 1, reserve_blocks: 0, idle_blocks: 0 }
    }
}

/// The page-mapped FTL. Its victim policy is the one that `gc` names, or one of your own: `PageFtl<Own>`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageFtl<P = AnyPolicy> {
    map: Vec<Ppn>,
    valid: ValidPages,
    policy: P,
    free: FreeBlocks,
    /// Where pages go; none yet for a placement handle that was never used.
    open: Vec<Block>,
    frontiers: Frontiers,
    reserve_blocks: u32,
    idle_blocks: u32,
    /// Blocks that it has.
    blocks: u32,
    /// Pages that hold something.
    mapped: u32,
    host_writes: u64,
    /// Collections that moved a page.
    relocations: u64,
    /// Pages that are moved at a time in the background.
    unit_pages: u32,
    /// A victim whose pages are being moved in the background, and the first page that was not looked at.
    tending: Option<(Block, u32)>,
    /// Static wear levelling, if it is asked for.
    levelling: Option<StaticLevelling>,
    /// The pages that a collection moves; here so that none allocates.
    #[serde(skip)]
    moving: Vec<Ppn>,
}

impl<P: VictimPolicy> PageFtl<P> {
    fn empty(setup: &Setup<'_>, options: &P::Options, frontiers: Frontiers) -> Result<PageFtl<P>, SimError> {
        let Setup { settings, geometry, .. } = *setup;
        setup.need_spare_blocks(frontiers.spare_blocks(settings))?;
        let policy_setup = PolicySetup {
            blocks: geometry.blocks,
            pages_per_block: geometry.pages_per_block,
            seed: setup.seed,
            settings,
        };
        Ok(PageFtl {
            map: vec![NONE; setup.logical_pages as usize],
            valid: ValidPages::none(&geometry),
            policy: P::new(&policy_setup, options)?,
            free: FreeBlocks::none(settings.wear.levelling),
            open: vec![NONE; frontiers.count() as usize],
            frontiers,
            reserve_blocks: frontiers.reserve_blocks(settings),
            idle_blocks: settings.page.idle_blocks,
            blocks: 0,
            mapped: 0,
            host_writes: 0,
            relocations: 0,
            unit_pages: geometry.stripe * settings.nand.pages_per_program,
            tending: None,
            levelling: StaticLevelling::asked(&settings.wear),
            moving: Vec::new(),
        })
    }

    /// The FTL on these erased blocks.
    pub(super) fn on(
        setup: &Setup<'_>,
        options: &P::Options,
        blocks: Range<Block>,
        frontiers: Frontiers,
    ) -> Result<PageFtl<P>, SimError> {
        let mut ftl = PageFtl::empty(setup, options, frontiers)?;
        ftl.blocks = blocks.len() as u32;
        ftl.free = FreeBlocks::range(blocks, setup.settings.wear.levelling);
        ftl.open_frontiers();
        Ok(ftl)
    }

    /// The FTL of these pages after a loss of power, on these blocks.
    pub(super) fn rebuild_on(
        setup: &Setup<'_>,
        options: &P::Options,
        nand: &mut Nand,
        newest: &NewestCopies,
        blocks: impl ExactSizeIterator<Item = Block>,
        pages: Range<Lpn>,
        frontiers: Frontiers,
    ) -> Result<PageFtl<P>, SimError> {
        let mut ftl = PageFtl::empty(setup, options, frontiers)?;
        for (lpn, ppn) in newest.mapped().filter(|(lpn, _)| pages.contains(lpn)) {
            ftl.validate(lpn, ppn, nand.block_of(ppn));
            ftl.mapped += 1;
        }
        ftl.blocks = blocks.len() as u32;
        ftl.sort_blocks(nand, &newest.youngest, blocks);
        ftl.open_frontiers();
        ftl.fill_reserve(nand, Moment::START);
        Ok(ftl)
    }

    /// With several handles a block is opened when the first page for it comes.
    fn open_frontiers(&mut self) {
        if self.frontiers.handles == 1 {
            self.open.fill_with(|| self.free.take());
        }
    }

    /// After a loss of power: blocks without a valid page are erased, all others are closed, the oldest
    /// first. What is left of a block that was open is not used, because its next page may be torn.
    fn sort_blocks(&mut self, nand: &mut Nand, youngest: &[Token], blocks: impl Iterator<Item = Block>) {
        let mut blocks: Vec<Block> = blocks.collect();
        blocks.sort_by_key(|block| youngest[*block as usize]);
        for block in blocks {
            if nand.next_page(block) > 0 && self.valid.count(block) == 0 {
                nand.erase(block, Cause::Gc, Moment::START);
            }
            if nand.next_page(block) == 0 {
                self.free.give(nand, block);
            } else {
                self.host_writes = youngest[block as usize];
                self.policy.closed(block, self.valid.count(block), self.host_writes);
            }
        }
    }

    /// Pages that hold something.
    pub(super) fn mapped_pages(&self) -> u32 {
        self.mapped
    }

    /// Blocks beyond those that `pages` fill, that are open, and that are kept in reserve.
    pub(super) fn blocks_beside(&self, nand: &Nand, pages: u32) -> u32 {
        let used = pages.div_ceil(nand.pages_per_block()) + self.open.len() as u32 + self.reserve_blocks;
        self.blocks.saturating_sub(used)
    }

    /// Gives an erased block away, if there is one beyond the reserve.
    pub(super) fn lend(&mut self) -> Option<Block> {
        let is_there = self.free.len() > self.reserve_blocks;
        self.blocks -= u32::from(is_there);
        is_there.then(|| self.free.take())
    }

    /// Takes an erased block back.
    pub(super) fn take_back(&mut self, nand: &Nand, block: Block) {
        self.blocks += 1;
        self.free.give(nand, block);
    }

    /// Free blocks once there is no garbage left to collect.
    fn free_blocks_max(&self, nand: &Nand) -> u32 {
        let used = self.mapped.div_ceil(nand.pages_per_block()) + self.open.len() as u32;
        self.blocks.saturating_sub(used)
    }

    #[inline]
    fn invalidate(&mut self, nand: &Nand, ppn: Ppn) {
        let block = nand.block_of(ppn);
        let left = self.valid.clear(ppn, block);
        self.policy.invalidated(block, left);
    }

    #[inline]
    fn validate(&mut self, lpn: Lpn, ppn: Ppn, block: Block) {
        self.map[lpn as usize] = ppn;
        self.valid.set(ppn, block);
    }

    /// Whether a page may be written with this placement handle without [`PageFtl::make_room`].
    #[inline]
    pub(super) fn is_open(&self, handle: u16) -> bool {
        self.open[usize::from(handle)] != NONE
    }

    /// Collections that moved a page.
    pub(super) fn relocations(&self) -> u64 {
        self.relocations
    }

    /// Replaces a full open block, or one that was never opened, and restores the reserve.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&mut self, nand: &mut Nand, handle: u16, at: Moment) {
        while !self.has_room(nand, handle.into()) && nand.fault().is_none() {
            self.advance(nand, handle.into());
            self.fill_reserve(nand, at);
        }
    }

    fn fill_reserve(&mut self, nand: &mut Nand, at: Moment) {
        while self.free.len() < self.reserve_blocks && self.collect(nand, at) {}
    }

    fn has_room(&self, nand: &Nand, frontier: usize) -> bool {
        self.open[frontier] != NONE && !nand.is_full(self.open[frontier])
    }

    fn advance(&mut self, nand: &mut Nand, frontier: usize) {
        let block = self.open[frontier];
        if block != NONE {
            self.policy.closed(block, self.valid.count(block), self.host_writes);
        }
        self.open[frontier] = self.free.take();
        if let Some(tag) = self.frontiers.tag(frontier) {
            nand.set_tag(self.open[frontier], tag);
        }
    }

    /// Writes a page that the host gave this handle, whose block is open.
    #[inline(always)] // it is the hot path of every page-mapped FTL
    pub(super) fn write_to(
        &mut self,
        nand: &mut Nand,
        handle: u16,
        lpn: Lpn,
        token: Token,
        cause: Cause,
        at: Moment,
    ) -> Moment {
        if nand.is_full(self.open[usize::from(handle)]) {
            // The page that is replaced is still valid: if the power goes now, it is what there is.
            self.make_room(nand, handle, at);
            if nand.fault().is_some() {
                return at;
            }
        }
        let old = self.map[lpn as usize];
        if old != NONE {
            self.invalidate(nand, old);
        } else {
            self.mapped += 1;
        }
        self.host_writes += 1;
        let block = self.open[usize::from(handle)];
        let (ppn, done) = nand.append(block, lpn, token, cause, at);
        self.validate(lpn, ppn, block);
        done
    }

    /// Moves the valid pages of a victim and erases it. False if no block is closed, or the flash failed.
    fn collect(&mut self, nand: &mut Nand, at: Moment) -> bool {
        if let Some((victim, page)) = self.tending {
            self.tend_victim(nand, victim, page, u32::MAX, at);
            return nand.fault().is_none();
        }
        let Some(victim) = self.policy.pick(self.valid.counts(), self.host_writes) else { return false };
        self.relocations += u64::from(self.valid.count(victim) > 0);
        self.move_valid_pages(nand, victim, Cause::Gc, at);
        nand.erase(victim, Cause::Gc, at);
        let erased = self.level_wear(nand, victim, at);
        self.free.give(nand, erased);
        nand.fault().is_none()
    }

    /// Static wear levelling: what never changes goes to a block that has worn a lot, so that its own wears
    /// too. Returns the erased block that is left: `erased`, or the one whose data it took.
    fn level_wear(&mut self, nand: &mut Nand, erased: Block, at: Moment) -> Block {
        let Some(levelling) = &mut self.levelling else { return erased };
        let Some(cold) = levelling.behind(nand, erased, &self.open) else { return erased };
        self.policy.remove(cold);
        let mut moving = std::mem::take(&mut self.moving);
        self.valid.take(cold, nand.first_page(cold), nand.pages_per_block(), &mut moving);
        self.move_pages(nand, &moving, erased, Cause::Wear, at);
        moving.clear();
        self.moving = moving;
        self.policy.closed(erased, self.valid.count(erased), self.host_writes);
        nand.erase(cold, Cause::Wear, at);
        cold
    }

    /// Moves up to `most` valid pages of a victim, from `page` on, and erases it after the last. More are
    /// moved if the reserve is touched: a host write must find it whole. Returns when the last
    /// operation is done.
    fn tend_victim(&mut self, nand: &mut Nand, victim: Block, page: u32, most: u32, at: Moment) -> Moment {
        let frontier = self.frontiers.for_moved(nand.tag(victim));
        let (mut page, mut moved, mut done) = (page, 0, at);
        self.relocations += u64::from(page == 0 && self.valid.count(victim) > 0);
        while page < nand.pages_per_block() && (moved < most || self.free.len() < self.reserve_blocks) {
            let from = nand.first_page(victim) + page;
            page += 1;
            if !self.valid.is_set(from) {
                continue;
            }
            if !self.has_room(nand, frontier) {
                self.advance(nand, frontier);
            }
            let block = self.open[frontier];
            let (to, copied) = nand.copy(from, block, Cause::Gc, at);
            self.valid.clear(from, victim);
            self.validate(nand.owner(from), to, block);
            (moved, done) = (moved + 1, nand.both(done, copied));
        }
        self.tending = Some((victim, page));
        if page == nand.pages_per_block() {
            self.tending = None;
            done = nand.erase(victim, Cause::Gc, done);
            self.free.give(nand, victim);
        }
        let later = nand.later(at, 1);
        nand.both(done, later)
    }

    fn move_valid_pages(&mut self, nand: &mut Nand, victim: Block, cause: Cause, at: Moment) {
        nand.prepare_block(victim);
        let mut moving = std::mem::take(&mut self.moving);
        self.valid.take(victim, nand.first_page(victim), nand.pages_per_block(), &mut moving);
        moving.iter().for_each(|ppn| prefetch(&self.map, nand.owner(*ppn) as usize));
        let frontier = self.frontiers.for_moved(nand.tag(victim));
        let mut left = &moving[..];
        while !left.is_empty() {
            if !self.has_room(nand, frontier) {
                self.advance(nand, frontier);
            }
            let block = self.open[frontier];
            let room = nand.pages_per_block() - nand.next_page(block);
            let (now, later) = left.split_at(left.len().min(room as usize));
            self.move_pages(nand, now, block, cause, at);
            left = later;
        }
        moving.clear();
        self.moving = moving;
    }

    /// Moves pages of one block to another that has room for them.
    fn move_pages(&mut self, nand: &mut Nand, pages: &[Ppn], block: Block, cause: Cause, at: Moment) {
        let first = nand.copy_all(pages, block, cause, at);
        for (to, from) in (first..).zip(pages) {
            self.map[nand.owner(*from) as usize] = to;
        }
        self.valid.set_run(first, pages.len() as u32, block);
    }
}

impl<P: VictimPolicy> Ftl for PageFtl<P> {
    const NAME: &'static str = "page";
    type Options = P::Options;

    fn new(setup: &Setup<'_>, options: &P::Options) -> Result<PageFtl<P>, SimError> {
        PageFtl::on(setup, options, 0..setup.geometry.blocks, Frontiers::of_page(setup.settings))
    }

    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        settings.ftl = Self::NAME.into();
        P::name_in(settings)
    }

    /// The copy with the highest token is the page; a trim with a higher one unmaps it.
    fn rebuild(
        setup: &Setup<'_>,
        options: &P::Options,
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<PageFtl<P>, SimError> {
        let newest = NewestCopies::scan(nand, setup.logical_pages, trims);
        let (blocks, frontiers) = (0..setup.geometry.blocks, Frontiers::of_page(setup.settings));
        PageFtl::rebuild_on(setup, options, nand, &newest, blocks, 0..setup.logical_pages, frontiers)
    }

    #[inline]
    fn prepare(&self, _nand: &Nand, lpn: Lpn) {
        prefetch(&self.map, lpn as usize);
    }

    #[inline]
    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        if let Some(&ppn) = self.map.get(lpn as usize)
            && ppn != NONE
        {
            let block = nand.block_of(ppn);
            self.valid.prepare(ppn, block);
            self.policy.prepare(block);
        }
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.map[lpn as usize] {
            NONE => PageRead { token: NO_TOKEN, done: at },
            ppn => nand.read(ppn, cause, at),
        }
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        self.write_to(nand, 0, lpn, token, cause, at)
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, _at: Moment) {
        let ppn = std::mem::replace(&mut self.map[lpn as usize], NONE);
        if ppn != NONE {
            self.invalidate(nand, ppn);
            self.mapped -= 1;
        }
    }

    fn tend(&mut self, nand: &mut Nand, _bank: u32, at: Moment) -> Option<Moment> {
        let (victim, page) = match self.tending {
            Some(tending) => tending,
            None if self.free.len() >= self.idle_blocks.min(self.free_blocks_max(nand)) => return None,
            None => (self.policy.pick(self.valid.counts(), self.host_writes)?, 0),
        };
        Some(self.tend_victim(nand, victim, page, self.unit_pages, at))
    }

    /// A block that is being filled is closed for it, one that is being moved in the background is left.
    fn refresh(&mut self, nand: &mut Nand, block: Block, at: Moment) {
        let is_tended = self.tending.is_some_and(|(victim, _)| victim == block);
        if nand.next_page(block) == 0 || is_tended {
            return;
        }
        if let Some(frontier) = self.open.iter().position(|open| *open == block) {
            self.advance(nand, frontier);
        }
        self.policy.remove(block);
        self.move_valid_pages(nand, block, Cause::Wear, at);
        nand.erase(block, Cause::Wear, at);
        self.free.give(nand, block);
        nand.note_refresh();
        self.fill_reserve(nand, at);
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    fn reserve_blocks(&self) -> u32 {
        self.open.len() as u32 - 1 + self.reserve_blocks
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.map.len()))
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    fn restart(&mut self) {
        self.relocations = 0;
    }
}
