//! Fully associative log blocks: FAST (Lee, Park, Chung, Lee, Park and Song 2007, "A log buffer-based flash
//! translation layer using fully-associative sector translation").
//!
//! Blocks are mapped as wholes. A page goes to its own place in its data block while that is free. Otherwise
//! it is logged: sequential writes, from the first page of a block on, in *the* sequential log block; all
//! others in random log blocks, which belong to nobody. The sequential log block becomes a data block by a
//! switch or a partial merge. The oldest random log block leaves by one full merge for each logical block
//! that has a valid page in it.

use std::collections::VecDeque;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copies::merge_in_place;
use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::recover::{Recovered, normal_form};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Tag, Token};

/// The table `[fast]` of a profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FastSettings {
    /// Log blocks: one for sequential writes, the others for random ones. At least 2; 0 for as many as
    /// `over_provisioning` leaves, less one for merges.
    pub log_blocks: u32,
}

/// Blocks that merges copy to.
const MERGE_BLOCKS: u32 = 1;
/// One for sequential writes, one for random ones.
const LOG_BLOCKS_MIN: u32 = 2;

/// Role of a block in its spare area: a data block, or what a merge makes one of.
pub const DATA: u32 = 1;
/// Role of a block in its spare area: the sequential log block of a logical block.
pub const SEQUENTIAL: u32 = 2;
/// Role of a block in its spare area: a random log block.
pub const RANDOM: u32 = 3;

/// The sequential log block: its page `i` is page `i` of the logical block, and the newest copy.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sequential {
    block: Block,
    lbn: u32,
}

/// The FAST FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FastFtl {
    logical_pages: u32,
    per_block: Divisor,
    pages_per_block: u32,
    log_blocks: u32,
    /// The data block of each logical block.
    data: Vec<Block>,
    /// Which pages hold anything.
    mapped: PageSet,
    /// Where the newest copy of a page is, if it is in a log block.
    logged: Vec<Ppn>,
    sequential: Option<Sequential>,
    /// Random log blocks, the oldest first; the last one is written.
    random: VecDeque<Block>,
    free: FreeBlocks,
    merges: Merges,
}

impl FastFtl {
    fn empty(setup: &Setup<'_>) -> Result<FastFtl, SimError> {
        let log_blocks = setup.log_blocks(setup.settings.fast.log_blocks, MERGE_BLOCKS);
        if log_blocks >= setup.geometry.blocks {
            return Err(SimError::Setting {
                key: "fast.log_blocks".into(),
                problem: format!("is {log_blocks}, and the flash has {} blocks", setup.geometry.blocks),
                remedy: "use fewer than over_provisioning leaves, or 0 for all of them".into(),
            });
        }
        setup.need_spare_blocks(log_blocks.max(LOG_BLOCKS_MIN).saturating_add(MERGE_BLOCKS))?;
        let pages_per_block = setup.geometry.pages_per_block;
        Ok(FastFtl {
            logical_pages: setup.logical_pages,
            per_block: Divisor::new(pages_per_block),
            pages_per_block,
            log_blocks,
            data: vec![NONE; setup.logical_blocks() as usize],
            mapped: PageSet::none(setup.logical_pages),
            logged: vec![NONE; setup.logical_pages as usize],
            sequential: None,
            random: VecDeque::with_capacity(log_blocks as usize),
            free: FreeBlocks::none(setup.settings.wear.levelling),
            merges: Merges::default(),
        })
    }

    /// Where the newest copy of a page is; [`NONE`] if the page holds nothing.
    #[inline]
    fn find(&self, nand: &Nand, lpn: Lpn) -> Ppn {
        if !self.mapped.has(lpn) {
            return NONE;
        }
        match self.logged[lpn as usize] {
            NONE => {
                let lbn = self.per_block.quotient(lpn);
                nand.first_page(self.data[lbn as usize]) + (lpn - lbn * self.pages_per_block)
            }
            ppn => ppn,
        }
    }

    fn pages_of(&self, lbn: u32) -> Range<Lpn> {
        let first = lbn * self.pages_per_block;
        first..self.logical_pages.min(first + self.pages_per_block)
    }

    /// The data block of `lbn`, if the page at `offset` can still be programmed there.
    #[inline]
    fn data_with_room(&mut self, nand: &mut Nand, lbn: u32, offset: u32) -> Option<Block> {
        let block = self.data[lbn as usize];
        if block == NONE {
            let block = self.take(nand, DATA, lbn);
            self.data[lbn as usize] = block;
            return Some(block);
        }
        (nand.next_page(block) <= offset).then_some(block)
    }

    /// The log block for a page, and when it can be written. Merges what is in the way.
    fn log_for(&mut self, nand: &mut Nand, lbn: u32, offset: u32, at: Moment) -> (Block, Moment) {
        let mut ready = at;
        if let Some(Sequential { block, lbn: owner }) = self.sequential {
            if owner == lbn && offset > 0 && nand.next_page(block) == offset {
                return (block, at);
            }
            if owner == lbn || offset == 0 {
                ready = self.merge_sequential(nand, at);
            }
        }
        if offset == 0 {
            let block = self.take(nand, SEQUENTIAL, lbn);
            self.sequential = Some(Sequential { block, lbn });
            return (block, ready);
        }
        self.random_log(nand, ready)
    }

    fn random_log(&mut self, nand: &mut Nand, at: Moment) -> (Block, Moment) {
        if let Some(&newest) = self.random.back()
            && !nand.is_full(newest)
        {
            return (newest, at);
        }
        let mut ready = at;
        if self.random.len() as u32 == self.log_blocks - 1 {
            ready = self.merge_random(nand, at);
        }
        let block = self.take(nand, RANDOM, NONE);
        self.random.push_back(block);
        (block, ready)
    }

    fn take(&mut self, nand: &mut Nand, kind: u32, owner: u32) -> Block {
        let block = self.free.take();
        nand.set_tag(block, Tag { kind, owner });
        block
    }

    /// Completes the sequential log block and makes it the data block.
    fn merge_sequential(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        let Some(Sequential { block, lbn }) = self.sequential.take() else { return at };
        let mut copied = at;
        if nand.is_full(block) {
            self.merges.switch_merges += 1;
        } else {
            self.merges.partial_merges += 1;
            let Range { start, end } = self.pages_of(lbn);
            let rest = (start + nand.next_page(block)).min(end)..end;
            copied = merge_in_place(nand, rest, block, at, |nand, lpn| self.find(nand, lpn));
        }
        self.replace_data(nand, lbn, block, copied)
    }

    /// Empties the oldest random log block and erases it.
    fn merge_random(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        let Some(victim) = self.random.pop_front() else { return at };
        let first = nand.first_page(victim);
        let mut done = at;
        for ppn in first..first + nand.pages_per_block() {
            let lpn = nand.owner(ppn);
            if lpn != NONE && self.logged[lpn as usize] == ppn {
                done = self.merge_block(nand, self.per_block.quotient(lpn), done);
            }
        }
        done = nand.erase(victim, Cause::Merge, done);
        self.free.give(nand, victim);
        done
    }

    /// Collects the newest pages of a logical block from all over the log.
    fn merge_block(&mut self, nand: &mut Nand, lbn: u32, at: Moment) -> Moment {
        if self.sequential.is_some_and(|sequential| sequential.lbn == lbn) {
            return self.merge_sequential(nand, at);
        }
        self.merges.full_merges += 1;
        let fresh = self.take(nand, DATA, lbn);
        let pages = self.pages_of(lbn);
        let copied = merge_in_place(nand, pages, fresh, at, |nand, lpn| self.find(nand, lpn));
        self.replace_data(nand, lbn, fresh, copied)
    }

    /// `block` holds all of `lbn` and takes the data block's place, which is erased.
    fn replace_data(&mut self, nand: &mut Nand, lbn: u32, block: Block, at: Moment) -> Moment {
        let Range { start, end } = self.pages_of(lbn);
        self.logged[start as usize..end as usize].fill(NONE);
        let old = std::mem::replace(&mut self.data[lbn as usize], block);
        let done = nand.erase(old, Cause::Merge, at);
        self.free.give(nand, old);
        done
    }
}

impl Ftl for FastFtl {
    const NAME: &'static str = "fast";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<FastFtl, SimError> {
        let mut ftl = FastFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    fn rebuild(setup: &Setup<'_>, _: &(), nand: &mut Nand, trims: &[Tombstone]) -> Result<FastFtl, SimError> {
        let ftl = FastFtl::empty(setup)?;
        let Recovered { data, mapped, free } = normal_form(setup, nand, trims, DATA);
        Ok(FastFtl { data, mapped, free, ..ftl })
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.find(nand, lpn) {
            NONE => PageRead { token: NO_TOKEN, done: at },
            ppn => nand.read(ppn, cause, at),
        }
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let lbn = self.per_block.quotient(lpn);
        let offset = lpn - lbn * self.pages_per_block;
        if let Some(block) = self.data_with_room(nand, lbn, offset) {
            let place = nand.first_page(block) + offset;
            self.mapped.insert(lpn);
            self.logged[lpn as usize] = NONE;
            return nand.program(place, lpn, token, cause, at);
        }
        let (block, ready) = self.log_for(nand, lbn, offset, at);
        let (ppn, done) = nand.append(block, lpn, token, cause, ready);
        self.logged[lpn as usize] = ppn;
        self.mapped.insert(lpn);
        done
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.mapped.remove(lpn);
        self.logged[lpn as usize] = NONE;
    }

    fn merges(&self) -> Merges {
        self.merges
    }

    fn reserve_blocks(&self) -> u32 {
        self.log_blocks + MERGE_BLOCKS
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, self.log_blocks, MERGE_BLOCKS)
    }

    /// Of the logged pages only those in the log blocks need a place.
    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.data.len() + self.log_blocks as usize * self.pages_per_block as usize))
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    fn restart(&mut self) {
        self.merges = Merges::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::testing;
    use crate::nand::Timing;
    use crate::settings::Settings;

    /// A full device of 24 blocks of 4 pages with so many log blocks.
    fn full(log_blocks: u32) -> (FastFtl, Nand) {
        let settings = Settings { fast: FastSettings { log_blocks }, ..testing::small("fast") };
        let (geometry, logical_pages) = settings.geometry().expect("a good geometry");
        let setup = Setup { settings: &settings, geometry, logical_pages, seed: 1 };
        let mut ftl = FastFtl::new(&setup, &()).expect("good settings");
        let mut nand = Nand::new(geometry, Timing::new(&settings.nand), true);
        write(&mut ftl, &mut nand, &(0..logical_pages).collect::<Vec<_>>());
        nand.restart();
        (ftl, nand)
    }

    fn write(ftl: &mut FastFtl, nand: &mut Nand, pages: &[Lpn]) {
        for &lpn in pages {
            ftl.write(nand, lpn, 1000 + Token::from(lpn), Cause::Host, Moment::START);
        }
        assert_eq!(nand.fault(), None);
    }

    /// Reads, programs and erases for merges.
    fn merge_costs(nand: &Nand) -> (u64, u64, u64) {
        let counts = nand.counts();
        let cause = Cause::Merge;
        (counts.reads_for(cause), counts.programs_for(cause), counts.erases_for(cause))
    }

    #[test]
    fn sequential_writes_cost_one_erase_a_block() {
        let (mut ftl, mut nand) = full(3);
        write(&mut ftl, &mut nand, &(8..25).collect::<Vec<_>>());
        assert_eq!(ftl.merges(), Merges { switch_merges: 4, ..Merges::default() });
        assert_eq!(merge_costs(&nand), (0, 0, 4));
    }

    #[test]
    fn a_block_begun_in_order_is_completed_by_a_partial_merge() {
        let (mut ftl, mut nand) = full(3);
        write(&mut ftl, &mut nand, &[8, 9, 10, 16]);
        assert_eq!(ftl.merges(), Merges { partial_merges: 1, ..Merges::default() });
        assert_eq!(merge_costs(&nand), (1, 1, 1));
    }

    #[test]
    fn a_write_out_of_order_ends_the_sequential_log() {
        let (mut ftl, mut nand) = full(3);
        write(&mut ftl, &mut nand, &[8, 10]);
        assert_eq!(ftl.merges(), Merges { partial_merges: 1, ..Merges::default() });
        assert!(ftl.sequential.is_none() && ftl.random.len() == 1);
    }

    #[test]
    fn random_writes_share_log_blocks_and_the_oldest_costs_a_merge_for_each_block_in_it() {
        let (mut ftl, mut nand) = full(3);
        write(&mut ftl, &mut nand, &[1, 5, 9, 13, 17, 21, 25, 29]);
        assert_eq!(merge_costs(&nand), (0, 0, 0), "two log blocks take eight pages of anybody");
        write(&mut ftl, &mut nand, &[33]);
        assert_eq!(ftl.merges(), Merges { full_merges: 4, ..Merges::default() });
        assert_eq!(merge_costs(&nand), (16, 16, 5));
    }

    #[test]
    fn a_log_block_without_valid_pages_costs_its_erase_alone() {
        let (mut ftl, mut nand) = full(3);
        write(&mut ftl, &mut nand, &[1, 5, 1, 5, 1, 5, 1, 5, 33]);
        assert_eq!(merge_costs(&nand), (0, 0, 1));
    }

    #[test]
    fn it_returns_what_was_written_and_survives_power_cuts() {
        for log_blocks in [2, 3, 11] {
            let settings = Settings { fast: FastSettings { log_blocks }, ..testing::small("fast") };
            testing::returns_what_was_written(&settings);
            testing::survives_power_cuts(&settings, 150);
        }
    }
}
