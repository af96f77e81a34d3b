//! BPLRU: block padding LRU (paper 002, section 3): block-level LRU, page padding and LRU compensation, each
//! of which can be switched off. With all three off it is `lru`.
//!
//! Padding reads every page of the victim that is not in the buffer, however many, and writes the block whole
//! and in order: a log-block FTL then switches instead of merging. Compensation moves a block that was
//! written whole and in order to the tail.
//!
//! Without block-level LRU pages are in the list one by one. The victim is the page that was not written for
//! longest. It leaves alone; with padding its whole block does, with what the buffer holds of it.
//! Compensation moves all pages of the block to the tail, the first one last, so that they leave in order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::block_lru::{BlockLru, Techniques};
use super::order::Unit;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, Token};

/// The table `[bplru]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BplruSettings {
    /// Block-level LRU: evict the least recently written block with all its pages. `false`: evict the least
    /// recently written page, alone, or with padding as its whole block. With all three `false` the policy is
    /// `lru`.
    pub block_lru: bool,
    /// Page padding: read the pages missing from a victim block, and write the whole block in order.
    pub padding: bool,
    /// LRU compensation: a block that was written completely and in order is the next victim.
    pub compensation: bool,
    /// RAM of a block's header, in pages; 1 for paper 002's nodes. With 0 the headers have separate RAM.
    pub header_nodes: u32,
}

impl Default for BplruSettings {
    fn default() -> BplruSettings {
        BplruSettings { block_lru: true, padding: true, compensation: true, header_nodes: 0 }
    }
}

/// Block-level LRU with padding and compensation, or any of the three without the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bplru(BlockLru);

impl WriteBuffer for Bplru {
    const NAME: &'static str = "bplru";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Bplru, SimError> {
        let BplruSettings { block_lru, padding, compensation, header_nodes } = setup.settings.bplru;
        if header_nodes >= setup.pages {
            return Err(SimError::Setting {
                key: "bplru.header_nodes".into(),
                problem: format!("is {header_nodes}, and the buffer has {} pages", setup.pages),
                remedy: "use 0 or 1, or a larger ram.size: a block needs its header and a page".into(),
            });
        }
        let unit = if block_lru { Unit::Block } else { Unit::Page };
        Ok(Bplru(BlockLru::with(setup, Techniques { unit, padding, compensation, header_nodes })))
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        self.0.write(lpn, token, out)
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.0.read(lpn)
    }

    fn flush(&mut self, out: &mut Evictions) {
        self.0.flush(out);
    }

    fn discard(&mut self, lpn: Lpn) {
        self.0.discard(lpn);
    }

    fn dirty_pages(&self) -> u32 {
        self.0.dirty_pages()
    }
}
