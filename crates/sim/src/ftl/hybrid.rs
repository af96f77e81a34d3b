//! Hybrid mapping (paper 002, section 2, reference 15): blocks are mapped as wholes, and the pages of a
//! logical block may be anywhere in its physical one.
//!
//! Writes are appended to the block of their logical block. A full one gets a fresh block beside it, which
//! takes the writes from then on; when it has room for no more than the pages that are still valid in the
//! full one, when the full one is as good as empty, or when another logical block needs the place, those
//! pages are copied and the full block is erased. In the pure form, `hybrid.open_blocks = 0`, they are copied
//! at once: a logical block whose pages are all valid then costs a whole block for each page.
//!
//! Merges: *switch* if the full block held nothing valid any more, *full* otherwise.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::recover::{NOT_SAID, normal_form};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};

/// The table `[hybrid]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HybridSettings {
    /// Logical blocks with a second block at a time; 0: a full block is copied at once.
    pub open_blocks: u32,
}

impl Default for HybridSettings {
    fn default() -> HybridSettings {
        HybridSettings { open_blocks: 1 }
    }
}

/// A logical block with a full block that still holds valid pages.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Open {
    logical: u32,
    full: Block,
    /// Pages that are valid in the full block.
    left: u32,
}

/// The FTL with a block map and free positions in each block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HybridFtl {
    /// Where each page is.
    places: Vec<Ppn>,
    /// The block that takes the writes of each logical one; [`NONE`] as long as there were none.
    data: Vec<Block>,
    /// The oldest first.
    open: VecDeque<Open>,
    open_blocks: usize,
    per_block: Divisor,
    free: FreeBlocks,
    reserve_blocks: u32,
    merges: Merges,
}

impl HybridFtl {
    fn empty(setup: &Setup<'_>) -> Result<HybridFtl, SimError> {
        let open_blocks = setup.settings.hybrid.open_blocks;
        // One more than can be open: after a loss of power, a copy may have to begin again.
        setup.need_spare_blocks(open_blocks.max(1).saturating_add(1))?;
        let blocks = setup.logical_blocks();
        Ok(HybridFtl {
            places: vec![NONE; setup.logical_pages as usize],
            data: vec![NONE; blocks as usize],
            open: VecDeque::new(),
            open_blocks: open_blocks as usize,
            per_block: Divisor::new(setup.geometry.pages_per_block),
            free: FreeBlocks::none(setup.settings.wear.levelling),
            reserve_blocks: setup.geometry.blocks - blocks,
            merges: Merges::default(),
        })
    }

    fn position(&self, logical: u32) -> Option<usize> {
        self.open.iter().position(|open| open.logical == logical)
    }

    /// The page is nowhere any more.
    fn forget(&mut self, nand: &Nand, lpn: Lpn) {
        let old = std::mem::replace(&mut self.places[lpn as usize], NONE);
        if old == NONE || self.open.is_empty() {
            return;
        }
        let block = nand.block_of(old);
        if let Some(open) = self.open.iter_mut().find(|open| open.full == block) {
            open.left -= 1;
        }
    }

    /// Copies what is left in a full block behind what was written since, and erases it.
    fn close(&mut self, nand: &mut Nand, open: usize, at: Moment) -> Moment {
        let Some(Open { logical, full, left }) = self.open.remove(open) else { return at };
        let mut copied = at;
        for ppn in nand.first_page(full)..nand.first_page(full) + nand.pages_per_block() {
            let lpn = nand.owner(ppn);
            if self.places.get(lpn as usize) == Some(&ppn) {
                let (place, done) = nand.copy(ppn, self.data[logical as usize], Cause::Merge, at);
                self.places[lpn as usize] = place;
                copied = nand.both(copied, done);
            }
        }
        if left == 0 {
            self.merges.switch_merges += 1;
        } else {
            self.merges.full_merges += 1;
        }
        let erased = nand.erase(full, Cause::Merge, copied);
        self.free.give(nand, full);
        erased
    }

    /// Gives a logical block whose block is full another one beside it.
    fn open(&mut self, nand: &mut Nand, logical: u32, at: Moment) -> Moment {
        let mut ready = at;
        while self.open.len() >= self.open_blocks.max(1) {
            ready = self.close(nand, 0, ready);
        }
        let full = self.data[logical as usize];
        let first = nand.first_page(full);
        let valid = |ppn: &Ppn| self.places.get(nand.owner(*ppn) as usize) == Some(ppn);
        let left = (first..first + nand.pages_per_block()).filter(valid).count() as u32;
        self.open.push_back(Open { logical, full, left });
        self.data[logical as usize] = self.free.take();
        ready
    }

    /// Finds room for one more page of a logical block, whose old copy is forgotten.
    fn make_room(&mut self, nand: &mut Nand, logical: u32, at: Moment) -> Moment {
        let mut ready = at;
        let block = &mut self.data[logical as usize];
        if *block == NONE {
            *block = self.free.take();
        }
        let room = nand.pages_per_block() - nand.next_page(*block);
        if let Some(open) = self.position(logical)
            && self.open[open].left >= room
        {
            ready = self.close(nand, open, ready);
        }
        if nand.is_full(self.data[logical as usize]) {
            ready = self.open(nand, logical, ready);
        }
        ready
    }
}

impl Ftl for HybridFtl {
    const NAME: &'static str = "hybrid";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<HybridFtl, SimError> {
        let mut ftl = HybridFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<HybridFtl, SimError> {
        let mut ftl = HybridFtl::empty(setup)?;
        let found = normal_form(setup, nand, trims, NOT_SAID);
        for lpn in (0..setup.logical_pages).filter(|&lpn| found.mapped.has(lpn)) {
            let (logical, page) = (ftl.per_block.quotient(lpn), ftl.per_block.remainder(lpn));
            ftl.places[lpn as usize] = nand.first_page(found.data[logical as usize]) + page;
        }
        (ftl.data, ftl.free) = (found.data, found.free);
        Ok(ftl)
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.places[lpn as usize] {
            NONE => PageRead { token: NO_TOKEN, done: at },
            ppn => nand.read(ppn, cause, at),
        }
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let logical = self.per_block.quotient(lpn);
        self.forget(nand, lpn);
        let ready = self.make_room(nand, logical, at);
        let (place, done) = nand.append(self.data[logical as usize], lpn, token, cause, ready);
        self.places[lpn as usize] = place;
        match self.position(logical) {
            Some(open) if self.open[open].left == 0 || self.open_blocks == 0 => self.close(nand, open, done),
            _ => done,
        }
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.forget(nand, lpn);
    }

    fn merges(&self) -> Merges {
        self.merges
    }

    /// All spare blocks: those of the open blocks, one for a rebuild, and what is over, which has no use.
    fn reserve_blocks(&self) -> u32 {
        self.reserve_blocks
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, self.open_blocks.max(1) as u32, 1)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.data.len() + self.places.len()))
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    fn restart(&mut self) {
        self.merges = Merges::default();
    }
}
