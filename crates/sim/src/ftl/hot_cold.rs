//! Two page-mapped parts, one for the hot pages and one for the others, each with blocks, open blocks and
//! collections of its own.
//!
//! It is what perfect knowledge of hot and cold can reach, for instance that of a host that says which of its
//! streams is which (Desnoyers, SYSTOR 2012; Stoica and Ailamaki, VLDB 2013). The hot pages are the first
//! ones of the logical space. How the spare blocks are split is a setting, and never changes: collecting the
//! emptiest block of all, wherever it is, would give both parts the same over-provisioning, and with it the
//! write amplification of uniform writes.

use std::ops::Range;

use flashscope_core::seed::derive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frontiers::Frontiers;
use super::newest_copies::NewestCopies;
use super::page::PageFtl;
use super::{Ftl, MapUse, Setup, Tombstone};
use crate::error::SimError;
use crate::nand::{Block, Cause, Geometry, Lpn, Moment, Nand, PageRead, Token};

/// The table `[hot_cold]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HotColdSettings {
    /// Hot share of the logical space, from its start: 0.2 for a fifth.
    pub space: f64,
    /// Share of the spare blocks for the hot part. About 0.5 is best for few hot pages.
    pub spare: f64,
}

impl Default for HotColdSettings {
    fn default() -> HotColdSettings {
        HotColdSettings { space: 0.2, spare: 0.5 }
    }
}

/// The FTL with a hot and a cold part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HotColdFtl {
    hot_pages: u32,
    hot: PageFtl,
    cold: PageFtl,
}

/// Where the hot part ends, among the pages and among the blocks.
#[derive(Clone, Copy, Debug)]
struct Split {
    pages: Lpn,
    blocks: Block,
}

impl Split {
    fn of(setup: &Setup<'_>) -> Result<Split, SimError> {
        let HotColdSettings { space, spare } = setup.settings.hot_cold;
        let pages = (f64::from(setup.logical_pages) * space).round() as Lpn;
        if pages == 0 || pages == setup.logical_pages {
            let remedy = "choose a share that leaves pages for both, or ftl = \"page\"";
            return Err(SimError::setting("hot_cold.space", "leaves one part empty", remedy));
        }
        let blocks_of = |pages: u32| pages.div_ceil(setup.geometry.pages_per_block);
        let data = [blocks_of(pages), blocks_of(setup.logical_pages - pages)];
        let all_spare = setup.geometry.blocks.saturating_sub(data[0] + data[1]);
        let hot_spare = (f64::from(all_spare) * spare).round() as Block;
        let need = Frontiers::of_page(setup.settings).spare_blocks(setup.settings);
        for (part, have) in [("hot", hot_spare), ("cold", all_spare - hot_spare)] {
            if have < need {
                let problem = format!("leaves {have} spare blocks to the {part} pages, which need {need}");
                let remedy = "set it nearer to 0.5, or over_provisioning higher".into();
                return Err(SimError::Setting { key: "hot_cold.spare".into(), problem, remedy });
            }
        }
        Ok(Split { pages, blocks: data[0] + hot_spare })
    }

    /// What each part is made for. The cold one numbers blocks and pages as the device does.
    fn setups<'a>(self, setup: &Setup<'a>) -> [Setup<'a>; 2] {
        let geometry = Geometry { blocks: self.blocks, ..setup.geometry };
        let hot = Setup { geometry, logical_pages: self.pages, ..*setup };
        [hot, Setup { seed: derive(setup.seed, 1), ..*setup }]
    }

    fn blocks(self, setup: &Setup<'_>) -> [Range<Block>; 2] {
        [0..self.blocks, self.blocks..setup.geometry.blocks]
    }
}

impl HotColdFtl {
    #[inline]
    fn part(&self, lpn: Lpn) -> &PageFtl {
        if lpn < self.hot_pages { &self.hot } else { &self.cold }
    }

    #[inline]
    fn part_mut(&mut self, lpn: Lpn) -> &mut PageFtl {
        if lpn < self.hot_pages { &mut self.hot } else { &mut self.cold }
    }
}

impl Ftl for HotColdFtl {
    const NAME: &'static str = "hot-cold";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<HotColdFtl, SimError> {
        let split = Split::of(setup)?;
        let ([hot, cold], [hot_blocks, cold_blocks]) = (split.setups(setup), split.blocks(setup));
        let frontiers = Frontiers::of_page(setup.settings);
        Ok(HotColdFtl {
            hot_pages: split.pages,
            hot: PageFtl::on(&hot, &(), hot_blocks, frontiers)?,
            cold: PageFtl::on(&cold, &(), cold_blocks, frontiers)?,
        })
    }

    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<HotColdFtl, SimError> {
        let split = Split::of(setup)?;
        let ([hot, cold], [hot_blocks, cold_blocks]) = (split.setups(setup), split.blocks(setup));
        let newest = NewestCopies::scan(nand, setup.logical_pages, trims);
        let frontiers = Frontiers::of_page(setup.settings);
        let mut rebuild = |part: &Setup<'_>, blocks: Range<Block>, pages: Range<Lpn>| {
            PageFtl::rebuild_on(part, &(), nand, &newest, blocks, pages, frontiers)
        };
        Ok(HotColdFtl {
            hot_pages: split.pages,
            hot: rebuild(&hot, hot_blocks, 0..split.pages)?,
            cold: rebuild(&cold, cold_blocks, split.pages..setup.logical_pages)?,
        })
    }

    #[inline]
    fn prepare(&self, nand: &Nand, lpn: Lpn) {
        self.part(lpn).prepare(nand, lpn);
    }

    #[inline]
    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        self.part(lpn).prepare_mapped(nand, lpn);
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        self.part_mut(lpn).read(nand, lpn, cause, at)
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        self.part_mut(lpn).write(nand, lpn, token, cause, at)
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        self.part_mut(lpn).trim(nand, lpn, at);
    }

    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        self.hot.tend(nand, bank, at).or_else(|| self.cold.tend(nand, bank, at))
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    fn reserve_blocks(&self) -> u32 {
        self.hot.reserve_blocks() + self.cold.reserve_blocks()
    }

    fn map_use(&self) -> Option<MapUse> {
        let [hot, cold] = [&self.hot, &self.cold].map(|part| part.map_use());
        Some(MapUse { ram_bytes: hot?.ram_bytes + cold?.ram_bytes, ..MapUse::default() })
    }

    fn free_blocks(&self) -> u32 {
        self.hot.free_blocks() + self.cold.free_blocks()
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::Bytes;

    use crate::{Settings, Ssd};

    /// 100 blocks of 16 pages, 20 of them spare.
    fn refused(space: f64, spare: f64) -> Option<String> {
        let mut settings =
            Settings { ftl: "hot-cold".into(), over_provisioning: 0.25, ..Settings::default() };
        settings.capacity = Bytes(80 * 16 * 4096);
        settings.nand.pages_per_block = 16;
        (settings.hot_cold.space, settings.hot_cold.spare) = (space, spare);
        Ssd::new("parts", settings, 1).err().map(|error| error.to_string())
    }

    #[test]
    fn both_parts_need_pages_and_spare_blocks() {
        assert_eq!(refused(0.2, 0.1), None, "two spare blocks are enough");
        for (space, spare, key, part) in [
            (0.2, 0.05, "hot_cold.spare", "1 spare blocks to the hot pages, which need 2"),
            (0.2, 0.95, "hot_cold.spare", "1 spare blocks to the cold pages"),
            (0.0, 0.5, "hot_cold.space", "one part empty"),
            (1.0, 0.5, "hot_cold.space", "one part empty"),
            (0.5, 1.5, "hot_cold.spare", "between 0 and 1"),
            (f64::NAN, 0.5, "hot_cold.space", "between 0 and 1"),
        ] {
            let message = refused(space, spare).unwrap_or_else(|| panic!("{space} {spare} works"));
            assert!(message.contains(key) && message.contains(part), "{message}");
        }
    }
}
