//! Log blocks, each of one logical block: BAST (paper 002, section 2.2).
//!
//! Blocks are mapped as wholes, and a data block holds page `i` of its logical block in its page `i`. All
//! writes are appended to the log block of their logical block. When log blocks run out, or one is full, it
//! is merged with its data block:
//!
//! - *switch*: the log block holds the whole logical block in order and takes the data block's place;
//! - *partial* (an option): it holds the first pages in order, and the rest is copied behind them;
//! - *full*: the newest copy of each page goes to a third block.

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

/// Which log block is merged when all are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogVictim {
    /// The one that has been a log block for longest.
    #[default]
    Fifo,
    /// The one that was not written for longest.
    Lru,
}

/// The table `[log_block]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogBlockSettings {
    /// Log blocks; 0 for as many as `over_provisioning` leaves, less one for merges.
    pub log_blocks: u32,
    /// Log block to merge when all are in use: `fifo` (the oldest) or `lru` (the least recently written).
    pub victim: LogVictim,
    /// Switch merge as soon as a log block is filled in order, not when it is evicted.
    pub eager_switch: bool,
    /// Partial merge: complete a log block that holds the first pages in order by copying the rest.
    pub partial_merge: bool,
}

impl Default for LogBlockSettings {
    fn default() -> LogBlockSettings {
        LogBlockSettings { log_blocks: 0, victim: LogVictim::Fifo, eager_switch: true, partial_merge: false }
    }
}

/// Role of a block in its spare area: a data block, or what a merge makes one of.
pub const DATA: u32 = 1;
/// Role of a block in its spare area: a log block.
pub const LOG: u32 = 2;

/// Blocks that full merges copy to.
const MERGE_BLOCKS: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Log {
    block: Block,
    lbn: u32,
    /// Pages so far went to their own places: page `i` is page `i` of the logical block.
    in_order: bool,
    /// When it became a log block (FIFO), or was last written (LRU).
    stamp: u64,
}

/// The log-block FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogBlockFtl {
    settings: LogBlockSettings,
    logical_pages: u32,
    pages_per_block: u32,
    per_block: Divisor,
    /// The data block of each logical block.
    data: Vec<Block>,
    /// The number of each logical block's log.
    log_of: Vec<u32>,
    /// Which pages hold anything: the others were never written, or trimmed.
    mapped: PageSet,
    logs: Vec<Log>,
    /// Numbers of the logs that are not in use.
    idle: Vec<u32>,
    /// Where in its log block the newest copy of each page is: a row for each log.
    slots: Vec<u32>,
    free: FreeBlocks,
    clock: u64,
    merges: Merges,
}

impl LogBlockFtl {
    fn empty(setup: &Setup<'_>) -> Result<LogBlockFtl, SimError> {
        let settings = setup.settings.log_block.clone();
        let count = setup.log_blocks(settings.log_blocks, MERGE_BLOCKS);
        if count >= setup.geometry.blocks {
            return Err(SimError::Setting {
                key: "log_block.log_blocks".into(),
                problem: format!("is {count}, and the flash has {} blocks", setup.geometry.blocks),
                remedy: "use fewer than over_provisioning leaves, or 0 for all of them".into(),
            });
        }
        setup.need_spare_blocks(count.max(1).saturating_add(MERGE_BLOCKS))?;
        let pages_per_block = setup.geometry.pages_per_block;
        let unused = Log { block: NONE, lbn: NONE, in_order: true, stamp: 0 };
        Ok(LogBlockFtl {
            logical_pages: setup.logical_pages,
            pages_per_block,
            per_block: Divisor::new(pages_per_block),
            data: vec![NONE; setup.logical_blocks() as usize],
            log_of: vec![NONE; setup.logical_blocks() as usize],
            mapped: PageSet::none(setup.logical_pages),
            logs: vec![unused; count as usize],
            idle: (0..count).rev().collect(),
            slots: vec![NONE; count as usize * pages_per_block as usize],
            free: FreeBlocks::none(setup.settings.wear.levelling),
            clock: 0,
            merges: Merges::default(),
            settings,
        })
    }

    /// Where the newest copy of a page is; [`NONE`] if the page holds nothing.
    #[inline]
    fn find(&self, nand: &Nand, lpn: Lpn) -> Ppn {
        if !self.mapped.has(lpn) {
            return NONE;
        }
        let lbn = self.per_block.quotient(lpn);
        let offset = lpn - lbn * self.pages_per_block;
        let log = self.log_of[lbn as usize];
        if log != NONE {
            let slot = self.slots[(log * self.pages_per_block + offset) as usize];
            if slot != NONE {
                return nand.first_page(self.logs[log as usize].block) + slot;
            }
        }
        nand.first_page(self.data[lbn as usize]) + offset
    }

    /// Gives a logical block a fresh log, after merging another if none is left. Returns its number, and when
    /// it can be written.
    #[inline(never)]
    fn open(&mut self, nand: &mut Nand, lbn: u32, at: Moment) -> (u32, Moment) {
        let mut ready = at;
        if self.idle.is_empty() {
            ready = self.merge(nand, self.oldest(), at);
        }
        let log = self.idle.pop().expect("a merge frees a log");
        let block = self.free.take();
        nand.set_tag(block, Tag { kind: LOG, owner: lbn });
        self.clock += 1;
        self.logs[log as usize] = Log { block, lbn, in_order: true, stamp: self.clock };
        self.log_of[lbn as usize] = log;
        let row = (log * self.pages_per_block) as usize;
        self.slots[row..row + self.pages_per_block as usize].fill(NONE);
        (log, ready)
    }

    fn oldest(&self) -> u32 {
        let oldest = self.logs.iter().enumerate().min_by_key(|(_, log)| log.stamp);
        oldest.map_or(0, |(number, _)| number as u32)
    }

    /// Brings what a log holds to its data block. Returns when it is done.
    fn merge(&mut self, nand: &mut Nand, log: u32, at: Moment) -> Moment {
        let Log { block, in_order, .. } = self.logs[log as usize];
        match (in_order, nand.is_full(block)) {
            (true, true) => self.switch_merge(nand, log, at),
            (true, false) if self.settings.partial_merge => self.partial_merge(nand, log, at),
            _ => self.full_merge(nand, log, at),
        }
    }

    /// The log block becomes the data block.
    fn switch_merge(&mut self, nand: &mut Nand, log: u32, at: Moment) -> Moment {
        self.merges.switch_merges += 1;
        self.replace_data(nand, log, at)
    }

    fn partial_merge(&mut self, nand: &mut Nand, log: u32, at: Moment) -> Moment {
        self.merges.partial_merges += 1;
        let Log { block, lbn, .. } = self.logs[log as usize];
        let copied = self.copy_pages(nand, lbn, nand.next_page(block), block, at);
        self.replace_data(nand, log, copied)
    }

    fn full_merge(&mut self, nand: &mut Nand, log: u32, at: Moment) -> Moment {
        self.merges.full_merges += 1;
        let Log { block, lbn, .. } = self.logs[log as usize];
        let mut fresh = self.free.take();
        nand.set_tag(fresh, Tag { kind: DATA, owner: lbn });
        let copied = self.copy_pages(nand, lbn, 0, fresh, at);
        if nand.next_page(fresh) == 0 {
            // All of it was trimmed.
            nand.set_tag(fresh, Tag::default());
            self.free.give(nand, std::mem::replace(&mut fresh, NONE));
        }
        self.logs[log as usize].block = fresh;
        let erased = self.replace_data(nand, log, copied);
        let done = nand.erase(block, Cause::Merge, copied);
        self.free.give(nand, block);
        nand.both(done, erased)
    }

    /// Copies the newest pages of a logical block, from page `first` on, to their places in `to`.
    fn copy_pages(&self, nand: &mut Nand, lbn: u32, first: u32, to: Block, at: Moment) -> Moment {
        let base = lbn * self.pages_per_block;
        let end = self.logical_pages.min(base + self.pages_per_block);
        merge_in_place(nand, base + first..end, to, at, |nand, lpn| self.find(nand, lpn))
    }

    /// The block of a log takes the place of its data block, which is erased; the log is idle.
    fn replace_data(&mut self, nand: &mut Nand, log: u32, at: Moment) -> Moment {
        let Log { block, lbn, .. } = self.logs[log as usize];
        let old = std::mem::replace(&mut self.data[lbn as usize], block);
        self.log_of[lbn as usize] = NONE;
        self.idle.push(log);
        if old == NONE {
            return at;
        }
        let done = nand.erase(old, Cause::Merge, at);
        self.free.give(nand, old);
        done
    }
}

impl Ftl for LogBlockFtl {
    const NAME: &'static str = "log-block";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<LogBlockFtl, SimError> {
        let mut ftl = LogBlockFtl::empty(setup)?;
        ftl.free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        Ok(ftl)
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<LogBlockFtl, SimError> {
        let ftl = LogBlockFtl::empty(setup)?;
        let Recovered { data, mapped, free } = normal_form(setup, nand, trims, DATA);
        Ok(LogBlockFtl { data, mapped, free, ..ftl })
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
        let (mut log, mut ready) = (self.log_of[lbn as usize], at);
        if log != NONE && nand.is_full(self.logs[log as usize].block) {
            ready = self.merge(nand, log, at);
            log = NONE;
        }
        if log == NONE {
            (log, ready) = self.open(nand, lbn, ready);
        }
        let state = &mut self.logs[log as usize];
        let slot = nand.next_page(state.block);
        let (_, done) = nand.append(state.block, lpn, token, cause, ready);
        state.in_order &= slot == offset;
        if self.settings.victim == LogVictim::Lru {
            self.clock += 1;
            state.stamp = self.clock;
        }
        let complete = self.settings.eager_switch && state.in_order && slot + 1 == self.pages_per_block;
        self.slots[(log * self.pages_per_block + offset) as usize] = slot;
        self.mapped.insert(lpn);
        if complete { self.switch_merge(nand, log, done) } else { done }
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.mapped.remove(lpn);
    }

    fn merges(&self) -> Merges {
        self.merges
    }

    fn reserve_blocks(&self) -> u32 {
        self.logs.len() as u32 + MERGE_BLOCKS
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        SpareUse::limited(spare_blocks, self.logs.len() as u32, MERGE_BLOCKS)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(MapUse::of(self.data.len() + self.log_of.len() + self.slots.len()))
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
    use crate::nand::{Geometry, Timing};
    use crate::settings::Settings;

    /// A device of `logical_blocks` blocks of 4 pages, and one spare block more than it needs.
    fn device(logical_blocks: u32, settings: LogBlockSettings) -> (LogBlockFtl, Nand) {
        let blocks = logical_blocks + settings.log_blocks + 1;
        let geometry =
            Geometry { blocks, pages_per_block: 4, page_bytes: 2048, stripe: 1, endurance_erases: 1000 };
        let settings = Settings { log_block: settings, ..Settings::default() };
        let setup = Setup { settings: &settings, geometry, logical_pages: logical_blocks * 4, seed: 1 };
        let ftl = LogBlockFtl::new(&setup, &()).expect("the settings are good");
        (ftl, Nand::new(geometry, Timing::new(&settings.nand), true))
    }

    fn logs(log_blocks: u32) -> LogBlockSettings {
        LogBlockSettings { log_blocks, ..LogBlockSettings::default() }
    }

    /// Writes pages with tokens that count up from `first_token`.
    fn write(ftl: &mut LogBlockFtl, nand: &mut Nand, pages: &[Lpn], first_token: Token) {
        for (i, &lpn) in pages.iter().enumerate() {
            ftl.write(nand, lpn, first_token + i as Token, Cause::Host, Moment::START);
        }
        assert_eq!(nand.fault(), None);
    }

    fn filled(logical_blocks: u32, settings: LogBlockSettings) -> (LogBlockFtl, Nand) {
        let (mut ftl, mut nand) = device(logical_blocks, settings);
        let all: Vec<Lpn> = (0..logical_blocks * 4).collect();
        write(&mut ftl, &mut nand, &all, 1);
        assert_eq!(ftl.idle.len(), ftl.logs.len(), "every log was switched when it was full");
        nand.restart();
        ftl.restart();
        (ftl, nand)
    }

    /// Paper 002, table 1: 4 sectors a block, 2 log blocks. A merge is the replacement of a log block; those
    /// that are in use at the end are not counted.
    fn table_1(flushed: &[Lpn]) -> Merges {
        let (mut ftl, mut nand) = filled(5, logs(2));
        write(&mut ftl, &mut nand, flushed, 100);
        ftl.merges()
    }

    #[test]
    fn sector_lru_of_table_1_makes_12_merges() {
        let merges = table_1(&[0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14]);
        assert_eq!(merges, Merges { full_merges: 12, ..Merges::default() });
    }

    #[test]
    fn block_level_lru_of_table_1_makes_7_merges() {
        let flushes: [&[Lpn]; 9] =
            [&[12], &[16], &[0, 1], &[8, 9], &[17], &[2], &[4, 5, 6], &[10], &[13, 14]];
        assert_eq!(table_1(&flushes.concat()), Merges { full_merges: 7, ..Merges::default() });
    }

    #[test]
    fn a_whole_block_in_order_costs_one_erase_and_no_copy() {
        let (mut ftl, mut nand) = filled(5, logs(2));
        write(&mut ftl, &mut nand, &[8, 9, 10, 11], 100);
        assert_eq!(ftl.merges(), Merges { switch_merges: 1, ..Merges::default() });
        let counts = nand.counts();
        assert_eq!((counts.reads(), counts.programs(), counts.erases()), (0, 4, 1));
    }

    #[test]
    fn a_full_merge_copies_the_block_and_erases_two() {
        let (mut ftl, mut nand) = filled(5, logs(1));
        write(&mut ftl, &mut nand, &[9, 0], 100);
        assert_eq!(ftl.merges(), Merges { full_merges: 1, ..Merges::default() });
        let counts = nand.counts();
        assert_eq!((counts.reads_for(Cause::Merge), counts.programs_for(Cause::Merge)), (4, 4));
        assert_eq!((counts.programs_for(Cause::Host), counts.erases_for(Cause::Merge)), (2, 2));
    }

    #[test]
    fn a_full_merge_without_data_block_copies_what_there_is_and_erases_one() {
        let (mut ftl, mut nand) = device(5, logs(1));
        write(&mut ftl, &mut nand, &[10, 9, 10, 0], 100);
        let counts = nand.counts();
        assert_eq!((counts.reads(), counts.programs_for(Cause::Merge), counts.erases()), (2, 2, 1));
        assert_eq!(ftl.read(&mut nand, 10, Cause::Host, Moment::START).token, 102);
        assert_eq!(ftl.read(&mut nand, 8, Cause::Host, Moment::START).token, NO_TOKEN);
    }

    #[test]
    fn a_partial_merge_copies_the_rest_behind_the_log() {
        let settings = LogBlockSettings { partial_merge: true, ..logs(1) };
        let (mut ftl, mut nand) = filled(5, settings);
        write(&mut ftl, &mut nand, &[8, 9, 10, 0], 100);
        assert_eq!(ftl.merges(), Merges { partial_merges: 1, ..Merges::default() });
        let counts = nand.counts();
        assert_eq!((counts.reads(), counts.programs_for(Cause::Merge), counts.erases()), (1, 1, 1));
        assert_eq!(ftl.read(&mut nand, 11, Cause::Host, Moment::START).token, 12);
        assert_eq!(ftl.read(&mut nand, 10, Cause::Host, Moment::START).token, 102);
    }

    #[test]
    fn without_eager_switch_a_full_log_waits_until_it_must_leave() {
        let settings = LogBlockSettings { eager_switch: false, ..logs(1) };
        let (mut ftl, mut nand) = device(5, settings);
        write(&mut ftl, &mut nand, &[0, 1, 2, 3], 1);
        assert_eq!(ftl.merges(), Merges::default());
        write(&mut ftl, &mut nand, &[4], 5);
        assert_eq!(ftl.merges(), Merges { switch_merges: 1, ..Merges::default() });
    }

    #[test]
    fn fifo_merges_the_oldest_log_and_lru_the_one_not_written_for_longest() {
        for (victim, survivor) in [(LogVictim::Fifo, 1), (LogVictim::Lru, 0)] {
            let (mut ftl, mut nand) = filled(5, LogBlockSettings { victim, ..logs(2) });
            write(&mut ftl, &mut nand, &[0, 4, 1, 8], 100);
            assert_ne!(ftl.log_of[survivor], NONE, "{victim:?}");
            assert_eq!(ftl.log_of[1 - survivor], NONE, "{victim:?}");
        }
    }

    #[test]
    fn a_block_that_was_trimmed_whole_needs_no_data_block() {
        let (mut ftl, mut nand) = filled(5, logs(1));
        write(&mut ftl, &mut nand, &[9], 100);
        (8..12).for_each(|lpn| ftl.trim(&mut nand, lpn, Moment::START));
        let programs = nand.counts().programs();
        write(&mut ftl, &mut nand, &[0], 101);
        assert_eq!(nand.counts().programs(), programs + 1);
        assert_eq!((ftl.data[2], ftl.free.len()), (NONE, 2));
        assert_eq!(ftl.read(&mut nand, 9, Cause::Host, Moment::START).token, NO_TOKEN);
    }

    #[test]
    fn it_returns_what_was_written_and_survives_power_cuts() {
        for (log_blocks, partial_merge, eager_switch) in
            [(1, false, true), (3, true, true), (11, true, false), (5, false, false)]
        {
            let log_block =
                LogBlockSettings { log_blocks, partial_merge, eager_switch, ..Default::default() };
            let settings = Settings { log_block, ..testing::small("log-block") };
            testing::returns_what_was_written(&settings);
            testing::survives_power_cuts(&settings, 150);
        }
    }
}
