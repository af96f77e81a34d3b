//! Groups of pages that one operation programs, and what a flush makes of those that are not complete.
//!
//! The pages of a group wait in the register of their die until the last one has come, and a write of them is
//! done when they are there. So a flush has more to do than to wait: what the register holds of a group is
//! programmed, either with padding in the place of the pages that are missing, or by itself, as flash does
//! that may program the pages of a group one by one.

use serde::{Deserialize, Serialize};

use super::divide::Divisor;
use super::{Block, Cause, Moment, NO_TOKEN, NONE, Nand, Timing};

/// Which groups a flush has to finish.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Groups {
    pages: u32,
    by_pages: Divisor,
    /// Blocks that the host wrote to since the last flush, if a group of theirs was begun.
    begun: Vec<Block>,
    /// When the groups are programmed that the host completed.
    complete: Moment,
}

impl Groups {
    pub(super) fn of(timing: &Timing) -> Groups {
        let pages = timing.group_pages();
        Groups { pages, by_pages: Divisor::new(pages), begun: Vec::new(), complete: Moment::START }
    }

    /// Whether an operation programs more than one page.
    #[inline]
    pub(super) fn are_large(&self) -> bool {
        self.pages > 1
    }
}

impl Nand {
    /// The host wrote this page.
    pub(super) fn note_group(&mut self, block: Block, page: u32, done: Moment) {
        if self.groups.by_pages.remainder(page + 1) == 0 {
            self.groups.complete = self.both(self.groups.complete, done);
        } else if !self.blocks[block as usize].is_listed {
            self.blocks[block as usize].is_listed = true;
            self.groups.begun.push(block);
        }
    }

    /// Whatever there is was there from the beginning.
    pub(super) fn forget_groups(&mut self) {
        self.groups.complete = Moment::START;
        for block in std::mem::take(&mut self.groups.begun) {
            self.blocks[block as usize].is_listed = false;
        }
    }

    /// For [`Ftl::flush`](crate::ftl::Ftl::flush) of an FTL whose pages can be anywhere: fills the groups
    /// that the host has begun with pages that hold nothing, [`Cause::Padding`]. Returns when all that the
    /// host wrote is programmed.
    pub fn pad_groups(&mut self, at: Moment) -> Moment {
        self.finish_groups(at, |nand, block| {
            let mut done = at;
            while nand.is_in_group(block) {
                (_, done) = nand.append(block, NONE, NO_TOKEN, Cause::Padding, at);
            }
            done
        })
    }

    /// For [`Ftl::flush`](crate::ftl::Ftl::flush) of an FTL whose pages have their places: programs what
    /// there is of the groups that the host has begun; their other pages take an operation of their own.
    /// Returns when all that the host wrote is programmed.
    pub fn program_groups(&mut self, at: Moment) -> Moment {
        self.finish_groups(at, |nand, block| {
            let last = nand.next_page(block) - 1;
            nand.timing.finish(block, last, at)
        })
    }

    fn finish_groups(&mut self, at: Moment, finish: impl Fn(&mut Nand, Block) -> Moment) -> Moment {
        let mut done = self.both(at, self.groups.complete);
        for block in std::mem::take(&mut self.groups.begun) {
            if self.is_in_group(block) && !self.power.is_off() {
                let finished = finish(self, block);
                done = self.both(done, finished);
            }
            self.blocks[block as usize].is_listed = false;
        }
        self.groups.begun.clear();
        done
    }

    /// Whether the last group of a block is begun and not complete.
    fn is_in_group(&self, block: Block) -> bool {
        !self.is_full(block) && self.groups.by_pages.remainder(self.next_page(block)) != 0
    }
}
