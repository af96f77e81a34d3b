//! DFTL: page mapping with the map in flash, and a part of it cached (Gupta, Kim, Urgaonkar 2009).
//!
//! The map lies in translation pages of `nand.page / 4` entries each; a directory in RAM says where they are.
//! An entry that is not cached costs a read of its translation page; a changed entry that must leave the
//! cache is written back together with all other changed entries of its translation page: a read and a
//! program. Pages that a collection moves are changed in the cache if they are there, and otherwise on their
//! translation page, once for all of one page. All traffic of translation pages counts as `map`.
//!
//! Data and translation pages have blocks of their own, an open one each, and a fixed share of the flash, in
//! which the block with the fewest valid pages is collected. So the two collections cannot starve each other.
//!
//! The data pages' spare areas are enough for a rebuild: a flush writes nothing back, and a rebuild reads all
//! pages and writes the map anew.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::recover::NewestTokens;
use super::segmented_lru::SegmentedLru;
use super::{Ftl, MapUse, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::gc::VictimPolicy;
use crate::gc::greedy::Greedy;
use crate::nand::divide::Divisor;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};

/// The table `[dftl]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DftlSettings {
    /// Map entries cached in RAM, at least 1.
    pub cached_entries: u32,
}

impl Default for DftlSettings {
    fn default() -> DftlSettings {
        DftlSettings { cached_entries: 8192 }
    }
}

const ENTRY_BYTES: u32 = 4;
/// Blocks that data have beyond what they fill: the open one, and one to gain from.
const DATA_SPARE: u32 = 2;
/// Blocks that are free but for a rebuild.
const REBUILD_SPARE: u32 = 2;

/// Data or translation pages: their blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Share {
    open: Block,
    closed: Greedy,
    /// Blocks in use.
    blocks: u32,
    /// At so many, one is collected.
    blocks_max: u32,
}

const DATA: usize = 0;
const MAP: usize = 1;

/// The FTL with a cached map.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DftlFtl {
    /// The newest entries: those in the cache, and otherwise those in flash.
    map: Vec<Ppn>,
    /// Where each translation page is.
    directory: Vec<Ppn>,
    cache: SegmentedLru,
    /// Cached entries that differ from their translation page.
    changed: PageSet,
    entries: u32,
    per_translation_page: Divisor,
    valid: Vec<u32>,
    shares: [Share; 2],
    free: FreeBlocks,
    lookups: u64,
    hits: u64,
}

impl DftlFtl {
    fn empty(setup: &Setup<'_>) -> Result<DftlFtl, SimError> {
        let Setup { settings, geometry, logical_pages, .. } = *setup;
        let entries = geometry.page_bytes / ENTRY_BYTES;
        let translation_pages = logical_pages.div_ceil(entries);
        // A quarter more than the map fills, and one block open, one to gain from.
        let map_blocks = (translation_pages + translation_pages / 4).div_ceil(geometry.pages_per_block) + 2;
        setup.need_spare_blocks(map_blocks + DATA_SPARE + REBUILD_SPARE)?;
        let closed = Greedy::none(geometry.blocks, geometry.pages_per_block);
        let share = |blocks_max| Share { open: NONE, closed: closed.clone(), blocks: 0, blocks_max };
        Ok(DftlFtl {
            map: vec![NONE; logical_pages as usize],
            directory: vec![NONE; translation_pages as usize],
            cache: SegmentedLru::new(settings.dftl.cached_entries.min(logical_pages), logical_pages),
            changed: PageSet::none(logical_pages),
            entries,
            per_translation_page: Divisor::new(entries),
            valid: vec![0; geometry.blocks as usize],
            shares: [share(geometry.blocks - map_blocks - REBUILD_SPARE), share(map_blocks)],
            free: FreeBlocks::none(settings.wear.levelling),
            lookups: 0,
            hits: 0,
        })
    }

    fn logical_pages(&self) -> u32 {
        self.map.len() as u32
    }

    /// Brings the entry of a page into the cache. Returns when it is there.
    fn look_up(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) -> Moment {
        self.lookups += 1;
        if self.cache.touch(lpn) {
            self.hits += 1;
            return at;
        }
        let mut ready = at;
        if self.cache.is_full()
            && let Some(victim) = self.cache.evict()
            && self.changed.has(victim)
        {
            ready = self.store(nand, self.per_translation_page.quotient(victim), ready);
        }
        self.cache.insert(lpn);
        match self.directory[self.per_translation_page.quotient(lpn) as usize] {
            NONE => ready,
            ppn => nand.read(ppn, Cause::Map, ready).done,
        }
    }

    /// Writes a translation page with all its changed entries.
    fn store(&mut self, nand: &mut Nand, page: u32, at: Moment) -> Moment {
        let ready = match self.directory[page as usize] {
            NONE => at,
            ppn => nand.read(ppn, Cause::Map, at).done,
        };
        let first = page * self.entries;
        for lpn in first..self.logical_pages().min(first.saturating_add(self.entries)) {
            self.changed.remove(lpn);
        }
        // In spare areas translation pages are numbered after the data pages.
        let owner = self.logical_pages() + page;
        let (place, done) = self.append(nand, MAP, (owner, NO_TOKEN), Cause::Map, ready);
        let old = std::mem::replace(&mut self.directory[page as usize], place);
        self.invalidate(nand, MAP, old);
        done
    }

    fn invalidate(&mut self, nand: &Nand, share: usize, ppn: Ppn) {
        if ppn != NONE {
            let block = nand.block_of(ppn);
            self.valid[block as usize] -= 1;
            self.shares[share].closed.invalidated(block, self.valid[block as usize]);
        }
    }

    fn append(
        &mut self,
        nand: &mut Nand,
        share: usize,
        (owner, token): (Lpn, Token),
        cause: Cause,
        at: Moment,
    ) -> (Ppn, Moment) {
        while nand.is_full(self.shares[share].open) {
            self.advance(share);
            if self.shares[share].blocks >= self.shares[share].blocks_max {
                self.collect(nand, share, at);
            }
        }
        let block = self.shares[share].open;
        self.valid[block as usize] += 1;
        nand.append(block, owner, token, cause, at)
    }

    /// Closes the open block of a share, if it has one, and opens another.
    fn advance(&mut self, share: usize) {
        let Share { open, closed, blocks, .. } = &mut self.shares[share];
        if *open != NONE {
            closed.closed(*open, self.valid[*open as usize], 0);
        }
        *open = self.free.take();
        *blocks += 1;
    }

    /// Moves the valid pages of the emptiest block of a share and erases it. False if there is none.
    fn collect(&mut self, nand: &mut Nand, share: usize, at: Moment) -> bool {
        let Some(victim) = self.shares[share].closed.pick(&self.valid, 0) else { return false };
        let cause = if share == DATA { Cause::Gc } else { Cause::Map };
        let mut outdated = Vec::new();
        let first = nand.first_page(victim);
        for ppn in first..first + nand.next_page(victim) {
            let owner = nand.owner(ppn);
            if self.entry(owner).is_none_or(|place| *place != ppn) {
                continue;
            }
            if nand.is_full(self.shares[share].open) {
                self.advance(share);
            }
            let open = self.shares[share].open;
            let (to, _) = nand.copy(ppn, open, cause, at);
            self.entry(owner).into_iter().for_each(|place| *place = to);
            self.valid[open as usize] += 1;
            self.valid[victim as usize] -= 1;
            if share == DATA && self.cache.has(owner) {
                self.changed.insert(owner);
            } else if share == DATA {
                outdated.push(self.per_translation_page.quotient(owner));
            }
        }
        nand.erase(victim, cause, at);
        self.free.give(nand, victim);
        self.shares[share].blocks -= 1;
        outdated.sort_unstable();
        outdated.dedup();
        for page in outdated {
            self.store(nand, page, at);
        }
        true
    }

    /// The entry of the page of this number in the spare area, data or translation.
    fn entry(&mut self, owner: Lpn) -> Option<&mut Ppn> {
        let pages = self.map.len();
        match (owner as usize).checked_sub(pages) {
            None => self.map.get_mut(owner as usize),
            Some(page) => self.directory.get_mut(page),
        }
    }

    /// Keeps one newest copy of each page, in as few blocks as that takes, and erases all other blocks.
    fn find_data(&mut self, nand: &mut Nand, newest: &NewestTokens) {
        let mut blocks: Vec<(usize, Block)> =
            (0..nand.blocks()).map(|block| (newest.pages_in(nand, block).len(), block)).collect();
        blocks.sort_unstable();
        let mut copies = vec![0_u32; self.map.len()];
        for &(_, block) in &blocks {
            newest.pages_in(nand, block).iter().for_each(|&(_, lpn)| copies[lpn as usize] += 1);
        }
        for (_, block) in blocks {
            let pages = newest.pages_in(nand, block);
            pages.iter().for_each(|&(_, lpn)| copies[lpn as usize] -= 1);
            for (ppn, lpn) in pages.into_iter().filter(|&(_, lpn)| copies[lpn as usize] == 0) {
                if self.map[lpn as usize] == NONE {
                    self.map[lpn as usize] = ppn;
                    self.valid[block as usize] += 1;
                }
            }
            if self.valid[block as usize] > 0 {
                self.shares[DATA].closed.closed(block, self.valid[block as usize], 0);
                self.shares[DATA].blocks += 1;
            } else {
                if nand.next_page(block) > 0 {
                    nand.erase(block, Cause::Gc, Moment::START);
                }
                self.free.give(nand, block);
            }
        }
    }
}

impl Ftl for DftlFtl {
    const NAME: &'static str = "dftl";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<DftlFtl, SimError> {
        let mut ftl = DftlFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        ftl.advance(DATA);
        ftl.advance(MAP);
        Ok(ftl)
    }

    fn rebuild(setup: &Setup<'_>, _: &(), nand: &mut Nand, trims: &[Tombstone]) -> Result<DftlFtl, SimError> {
        let mut ftl = DftlFtl::empty(setup)?;
        let newest = NewestTokens::scan(nand, setup.logical_pages, trims);
        ftl.find_data(nand, &newest);
        ftl.advance(DATA);
        ftl.advance(MAP);
        while ftl.shares[DATA].blocks >= ftl.shares[DATA].blocks_max && !nand.power().is_off() {
            ftl.collect(nand, DATA, Moment::START);
        }
        let mapped = |page: &[Ppn]| page.iter().any(|&ppn| ppn != NONE);
        let stored: Vec<bool> = ftl.map.chunks(ftl.entries as usize).map(mapped).collect();
        for page in (0..ftl.directory.len()).filter(|&page| stored[page]) {
            ftl.store(nand, page as u32, Moment::START);
        }
        Ok(ftl)
    }

    /// Also an unmapped page's entry must be looked up.
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        let ready = self.look_up(nand, lpn, at);
        match self.map[lpn as usize] {
            NONE => PageRead { token: NO_TOKEN, done: ready },
            ppn => nand.read(ppn, cause, ready),
        }
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        let ready = self.look_up(nand, lpn, at);
        let (place, done) = self.append(nand, DATA, (lpn, token), cause, ready);
        // Only now: a collection before it may have moved the old copy, which counts until the new one
        // is there.
        let old = std::mem::replace(&mut self.map[lpn as usize], place);
        self.invalidate(nand, DATA, old);
        self.changed.insert(lpn);
        done
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        self.look_up(nand, lpn, at);
        let old = std::mem::replace(&mut self.map[lpn as usize], NONE);
        self.invalidate(nand, DATA, old);
        if old != NONE {
            self.changed.insert(lpn);
        }
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    /// The share of the translation pages, what is free for a rebuild, the open data block and the one that a
    /// collection needs.
    fn reserve_blocks(&self) -> u32 {
        self.shares[MAP].blocks_max + REBUILD_SPARE + DATA_SPARE
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        let map_blocks = self.shares[MAP].blocks_max;
        let reserve_blocks = REBUILD_SPARE + DATA_SPARE;
        SpareUse { blocks: spare_blocks, map_blocks, reserve_blocks, ..SpareUse::default() }
    }

    fn map_use(&self) -> Option<MapUse> {
        let entries = 2 * self.cache.capacity() as usize + self.directory.len();
        Some(MapUse { lookups: Some(self.lookups), hits: Some(self.hits), ..MapUse::of(entries) })
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    fn restart(&mut self) {
        (self.lookups, self.hits) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use crate::ftl::testing::{returns_what_was_written, small, survives_power_cuts};

    #[test]
    fn it_comes_back_also_when_the_power_goes_in_the_recovery() {
        for entries in [1, 8, 1000] {
            let mut settings = small("dftl");
            settings.dftl.cached_entries = entries;
            // Three blocks for the map, two for data, two for a rebuild: as few as it takes.
            settings.over_provisioning = 7.0 / 24.0;
            returns_what_was_written(&settings);
            survives_power_cuts(&settings, 150);
        }
    }
}
