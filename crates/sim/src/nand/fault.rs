//! A rule of flash that was broken: a defect of an FTL, or a worn-out device.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::counts::{Cause, Operation};

/// The first rule that was broken. The device serves nothing any more after it.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{}", self.describe())]
pub struct Fault {
    pub operation: Operation,
    pub block: u32,
    pub page: u32,
    pub cause: Cause,
    /// The page that was next in that block.
    pub next_page: u32,
    /// How often the block had been erased.
    pub erases: u32,
    pub blocks: u32,
    /// What the flash is specified for.
    pub endurance_erases: u32,
}

impl Fault {
    /// Whether this is the end of a device's life rather than a defect of an FTL.
    pub fn is_wear_out(&self) -> bool {
        self.operation == Operation::Erase && self.block < self.blocks
    }

    fn describe(&self) -> String {
        let Fault { block, page, cause, next_page, erases, blocks, endurance_erases, .. } = self;
        if self.block >= self.blocks {
            return format!(
                "block {block} used for {cause}: the device has {blocks} blocks, numbered from 0"
            );
        }
        match self.operation {
            Operation::Erase => format!(
                "block {block} is worn out: erase {erases} for {cause}, and nand.endurance_erases is \
                 {endurance_erases}"
            ),
            Operation::Read => format!(
                "page {page} of block {block} read for {cause}, and it holds nothing since the last erase"
            ),
            Operation::Program => format!(
                "page {page} of block {block} programmed for {cause} while page {next_page} is next: a page \
                 is programmed once between two erases, and in ascending order"
            ),
        }
    }
}
