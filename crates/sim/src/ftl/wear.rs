//! Static wear levelling: which block has fallen behind. What is in it is the FTL's to move.

use serde::{Deserialize, Serialize};

use crate::nand::{Block, Nand};
use crate::settings::{Levelling, WearSettings};

/// Compares each erased block with the least worn one that holds data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StaticLevelling {
    threshold_erases: u32,
    /// The fewest erases of a closed block at the last look. Blocks only ever gain, and one that takes new
    /// data with fewer is used again soon.
    least_erases: u32,
}

impl StaticLevelling {
    pub(super) fn asked(settings: &WearSettings) -> Option<StaticLevelling> {
        let threshold_erases = settings.threshold_erases;
        (settings.levelling == Levelling::Static)
            .then_some(StaticLevelling { threshold_erases, least_erases: 0 })
    }

    /// `erased` is free now. The closed block, none of `open`, that is further behind it than the threshold.
    /// All blocks are looked at only where `erased` is that far above the least known.
    pub(super) fn behind(&mut self, nand: &Nand, erased: Block, open: &[Block]) -> Option<Block> {
        let far = |least: u32| nand.erases(erased) > least.saturating_add(self.threshold_erases);
        if !far(self.least_erases) {
            return None;
        }
        let holds_data = |block: &Block| nand.next_page(*block) > 0 && !open.contains(block);
        let least = (0..nand.blocks()).filter(holds_data).min_by_key(|block| nand.erases(*block))?;
        self.least_erases = nand.erases(least);
        far(self.least_erases).then_some(least)
    }
}
