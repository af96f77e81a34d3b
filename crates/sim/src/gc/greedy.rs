//! Greedy: the closed block with the fewest valid pages; among equals, the one that came last to that number.
//! Optimal under uniform random writes (reference: Yang, Misra, Rubenstein 2015).

use serde::{Deserialize, Serialize};

use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::{Block, NONE};
use crate::prefetch::prefetch;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Link {
    previous: Block,
    next: Block,
    /// The bucket it is in; [`NONE`] while it is not closed.
    bucket: u32,
}

/// One doubly linked list of blocks for each number of valid pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greedy {
    links: Vec<Link>,
    heads: Vec<Block>,
    /// No bucket below it holds a block.
    lowest: u32,
}

impl Greedy {
    /// No block is closed yet.
    pub(crate) fn none(blocks: u32, pages_per_block: u32) -> Greedy {
        Greedy {
            links: vec![Link { previous: NONE, next: NONE, bucket: NONE }; blocks as usize],
            heads: vec![NONE; pages_per_block as usize + 1],
            lowest: 0,
        }
    }

    #[inline]
    fn unlink(&mut self, block: Block) {
        let Link { previous, next, bucket } = self.links[block as usize];
        match previous {
            NONE => self.heads[bucket as usize] = next,
            _ => self.links[previous as usize].next = next,
        }
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
    }

    #[inline]
    fn link(&mut self, block: Block, bucket: u32) {
        let next = std::mem::replace(&mut self.heads[bucket as usize], block);
        if next != NONE {
            self.links[next as usize].previous = block;
        }
        self.links[block as usize] = Link { previous: NONE, next, bucket };
        self.lowest = self.lowest.min(bucket);
    }
}

impl VictimPolicy for Greedy {
    const NAME: &'static str = "greedy";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<Greedy, SimError> {
        Ok(Greedy::none(setup.blocks, setup.pages_per_block))
    }

    #[inline]
    fn closed(&mut self, block: Block, valid: u32, _host_writes: u64) {
        self.link(block, valid);
    }

    #[inline(always)] // once for each page that is overwritten
    fn invalidated(&mut self, block: Block, valid: u32) {
        if self.links[block as usize].bucket != NONE {
            self.unlink(block);
            self.link(block, valid);
        }
    }

    #[inline]
    fn prepare(&self, block: Block) {
        prefetch(&self.links, block as usize);
    }

    #[inline]
    fn pick(&mut self, _valid: &[u32], _host_writes: u64) -> Option<Block> {
        while self.heads[self.lowest as usize] == NONE {
            if self.lowest as usize == self.heads.len() - 1 {
                return None;
            }
            self.lowest += 1;
        }
        let block = self.heads[self.lowest as usize];
        self.remove(block);
        Some(block)
    }

    fn remove(&mut self, block: Block) {
        self.unlink(block);
        self.links[block as usize].bucket = NONE;
    }
}
