//! The closed blocks by the number of their valid pages, the oldest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use super::Closing;
use crate::nand::Block;
use crate::prefetch::prefetch;

/// Entries of a queue that are never tidied up.
const ENTRIES_MIN: usize = 64;

/// Blocks by the number of their closing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Queue {
    entries: BinaryHeap<Reverse<(u64, Block)>>,
    /// Entries that say what is so.
    blocks: usize,
}

/// A queue for each number of valid pages. A block that loses a page joins the next one and stays in the one
/// before as an entry that is passed over when it comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Queues {
    /// By the number of valid pages.
    queues: Vec<Queue>,
    /// In which queue each block is that is closed.
    valid: Vec<u32>,
}

impl Queues {
    pub(super) fn new(blocks: u32, pages_per_block: u32) -> Queues {
        Queues {
            queues: vec![Queue::default(); pages_per_block as usize + 1],
            valid: vec![0; blocks as usize],
        }
    }

    #[inline]
    pub(super) fn join(&mut self, block: Block, valid: u32, closings: &[Closing]) {
        self.valid[block as usize] = valid;
        let queue = &mut self.queues[valid as usize];
        queue.blocks += 1;
        queue.entries.push(Reverse((closings[block as usize].number, block)));
    }

    #[inline]
    pub(super) fn prepare(&self, block: Block) {
        prefetch(&self.valid, block as usize);
    }

    /// Its entry stays, and says no more what is so.
    #[inline]
    pub(super) fn leave(&mut self, block: Block, closings: &[Closing]) {
        let valid = self.valid[block as usize];
        let queue = &mut self.queues[valid as usize];
        queue.blocks -= 1;
        if queue.entries.len() > ENTRIES_MIN + 2 * queue.blocks {
            let of = &self.valid;
            queue.entries.retain(|Reverse((number, other))| {
                let is_there = closings[*other as usize].number == *number && of[*other as usize] == valid;
                is_there && *other != block
            });
        }
    }

    /// The oldest block of each queue, with its valid pages.
    pub(super) fn oldest(&mut self, closings: &[Closing]) -> impl Iterator<Item = (Block, u32)> {
        let of = &self.valid;
        self.queues.iter_mut().zip(0..).filter_map(move |(queue, valid)| {
            if queue.blocks == 0 {
                queue.entries.clear();
            }
            while let Some(Reverse((number, block))) = queue.entries.peek().copied() {
                if closings[block as usize].number == number && of[block as usize] == valid {
                    return Some((block, valid));
                }
                queue.entries.pop();
            }
            None
        })
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> (usize, usize) {
        let entries = self.queues.iter().map(|queue| queue.entries.len()).sum();
        (entries, self.queues.len() * (ENTRIES_MIN + 1) + 2 * self.valid.len())
    }
}
