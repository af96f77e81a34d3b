//! FIFO: the block that was closed first, however many valid pages it has. A log that wraps: it never
//! compares blocks, and it erases all of them equally often (Desnoyers, SYSTOR 2012, "LRU cleaning").

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::Block;

/// The closed blocks in the order in which they were closed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fifo {
    closed: VecDeque<Block>,
}

impl VictimPolicy for Fifo {
    const NAME: &'static str = "fifo";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<Fifo, SimError> {
        Ok(Fifo { closed: VecDeque::with_capacity(setup.blocks as usize) })
    }

    fn closed(&mut self, block: Block, _valid: u32, _host_writes: u64) {
        self.closed.push_back(block);
    }

    #[inline]
    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, _valid: &[u32], _host_writes: u64) -> Option<Block> {
        self.closed.pop_front()
    }

    /// Searches the queue: wear levelling, the only caller, is rare.
    fn remove(&mut self, block: Block) {
        self.closed.retain(|&other| other != block);
    }
}
