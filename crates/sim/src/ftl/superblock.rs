//! Superblocks: adjacent logical blocks mapped page by page among themselves (Kang, Jo, Kim and Lee 2006, "A
//! superblock-based flash translation layer for NAND flash memory").
//!
//! A superblock has room for its logical blocks, and borrows update blocks from a pool that all share. When
//! the pool is used up, the superblock that was not written for longest gives one back: its blocks with the
//! fewest valid pages are copied together and erased. Where pages are is kept in RAM; the original keeps part
//! of it in spare areas, whose reads are not modelled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::recover::NewestTokens;
use super::valid::ValidPages;
use super::{Ftl, MapUse, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Tag, Token};

/// The table `[superblock]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuperblockSettings {
    /// Logical blocks of a superblock.
    pub logical_blocks: u32,
    /// Update blocks shared by all superblocks; 0 for as many as `over_provisioning` leaves, less one for
    /// collections.
    pub update_blocks: u32,
    /// Maximum update blocks of one superblock.
    pub update_blocks_max: u32,
    /// Collected pages go to a separate block, not mixed with host writes.
    pub separate: bool,
}

impl Default for SuperblockSettings {
    fn default() -> SuperblockSettings {
        SuperblockSettings { logical_blocks: 8, update_blocks: 0, update_blocks_max: 8, separate: true }
    }
}

/// Blocks that a collection copies to.
const COLLECTION_BLOCKS: u32 = 1;

/// Role of a block in its spare area: it belongs to the superblock that is named there.
pub const MEMBER: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Superblock {
    /// How many it may have without borrowing: its logical blocks.
    own: u32,
    blocks: Vec<Block>,
    /// Where host writes and collected pages go.
    open: [Block; 2],
    /// When it was last written.
    stamp: u64,
}

impl Superblock {
    /// Update blocks that it has borrowed.
    fn borrowed(&self) -> u32 {
        (self.blocks.len() as u32).saturating_sub(self.own)
    }
}

/// The superblock FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuperblockFtl {
    settings: SuperblockSettings,
    map: Vec<Ppn>,
    valid: ValidPages,
    superblocks: Vec<Superblock>,
    pages_per_superblock: Divisor,
    /// Update blocks in use.
    borrowed: u32,
    free: FreeBlocks,
    clock: u64,
    /// Pages on the move.
    moving: Vec<Ppn>,
}

const HOST: usize = 0;

impl SuperblockFtl {
    fn empty(setup: &Setup<'_>) -> Result<SuperblockFtl, SimError> {
        let mut settings = setup.settings.superblock.clone();
        settings.update_blocks = setup.log_blocks(settings.update_blocks, COLLECTION_BLOCKS);
        for (key, value) in [
            ("superblock.logical_blocks", settings.logical_blocks),
            ("superblock.update_blocks_max", settings.update_blocks_max),
        ] {
            if value == 0 || value > setup.geometry.blocks {
                return Err(SimError::Setting {
                    key: key.into(),
                    problem: format!("is {value}, and the flash has {} blocks", setup.geometry.blocks),
                    remedy: "use at least one, and at most as many as there are".into(),
                });
            }
        }
        setup.need_spare_blocks(settings.update_blocks.max(1).saturating_add(COLLECTION_BLOCKS))?;
        let (all, each) = (setup.logical_blocks(), settings.logical_blocks);
        let superblock = |first: u32| Superblock {
            own: each.min(all - first),
            blocks: Vec::new(),
            open: [NONE; 2],
            stamp: 0,
        };
        Ok(SuperblockFtl {
            map: vec![NONE; setup.logical_pages as usize],
            valid: ValidPages::none(&setup.geometry),
            superblocks: (0..all).step_by(each as usize).map(superblock).collect(),
            pages_per_superblock: Divisor::new(each * setup.geometry.pages_per_block),
            borrowed: 0,
            free: FreeBlocks::none(setup.settings.wear.levelling),
            clock: 0,
            moving: Vec::new(),
            settings,
        })
    }

    /// The frontier of collected pages.
    fn gc(&self) -> usize {
        usize::from(self.settings.separate)
    }

    /// Whether a frontier of a superblock can take another page.
    fn has_room(&self, nand: &Nand, number: u32, frontier: usize) -> bool {
        let block = self.superblocks[number as usize].open[frontier];
        block != NONE && !nand.is_full(block)
    }

    /// Gives a superblock room for a host write, at the cost of another if it must. Returns when there is.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, nand: &mut Nand, number: u32, at: Moment) -> Moment {
        let mut ready = at;
        while !self.has_room(nand, number, HOST) && works(nand) {
            let superblock = &self.superblocks[number as usize];
            let at_most = superblock.borrowed() >= self.settings.update_blocks_max;
            let owns_all = superblock.blocks.len() as u32 >= superblock.own;
            if !owns_all || !at_most && self.borrowed < self.settings.update_blocks {
                self.grow(nand, number, HOST);
            } else {
                let victim = if at_most { number } else { self.coldest() };
                ready = self.shrink(nand, victim, ready);
            }
        }
        ready
    }

    /// The superblock with update blocks that was not written for longest.
    fn coldest(&self) -> u32 {
        let all = self.superblocks.iter().enumerate();
        let borrowers = all.filter(|(_, superblock)| superblock.borrowed() > 0);
        borrowers.min_by_key(|(_, superblock)| superblock.stamp).map_or(0, |(number, _)| number as u32)
    }

    fn grow(&mut self, nand: &mut Nand, number: u32, frontier: usize) {
        let block = self.free.take();
        nand.set_tag(block, Tag { kind: MEMBER, owner: number });
        let superblock = &mut self.superblocks[number as usize];
        let before = superblock.borrowed();
        superblock.blocks.push(block);
        superblock.open[frontier] = block;
        self.borrowed += superblock.borrowed() - before;
    }

    /// Takes one update block from a superblock that has any. It ends: a superblock with more blocks than it
    /// owns has one that is not full of valid pages, and each step leaves one of those less.
    fn shrink(&mut self, nand: &mut Nand, number: u32, at: Moment) -> Moment {
        let mut done = at;
        let before = self.superblocks[number as usize].blocks.len();
        while self.superblocks[number as usize].blocks.len() >= before && works(nand) {
            let victim = self.emptiest(nand, number);
            done = self.move_valid_pages(nand, number, victim, done);
            done = nand.erase(victim, Cause::Gc, done);
            self.remove(number, victim);
            self.free.give(nand, victim);
        }
        done
    }

    /// The block with the fewest valid pages, but not the one that collected pages go to.
    fn emptiest(&self, nand: &Nand, number: u32) -> Block {
        let superblock = &self.superblocks[number as usize];
        let target = superblock.open[self.gc()];
        let allowed = |&block: &Block| block != target || nand.is_full(block) || self.valid.count(block) == 0;
        let candidates = superblock.blocks.iter().copied().filter(allowed);
        candidates.min_by_key(|&block| self.valid.count(block)).expect("more blocks than the target")
    }

    fn move_valid_pages(&mut self, nand: &mut Nand, number: u32, victim: Block, at: Moment) -> Moment {
        let mut moving = std::mem::take(&mut self.moving);
        self.valid.take(victim, nand.first_page(victim), nand.pages_per_block(), &mut moving);
        let (gc, mut done) = (self.gc(), at);
        for from in moving.drain(..) {
            if !self.has_room(nand, number, gc) {
                self.grow(nand, number, gc);
            }
            let block = self.superblocks[number as usize].open[gc];
            let lpn = nand.owner(from);
            let (to, copied) = nand.copy(from, block, Cause::Gc, at);
            self.map[lpn as usize] = to;
            self.valid.set(to, block);
            done = nand.both(done, copied);
        }
        self.moving = moving;
        done
    }

    fn remove(&mut self, number: u32, block: Block) {
        let superblock = &mut self.superblocks[number as usize];
        let before = superblock.borrowed();
        superblock.blocks.retain(|&member| member != block);
        superblock.open = superblock.open.map(|open| if open == block { NONE } else { open });
        self.borrowed -= before - superblock.borrowed();
    }

    /// Maps the newest pages in `block`, and makes it a member of their superblock.
    fn adopt(&mut self, nand: &Nand, newest: &NewestTokens, block: Block) {
        let pages = newest.pages_in(nand, block);
        for &(ppn, lpn) in &pages {
            if self.map[lpn as usize] == NONE {
                self.map[lpn as usize] = ppn;
                self.valid.set(ppn, block);
            }
        }
        let Some(&(_, lpn)) = pages.first() else { return };
        let superblock = &mut self.superblocks[self.pages_per_superblock.quotient(lpn) as usize];
        let before = superblock.borrowed();
        superblock.blocks.push(block);
        self.borrowed += superblock.borrowed() - before;
    }
}

/// Without power, or after a fault, nothing can be freed any more.
fn works(nand: &Nand) -> bool {
    nand.fault().is_none() && !nand.power().is_off()
}

impl Ftl for SuperblockFtl {
    const NAME: &'static str = "superblock";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<SuperblockFtl, SimError> {
        let mut ftl = SuperblockFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    /// Blocks keep their pages wherever they are; a copy that was cut short is dropped.
    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<SuperblockFtl, SimError> {
        let mut ftl = SuperblockFtl::empty(setup)?;
        let newest = NewestTokens::scan(nand, setup.logical_pages, trims);
        for block in newest.drop_second_copies(nand, &mut ftl.free) {
            ftl.adopt(nand, &newest, block);
        }
        while ftl.borrowed > ftl.settings.update_blocks && works(nand) {
            let victim = ftl.coldest();
            ftl.shrink(nand, victim, Moment::START);
        }
        Ok(ftl)
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
        let number = self.pages_per_superblock.quotient(lpn);
        let mut ready = at;
        if !self.has_room(nand, number, HOST) {
            // The old copy stays valid meanwhile: the power may go before there is a new one.
            ready = self.make_room(nand, number, at);
            if !works(nand) {
                return ready;
            }
        }
        let old = self.map[lpn as usize];
        if old != NONE {
            self.valid.clear(old, nand.block_of(old));
        }
        self.clock += 1;
        let superblock = &mut self.superblocks[number as usize];
        superblock.stamp = self.clock;
        let block = superblock.open[HOST];
        let (ppn, done) = nand.append(block, lpn, token, cause, ready);
        self.map[lpn as usize] = ppn;
        self.valid.set(ppn, block);
        done
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, _at: Moment) {
        let old = std::mem::replace(&mut self.map[lpn as usize], NONE);
        if old != NONE {
            self.valid.clear(old, nand.block_of(old));
        }
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    fn reserve_blocks(&self) -> u32 {
        COLLECTION_BLOCKS
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, self.settings.update_blocks, COLLECTION_BLOCKS)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.map.len()))
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::testing;
    use crate::nand::Timing;
    use crate::settings::Settings;

    fn settings(logical_blocks: u32, update_blocks: u32, update_blocks_max: u32) -> Settings {
        let superblock =
            SuperblockSettings { logical_blocks, update_blocks, update_blocks_max, separate: true };
        Settings { superblock, ..testing::small("superblock") }
    }

    /// A full device of 24 blocks of 4 pages, two blocks to a superblock.
    fn full(update_blocks: u32, update_blocks_max: u32) -> (SuperblockFtl, Nand) {
        let settings = settings(2, update_blocks, update_blocks_max);
        let (geometry, logical_pages) = settings.geometry().expect("a good geometry");
        let setup = Setup { settings: &settings, geometry, logical_pages, seed: 1 };
        let mut ftl = SuperblockFtl::new(&setup, &()).expect("good settings");
        let mut nand = Nand::new(geometry, Timing::new(&settings.nand), true);
        write(&mut ftl, &mut nand, &(0..logical_pages).collect::<Vec<_>>());
        nand.restart();
        (ftl, nand)
    }

    fn write(ftl: &mut SuperblockFtl, nand: &mut Nand, pages: &[Lpn]) {
        for &lpn in pages {
            ftl.write(nand, lpn, 1000 + Token::from(lpn), Cause::Host, Moment::START);
        }
        assert_eq!(nand.fault(), None);
    }

    #[test]
    fn pages_written_in_any_order_within_a_superblock_cost_no_copy() {
        let (mut ftl, mut nand) = full(2, 2);
        write(&mut ftl, &mut nand, &[0, 4, 1, 5, 7, 3, 6, 2, 0, 4, 1, 5]);
        assert_eq!(nand.counts().programs_for(Cause::Gc), 0);
        assert_eq!(nand.counts().erases_for(Cause::Gc), 1);
    }

    #[test]
    fn the_superblock_that_was_not_written_for_longest_gives_its_update_block_back() {
        let (mut ftl, mut nand) = full(2, 2);
        write(&mut ftl, &mut nand, &[0, 8, 1, 16]);
        let borrowed = |number: usize| ftl.superblocks[number].borrowed();
        assert_eq!((borrowed(0), borrowed(1), borrowed(2)), (1, 0, 1));
        // Its update block has one valid page; the block that lost that page has the room for it.
        assert!(nand.counts().programs_for(Cause::Gc) > 0);
    }

    #[test]
    fn one_superblock_may_not_take_the_whole_pool() {
        let (mut ftl, mut nand) = full(4, 1);
        write(&mut ftl, &mut nand, &[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
        assert_eq!((ftl.superblocks[0].borrowed(), ftl.borrowed), (1, 1));
    }

    #[test]
    fn it_returns_what_was_written_and_survives_power_cuts() {
        for (logical_blocks, update_blocks, update_blocks_max) in
            [(1, 1, 1), (4, 3, 2), (5, 11, 3), (24, 2, 9)]
        {
            for separate in [false, true] {
                let mut settings = settings(logical_blocks, update_blocks, update_blocks_max);
                settings.superblock.separate = separate;
                testing::returns_what_was_written(&settings);
                testing::survives_power_cuts(&settings, 100);
            }
        }
    }
}
