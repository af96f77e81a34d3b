//! The closed blocks as a set that can be drawn from: shared by the policies that keep no order.

use flashscope_core::seed::{Random, derive};
use serde::{Deserialize, Serialize};

use super::PolicySetup;
use crate::nand::{Block, NONE};

/// A set of blocks with constant-time insertion, removal and choice by place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClosedBlocks {
    blocks: Vec<Block>,
    /// Where each block is in `blocks`; [`NONE`] while it is not closed.
    places: Vec<u32>,
}

impl ClosedBlocks {
    /// No block is closed yet.
    pub fn new(setup: &PolicySetup<'_>) -> ClosedBlocks {
        ClosedBlocks { blocks: Vec::new(), places: vec![NONE; setup.blocks as usize] }
    }

    /// All of them, in no order that means anything, but the same in every run.
    #[inline]
    pub fn as_slice(&self) -> &[Block] {
        &self.blocks
    }

    /// Adds a block that is not in the set.
    pub fn insert(&mut self, block: Block) {
        self.places[block as usize] = self.blocks.len() as u32;
        self.blocks.push(block);
    }

    /// Takes a block out that is in the set.
    pub fn remove(&mut self, block: Block) {
        let place = std::mem::replace(&mut self.places[block as usize], NONE);
        self.blocks.swap_remove(place as usize);
        if let Some(&moved) = self.blocks.get(place as usize) {
            self.places[moved as usize] = place;
        }
    }
}

/// Randomness that can be saved: a seed and how often it was used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Draws {
    seed: u64,
    used: u64,
}

impl Draws {
    /// Draws of this seed, none used yet.
    pub fn new(seed: u64) -> Draws {
        Draws { seed, used: 0 }
    }

    /// A generator for one choice, independent of those before.
    pub fn next_random(&mut self) -> Random {
        self.used += 1;
        Random::new(derive(self.seed, self.used))
    }
}
