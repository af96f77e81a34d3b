//! Cost-benefit: the block with the highest (1 - u) / 2u x age, where u is its share of valid pages and age
//! the pages that the host wrote since it was closed (Kawaguchi, Nishioka, Motoda, USENIX 1995).
//!
//! A choice looks at every closed block. With N blocks of b pages and victims of u, that is N / (b (1 - u))
//! looks for each page that the host writes: 2,048 blocks of 128 pages at u = 0.8 cost 80.

use serde::{Deserialize, Serialize};

use super::closed::ClosedBlocks;
use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::Block;

/// The closed blocks, and since when they are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CostBenefit {
    closed: ClosedBlocks,
    /// Host writes at the time when each block was closed.
    closed_at: Vec<u64>,
    pages_per_block: u32,
}

impl CostBenefit {
    /// Benefit and cost as two whole numbers; the common factor 1/2 changes no order. A block that was closed
    /// just now is one write old, so that one without garbage is always the worst.
    #[inline]
    fn benefit_and_cost(&self, block: Block, valid: &[u32], host_writes: u64) -> (u128, u128) {
        let valid = valid[block as usize];
        let age = host_writes - self.closed_at[block as usize] + 1;
        (u128::from(self.pages_per_block - valid) * u128::from(age), u128::from(valid))
    }
}

impl VictimPolicy for CostBenefit {
    const NAME: &'static str = "cost-benefit";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<CostBenefit, SimError> {
        Ok(CostBenefit {
            closed: ClosedBlocks::new(setup),
            closed_at: vec![0; setup.blocks as usize],
            pages_per_block: setup.pages_per_block,
        })
    }

    fn closed(&mut self, block: Block, _valid: u32, host_writes: u64) {
        self.closed_at[block as usize] = host_writes;
        self.closed.insert(block);
    }

    #[inline]
    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, valid: &[u32], host_writes: u64) -> Option<Block> {
        let mut blocks = self.closed.as_slice().iter().copied();
        let mut best = blocks.next()?;
        let (mut best_benefit, mut best_cost) = self.benefit_and_cost(best, valid, host_writes);
        for block in blocks {
            let (benefit, cost) = self.benefit_and_cost(block, valid, host_writes);
            // benefit / cost > best_benefit / best_cost, also where a cost is 0.
            if benefit * best_cost > best_benefit * cost {
                (best, best_benefit, best_cost) = (block, benefit, cost);
            }
        }
        self.closed.remove(best);
        Some(best)
    }

    fn remove(&mut self, block: Block) {
        self.closed.remove(block);
    }
}
