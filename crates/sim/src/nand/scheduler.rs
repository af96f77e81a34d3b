//! Which of the operations that wait for a die goes first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The table `[scheduler]` of a profile. With none of it each die serves what is ready in the order of the
/// requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SchedulerSettings {
    /// Reads of the host, and of the map, go before programs, erases and the reads of collections and merges
    /// that wait for the same die.
    pub read_priority: bool,
    /// Reads that may go before an operation whose turn it is; it cannot be suspended any more then either. 0
    /// for any number, with which writes may wait for ever.
    pub overtaking_reads_max: u32,
    /// A program that is at work is suspended when a read that has priority comes.
    pub suspend_programs: bool,
    /// An erase that is at work is suspended when a read that has priority comes.
    pub suspend_erases: bool,
    /// Time that a program takes to be suspended, in microseconds. One that is done sooner is not.
    pub program_suspend_us: f64,
    /// Time that an erase takes to be suspended, in microseconds. One that is done sooner is not.
    pub erase_suspend_us: f64,
    /// Time that it takes to resume what was suspended, in microseconds. Then it goes on where it was.
    pub resume_us: f64,
}

/// The same in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Scheduler {
    pub reads_first: bool,
    /// [`u32::MAX`] for any number.
    pub overtaking_max: u32,
    /// How long it takes to suspend, where that can be.
    pub program_suspend_ns: Option<u64>,
    pub erase_suspend_ns: Option<u64>,
    pub resume_ns: u64,
}

impl Scheduler {
    pub(super) fn new(settings: &SchedulerSettings) -> Scheduler {
        let ns = |us: f64| (us * 1e3).round() as u64;
        let SchedulerSettings { read_priority, overtaking_reads_max, resume_us, .. } = *settings;
        let any_number = overtaking_reads_max == 0;
        Scheduler {
            reads_first: read_priority,
            overtaking_max: if any_number { u32::MAX } else { overtaking_reads_max },
            program_suspend_ns: settings.suspend_programs.then(|| ns(settings.program_suspend_us)),
            erase_suspend_ns: settings.suspend_erases.then(|| ns(settings.erase_suspend_us)),
            resume_ns: ns(resume_us),
        }
    }
}
