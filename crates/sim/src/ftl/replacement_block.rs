//! Replacement blocks (paper 002, section 2, reference 2: Ban): a logical block has a chain of physical
//! ones, the oldest first, and a page has its fixed place in each of them.
//!
//! A page is programmed into the first block of the chain in which its place can still be programmed, so the
//! newest copy is in the last block that has one. If there is no such block, the chain grows by a replacement
//! block; at `replacement_block.chain_max` the chain is folded into one block first. If free blocks run
//! short, the longest chain is folded, of several the one that grew first.
//!
//! Merges: *switch* if the last block holds all that is valid, *partial* if the rest can be copied to its
//! places there, *full* if all is copied to a fresh block. Searching a chain costs no reads here: its spare
//! areas are taken to be in RAM.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::recover::{NOT_SAID, normal_form};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};

/// The table `[replacement_block]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReplacementBlockSettings {
    /// Maximum length of a chain in blocks, at least 2: the first block and its replacements.
    pub chain_max: u32,
}

impl Default for ReplacementBlockSettings {
    fn default() -> ReplacementBlockSettings {
        ReplacementBlockSettings { chain_max: 4 }
    }
}

/// Free blocks that replacements leave: a fold may need one.
const RESERVE_BLOCKS: u32 = 1;

/// The FTL with chains of replacement blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplacementBlockFtl {
    /// The blocks of each logical one, the oldest first.
    chains: Vec<Vec<Block>>,
    /// Chains of more than one block: their length, when they grew last, and their logical block.
    long: BTreeSet<(Reverse<u32>, u64, u32)>,
    /// When each chain grew last.
    grown: Vec<u64>,
    growths: u64,
    chain_max: u32,
    holds: PageSet,
    logical_pages: u32,
    per_block: Divisor,
    free: FreeBlocks,
    merges: Merges,
}

impl ReplacementBlockFtl {
    fn empty(setup: &Setup<'_>) -> Result<ReplacementBlockFtl, SimError> {
        let chain_max = setup.settings.replacement_block.chain_max;
        // One to fold with, and one replacement.
        setup.need_spare_blocks(RESERVE_BLOCKS + 1)?;
        let blocks = setup.logical_blocks() as usize;
        Ok(ReplacementBlockFtl {
            chains: vec![Vec::new(); blocks],
            long: BTreeSet::new(),
            grown: vec![0; blocks],
            growths: 0,
            chain_max,
            holds: PageSet::none(setup.logical_pages),
            logical_pages: setup.logical_pages,
            per_block: Divisor::new(setup.geometry.pages_per_block),
            free: FreeBlocks::none(setup.settings.wear.levelling),
            merges: Merges::default(),
        })
    }

    fn key(&self, logical: u32) -> (Reverse<u32>, u64, u32) {
        (Reverse(self.chains[logical as usize].len() as u32), self.grown[logical as usize], logical)
    }

    /// Where the newest copy of a page that holds something is.
    fn place(&self, nand: &Nand, lpn: Lpn) -> Option<Ppn> {
        let (logical, page) = (self.per_block.quotient(lpn), self.per_block.remainder(lpn));
        let places = self.chains[logical as usize].iter().map(|&block| nand.first_page(block) + page);
        places.rev().find(|&ppn| nand.owner(ppn) == lpn)
    }

    /// The first block of the chain in which `page` can be programmed.
    fn vacancy(&self, nand: &Nand, logical: u32, page: u32) -> Option<Block> {
        let chain = &self.chains[logical as usize];
        chain.iter().copied().find(|&block| nand.next_page(block) <= page)
    }

    /// Folds chains until this one may grow.
    fn make_room(&mut self, nand: &mut Nand, logical: u32, at: Moment) -> Moment {
        let mut ready = at;
        if self.chains[logical as usize].len() as u32 >= self.chain_max {
            ready = self.fold(nand, logical, ready);
        }
        while self.free.len() <= RESERVE_BLOCKS
            && let Some(&(_, _, longest)) = self.long.first()
        {
            ready = self.fold(nand, longest, ready);
        }
        ready
    }

    fn grow(&mut self, logical: u32) -> Block {
        self.long.remove(&self.key(logical));
        let block = self.free.take();
        self.chains[logical as usize].push(block);
        self.growths += 1;
        self.grown[logical as usize] = self.growths;
        if self.chains[logical as usize].len() > 1 {
            self.long.insert(self.key(logical));
        }
        block
    }

    /// Unites a chain in one block and erases the others.
    fn fold(&mut self, nand: &mut Nand, logical: u32, at: Moment) -> Moment {
        self.long.remove(&self.key(logical));
        let chain = std::mem::take(&mut self.chains[logical as usize]);
        let last = chain.last().copied().unwrap_or(NONE);
        let rest = self.outside(nand, logical, &chain, last);
        let target = if rest.iter().all(|&ppn| nand.page_of(ppn) >= nand.next_page(last)) {
            match rest.len() {
                0 => self.merges.switch_merges += 1,
                _ => self.merges.partial_merges += 1,
            }
            last
        } else {
            self.merges.full_merges += 1;
            self.free.take()
        };
        let rest = if target == last { rest } else { self.outside(nand, logical, &chain, NONE) };
        let copied = copy_in_place(nand, &rest, target, at);
        let mut erased = copied;
        for block in chain.into_iter().filter(|&block| block != target) {
            let done = nand.erase(block, Cause::Merge, copied);
            erased = nand.both(erased, done);
            self.free.give(nand, block);
        }
        self.chains[logical as usize].push(target);
        erased
    }

    /// The newest copies of a logical block that are not in `last`.
    fn outside(&self, nand: &Nand, logical: u32, chain: &[Block], last: Block) -> Vec<Ppn> {
        let first = logical * nand.pages_per_block();
        let end = self.logical_pages.min(first + nand.pages_per_block());
        let pages = (first..end).filter(|&lpn| self.holds.has(lpn));
        let newest = pages.filter_map(|lpn| {
            let places = chain.iter().map(|&block| nand.first_page(block) + (lpn - first));
            places.rev().find(|&ppn| nand.owner(ppn) == lpn)
        });
        newest.filter(|&ppn| nand.block_of(ppn) != last).collect()
    }
}

/// Copies pages to the same places of `target`.
fn copy_in_place(nand: &mut Nand, pages: &[Ppn], target: Block, at: Moment) -> Moment {
    let mut done = at;
    for &ppn in pages {
        let place = nand.first_page(target) + nand.page_of(ppn);
        let copied = nand.copy_to(ppn, place, Cause::Merge, at);
        done = nand.both(done, copied);
    }
    done
}

impl Ftl for ReplacementBlockFtl {
    const NAME: &'static str = "replacement-block";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<ReplacementBlockFtl, SimError> {
        let mut ftl = ReplacementBlockFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    /// All chains are folded.
    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<ReplacementBlockFtl, SimError> {
        let mut ftl = ReplacementBlockFtl::empty(setup)?;
        let found = normal_form(setup, nand, trims, NOT_SAID);
        (ftl.holds, ftl.free) = (found.mapped, found.free);
        for (chain, &block) in ftl.chains.iter_mut().zip(&found.data).filter(|(_, block)| **block != NONE) {
            chain.push(block);
        }
        Ok(ftl)
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.place(nand, lpn).filter(|_| self.holds.has(lpn)) {
            Some(ppn) => nand.read(ppn, cause, at),
            None => PageRead { token: NO_TOKEN, done: at },
        }
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let (logical, page) = (self.per_block.quotient(lpn), self.per_block.remainder(lpn));
        let (mut ready, mut vacancy) = (at, self.vacancy(nand, logical, page));
        if vacancy.is_none() {
            ready = self.make_room(nand, logical, at);
            vacancy = self.vacancy(nand, logical, page);
        }
        let block = vacancy.unwrap_or_else(|| self.grow(logical));
        self.holds.insert(lpn);
        nand.program(nand.first_page(block) + page, lpn, token, cause, ready)
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.holds.remove(lpn);
    }

    fn merges(&self) -> Merges {
        self.merges
    }

    /// The block to fold with; all others are for replacements.
    fn reserve_blocks(&self) -> u32 {
        RESERVE_BLOCKS
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, spare_blocks.saturating_sub(RESERVE_BLOCKS), RESERVE_BLOCKS)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.chains.iter().map(Vec::len).sum()))
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    fn restart(&mut self) {
        self.merges = Merges::default();
    }
}
