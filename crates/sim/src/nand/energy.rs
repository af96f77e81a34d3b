//! What the operations of the flash cost in energy: counts times what a profile says of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Counts;

/// The table `[energy]` of a profile; 0 for what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EnergySettings {
    /// Energy of a page read, in microjoules.
    pub read_uj: f64,
    /// Energy of a page program, in microjoules.
    pub program_uj: f64,
    /// Energy of the erase of a physical block, in microjoules.
    pub erase_uj: f64,
}

/// Energy of all operations of the flash, in joules. The controller, the RAM and what idles are not in it.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    pub reads_j: f64,
    pub programs_j: f64,
    pub erases_j: f64,
    pub total_j: f64,
}

impl EnergySettings {
    /// Of so many operations; none if nothing is known of any.
    pub fn of(&self, counts: &Counts) -> Option<Energy> {
        if *self == EnergySettings::default() {
            return None;
        }
        let joules = |count: u64, each_uj: f64| count as f64 * each_uj * 1e-6;
        let reads_j = joules(counts.reads(), self.read_uj);
        let programs_j = joules(counts.programs(), self.program_uj);
        let erases_j = joules(counts.erases(), self.erase_uj);
        Some(Energy { reads_j, programs_j, erases_j, total_j: reads_j + programs_j + erases_j })
    }
}
