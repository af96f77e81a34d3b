//! What each number of an FTL, a victim policy or a buffer may be, in use or not. What depends on the flash's
//! size is checked where it is used.

use crate::error::SimError;
use crate::nand::SchedulerSettings;
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
            ("chunk.open_chunks", self.chunk.open_chunks, 1, u32::MAX),
            ("replacement_block.chain_max", self.replacement_block.chain_max, 2, u32::MAX),
            ("dftl.cached_entries", self.dftl.cached_entries, 1, u32::MAX),
            ("superblock.logical_blocks", self.superblock.logical_blocks, 1, u32::MAX),
            ("superblock.update_blocks_max", self.superblock.update_blocks_max, 1, u32::MAX),
        ] {
            if !(least..=most).contains(&value) {
                let range =
                    if most == u32::MAX { format!("at least {least}") } else { format!("{least} to {most}") };
                return Err(SimError::setting(key, &format!("is {value}"), &format!("use {range}")));
            }
        }
        if self.fast.log_blocks == 1 {
            let remedy = "use at least 2, or 0 for as many as over_provisioning leaves";
            return Err(SimError::setting("fast.log_blocks", "is 1", remedy));
        }
        self.validate_scheduler()?;
        self.validate_write_behind()
    }

    /// What would have no effect is refused.
    fn validate_scheduler(&self) -> Result<(), SimError> {
        let SchedulerSettings {
            read_priority,
            overtaking_reads_max,
            suspend_programs,
            suspend_erases,
            program_suspend_us,
            erase_suspend_us,
            resume_us,
        } = self.scheduler;
        let suspends = suspend_programs || suspend_erases;
        for (key, is_set, needed, has_needed) in [
            ("overtaking_reads_max", overtaking_reads_max > 0, "read_priority", read_priority),
            ("suspend_programs", suspend_programs, "read_priority", read_priority),
            ("suspend_erases", suspend_erases, "read_priority", read_priority),
            ("program_suspend_us", program_suspend_us > 0.0, "suspend_programs", suspend_programs),
            ("erase_suspend_us", erase_suspend_us > 0.0, "suspend_erases", suspend_erases),
            ("resume_us", resume_us > 0.0, "suspend_programs", suspends),
        ] {
            if is_set && !has_needed {
                let problem = format!("has no effect while scheduler.{needed} = false");
                let remedy = format!("set scheduler.{needed} = true, or leave scheduler.{key} out");
                return Err(SimError::setting(&format!("scheduler.{key}"), &problem, &remedy));
            }
        }
        Ok(())
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
