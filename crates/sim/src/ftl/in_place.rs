//! Pages with fixed places: a logical unit of whole blocks is mapped as one, and page `i` of a logical block
//! is page `i` of a physical one. What the `block` and `chunk` FTLs have in common.
//!
//! A page that is still erased in its block is programmed there. Any other write *opens* its unit: fresh
//! blocks are mapped beside the old ones, the pages before the written one are copied, and writing on upwards
//! costs nothing more than the pages that it skips. The unit is *closed* when it is complete, when a page
//! below is written again, or when another unit needs its place: the rest is copied from the old blocks, and
//! they are erased. Below the next page of an open unit everything is in the fresh blocks, above in the old.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::recover::{NOT_SAID, normal_form};
use super::{MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};

/// How an FTL with fixed places is laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Blocks that are mapped as one.
    pub unit_blocks: u32,
    /// Units that may be open; with 0, each overwrite closes its unit at once.
    pub open_units: u32,
}

/// A unit that is mapped twice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Open {
    unit: u32,
    /// The first page that is not in the fresh blocks.
    next: Lpn,
    copied_pages: u32,
}

/// The mapping of an FTL with fixed places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct InPlace {
    /// The block of each logical one; [`NONE`] as long as nothing was written to it.
    data: Vec<Block>,
    /// Of open units: the block that will take its place.
    fresh: Vec<Block>,
    /// Open units, the oldest first.
    open: VecDeque<Open>,
    open_units: usize,
    holds: PageSet,
    logical_pages: u32,
    unit_pages: u32,
    per_unit: Divisor,
    per_block: Divisor,
    free: FreeBlocks,
    reserve_blocks: u32,
    merges: Merges,
}

impl InPlace {
    fn empty(setup: &Setup<'_>, layout: Layout) -> Result<InPlace, SimError> {
        let Setup { geometry, logical_pages, .. } = *setup;
        // One unit more than can be open: after a loss of power, a rewrite may have to begin again.
        let spare = (u64::from(layout.open_units.max(1)) + 1) * u64::from(layout.unit_blocks);
        setup.need_spare_blocks(u32::try_from(spare).unwrap_or(u32::MAX))?;
        let blocks = setup.logical_blocks();
        let unit_pages = layout.unit_blocks * geometry.pages_per_block;
        Ok(InPlace {
            data: vec![NONE; blocks as usize],
            fresh: vec![NONE; blocks as usize],
            open: VecDeque::new(),
            open_units: layout.open_units as usize,
            holds: PageSet::none(logical_pages),
            logical_pages,
            unit_pages,
            per_unit: Divisor::new(unit_pages),
            per_block: Divisor::new(geometry.pages_per_block),
            free: FreeBlocks::none(setup.settings.wear.levelling),
            reserve_blocks: geometry.blocks - blocks,
            merges: Merges::default(),
        })
    }

    /// All blocks are erased.
    pub fn new(setup: &Setup<'_>, layout: Layout) -> Result<InPlace, SimError> {
        let mut map = InPlace::empty(setup, layout)?;
        map.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(map)
    }

    /// From what the flash holds: no unit is open afterwards.
    pub fn rebuild(
        setup: &Setup<'_>,
        layout: Layout,
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<InPlace, SimError> {
        let mut map = InPlace::empty(setup, layout)?;
        let found = normal_form(setup, nand, trims, NOT_SAID);
        (map.data, map.holds, map.free) = (found.data, found.mapped, found.free);
        Ok(map)
    }

    #[inline]
    fn split(&self, lpn: Lpn) -> (usize, u32) {
        let block = self.per_block.quotient(lpn);
        (block as usize, self.per_block.remainder(lpn))
    }

    /// Where a page that holds something is.
    #[inline]
    fn place(&self, nand: &Nand, lpn: Lpn) -> Ppn {
        let (logical, page) = self.split(lpn);
        let fresh = self.fresh[logical];
        let rewritten = fresh != NONE && page < nand.next_page(fresh);
        nand.first_page(if rewritten { fresh } else { self.data[logical] }) + page
    }

    #[inline]
    pub fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        if self.holds.has(lpn) {
            nand.read(self.place(nand, lpn), cause, at)
        } else {
            PageRead { token: NO_TOKEN, done: at }
        }
    }

    pub fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let unit = self.per_unit.quotient(lpn);
        let mut ready = at;
        let mut open = self.open.iter().position(|open| open.unit == unit);
        if let Some(rewritten) = open.filter(|&open| lpn < self.open[open].next) {
            ready = self.close(nand, rewritten, ready);
            open = None;
        }
        if open.is_none() && self.fits_in_place(nand, lpn) {
            self.holds.insert(lpn);
            let to = place_in(&mut self.data, &mut self.free, nand, (self.per_block, lpn));
            return nand.program(to, lpn, token, cause, ready);
        }
        let open = match open {
            Some(open) => open,
            None => self.open(nand, unit, &mut ready),
        };
        ready = self.copy(nand, open, self.open[open].next..lpn, ready);
        self.holds.insert(lpn);
        let to = place_in(&mut self.fresh, &mut self.free, nand, (self.per_block, lpn));
        let done = nand.program(to, lpn, token, cause, ready);
        self.open[open].next = lpn + 1;
        if lpn + 1 == self.end(unit) || self.open_units == 0 { self.close(nand, open, done) } else { done }
    }

    pub fn trim(&mut self, lpn: Lpn) {
        self.holds.remove(lpn);
    }

    pub fn merges(&self) -> Merges {
        self.merges
    }

    pub fn restart(&mut self) {
        self.merges = Merges::default();
    }

    /// Whatever is beyond the logical blocks never holds closed data.
    pub fn reserve_blocks(&self) -> u32 {
        self.reserve_blocks
    }

    /// Fresh blocks of open units, and those of one more: see [`InPlace::empty`].
    pub fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        let unit_blocks = self.per_block.quotient(self.unit_pages);
        SpareUse::limited(spare_blocks, self.open_units.max(1) as u32 * unit_blocks, unit_blocks)
    }

    /// A place for each logical block, and for each that is mapped twice.
    pub fn map_use(&self) -> MapUse {
        MapUse::of(self.data.len() + self.fresh.len())
    }

    /// Erased blocks that nothing has been written to yet.
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Whether the page is still erased in the block that it belongs to.
    fn fits_in_place(&self, nand: &Nand, lpn: Lpn) -> bool {
        let (logical, page) = self.split(lpn);
        self.data[logical] == NONE || nand.next_page(self.data[logical]) <= page
    }

    fn first(&self, unit: u32) -> Lpn {
        unit * self.unit_pages
    }

    fn end(&self, unit: u32) -> Lpn {
        (self.first(unit) + self.unit_pages).min(self.logical_pages)
    }

    /// Maps a unit twice, and closes the oldest one if too many are. Returns its place in the list.
    fn open(&mut self, nand: &mut Nand, unit: u32, ready: &mut Moment) -> usize {
        while self.open.len() >= self.open_units.max(1) {
            *ready = self.close(nand, 0, *ready);
        }
        self.open.push_back(Open { unit, next: self.first(unit), copied_pages: 0 });
        self.open.len() - 1
    }

    /// Copies those of `pages` that hold something from the old blocks to the fresh ones.
    fn copy(&mut self, nand: &mut Nand, open: usize, pages: Range<Lpn>, at: Moment) -> Moment {
        let mut done = at;
        for lpn in pages.filter(|&lpn| self.holds.has(lpn)) {
            let (logical, page) = self.split(lpn);
            let from = nand.first_page(self.data[logical]) + page;
            let to = place_in(&mut self.fresh, &mut self.free, nand, (self.per_block, lpn));
            let copied = nand.copy_to(from, to, Cause::Merge, at);
            done = nand.both(done, copied);
            self.open[open].copied_pages += 1;
        }
        done
    }

    /// Copies the rest of an open unit and erases its old blocks.
    fn close(&mut self, nand: &mut Nand, open: usize, at: Moment) -> Moment {
        let Open { unit, next, .. } = self.open[open];
        let copied = self.copy(nand, open, next..self.end(unit), at);
        match self.open.remove(open) {
            Some(Open { copied_pages: 0, .. }) => self.merges.switch_merges += 1,
            _ => self.merges.partial_merges += 1,
        }
        let blocks = self.split(self.first(unit)).0..=self.split(self.end(unit) - 1).0;
        let mut done = copied;
        for logical in blocks {
            let fresh = std::mem::replace(&mut self.fresh[logical], NONE);
            let old = std::mem::replace(&mut self.data[logical], fresh);
            if old != NONE {
                let erased = nand.erase(old, Cause::Merge, copied);
                done = nand.both(done, erased);
                self.free.give(nand, old);
            }
        }
        done
    }
}

/// The place of a page in the block that `blocks` has for it, for which a free one is taken if there is none.
#[inline]
fn place_in(
    blocks: &mut [Block],
    free: &mut FreeBlocks,
    nand: &Nand,
    (per_block, lpn): (Divisor, Lpn),
) -> Ppn {
    let block = &mut blocks[per_block.quotient(lpn) as usize];
    if *block == NONE {
        *block = free.take();
    }
    nand.first_page(*block) + per_block.remainder(lpn)
}
