//! Erased blocks, and which one is used next.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::nand::{Block, Nand};
use crate::settings::Levelling;

/// The erased blocks of an FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FreeBlocks {
    /// First freed, first used.
    Queue(VecDeque<Block>),
    /// Fewest erases first: dynamic wear levelling.
    Worn(BTreeSet<(u32, Block)>),
}

impl FreeBlocks {
    /// The blocks `0..blocks`, none of which was ever erased.
    pub fn all(blocks: u32, levelling: Levelling) -> FreeBlocks {
        FreeBlocks::range(0..blocks, levelling)
    }

    /// Some blocks, none of which was ever erased.
    pub fn range(blocks: Range<Block>, levelling: Levelling) -> FreeBlocks {
        FreeBlocks::of(blocks, levelling)
    }

    /// Any blocks, none of which was ever erased.
    pub fn of(blocks: impl Iterator<Item = Block>, levelling: Levelling) -> FreeBlocks {
        match levelling {
            Levelling::None => FreeBlocks::Queue(blocks.collect()),
            _ => FreeBlocks::Worn(blocks.map(|block| (0, block)).collect()),
        }
    }

    /// No block at all, to begin a rebuild with.
    pub fn none(levelling: Levelling) -> FreeBlocks {
        FreeBlocks::all(0, levelling)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> u32 {
        match self {
            FreeBlocks::Queue(blocks) => blocks.len() as u32,
            FreeBlocks::Worn(blocks) => blocks.len() as u32,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `block` was erased.
    pub fn give(&mut self, nand: &Nand, block: Block) {
        match self {
            FreeBlocks::Queue(blocks) => blocks.push_back(block),
            FreeBlocks::Worn(blocks) => {
                blocks.insert((nand.erases(block), block));
            }
        }
    }

    /// The block to use next.
    ///
    /// # Panics
    /// If there is none: every FTL keeps a reserve, and a set-up that cannot is refused by its `new`.
    pub fn take(&mut self) -> Block {
        let next = match self {
            FreeBlocks::Queue(blocks) => blocks.pop_front(),
            FreeBlocks::Worn(blocks) => blocks.pop_first().map(|(_, block)| block),
        };
        next.expect("an FTL's reserve of free blocks never runs out")
    }
}
