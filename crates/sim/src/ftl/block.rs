//! Block mapping, as on a Smart Media card (paper 002, section 2): a page has a fixed place in its block.
//!
//! A sector update in the pure form is read, copy, erase: the whole block is rewritten. Set
//! `block.open_blocks = 0` for that. Real controllers of the kind keep the last block open, so that the next
//! page of a sequential write finds it half rewritten; the default of one open block does the same, and with
//! it sequential writes copy nothing. Rules in detail: `ftl/in_place.rs`.
//!
//! Merges: *switch* if a rewritten block copied nothing, *partial* otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::in_place::{InPlace, Layout};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::{Cause, Lpn, Moment, Nand, PageRead, Token};

/// The table `[block]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BlockSettings {
    /// Partially rewritten blocks at a time; 0: every overwrite rewrites its block at once.
    pub open_blocks: u32,
}

impl Default for BlockSettings {
    fn default() -> BlockSettings {
        BlockSettings { open_blocks: 1 }
    }
}

/// The block-mapped FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockFtl {
    map: InPlace,
}

fn layout(setup: &Setup<'_>) -> Layout {
    Layout { unit_blocks: 1, open_units: setup.settings.block.open_blocks }
}

impl Ftl for BlockFtl {
    const NAME: &'static str = "block";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<BlockFtl, SimError> {
        Ok(BlockFtl { map: InPlace::new(setup, layout(setup))? })
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<BlockFtl, SimError> {
        Ok(BlockFtl { map: InPlace::rebuild(setup, layout(setup), nand, trims)? })
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        self.map.read(nand, lpn, cause, at)
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        self.map.write(nand, lpn, token, cause, at)
    }

    fn trim(&mut self, _nand: &mut Nand, lpn: Lpn, _at: Moment) {
        self.map.trim(lpn);
    }

    fn merges(&self) -> Merges {
        self.map.merges()
    }

    /// All spare blocks: those of the open blocks, one for a rebuild, and what is over, which has no use.
    fn reserve_blocks(&self) -> u32 {
        self.map.reserve_blocks()
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        self.map.spare_use(spare_blocks)
    }

    fn map_use(&self) -> Option<MapUse> {
        Some(self.map.map_use())
    }

    fn free_blocks(&self) -> u32 {
        self.map.free_blocks()
    }

    fn restart(&mut self) {
        self.map.restart();
    }
}
