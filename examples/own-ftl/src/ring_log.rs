//! An FTL: one log that goes round. Pages are appended; the oldest block is cleaned when free blocks
//! run short.

use std::collections::VecDeque;

use flashscope_sim::SimError;
use flashscope_sim::ftl::{FreeBlocks, Ftl, NewestCopies, Setup, Tombstone};
use flashscope_sim::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, PageRead, Ppn, Token};
use serde::{Deserialize, Serialize};

/// Settings of a [`RingLog`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingLogOptions {
    /// Erased blocks kept in reserve, at least 1.
    pub reserve_blocks: u32,
}

/// Page mapping over a circular log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RingLog {
    map: Vec<Ppn>,
    open: Block,
    /// Full blocks, the oldest first.
    closed: VecDeque<Block>,
    free: FreeBlocks,
    reserve_blocks: u32,
}

impl RingLog {
    fn advance(&mut self) {
        self.closed.push_back(self.open);
        self.open = self.free.take();
    }

    fn append(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        if nand.is_full(self.open) {
            self.advance();
        }
        let (ppn, done) = nand.append(self.open, lpn, token, cause, at);
        self.map[lpn as usize] = ppn;
        done
    }

    /// Moves what the oldest block still holds to the end of the log, and erases it.
    fn clean(&mut self, nand: &mut Nand, at: Moment) {
        let Some(oldest) = self.closed.pop_front() else { return };
        let first = nand.first_page(oldest);
        for from in first..first + nand.next_page(oldest) {
            let lpn = nand.owner(from);
            if self.map.get(lpn as usize) == Some(&from) {
                let read = nand.read(from, Cause::Gc, at);
                self.append(nand, lpn, read.token, Cause::Gc, read.done);
            }
        }
        nand.erase(oldest, Cause::Gc, at);
        self.free.give(nand, oldest);
    }

    fn restore_reserve(&mut self, nand: &mut Nand, at: Moment) {
        while self.free.len() < self.reserve_blocks && nand.fault().is_none() {
            self.clean(nand, at);
        }
    }
}

impl Ftl for RingLog {
    const NAME: &'static str = "ring-log";
    type Options = RingLogOptions;

    fn new(setup: &Setup<'_>, options: &RingLogOptions) -> Result<RingLog, SimError> {
        let reserve_blocks = options.reserve_blocks.max(1);
        setup.need_spare_blocks(reserve_blocks + 1)?;
        let mut free = FreeBlocks::all(setup.geometry.blocks, setup.settings.wear.levelling);
        let (map, open) = (vec![NONE; setup.logical_pages as usize], free.take());
        Ok(RingLog { map, open, closed: VecDeque::new(), free, reserve_blocks })
    }

    /// Every block that holds the newest copy of a page is closed, the oldest first; all others are erased.
    fn rebuild(
        setup: &Setup<'_>,
        options: &RingLogOptions,
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<RingLog, SimError> {
        let newest = NewestCopies::scan(nand, setup.logical_pages, trims);
        let in_use: Vec<Block> = newest.mapped().map(|(_, ppn)| nand.block_of(ppn)).collect();
        let mut blocks: Vec<Block> = (0..nand.blocks()).collect();
        blocks.sort_by_key(|block| newest.youngest[*block as usize]);
        let mut ftl = RingLog::new(setup, options)?;
        ftl.free = FreeBlocks::none(setup.settings.wear.levelling);
        for block in blocks {
            if in_use.contains(&block) {
                ftl.closed.push_back(block);
                continue;
            }
            if nand.next_page(block) > 0 {
                nand.erase(block, Cause::Gc, Moment::START);
            }
            ftl.free.give(nand, block);
        }
        (ftl.map, ftl.open) = (newest.copies, ftl.free.take());
        ftl.restore_reserve(nand, Moment::START);
        Ok(ftl)
    }

    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        match self.map[lpn as usize] {
            NONE => PageRead { token: NO_TOKEN, done: at },
            ppn => nand.read(ppn, cause, at),
        }
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        while nand.is_full(self.open) && nand.fault().is_none() {
            self.advance();
            self.restore_reserve(nand, at);
        }
        self.append(nand, lpn, token, cause, at)
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.map[lpn as usize] = NONE;
    }

    fn reserve_blocks(&self) -> u32 {
        self.reserve_blocks + 1
    }

    fn free_blocks(&self) -> u32 {
        self.free.len()
    }
}
