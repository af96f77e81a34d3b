//! What each number of an FTL, a victim policy or a buffer may be, in use or not. What depends on the flash's
//! size is checked where it is used.

use crate::error::SimError;
use crate::settings::{Settings, check_share};

impl Settings {
    /// Numbers that none of the parts could work with.
    pub(super) fn validate_parts(&self) -> Result<(), SimError> {
        for (key, share) in [
            ("cflru.window", self.cflru.window),
            ("lirs.hir_share", self.lirs.hir_share),
            ("hot_cold.space", self.hot_cold.space),
            ("hot_cold.spare", self.hot_cold.spare),
        ] {
            check_share(key, share)?;
        }
        for (key, value, least, most) in [
            ("page.frontiers", self.page.frontiers, 1, 2),
            ("victim.choices", self.victim.choices, 1, u32::MAX),
            ("log_block.log_blocks", self.log_block.log_blocks, 1, u32::MAX),
            ("chunk.open_chunks", self.chunk.open_chunks, 1, u32::MAX),
            ("replacement_block.chain_max", self.replacement_block.chain_max, 2, u32::MAX),
            ("fast.log_blocks", self.fast.log_blocks, 2, u32::MAX),
            ("dftl.cached_entries", self.dftl.cached_entries, 1, u32::MAX),
            ("superblock.logical_blocks", self.superblock.logical_blocks, 1, u32::MAX),
            ("superblock.update_blocks", self.superblock.update_blocks, 1, u32::MAX),
            ("superblock.update_blocks_max", self.superblock.update_blocks_max, 1, u32::MAX),
        ] {
            if !(least..=most).contains(&value) {
                let range =
                    if most == u32::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
                return Err(SimError::setting(key, &format!("is {value}"), &format!("use {range}")));
            }
        }
        self.validate_write_behind()
    }

    fn validate_write_behind(&self) -> Result<(), SimError> {
        if self.ram.write_behind.0 <= self.capacity.0 {
            return Ok(());
        }
        let problem = format!("is {}, and the device has {}", self.ram.write_behind, self.capacity);
        let remedy = format!("use at most its capacity, {}", self.capacity);
        Err(SimError::setting("ram.write_behind", &problem, &remedy))
    }
}
