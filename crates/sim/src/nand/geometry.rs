//! What a device is made of.

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::timing::TimingMode;

/// Erases that cells with one bit are good for.
pub const SLC_ENDURANCE_ERASES: u32 = 100_000;

/// Cells by the bits that each holds. It chooses the times and the endurance that are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// One bit.
    Slc,
    /// Two bits.
    #[default]
    Mlc,
    /// Three bits.
    Tlc,
    /// Four bits.
    Qlc,
}

/// How the planes of a die work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Planes {
    /// All do the same at the same time: a die works on one operation.
    #[default]
    InStep,
    /// Each works on operations of its own; only the bus is common.
    Independent,
}

/// What happens to a page that the host writes only in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialPage {
    /// Its rest is read first.
    #[default]
    ReadModifyWrite,
    /// It counts as a whole page write, as in paper 002's simulation.
    Whole,
}

/// The table `[nand]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NandSettings {
    /// Buses between controller and dies.
    pub channels: u32,
    /// Dies on each channel.
    pub dies: u32,
    /// Planes of each die.
    pub planes: u32,
    /// Planes of a die work `in-step`, or each is `independent` of the others.
    pub plane_mode: Planes,
    /// A die takes the data of the next program while one is at work.
    pub cache_program: bool,
    /// A page that is moved within its plane does not travel to the controller.
    pub copy_back: bool,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Page size, which is also the mapping unit.
    #[schemars(with = "String")]
    pub page: Bytes,
    /// Pages programmed by one operation of a plane: 4 for 4 KiB mapping on 16 KiB flash pages.
    pub pages_per_program: u32,
    /// Physical blocks erased together, striped over planes and dies; 0 for all planes of all dies.
    pub stripe: u32,
    /// The kind of cell: slc, mlc, tlc or qlc.
    pub cell: Cell,
    /// Page read time in microseconds; several values alternate along a block. Empty: the cell's.
    #[serde(deserialize_with = "one_or_several")]
    pub read_us: Vec<f64>,
    /// Page program time in microseconds; several values alternate along a block. Empty: the cell's.
    #[serde(deserialize_with = "one_or_several")]
    pub program_us: Vec<f64>,
    /// Time of the second of two passes in which pages are programmed, in microseconds; `program_us` is that
    /// of the first one then. 0 for one pass.
    pub second_program_us: f64,
    /// Programs of the same block on the same die that come between the two passes.
    pub second_program_after: u32,
    /// Block erase time in microseconds; 0 for the cell's.
    pub erase_us: f64,
    /// Bus transfer time of a page, in microseconds.
    pub transfer_us: f64,
    /// Erase endurance of a block; 0 for the cell's.
    pub endurance_erases: u32,
    /// `parallel`: dies and channels overlap; `serial`: all times add up, as in paper 002.
    pub timing: TimingMode,
    /// Partial page writes: `read-modify-write`, or `whole` to count each as a page write.
    pub partial_page: PartialPage,
    /// Token mode: every page carries the number of its write, and every read is checked.
    pub data: bool,
}

/// `50` as well as `[50, 900]`.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number, or several in brackets")]
    enum Times {
        One(f64),
        Several(Vec<f64>),
    }
    Ok(match Times::deserialize(deserializer)? {
        Times::One(time) => vec![time],
        Times::Several(times) => times,
    })
}

impl Default for NandSettings {
    fn default() -> NandSettings {
        NandSettings {
            channels: 1,
            dies: 1,
            planes: 1,
            plane_mode: Planes::InStep,
            cache_program: false,
            copy_back: false,
            pages_per_block: 128,
            page: Bytes(4096),
            pages_per_program: 1,
            stripe: 0,
            cell: Cell::Mlc,
            read_us: Vec::new(),
            program_us: Vec::new(),
            second_program_us: 0.0,
            second_program_after: 1,
            erase_us: 0.0,
            transfer_us: 20.0,
            endurance_erases: 0,
            timing: TimingMode::Parallel,
            partial_page: PartialPage::ReadModifyWrite,
            data: false,
        }
    }
}

impl NandSettings {
    /// Physical blocks of a superblock.
    pub fn stripe_blocks(&self) -> u32 {
        if self.stripe == 0 { self.channels * self.dies * self.planes } else { self.stripe }
    }

    /// Parts of the flash that work on operations of their own: dies, or planes.
    pub fn units(&self) -> u32 {
        self.channels * self.dies * self.planes_of_unit().0
    }

    /// Parts of a die that work on operations of their own, and planes of each.
    pub(crate) fn planes_of_unit(&self) -> (u32, u32) {
        match self.plane_mode {
            Planes::InStep => (1, self.planes),
            Planes::Independent => (self.planes, 1),
        }
    }

    /// Erases that a block is good for.
    pub fn endurance(&self) -> u32 {
        match (self.endurance_erases, self.cell) {
            (0, Cell::Slc) => SLC_ENDURANCE_ERASES,
            (0, Cell::Mlc) => 10_000,
            (0, Cell::Tlc) => 3_000,
            (0, Cell::Qlc) => 1_000,
            (given, _) => given,
        }
    }

    /// Read times along a block, in microseconds.
    pub fn reads_us(&self) -> Vec<f64> {
        let by_cell = match self.cell {
            Cell::Slc => vec![25.0],
            Cell::Mlc => vec![60.0],
            Cell::Tlc => vec![60.0, 75.0, 90.0],
            Cell::Qlc => vec![80.0, 110.0, 140.0, 170.0],
        };
        if self.read_us.is_empty() { by_cell } else { self.read_us.clone() }
    }

    /// Program times along a block, in microseconds.
    pub fn programs_us(&self) -> Vec<f64> {
        let by_cell = match self.cell {
            Cell::Slc => vec![200.0],
            Cell::Mlc => vec![800.0],
            Cell::Tlc => vec![700.0],
            Cell::Qlc => vec![2_000.0],
        };
        if self.program_us.is_empty() { by_cell } else { self.program_us.clone() }
    }

    /// Erase time in microseconds.
    pub fn erases_us(&self) -> f64 {
        match (self.erase_us, self.cell) {
            (given, _) if given > 0.0 => given,
            (_, Cell::Slc | Cell::Mlc) => 1_500.0,
            (_, Cell::Tlc) => 3_500.0,
            (_, Cell::Qlc) => 5_000.0,
        }
    }
}

/// The device as the FTL sees it: so many blocks of so many pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Geometry {
    /// Superblocks: what is erased as one.
    pub blocks: u32,
    /// Pages of each.
    pub pages_per_block: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Physical blocks in each.
    pub stripe: u32,
    /// Erases that a block is good for.
    pub endurance_erases: u32,
}

impl Geometry {
    /// All physical pages.
    pub fn pages(&self) -> u32 {
        self.blocks * self.pages_per_block
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> u64 {
        u64::from(self.pages_per_block) * u64::from(self.page_bytes)
    }
}
