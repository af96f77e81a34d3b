//! The logs of `banked-log`: which pages of a logical block lie where in which log block. When they are
//! opened, closed and merged is not decided here.

use serde::{Deserialize, Serialize};

use crate::nand::{Block, NONE};

/// What one logical block has in one log block, alone or beside others.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Log {
    pub(super) block: Block,
    pub(super) lbn: u32,
    /// Pages so far went to their own places.
    pub(super) in_order: bool,
    /// The page after the last one, as long as each followed the one before; [`NONE`] afterwards.
    pub(super) next: u32,
    /// Pages of the logical block that it holds.
    pub(super) pages: u32,
    /// It takes no more writes: its merge waits.
    pub(super) closed: bool,
    /// A closed log of the same logical block, whose pages are older; [`NONE`] without one.
    older: u32,
}

const UNUSED: Log =
    Log { block: NONE, lbn: NONE, in_order: true, next: NONE, pages: 0, closed: false, older: NONE };

/// All logs by number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Logs {
    pages_per_block: u32,
    all: Vec<Log>,
    /// Numbers of the logs that are not in use.
    unused: Vec<u32>,
    /// Where in its log block the newest copy of each page is: a row for each log.
    slots: Vec<u32>,
    /// The number of each logical block's newest log.
    newest: Vec<u32>,
    /// Logs in each block of the flash.
    sharers: Vec<u32>,
    /// The number of the last page that was written to each block of the flash.
    written: Vec<u32>,
    /// Pages written so far, modulo 2^32.
    writes: u32,
}

impl Logs {
    pub(super) fn none(count: u32, logical_blocks: u32, flash_blocks: u32, pages_per_block: u32) -> Logs {
        Logs {
            pages_per_block,
            all: vec![UNUSED; count as usize],
            unused: (0..count).rev().collect(),
            slots: vec![NONE; count as usize * pages_per_block as usize],
            newest: vec![NONE; logical_blocks as usize],
            sharers: vec![0; flash_blocks as usize],
            written: vec![0; flash_blocks as usize],
            writes: 0,
        }
    }

    /// Numbers in the tables that say where pages are.
    pub(super) fn places(&self) -> usize {
        self.slots.len() + self.newest.len()
    }

    #[inline]
    pub(super) fn get(&self, log: u32) -> Log {
        self.all[log as usize]
    }

    /// The number of a logical block's newest log; [`NONE`] without one.
    #[inline]
    pub(super) fn newest(&self, lbn: u32) -> u32 {
        self.newest[lbn as usize]
    }

    /// Logs that lie in a block.
    pub(super) fn sharers(&self, block: Block) -> u32 {
        self.sharers[block as usize]
    }

    /// Pages that were written to other blocks since one was last written to this.
    pub(super) fn writes_since(&self, block: Block) -> u32 {
        self.writes.wrapping_sub(self.written[block as usize])
    }

    fn row(&self, log: u32) -> usize {
        log as usize * self.pages_per_block as usize
    }

    /// Where each page of a logical block is in its log.
    pub(super) fn slots(&self, log: u32) -> &[u32] {
        &self.slots[self.row(log)..][..self.pages_per_block as usize]
    }

    /// The log block that holds the newest copy of a page, and where in it.
    #[inline]
    pub(super) fn find(&self, lbn: u32, offset: u32) -> Option<(Block, u32)> {
        let mut log = self.newest(lbn);
        while log != NONE {
            let slot = self.slots[self.row(log) + offset as usize];
            let Log { block, older, .. } = self.get(log);
            if slot != NONE {
                return Some((block, slot));
            }
            log = older;
        }
        None
    }

    /// A new log of a logical block, newer than any other that it has.
    pub(super) fn open(&mut self, block: Block, lbn: u32) -> u32 {
        let log = self.unused.pop().expect("there are as many logs as may be in use");
        self.all[log as usize] = Log { block, lbn, older: self.newest(lbn), ..UNUSED };
        self.newest[lbn as usize] = log;
        self.sharers[block as usize] += 1;
        let row = self.row(log);
        self.slots[row..][..self.pages_per_block as usize].fill(NONE);
        log
    }

    /// The page at `offset` was written to `slot`.
    #[inline]
    pub(super) fn wrote(&mut self, log: u32, offset: u32, slot: u32) -> Log {
        let place = self.row(log) + offset as usize;
        let before = std::mem::replace(&mut self.slots[place], slot);
        let state = &mut self.all[log as usize];
        state.in_order &= slot == offset;
        state.next = if state.pages == 0 || state.next == offset { offset + 1 } else { NONE };
        state.pages += u32::from(before == NONE);
        self.writes = self.writes.wrapping_add(1);
        self.written[state.block as usize] = self.writes;
        *state
    }

    /// Closes all logs in a block; `closed` hears of each.
    pub(super) fn close(&mut self, block: Block, mut closed: impl FnMut(u32)) {
        for (log, state) in (0..).zip(&mut self.all) {
            if state.block == block && !state.closed {
                state.closed = true;
                closed(log);
            }
        }
    }

    /// Takes the oldest log of its logical block out of use. Its block, if no other log lies in it.
    pub(super) fn forget(&mut self, log: u32) -> Option<Block> {
        let lbn = self.get(log).lbn as usize;
        let mut newer = self.newest[lbn];
        if newer == log {
            self.newest[lbn] = NONE;
        } else {
            while self.get(newer).older != log {
                newer = self.get(newer).older;
            }
            self.all[newer as usize].older = NONE;
        }
        self.release(log)
    }

    /// The oldest log behind this one, if there is any.
    pub(super) fn oldest_behind(&self, log: u32) -> Option<u32> {
        let older = |log: &u32| Some(self.get(*log).older).filter(|&older| older != NONE);
        std::iter::successors(older(&log), older).last()
    }

    fn release(&mut self, log: u32) -> Option<Block> {
        let Log { block, .. } = std::mem::replace(&mut self.all[log as usize], UNUSED);
        self.unused.push(log);
        self.sharers[block as usize] -= 1;
        (self.sharers(block) == 0).then_some(block)
    }
}
