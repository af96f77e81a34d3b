//! What page-mapped FTLs with placement handles have in common: an open block for each handle, in front
//! of one map, one victim policy and one collection, those of [`PageFtl`].

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::frontiers::{Frontiers, Role};
use super::newest_copies::NewestCopies;
use super::page::PageFtl;
use super::{Ftl, MapUse, PlacementUse, Setup, Tombstone};
use crate::error::SimError;
use crate::nand::{Block, Cause, Lpn, Moment, Nand, PageRead, Token};
use crate::settings::Settings;

/// What tells one such FTL from another.
pub trait Placing {
    /// As [`Ftl::NAME`].
    const NAME: &'static str;

    /// Its open blocks.
    ///
    /// # Errors
    /// [`SimError::Setting`] if the settings ask for none, or for too many.
    fn frontiers(settings: &Settings) -> Result<Frontiers, SimError>;
}

/// A page-mapped FTL with an open block for each placement handle.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PlacedFtl<R> {
    page: PageFtl,
    /// Pages that the host wrote with each handle.
    host_pages: Vec<u64>,
    closed_early: u64,
    rules: PhantomData<R>,
}

impl<R: Placing> PlacedFtl<R> {
    fn before(page: PageFtl, frontiers: Frontiers, closed_early: u64) -> PlacedFtl<R> {
        let host_pages = vec![0; usize::from(frontiers.handles)];
        PlacedFtl { page, host_pages, closed_early, rules: PhantomData }
    }
}

/// Blocks that the host had begun to fill when the power went, in whole or in part.
fn begun_blocks(nand: &Nand) -> u64 {
    let is_begun = |block: &u32| {
        let is_open = (1..nand.pages_per_block()).contains(&nand.next_page(*block));
        is_open && nand.tag(*block).kind == Role::Host as u32
    };
    (0..nand.blocks()).filter(is_begun).count() as u64
}

impl<R: Placing> Ftl for PlacedFtl<R> {
    const NAME: &'static str = R::NAME;
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<PlacedFtl<R>, SimError> {
        let frontiers = R::frontiers(setup.settings)?;
        let page = PageFtl::on(setup, &(), 0..setup.geometry.blocks, frontiers)?;
        Ok(PlacedFtl::before(page, frontiers, 0))
    }

    /// As the `page` FTL. Tags say which handle a block's pages have; what was begun is closed.
    fn rebuild(
        setup: &Setup<'_>,
        _: &(),
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<PlacedFtl<R>, SimError> {
        let frontiers = R::frontiers(setup.settings)?;
        let closed_early = begun_blocks(nand);
        let newest = NewestCopies::scan(nand, setup.logical_pages, trims);
        let (blocks, pages) = (0..setup.geometry.blocks, 0..setup.logical_pages);
        let page = PageFtl::rebuild_on(setup, &(), nand, &newest, blocks, pages, frontiers)?;
        Ok(PlacedFtl::before(page, frontiers, closed_early))
    }

    #[inline]
    fn prepare(&self, nand: &Nand, lpn: Lpn) {
        self.page.prepare(nand, lpn);
    }

    #[inline]
    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        self.page.prepare_mapped(nand, lpn);
    }

    #[inline]
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        self.page.read(nand, lpn, cause, at)
    }

    #[inline]
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        self.write_placed(nand, lpn, 0, token, cause, at)
    }

    fn placements(settings: &Settings, _: &()) -> u16 {
        R::frontiers(settings).map_or(1, |frontiers| frontiers.handles)
    }

    #[inline]
    fn write_placed(
        &mut self,
        nand: &mut Nand,
        lpn: Lpn,
        placement: u16,
        token: Token,
        cause: Cause,
        at: Moment,
    ) -> Moment {
        if !self.page.is_open(placement) {
            self.page.make_room(nand, placement, at);
            if nand.fault().is_some() {
                return at;
            }
        }
        self.host_pages[usize::from(placement)] += u64::from(cause == Cause::Host);
        self.page.write_to(nand, placement, lpn, token, cause, at)
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        self.page.trim(nand, lpn, at);
    }

    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        self.page.tend(nand, bank, at)
    }

    fn refresh(&mut self, nand: &mut Nand, block: Block, at: Moment) {
        self.page.refresh(nand, block, at);
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.pad_groups(at)
    }

    fn reserve_blocks(&self) -> u32 {
        self.page.reserve_blocks()
    }

    fn map_use(&self) -> Option<MapUse> {
        self.page.map_use()
    }

    fn placement_use(&self) -> Option<PlacementUse> {
        Some(PlacementUse {
            host_pages: self.host_pages.clone(),
            relocations: self.page.relocations(),
            closed_early: self.closed_early,
        })
    }

    fn free_blocks(&self) -> u32 {
        self.page.free_blocks()
    }

    fn restart(&mut self) {
        self.page.restart();
        self.host_pages.fill(0);
        self.closed_early = 0;
    }
}

#[cfg(test)]
mod tests {
    use crate::ftl::fdp::Isolation;
    use crate::ftl::testing::{returns_what_was_written, small, survives_power_cuts};
    use crate::settings::Settings;

    /// Four handles over 24 logical blocks and 12 spare ones.
    fn device(ftl: &str, frontiers: u32, isolation: Isolation) -> Settings {
        let mut settings = small(ftl);
        settings.page.frontiers = frontiers;
        (settings.multi_stream.streams, settings.fdp.handles) = (4, 4);
        settings.multi_stream.shares_relocated = isolation == Isolation::Initial;
        settings.fdp.isolation = isolation;
        settings
    }

    #[test]
    fn it_returns_what_was_written_and_survives_power_cuts_with_every_handle() {
        for ftl in ["multi-stream", "fdp"] {
            for (frontiers, isolation) in
                [(1, Isolation::Persistent), (2, Isolation::Persistent), (1, Isolation::Initial)]
            {
                let settings = device(ftl, frontiers, isolation);
                returns_what_was_written(&settings);
                survives_power_cuts(&settings, 150);
            }
        }
    }
}
