//! A victim policy: of the blocks that were closed first, the one with the fewest valid pages (Hu,
//! Eleftheriou, Haas, Iliadis, Pletka, SYSTOR 2009).

use std::collections::VecDeque;

use flashscope_sim::SimError;
use flashscope_sim::gc::{PolicySetup, VictimPolicy};
use flashscope_sim::nand::Block;
use serde::{Deserialize, Serialize};

/// Settings of a [`WindowedGreedy`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Window {
    /// The blocks that are looked at.
    pub blocks: usize,
}

/// Closed blocks, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WindowedGreedy {
    closed: VecDeque<Block>,
    window: Window,
}

impl VictimPolicy for WindowedGreedy {
    const NAME: &'static str = "windowed-greedy";
    type Options = Window;

    fn new(_: &PolicySetup<'_>, options: &Window) -> Result<WindowedGreedy, SimError> {
        Ok(WindowedGreedy { closed: VecDeque::new(), window: options.clone() })
    }

    fn closed(&mut self, block: Block, _valid: u32, _host_writes: u64) {
        self.closed.push_back(block);
    }

    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, valid: &[u32], _host_writes: u64) -> Option<Block> {
        let window = self.closed.iter().take(self.window.blocks.max(1)).enumerate();
        let (place, _) = window.min_by_key(|(_, block)| valid[**block as usize])?;
        self.closed.remove(place)
    }

    fn remove(&mut self, block: Block) {
        self.closed.retain(|other| *other != block);
    }
}
