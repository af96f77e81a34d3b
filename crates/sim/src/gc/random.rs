//! Random: any closed block, all equally likely. The baseline that every other policy must beat (write
//! amplification 1/(1 - utilisation) under uniform random writes); it wears all blocks alike.

use serde::{Deserialize, Serialize};

use super::closed::{ClosedBlocks, Draws};
use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::Block;

/// The closed blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Uniform {
    closed: ClosedBlocks,
    draws: Draws,
}

impl VictimPolicy for Uniform {
    const NAME: &'static str = "random";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<Uniform, SimError> {
        Ok(Uniform { closed: ClosedBlocks::new(setup), draws: Draws::new(setup.seed) })
    }

    fn closed(&mut self, block: Block, _valid: u32, _host_writes: u64) {
        self.closed.insert(block);
    }

    #[inline]
    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, _valid: &[u32], _host_writes: u64) -> Option<Block> {
        let count = self.closed.as_slice().len() as u64;
        if count == 0 {
            return None;
        }
        let place = self.draws.next_random().below(count);
        let block = self.closed.as_slice()[place as usize];
        self.closed.remove(block);
        Some(block)
    }

    fn remove(&mut self, block: Block) {
        self.closed.remove(block);
    }
}
