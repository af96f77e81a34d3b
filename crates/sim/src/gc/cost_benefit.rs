//! Cost-benefit: the block with the highest (1 - u) / 2u x age, where u is its share of valid pages and age
//! the pages that the host wrote since it was closed (Kawaguchi, Nishioka, Motoda, USENIX 1995). Among
//! equals, the one with the fewest valid pages, and of those the oldest.
//!
//! A choice that looks at every closed block costs N / (b (1 - u)) looks for each page that the host writes,
//! with N blocks of b pages and victims of u: nothing for few large blocks, 640 for 16,384 blocks of 128
//! pages at u = 0.8. Of the blocks with as many valid pages the oldest is best, however time goes on: where
//! there are many blocks, one queue for each number of valid pages leaves at most b looks for a choice.

mod queues;

use serde::{Deserialize, Serialize};

use super::closed::ClosedBlocks;
use super::{PolicySetup, VictimPolicy};
use crate::error::SimError;
use crate::nand::Block;
use crate::prefetch::prefetch;
use queues::Queues;

/// More blocks than so many times the pages of each are kept in queues: to keep them costs about as much as
/// ten looks for each page that the host writes.
const SCANNED_MAX: u64 = 8;

/// Of a block that is not closed.
const OPEN: u64 = u64::MAX;

/// When a block was closed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Closing {
    /// Blocks that were closed before it; [`OPEN`] while it is not closed.
    number: u64,
    host_writes: u64,
}

/// How the best is found.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Search {
    /// Among all.
    All(ClosedBlocks),
    /// Among the oldest of each queue.
    Queues(Queues),
}

/// The closed blocks, and since when they are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CostBenefit {
    closings: Vec<Closing>,
    closed: u64,
    pages_per_block: u32,
    search: Search,
}

/// A block that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    block: Block,
    number: u64,
    /// Both as whole numbers; the common factor 1/2 changes no order. A block that was closed just now is one
    /// write old, so that one without garbage is always the worst.
    benefit: u128,
    cost: u128,
}

impl Candidate {
    #[inline]
    fn of(block: Block, valid: u32, pages_per_block: u32, closing: Closing, host_writes: u64) -> Candidate {
        let age = u128::from(host_writes - closing.host_writes + 1);
        let benefit = u128::from(pages_per_block - valid) * age;
        Candidate { block, number: closing.number, benefit, cost: u128::from(valid) }
    }

    /// Whether it is the better victim: also where a cost is 0.
    #[inline]
    fn beats(&self, other: &Candidate) -> bool {
        let (own, others) = (self.benefit * other.cost, other.benefit * self.cost);
        own > others || own == others && (self.cost, self.number) < (other.cost, other.number)
    }
}

impl CostBenefit {
    fn searching(setup: &PolicySetup<'_>, search: Search) -> CostBenefit {
        let closings = vec![Closing { number: OPEN, host_writes: 0 }; setup.blocks as usize];
        CostBenefit { closings, closed: 0, pages_per_block: setup.pages_per_block, search }
    }

    fn best(&mut self, valid: &[u32], host_writes: u64) -> Option<Block> {
        let CostBenefit { closings, pages_per_block, search, .. } = self;
        let candidate = |block: Block, valid: u32| {
            Candidate::of(block, valid, *pages_per_block, closings[block as usize], host_writes)
        };
        let better = |best: Candidate, next: Candidate| if next.beats(&best) { next } else { best };
        let best = match search {
            Search::All(closed) => {
                let all = closed.as_slice().iter().map(|block| candidate(*block, valid[*block as usize]));
                all.reduce(better)
            }
            Search::Queues(queues) => {
                queues.oldest(closings).map(|(block, valid)| candidate(block, valid)).reduce(better)
            }
        };
        best.map(|best| best.block)
    }
}

impl VictimPolicy for CostBenefit {
    const NAME: &'static str = "cost-benefit";
    type Options = ();

    fn new(setup: &PolicySetup<'_>, _: &()) -> Result<CostBenefit, SimError> {
        let is_few = u64::from(setup.blocks) <= SCANNED_MAX * u64::from(setup.pages_per_block);
        let search = if is_few {
            Search::All(ClosedBlocks::new(setup))
        } else {
            Search::Queues(Queues::new(setup.blocks, setup.pages_per_block))
        };
        Ok(CostBenefit::searching(setup, search))
    }

    fn closed(&mut self, block: Block, valid: u32, host_writes: u64) {
        self.closings[block as usize] = Closing { number: self.closed, host_writes };
        self.closed += 1;
        match &mut self.search {
            Search::All(closed) => closed.insert(block),
            Search::Queues(queues) => queues.join(block, valid, &self.closings),
        }
    }

    #[inline]
    fn invalidated(&mut self, block: Block, valid: u32) {
        if let Search::Queues(queues) = &mut self.search
            && self.closings[block as usize].number != OPEN
        {
            queues.leave(block, &self.closings);
            queues.join(block, valid, &self.closings);
        }
    }

    #[inline]
    fn prepare(&self, block: Block) {
        if let Search::Queues(queues) = &self.search {
            prefetch(&self.closings, block as usize);
            queues.prepare(block);
        }
    }

    fn pick(&mut self, valid: &[u32], host_writes: u64) -> Option<Block> {
        let block = self.best(valid, host_writes)?;
        self.remove(block);
        Some(block)
    }

    fn remove(&mut self, block: Block) {
        match &mut self.search {
            Search::All(closed) => closed.remove(block),
            Search::Queues(queues) => queues.leave(block, &self.closings),
        }
        self.closings[block as usize].number = OPEN;
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;
    use crate::settings::Settings;

    const BLOCKS: u32 = 300;
    const PAGES: u32 = 16;

    /// By its definition.
    fn worth(valid: u32, age: u64) -> f64 {
        let u = f64::from(valid) / f64::from(PAGES);
        if u == 0.0 { f64::INFINITY } else { (1.0 - u) / (2.0 * u) * age as f64 }
    }

    /// Both ways of searching pick the same blocks, and none is worth more.
    #[test]
    fn a_victim_is_worth_as_much_as_any_block_however_it_is_found() {
        for seed in 0..20 {
            let settings = Settings::default();
            let setup = PolicySetup { blocks: BLOCKS, pages_per_block: PAGES, seed, settings: &settings };
            let all = Search::All(ClosedBlocks::new(&setup));
            let mut scan = CostBenefit::searching(&setup, all);
            let mut quick = CostBenefit::new(&setup, &()).unwrap();
            assert!(matches!(quick.search, Search::Queues(_)));
            let mut random = Random::new(seed);
            let mut valid = vec![0; BLOCKS as usize];
            let mut closed_at: Vec<Option<u64>> = vec![None; BLOCKS as usize];
            let (mut now, mut picks) = (0, 0);
            for _ in 0..50_000 {
                now += random.below(3);
                let block = random.below(u64::from(BLOCKS)) as Block;
                let of = block as usize;
                let open = closed_at.iter().filter(|at| at.is_none()).count();
                if closed_at[of].is_none() && open > 10 {
                    valid[of] = PAGES - random.below(3) as u32;
                    closed_at[of] = Some(now);
                    for policy in [&mut scan, &mut quick] {
                        policy.closed(block, valid[of], now);
                    }
                } else if open <= 10 {
                    let victim = quick.pick(&valid, now).expect("blocks are closed");
                    assert_eq!(scan.pick(&valid, now), Some(victim), "seed {seed}, pick {picks}");
                    let worths = closed_at.iter().zip(&valid).filter_map(|(at, valid)| {
                        let at = (*at)?;
                        Some(worth(*valid, now - at + 1))
                    });
                    let best = worths.fold(0.0, f64::max);
                    let of = victim as usize;
                    let own = worth(valid[of], now - closed_at[of].expect("closed") + 1);
                    assert!(own >= best * (1.0 - 1e-12), "seed {seed}: {own}, {best} is there");
                    closed_at[of] = None;
                    picks += 1;
                } else if random.below(500) == 0 && closed_at[of].is_some() {
                    for policy in [&mut scan, &mut quick] {
                        policy.remove(block);
                    }
                    closed_at[of] = None;
                } else if valid[of] > 0 {
                    valid[of] -= 1;
                    for policy in [&mut scan, &mut quick] {
                        policy.invalidated(block, valid[of]);
                    }
                }
            }
            assert!(picks > 1_000, "seed {seed}: {picks} victims");
            let Search::Queues(queues) = &quick.search else { unreachable!("it was just seen") };
            let (entries, most) = queues.entries();
            assert!(entries <= most, "seed {seed}: {entries} entries of {BLOCKS} blocks");
        }
    }
}
