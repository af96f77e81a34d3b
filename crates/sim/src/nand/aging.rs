//! What use and time do to flash: slower erases, quicker programs, reads that are tried again, blocks that
//! fail.
//!
//! A profile gives tables by erases of a block and by the time since it was written; between their points a
//! straight line is drawn, and beyond them the last value holds. All of it is off by default.

mod curve;
mod reserve;
mod retries;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Block, Moment};
use crate::error::SimError;
use curve::Curve;
use reserve::Reserve;
pub use reserve::ReserveUse;
use retries::Retries;

/// The table `[aging]` of a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgingSettings {
    /// Erases that each block has behind it when the device is made: a used drive.
    pub erases_before: u32,
    /// Days since what the device holds at the beginning was written: a drive from a drawer. Needs
    /// `aging.retries`.
    pub retention_days: f64,
    /// Erases of a block for which the tables below have a value, ascending.
    pub at_erases: Vec<u32>,
    /// What programs take at those erases, as a factor of the time of a new block. Empty: always 1.
    pub program_factor: Vec<f64>,
    /// What erases take at those erases, as a factor of the time of a new block. Empty: always 1.
    pub erase_factor: Vec<f64>,
    /// Days since a block was written for which `aging.retries` has a row, ascending. Empty: one row for
    /// any time.
    pub at_days: Vec<f64>,
    /// How often a page is read again with other voltages until it can be corrected, on average: a row for
    /// each of `aging.at_days`, in it a value for each of `aging.at_erases`. Each time takes a read and a
    /// transfer. Empty: never. Blocks in SLC mode are not read again.
    pub retries: Vec<Vec<f64>>,
    /// Page reads of a block since its erase after which its data are moved, since reads disturb its other
    /// pages; 0 for any number. For the FTLs `page`, `slc-cache`, `multi-stream` and `fdp`.
    pub block_reads_max: u64,
    /// Physical blocks that replace bad ones, as a share of all, on top of `over_provisioning`. Once those of
    /// a plane are used up the device is read-only. 0: it serves nothing any more when a block wears out.
    pub spare_blocks: f64,
    /// Physical blocks that are bad from the factory, as a share of all. They take as many of
    /// `aging.spare_blocks`.
    pub bad_blocks: f64,
    /// Standard deviation of the erases that physical blocks are good for, as a share of
    /// `nand.endurance_erases`, which is their mean. Needs `aging.spare_blocks`.
    pub endurance_spread: f64,
}

impl AgingSettings {
    /// Whether anything ages.
    pub fn is_on(&self) -> bool {
        *self != AgingSettings::default()
    }

    /// Whether a page may be read again.
    pub fn has_retries(&self) -> bool {
        !self.retries.is_empty()
    }

    /// An error unless the tables have a value for each of their points, and everything has an effect.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn check(&self, endurance_erases: u32) -> Result<(), SimError> {
        let problem = |key: &str, problem: &str, remedy: &str| {
            Err(SimError::setting(&format!("aging.{key}"), problem, remedy))
        };
        self.check_tables()?;
        if self.erases_before >= endurance_erases {
            return problem(
                "erases_before",
                &format!("is {}, and a block is good for {endurance_erases} erases", self.erases_before),
                "give fewer, or raise nand.endurance_erases",
            );
        }
        if !(0.0..=36_500.0).contains(&self.retention_days) {
            return problem("retention_days", "is not between 0 and a hundred years", "give days");
        }
        if self.retention_days > 0.0 && self.retries.is_empty() {
            return problem(
                "retention_days",
                "has no effect without aging.retries",
                "give that table, or leave it out",
            );
        }
        for (key, share) in [
            ("spare_blocks", self.spare_blocks),
            ("bad_blocks", self.bad_blocks),
            ("endurance_spread", self.endurance_spread),
        ] {
            if !(0.0..=0.5).contains(&share) {
                return problem(
                    key,
                    &format!("is {share}, not between 0 and 0.5"),
                    "give a share, 0.02 for 2 %",
                );
            }
            if share > 0.0 && self.spare_blocks == 0.0 {
                return problem(
                    key,
                    "has no effect without aging.spare_blocks",
                    "give that, or leave it out",
                );
            }
        }
        Ok(())
    }

    fn check_tables(&self) -> Result<(), SimError> {
        let problem = |key: &str, problem: &str, remedy: &str| {
            Err(SimError::setting(&format!("aging.{key}"), problem, remedy))
        };
        if !self.at_erases.is_sorted_by(|one, next| one < next) {
            return problem("at_erases", "does not ascend", "sort it, each number once");
        }
        if !self.at_days.iter().all(|days| (0.0..=36_500.0).contains(days))
            || !self.at_days.is_sorted_by(|one, next| one < next)
        {
            return problem("at_days", "does not ascend from 0 or more", "sort it, each number once");
        }
        if !self.at_days.is_empty() && self.retries.is_empty() {
            return problem("at_days", "has no effect without aging.retries", "give that table too");
        }
        let columns = self.at_erases.len().max(1);
        let is_used = [&self.program_factor, &self.erase_factor].iter().any(|values| !values.is_empty());
        if !self.at_erases.is_empty() && !is_used && self.retries.is_empty() {
            let remedy = "give aging.program_factor, aging.erase_factor or aging.retries";
            return problem("at_erases", "has no effect without a table", remedy);
        }
        for (key, values) in [("program_factor", &self.program_factor), ("erase_factor", &self.erase_factor)]
        {
            if !(values.is_empty() || values.len() == columns) {
                return problem(key, "has not as many values as aging.at_erases", "give one for each");
            }
            if !values.iter().all(|factor| (0.01..=100.0).contains(factor)) {
                return problem(
                    key,
                    "has a value that is not between 0.01 and 100",
                    "1 is the time of a new block",
                );
            }
        }
        let rows = self.at_days.len().max(1);
        let is_whole = self.retries.len() == rows && self.retries.iter().all(|row| row.len() == columns);
        if self.has_retries() && !is_whole {
            let remedy = "give a row for each of aging.at_days, in it a value for each of aging.at_erases";
            return problem("retries", &format!("is not {rows} x {columns} values"), remedy);
        }
        if !self.retries.iter().flatten().all(|mean| (0.0..=100.0).contains(mean)) {
            return problem(
                "retries",
                "has a value that is not between 0 and 100",
                "give mean numbers of reads",
            );
        }
        Ok(())
    }
}

/// What of the age of the flash was felt since the last restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgingUse {
    /// Page reads that were tried again.
    pub retried_reads: u64,
    /// How often, in all.
    pub retries: u64,
    /// Blocks whose data were moved since they had been read often.
    pub refreshed_blocks: u64,
    /// Blocks that replace bad ones; none where `aging.spare_blocks` is 0. Over the device's whole life.
    pub reserve: Option<ReserveUse>,
}

/// The age of the flash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Aging {
    erases_before: u32,
    program_factor: Curve,
    erase_factor: Curve,
    retries: Option<Retries>,
    block_reads_max: u64,
    /// Page reads of each block since its erase; empty if they do no harm.
    reads: Vec<u64>,
    /// The block that was read as often as it may, until somebody asks for it.
    disturbed: Option<Block>,
    reserve: Option<Reserve>,
    used: AgingUse,
}

impl Aging {
    /// Flash of these settings, none of which was written. None if nothing ages.
    ///
    /// # Errors
    /// [`SimError::Setting`] if more blocks are bad than can be replaced.
    pub(super) fn new(
        settings: &AgingSettings,
        geometry: &super::Geometry,
        shape: Shape,
        seed: u64,
    ) -> Result<Option<Box<Aging>>, SimError> {
        if !settings.is_on() {
            return Ok(None);
        }
        let erases: Vec<f64> = settings.at_erases.iter().map(|erases| f64::from(*erases)).collect();
        let curve = |values: &[f64]| Curve::new(&erases, values, 1.0);
        let blocks = geometry.blocks as usize;
        Ok(Some(Box::new(Aging {
            erases_before: settings.erases_before,
            program_factor: curve(&settings.program_factor),
            erase_factor: curve(&settings.erase_factor),
            retries: settings.has_retries().then(|| Retries::new(settings, blocks, shape, seed)),
            block_reads_max: settings.block_reads_max,
            reads: if settings.block_reads_max > 0 { vec![0; blocks] } else { Vec::new() },
            disturbed: None,
            reserve: Reserve::new(settings, geometry, shape, seed)?,
            used: AgingUse::default(),
        })))
    }

    pub(super) fn erases_before(&self) -> u32 {
        self.erases_before
    }

    /// Factors of program and erase times after so many erases.
    pub(super) fn factors(&self, erases: u32) -> (f64, f64) {
        let erases = f64::from(erases);
        (self.program_factor.at(erases), self.erase_factor.at(erases))
    }

    /// Whether program and erase times depend on use at all.
    pub(super) fn has_factors(&self) -> bool {
        !(self.program_factor.is_flat() && self.erase_factor.is_flat())
    }

    /// A page is read: how often again.
    pub(super) fn read(&mut self, block: Block, group: u32, erases: u32) -> u32 {
        let retries = self.retries.as_ref().map_or(0, |table| table.of(block, group, erases));
        self.used.retried_reads += u64::from(retries > 0);
        self.used.retries += u64::from(retries);
        retries
    }

    /// Reads disturb the pages of a block.
    pub(super) fn note_read(&mut self, block: Block) {
        if let Some(reads) = self.reads.get_mut(block as usize) {
            *reads += 1;
            if reads.is_multiple_of(self.block_reads_max) {
                self.disturbed = Some(block);
            }
        }
    }

    /// The block that was read as often as it may, once.
    pub(super) fn take_disturbed(&mut self) -> Option<Block> {
        self.disturbed.take()
    }

    pub(super) fn note_refresh(&mut self) {
        self.used.refreshed_blocks += 1;
    }

    /// When the group that a die read last is there, if it is this one: what other pages of it wait for.
    pub(super) fn being_read(&self, die: usize, block: Block, group: u32) -> Option<Moment> {
        self.retries.as_ref()?.being_read(die, block, group)
    }

    pub(super) fn note_group(&mut self, die: usize, block: Block, group: u32, end: Moment) {
        if let Some(retries) = &mut self.retries {
            retries.note_group(die, block, group, end);
        }
    }

    /// The first page of an erased block is programmed.
    pub(super) fn note_first_page(&mut self, block: Block) {
        if let Some(retries) = &mut self.retries {
            retries.note_first_page(block);
        }
    }

    /// A die did something else than read.
    pub(super) fn note_change(&mut self, die: usize) {
        if let Some(retries) = &mut self.retries {
            retries.forget(die);
        }
    }

    /// A block was erased for the `erases`-th time. True if it is worn out and nothing replaces it.
    pub(super) fn erased(&mut self, block: Block, erases: u32, endurance_erases: u32) -> bool {
        if let Some(reads) = self.reads.get_mut(block as usize) {
            *reads = 0;
            self.disturbed = self.disturbed.filter(|disturbed| *disturbed != block);
        }
        match &mut self.reserve {
            None => erases > endurance_erases,
            Some(reserve) => {
                reserve.erased(block, erases);
                false
            }
        }
    }

    /// Whether the blocks that replace bad ones are used up.
    pub(super) fn is_read_only(&self) -> bool {
        self.reserve.as_ref().is_some_and(Reserve::is_used_up)
    }

    /// So many days go by without power.
    pub(super) fn rest(&mut self, days: f64) {
        if let Some(retries) = &mut self.retries {
            retries.rest(days);
        }
    }

    pub(super) fn used(&self) -> AgingUse {
        AgingUse { reserve: self.reserve.as_ref().map(Reserve::used), ..self.used }
    }

    /// Counts and clock begin anew.
    pub(super) fn restart(&mut self) {
        self.used = AgingUse::default();
        if let Some(retries) = &mut self.retries {
            retries.forget_all();
        }
    }
}

/// What of the flash's shape its age depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub dies: u32,
    /// Of all dies.
    pub planes: u32,
    /// Pages that are programmed together.
    pub group_pages: u32,
}
