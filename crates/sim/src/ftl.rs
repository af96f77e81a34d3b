//! Flash translation layers: from logical pages to physical ones. One file and one line for each.
//!
//! An FTL owns its mapping and its free blocks and borrows the [`Nand`]. Time goes in, a completion time
//! comes out; collection and merging happen inside [`Ftl::write`]; nobody calls upwards.
//!
//! An FTL of your own implements [`Ftl`] and is put into a device by [`crate::SsdBuilder::ftl`]. It may be
//! made of what several FTLs here share: [`FreeBlocks`], [`ValidPages`], and for [`Ftl::rebuild`]
//! [`NewestCopies`] (any page can be anywhere) or [`normal_form`] (every page of a logical block has its
//! place in one block).

pub mod banked_log;
pub mod block;
pub mod chunk;
mod copies;
pub mod dftl;
pub mod fast;
pub mod fdp;
mod free;
mod frontiers;
pub mod hot_cold;
pub mod hybrid;
mod in_place;
pub mod log_block;
pub mod multi_stream;
mod newest_copies;
pub mod page;
mod page_set;
mod placed;
mod recover;
pub mod replacement_block;
mod segmented_lru;
mod setup;
pub mod slc_cache;
pub mod superblock;
mod usage;
mod valid;
mod wear;
pub mod zns;

use flashscope_core::{Request, ZoneLayout};
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::gc::{AnyPolicy, VictimPolicy};
use crate::nand::{Block, Cause, Lpn, Moment, Nand, PageRead, Token};
use crate::settings::Settings;

pub use copies::merge_in_place;
pub use free::FreeBlocks;
pub use newest_copies::NewestCopies;
pub use page_set::PageSet;
pub use recover::{NOT_SAID, Recovered, normal_form};
pub use setup::Setup;
pub use usage::{MapUse, PlacementUse, SpareUse};
pub use valid::ValidPages;
use zns::Zoned;
use zns::zones::{Admission, Zones};

/// Merges of log-block FTLs (paper 002, section 2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merges {
    /// The log block replaced the data block: one erase.
    #[serde(rename = "switch")]
    pub switch_merges: u64,
    /// The rest of the data block was copied to the log block first.
    #[serde(rename = "partial")]
    pub partial_merges: u64,
    /// Both were copied into a third block.
    #[serde(rename = "full")]
    pub full_merges: u64,
}

impl Merges {
    /// Of any kind.
    pub fn total(&self) -> u64 {
        self.switch_merges + self.partial_merges + self.full_merges
    }
}

/// A trim that is durable: copies of the page with a lower token hold nothing.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    pub lpn: Lpn,
    /// The trim's place in the order of writes.
    pub token: Token,
}

/// A flash translation layer. Its times are moments, which it takes and gives as they come: see [`Moment`].
///
/// Invariants, which the test kit (`testing`, with the feature of that name) holds: a read returns the token
/// of the last write to that page, or [`crate::nand::NO_TOKEN`] if there was none or it was trimmed; no rule
/// of flash is broken; programs = host + gc + merge + padding + map + wear; the same setup and calls give the
/// same state.
pub trait Ftl: Sized {
    /// What reports and saved states call it.
    const NAME: &'static str;

    /// Settings of its own, besides [`Setup::settings`]; `()` for none.
    type Options: Clone;

    /// The FTL over erased flash.
    ///
    /// # Errors
    /// [`SimError::Setting`] if it cannot work with these settings.
    fn new(setup: &Setup<'_>, options: &Self::Options) -> Result<Self, SimError>;

    /// The FTL after a loss of power, from what the flash holds and nothing else: spare areas (`owner`,
    /// `token`, `tag`) and `trims`. Blocks may be rewritten on the way. Token mode only.
    ///
    /// # Errors
    /// [`SimError::Setting`] as [`Ftl::new`].
    fn rebuild(
        setup: &Setup<'_>,
        options: &Self::Options,
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<Self, SimError>;

    /// Puts its name, and those of its parts, into `settings`, where reports look for them. A choice of
    /// several looks there which one it is.
    ///
    /// # Errors
    /// [`SimError::Setting`] if a choice of several has none of that name.
    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        settings.ftl = Self::NAME.into();
        Ok(())
    }

    /// Runs `work` on the FTL itself. [`AnyFtl`] looks once which one it is, so that all calls in `work` are
    /// direct; no other FTL needs to implement this.
    #[inline]
    fn run<W: FtlWork>(&mut self, work: W) -> W::Output {
        work.run(self)
    }

    /// A hint that `lpn` will be read or written soon.
    #[inline]
    fn prepare(&self, nand: &Nand, lpn: Lpn) {
        let _ = (nand, lpn);
    }

    /// A second hint, after [`Ftl::prepare`] had some time: what the mapping says of `lpn` will be needed.
    #[inline]
    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        let _ = (nand, lpn);
    }

    /// Reads a page for `cause`, as early as `at`. An unmapped page costs nothing and carries no token.
    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead;

    /// Writes a page for `cause` (`Host` or `Padding`), as early as `at`; returns when it is
    /// durable.
    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment;

    /// Placement handles that a host may write with: those below this number. By itself 1: it cannot tell
    /// data apart.
    fn placements(settings: &Settings, options: &Self::Options) -> u16 {
        let _ = (settings, options);
        1
    }

    /// As [`Ftl::write`], of data that go together with all others of the same placement handle. What that
    /// means is the FTL's affair; by itself nothing, as there is one handle.
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
        let _ = placement;
        self.write(nand, lpn, token, cause, at)
    }

    /// The page holds nothing any more.
    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment);

    /// Whether it takes a request of the host that is within the device. By itself any.
    #[inline]
    fn admission(&self, request: &Request) -> Admission {
        let _ = request;
        Admission::Taken
    }

    /// Its zones, for a host that wants to know before it writes; by itself none: writes go anywhere.
    fn zone_layout(settings: &Settings, options: &Self::Options) -> Option<ZoneLayout> {
        let _ = (settings, options);
        None
    }

    /// Its zones; by itself none.
    fn zones(&self) -> Option<&Zones> {
        None
    }

    /// What it does with them on command; by itself nothing.
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        None
    }

    /// Parts of the flash that reclaim space independently. Block `b` belongs to bank `b % banks`.
    fn banks(&self) -> u32 {
        1
    }

    /// A small unit of what some later write would have to wait for, begun at `at` in an idle bank: a few
    /// pages copied, a block erased. Returns when it is done; None if there is nothing to do. Between
    /// two units the FTL is as consistent as between two writes.
    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        let _ = (nand, bank, at);
        None
    }

    /// Everything that `tend` would do in unlimited time, where a device that was just filled has had it.
    fn settle(&mut self, nand: &mut Nand) {
        let _ = nand;
    }

    /// Moves the data of a block that was read so often that its pages suffer, and erases it, as early as
    /// `at`. By itself nothing: settings that ask for it are refused.
    fn refresh(&mut self, nand: &mut Nand, block: Block, at: Moment) {
        let _ = (nand, block, at);
    }

    /// Makes durable what the host wrote: programs the groups of pages that it has begun, and what the FTL
    /// keeps in volatile memory if a rebuild could not find it again. By itself [`Nand::program_groups`];
    /// where a page may be anywhere, and so padding too, [`Nand::pad_groups`]. Returns when that is done.
    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        nand.program_groups(at)
    }

    /// Merges so far.
    fn merges(&self) -> Merges {
        Merges::default()
    }

    /// Blocks that never hold closed data (free reserve and open frontiers): effective over-provisioning
    /// leaves them out.
    fn reserve_blocks(&self) -> u32;

    /// Erased blocks at hand, to which nothing has been written yet.
    fn free_blocks(&self) -> u32;

    /// What it does with `spare_blocks`, those beyond what the logical space fills. By itself: the reserve,
    /// and the rest is room for outdated pages.
    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        let reserve_blocks = self.reserve_blocks();
        SpareUse { blocks: spare_blocks, reserve_blocks, ..SpareUse::default() }
    }

    /// What its tables take; none if it does not say.
    fn map_use(&self) -> Option<MapUse> {
        None
    }

    /// What became of placement handles; none if it knows none.
    fn placement_use(&self) -> Option<PlacementUse> {
        None
    }

    /// Forgets the counts of merges, of its map and of placement handles, after preconditioning.
    fn restart(&mut self) {}
}

/// Something that is done with an FTL, whichever it is: see [`Ftl::run`].
pub trait FtlWork {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<F: Ftl>(self, ftl: &mut F) -> Self::Output;
}

/// The registry: a line makes an FTL known to the settings, the command line, its help and the tests.
macro_rules! ftls {
    ($($variant:ident, $module:ident :: $ftl:ident, $about:literal;)+) => {
        /// Names and descriptions of all FTLs.
        pub const FTLS: &[(&str, &str)] = &[$((<$module::$ftl as Ftl>::NAME, $about)),+];

        /// The FTL that `ftl` names, one of [`FTLS`].
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyFtl {
            $(#[doc = $about] $variant($module::$ftl)),+
        }

        impl AnyFtl {
            fn named(setup: &Setup<'_>) -> Result<AnyFtl, SimError> {
                match setup.settings.ftl.as_str() {
                    $(<$module::$ftl as Ftl>::NAME => Ok(AnyFtl::$variant(Ftl::new(setup, &())?)),)+
                    other => Err(SimError::unknown_choice("ftl", other, FTLS)),
                }
            }

            fn named_placements(settings: &Settings) -> u16 {
                match settings.ftl.as_str() {
                    $(<$module::$ftl as Ftl>::NAME => <$module::$ftl as Ftl>::placements(settings, &()),)+
                    _ => 1,
                }
            }

            fn named_zones(settings: &Settings) -> Option<ZoneLayout> {
                match settings.ftl.as_str() {
                    $(<$module::$ftl as Ftl>::NAME => <$module::$ftl as Ftl>::zone_layout(settings, &()),)+
                    _ => None,
                }
            }

            fn rebuilt(setup: &Setup<'_>, nand: &mut Nand, trims: &[Tombstone]) -> Result<AnyFtl, SimError> {
                match setup.settings.ftl.as_str() {
                    $(<$module::$ftl as Ftl>::NAME => {
                        Ok(AnyFtl::$variant(Ftl::rebuild(setup, &(), nand, trims)?))
                    })+
                    other => Err(SimError::unknown_choice("ftl", other, FTLS)),
                }
            }
        }

        macro_rules! with_ftl {
            ($any:expr, $each:ident => $body:expr) => {
                match $any { $(AnyFtl::$variant($each) => $body),+ }
            };
        }
    };
}

ftls! {
    Page, page::PageFtl, "page mapping";
    HotCold, hot_cold::HotColdFtl, "page mapping with separate blocks for hot and cold pages";
    SlcCache, slc_cache::SlcCacheFtl, "page mapping behind an SLC cache";
    LogBlock, log_block::LogBlockFtl, "block mapping; each block is overwritten in its own log block (BAST)";
    BankedLog, banked_log::BankedLogFtl, "block mapping with log blocks in banks; merges are deferred to \
        idle time";
    Block, block::BlockFtl, "block mapping; fixed page offsets";
    Chunk, chunk::ChunkFtl, "mapping of chunks of several blocks; the chunk being written is mapped twice";
    Hybrid, hybrid::HybridFtl, "block mapping; pages anywhere within a block";
    ReplacementBlock, replacement_block::ReplacementBlockFtl, "block mapping with chains of replacement \
        blocks";
    Fast, fast::FastFtl, "block mapping; random writes share log blocks (FAST)";
    Dftl, dftl::DftlFtl, "page mapping with the map in flash, cached in RAM (DFTL)";
    Superblock, superblock::SuperblockFtl, "page mapping within superblocks of adjacent blocks";
    MultiStream, multi_stream::MultiStreamFtl, "page mapping with separate blocks for each stream";
    Fdp, fdp::FdpFtl, "page mapping with reclaim unit handles (NVMe FDP)";
    Zns, zns::ZnsFtl, "zones, each written in order and reset as a whole (NVMe ZNS)";
}

impl Ftl for AnyFtl {
    const NAME: &'static str = "any";
    type Options = ();

    fn new(setup: &Setup<'_>, _: &()) -> Result<AnyFtl, SimError> {
        AnyFtl::named(setup)
    }

    fn rebuild(setup: &Setup<'_>, _: &(), nand: &mut Nand, trims: &[Tombstone]) -> Result<AnyFtl, SimError> {
        AnyFtl::rebuilt(setup, nand, trims)
    }

    /// Also the victim policy's name, whether the FTL asks for it or not.
    fn name_in(settings: &mut Settings) -> Result<(), SimError> {
        SimError::check_choice("ftl", &settings.ftl, FTLS)?;
        AnyPolicy::name_in(settings)
    }

    #[inline]
    fn run<W: FtlWork>(&mut self, work: W) -> W::Output {
        with_ftl!(self, ftl => work.run(ftl))
    }

    fn prepare(&self, nand: &Nand, lpn: Lpn) {
        with_ftl!(self, ftl => ftl.prepare(nand, lpn));
    }

    fn prepare_mapped(&self, nand: &Nand, lpn: Lpn) {
        with_ftl!(self, ftl => ftl.prepare_mapped(nand, lpn));
    }

    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        with_ftl!(self, ftl => ftl.read(nand, lpn, cause, at))
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        with_ftl!(self, ftl => ftl.write(nand, lpn, token, cause, at))
    }

    fn placements(settings: &Settings, _: &()) -> u16 {
        AnyFtl::named_placements(settings)
    }

    fn zone_layout(settings: &Settings, _: &()) -> Option<ZoneLayout> {
        AnyFtl::named_zones(settings)
    }

    fn admission(&self, request: &Request) -> Admission {
        with_ftl!(self, ftl => ftl.admission(request))
    }

    fn zones(&self) -> Option<&Zones> {
        with_ftl!(self, ftl => ftl.zones())
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        with_ftl!(self, ftl => ftl.zoned())
    }

    fn write_placed(
        &mut self,
        nand: &mut Nand,
        lpn: Lpn,
        placement: u16,
        token: Token,
        cause: Cause,
        at: Moment,
    ) -> Moment {
        with_ftl!(self, ftl => ftl.write_placed(nand, lpn, placement, token, cause, at))
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        with_ftl!(self, ftl => ftl.trim(nand, lpn, at));
    }

    fn banks(&self) -> u32 {
        with_ftl!(self, ftl => ftl.banks())
    }

    fn tend(&mut self, nand: &mut Nand, bank: u32, at: Moment) -> Option<Moment> {
        with_ftl!(self, ftl => ftl.tend(nand, bank, at))
    }

    fn settle(&mut self, nand: &mut Nand) {
        with_ftl!(self, ftl => ftl.settle(nand));
    }

    fn refresh(&mut self, nand: &mut Nand, block: Block, at: Moment) {
        with_ftl!(self, ftl => ftl.refresh(nand, block, at));
    }

    fn flush(&mut self, nand: &mut Nand, at: Moment) -> Moment {
        with_ftl!(self, ftl => ftl.flush(nand, at))
    }

    fn merges(&self) -> Merges {
        with_ftl!(self, ftl => ftl.merges())
    }

    fn reserve_blocks(&self) -> u32 {
        with_ftl!(self, ftl => ftl.reserve_blocks())
    }

    fn free_blocks(&self) -> u32 {
        with_ftl!(self, ftl => ftl.free_blocks())
    }

    fn spare_use(&self, spare_blocks: u32) -> SpareUse {
        with_ftl!(self, ftl => ftl.spare_use(spare_blocks))
    }

    fn map_use(&self) -> Option<MapUse> {
        with_ftl!(self, ftl => ftl.map_use())
    }

    fn placement_use(&self) -> Option<PlacementUse> {
        with_ftl!(self, ftl => ftl.placement_use())
    }

    fn restart(&mut self) {
        with_ftl!(self, ftl => ftl.restart());
    }
}

#[cfg(test)]
mod testing;
