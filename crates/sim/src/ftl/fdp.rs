//! Flexible data placement (NVMe 2.1, section 3.2.4; TP4146): each reclaim unit handle refers to a reclaim
//! unit, and what the host writes with it goes there. A unit is what is erased as one, a superblock;
//! `nand.stripe` says how large. There is one reclaim group, and handle h is placement identifier h.
//!
//! *Initially isolated*: data of several handles share a unit only where a collection moved them.
//! *Persistently isolated*: never. Of FDP's events two can happen here, as a host has no command to update a
//! handle: media reallocated, and reclaim unit not fully written to capacity, after a loss of power.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frontiers::Frontiers;
use super::placed::{PlacedFtl, Placing};
use crate::error::SimError;
use crate::settings::Settings;

/// Whether data of several handles ever share a reclaim unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Where a collection moved them.
    #[default]
    Initial,
    /// Never.
    Persistent,
}

/// The table `[fdp]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FdpSettings {
    /// Reclaim unit handles: 1 to 128.
    pub handles: u32,
    /// `initial` or `persistent`: whether collected pages of several handles share reclaim units.
    pub isolation: Isolation,
}

impl Default for FdpSettings {
    fn default() -> FdpSettings {
        FdpSettings { handles: 8, isolation: Isolation::Initial }
    }
}

/// Reclaim unit handles.
#[derive(Clone, Copy, Debug)]
pub struct PerHandle;

/// The FTL with a reclaim unit for each handle.
pub type FdpFtl = PlacedFtl<PerHandle>;

impl Placing for PerHandle {
    const NAME: &'static str = "fdp";

    fn frontiers(settings: &Settings) -> Result<Frontiers, SimError> {
        let FdpSettings { handles, isolation } = settings.fdp;
        Frontiers::of_handles(settings, ("fdp.handles", handles), isolation == Isolation::Persistent)
    }
}
