//! What an FTL is made for: the settings and the flash under it.

use crate::error::SimError;
use crate::nand::Geometry;
use crate::settings::{OVER_PROVISIONING_MAX, Settings};

/// What an FTL is made for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Everything that can be set.
    pub settings: &'a Settings,
    /// The flash under it.
    pub geometry: Geometry,
    /// Pages that the host sees.
    pub logical_pages: u32,
    /// Seed of everything random.
    pub seed: u64,
}

impl Setup<'_> {
    /// Logical blocks, the last one perhaps in part.
    pub fn logical_blocks(&self) -> u32 {
        self.logical_pages.div_ceil(self.geometry.pages_per_block)
    }

    /// Blocks beyond those that the logical space fills.
    pub fn spare_blocks(&self) -> u32 {
        self.geometry.blocks.saturating_sub(self.logical_blocks())
    }

    /// Blocks for logs: as many as were `asked` for, or with 0 all spare ones but `kept`. So an FTL that logs
    /// uses the over-provisioning that it is given, as one that collects does.
    pub fn log_blocks(&self, asked: u32, kept: u32) -> u32 {
        if asked == 0 { self.spare_blocks().saturating_sub(kept) } else { asked }
    }

    /// An error unless the flash has `spare` blocks more than the logical space fills.
    ///
    /// # Errors
    /// [`SimError::Setting`] for `over_provisioning`, with a value that will do if there is one.
    pub fn need_spare_blocks(&self, spare: u32) -> Result<(), SimError> {
        let (have, data) = (self.geometry.blocks, self.logical_blocks());
        if have >= data.saturating_add(spare) {
            return Ok(());
        }
        let (per_block, logical) = (f64::from(self.geometry.pages_per_block), f64::from(self.logical_pages));
        let least = (f64::from(spare) * per_block / logical * 1e4).ceil() / 1e4;
        let remedy = if least <= OVER_PROVISIONING_MAX {
            format!("use a larger capacity, or set it to at least {least:.4}")
        } else {
            "the device is too small; use a larger capacity or a smaller nand.pages_per_block".into()
        };
        Err(SimError::Setting {
            key: "over_provisioning".into(),
            problem: format!(
                "leaves {} of the {spare} spare blocks that the FTL {} needs",
                have.saturating_sub(data),
                self.settings.ftl,
            ),
            remedy,
        })
    }
}
