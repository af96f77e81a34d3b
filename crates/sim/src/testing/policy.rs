//! A victim policy by itself, against the set of closed blocks.

use std::collections::BTreeSet;

use flashscope_core::seed::{Random, derive};

use crate::gc::{PolicySetup, VictimPolicy};
use crate::nand::Block;
use crate::settings::Settings;

const BLOCKS: u32 = 40;
const PAGES_PER_BLOCK: u32 = 8;

/// Random blocks close, lose pages, are collected and are taken away: a victim is a closed block, there is
/// one as long as a block is closed, and the same calls give the same victims.
///
/// # Panics
/// If one of them does not hold.
pub fn check_policy<P: VictimPolicy>(options: &P::Options, seed: u64) {
    let picked = [(), ()].map(|()| picks::<P>(options, seed));
    assert_eq!(picked[0], picked[1], "seed {seed}: the same calls, the same victims");
    assert!(picked[0].len() > 100, "seed {seed}: {} victims", picked[0].len());
}

fn picks<P: VictimPolicy>(options: &P::Options, seed: u64) -> Vec<Block> {
    let mut settings = Settings::default();
    P::name_in(&mut settings).unwrap_or_else(|error| panic!("{error}"));
    let setup = PolicySetup { blocks: BLOCKS, pages_per_block: PAGES_PER_BLOCK, seed, settings: &settings };
    let mut policy = P::new(&setup, options).unwrap_or_else(|error| panic!("{error}"));
    let mut random = Random::new(derive(seed, 1));
    let (mut closed, mut valid) = (BTreeSet::new(), vec![0; BLOCKS as usize]);
    let mut picked = Vec::new();
    for host_writes in 0..5_000 {
        let block = random.below(u64::from(BLOCKS)) as Block;
        let is_closed = closed.contains(&block);
        match random.below(16) {
            0..4 if !is_closed => {
                valid[block as usize] = random.below(u64::from(PAGES_PER_BLOCK) + 1) as u32;
                policy.closed(block, valid[block as usize], host_writes);
                closed.insert(block);
            }
            0..4 => {
                let victim = policy.pick(&valid, host_writes).expect("a block is closed");
                assert!(closed.remove(&victim), "seed {seed}: block {victim} is not closed");
                picked.push(victim);
            }
            4 if is_closed => {
                policy.remove(block);
                closed.remove(&block);
            }
            _ if valid[block as usize] > 0 => {
                policy.prepare(block);
                valid[block as usize] -= 1;
                policy.invalidated(block, valid[block as usize]);
            }
            _ => {}
        }
    }
    while let Some(victim) = policy.pick(&valid, 5_000) {
        assert!(closed.remove(&victim), "seed {seed}: block {victim} is not closed");
    }
    assert!(closed.is_empty(), "seed {seed}: no victim, and {closed:?} are closed");
    picked
}
