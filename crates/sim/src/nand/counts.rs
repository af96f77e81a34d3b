//! How many operations there were, and what for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an operation was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cause {
    /// The host, or the write buffer on its behalf, asked for it.
    Host,
    /// Collecting the valid pages of a victim.
    Gc,
    /// Merging a log block with its data block.
    Merge,
    /// Completing a block that the write buffer flushes.
    Padding,
    /// The FTL's own tables.
    Map,
    /// Wear levelling.
    Wear,
}

impl Cause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Cause; 6] =
        [Cause::Host, Cause::Gc, Cause::Merge, Cause::Padding, Cause::Map, Cause::Wear];

    /// The cause's name in results.
    pub fn name(self) -> &'static str {
        ["host", "gc", "merge", "padding", "map", "wear"][self as usize]
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The three things that flash can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Read a page.
    Read,
    /// Program a page.
    Program,
    /// Erase a block.
    Erase,
}

/// Operations by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    reads: [u64; 6],
    programs: [u64; 6],
    erases: [u64; 6],
}

impl Counts {
    #[inline]
    pub(super) fn read(&mut self, cause: Cause) {
        self.reads[cause as usize] += 1;
    }

    #[inline]
    pub(super) fn program(&mut self, cause: Cause) {
        self.programs[cause as usize] += 1;
    }

    /// A read and a program for each.
    #[inline]
    pub(super) fn copies(&mut self, cause: Cause, count: u64) {
        self.reads[cause as usize] += count;
        self.programs[cause as usize] += count;
    }

    #[inline]
    pub(super) fn erase(&mut self, cause: Cause, physical_blocks: u32) {
        self.erases[cause as usize] += u64::from(physical_blocks);
    }

    /// Page reads of one cause.
    pub fn reads_for(&self, cause: Cause) -> u64 {
        self.reads[cause as usize]
    }

    /// Page programs of one cause.
    pub fn programs_for(&self, cause: Cause) -> u64 {
        self.programs[cause as usize]
    }

    /// Erases of physical blocks of one cause.
    pub fn erases_for(&self, cause: Cause) -> u64 {
        self.erases[cause as usize]
    }

    /// All page reads.
    pub fn reads(&self) -> u64 {
        self.reads.iter().sum()
    }

    /// All page programs.
    pub fn programs(&self) -> u64 {
        self.programs.iter().sum()
    }

    /// All erases of physical blocks.
    pub fn erases(&self) -> u64 {
        self.erases.iter().sum()
    }
}
