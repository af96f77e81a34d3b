//! Chunk mapping, as on the USB sticks of paper 000 (section 3.3.1): ranges larger than an erase block,
//! often 512 KiB, are mapped as one, and the one that is being written is mapped twice.
//!
//! Writing on contiguously in the open chunk copies nothing. A write to another chunk closes it: the pages
//! that remain in the old chunk are copied, and the old one is erased. So the cheapest random write is as
//! large as a chunk. `chunk.open_chunks` lets several be open. Rules in detail: `ftl/in_place.rs`.
//!
//! Merges: *switch* if a rewritten chunk copied nothing, *partial* otherwise.

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::in_place::{InPlace, Layout};
use super::{Ftl, MapUse, Merges, Setup, SpareUse, Tombstone};
use crate::error::SimError;
use crate::nand::{Cause, Lpn, Moment, Nand, PageRead, Token};

/// The table `[chunk]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChunkSettings {
    /// Bytes of a chunk: a whole number of erase blocks.
    #[schemars(with = "String")]
    pub size: Bytes,
    /// Chunks that may be mapped twice, at least 1.
    pub open_chunks: u32,
}

impl Default for ChunkSettings {
    fn default() -> ChunkSettings {
        ChunkSettings { size: Bytes(512 << 10), open_chunks: 1 }
    }
}

/// The chunk-mapped FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChunkFtl {
    map: InPlace,
}

fn layout(setup: &Setup<'_>) -> Result<Layout, SimError> {
    let ChunkSettings { size: Bytes(size), open_chunks } = setup.settings.chunk;
    let block_bytes = setup.geometry.block_bytes();
    if size == 0 || !size.is_multiple_of(block_bytes) || size / block_bytes > u64::from(setup.geometry.blocks)
    {
        return Err(SimError::Setting {
            key: "chunk.size".into(),
            problem: format!(
                "is {}, and an erase block (of {} planes together) has {}",
                Bytes(size),
                setup.geometry.stripe,
                Bytes(block_bytes)
            ),
            remedy: "use a multiple of the block that is smaller than the device, or a smaller block".into(),
        });
    }
    Ok(Layout { unit_blocks: (size / block_bytes) as u32, open_units: open_chunks })
}

impl Ftl for ChunkFtl {
    const NAME: &'static str = "chunk";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<ChunkFtl, SimError> {
        Ok(ChunkFtl { map: InPlace::new(setup, layout(setup)?)? })
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<ChunkFtl, SimError> {
        Ok(ChunkFtl { map: InPlace::rebuild(setup, layout(setup)?, nand, trims)? })
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

    /// All spare blocks: those of the open chunks, one chunk for a rebuild, and what is over, without use.
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
