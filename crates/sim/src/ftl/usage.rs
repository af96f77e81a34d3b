//! What an FTL makes of its spare flash, its RAM and its placement handles: plain data for reports.

use serde::{Deserialize, Serialize};

/// What an FTL does with the blocks beyond those that the logical space fills. What is left of them is room
/// for outdated pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpareUse {
    /// All of them.
    pub blocks: u32,
    /// Log, update and replacement blocks: host writes fill them before anything is merged.
    pub log_blocks: u32,
    /// Blocks in SLC mode, in front of the others.
    pub cache_blocks: u32,
    /// Blocks of the FTL's own tables.
    pub map_blocks: u32,
    /// Blocks that never hold closed data: open ones, and the free reserve.
    pub reserve_blocks: u32,
    /// Blocks that it never has a use for.
    pub unused_blocks: u32,
}

impl SpareUse {
    /// Of an FTL that has no use for more.
    pub(crate) fn limited(blocks: u32, log_blocks: u32, reserve_blocks: u32) -> SpareUse {
        let unused_blocks = blocks.saturating_sub(log_blocks).saturating_sub(reserve_blocks);
        SpareUse { blocks, log_blocks, reserve_blocks, unused_blocks, ..SpareUse::default() }
    }

    /// Room for outdated pages.
    pub fn room_blocks(&self) -> u32 {
        let used =
            [self.log_blocks, self.cache_blocks, self.map_blocks, self.reserve_blocks, self.unused_blocks];
        used.into_iter().fold(self.blocks, u32::saturating_sub)
    }
}

/// What an FTL's tables take in RAM, and how a cached one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapUse {
    /// Four bytes for each place that the tables hold in RAM; a cached entry has its page's number too.
    pub ram_bytes: u64,
    /// Entries that were looked for in the cache; none where the whole map is in RAM.
    pub lookups: Option<u64>,
    /// Entries that were found there; none where the whole map is in RAM.
    pub hits: Option<u64>,
}

impl MapUse {
    /// Of a map that is in RAM, with so many places.
    pub(crate) fn of(entries: usize) -> MapUse {
        MapUse { ram_bytes: 4 * entries as u64, ..MapUse::default() }
    }
}

/// What became of placement handles, since the last restart or loss of power.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlacementUse {
    /// Pages that the host wrote with each handle.
    pub host_pages: Vec<u64>,
    /// Victims of which pages had to be moved (FDP: media reallocated).
    pub relocations: u64,
    /// Blocks that a loss of power closed before they were full (FDP: reclaim unit not fully written to
    /// capacity).
    pub closed_early: u64,
}
