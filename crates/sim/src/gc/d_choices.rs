//! d-choices: of `victim.choices` closed blocks, drawn with replacement, the one with the fewest valid pages
//! (the random greedy algorithm: Van Houdt, SIGMETRICS 2013). One choice is `random`; many come close to
//! `greedy`. A choice costs as many draws, whatever the size of the device.

use flashscope_core::seed::Random;
use serde::{Deserialize, Serialize};

use super::closed::{ClosedBlocks, Draws};
use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::Block;

/// The closed blocks, and how many of them to look at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DChoices {
    closed: ClosedBlocks,
    draws: Draws,
    choices: u32,
}

fn draw(blocks: &[Block], random: &mut Random) -> Block {
    blocks[random.below(blocks.len() as u64) as usize]
}

impl VictimPolicy for DChoices {
    const NAME: &'static str = "d-choices";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<DChoices, SimError> {
        Ok(DChoices {
            closed: ClosedBlocks::new(setup),
            draws: Draws::new(setup.seed),
            choices: setup.settings.victim.choices,
        })
    }

    fn closed(&mut self, block: Block, _valid: u32, _host_writes: u64) {
        self.closed.insert(block);
    }

    #[inline]
    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, valid: &[u32], _host_writes: u64) -> Option<Block> {
        let blocks = self.closed.as_slice();
        if blocks.is_empty() {
            return None;
        }
        let mut random = self.draws.next_random();
        let mut best = draw(blocks, &mut random);
        for _ in 1..self.choices {
            let other = draw(blocks, &mut random);
            if valid[other as usize] < valid[best as usize] {
                best = other;
            }
        }
        self.closed.remove(best);
        Some(best)
    }

    fn remove(&mut self, block: Block) {
        self.closed.remove(block);
    }
}
