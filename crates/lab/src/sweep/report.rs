//! The result of a sweep, as `--json` prints it and a result folder keeps it: one entry for each device.

use flashscope_sim::ssd::report::DeviceReport;
use serde::{Deserialize, Serialize};

use super::case::Case;
use super::changes::Changes;
use super::tally::ResponseUs;

/// One device of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Entry {
    /// It was simulated, perhaps not to its end.
    Ran(Box<SimReport>),
    /// It was not: it failed, or the sweep ended before.
    NotRun(NotRun),
}

impl Entry {
    /// A device before its turn.
    pub fn not_run(case: &Case, workload: &str, seed: u64) -> Entry {
        Entry::NotRun(NotRun {
            profile: case.profile.clone(),
            label: case.label.clone(),
            workload: workload.into(),
            seed,
            settings: case.changes.clone(),
            loaded_state: case.loaded.clone(),
            complete: false,
            error: None,
        })
    }

    /// Says why it has no result.
    pub fn fail(&mut self, cause: String) {
        if let Entry::NotRun(missing) = self {
            missing.error = Some(cause);
        }
    }

    /// Why it has no result, if it failed.
    pub fn error(&self) -> Option<&str> {
        match self {
            Entry::Ran(_) => None,
            Entry::NotRun(missing) => missing.error.as_deref(),
        }
    }

    /// Its report, if it was simulated.
    pub fn report(&self) -> Option<&SimReport> {
        match self {
            Entry::Ran(report) => Some(report),
            Entry::NotRun(_) => None,
        }
    }

    /// Whether it was simulated to its end.
    pub fn is_complete(&self) -> bool {
        self.report().is_some_and(|report| report.complete)
    }

    /// What makes it differ from the others of its sweep.
    pub fn label(&self) -> &str {
        match self {
            Entry::Ran(report) => &report.label,
            Entry::NotRun(missing) => &missing.label,
        }
    }

    /// Its profile.
    pub fn profile(&self) -> &str {
        match self {
            Entry::Ran(report) => &report.profile,
            Entry::NotRun(missing) => &missing.profile,
        }
    }

    /// What makes it differ, or the profile where it is the only one.
    pub fn name(&self) -> &str {
        Some(self.label()).filter(|label| !label.is_empty()).unwrap_or(self.profile())
    }
}

/// A device without a result: there is nothing to count.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotRun {
    /// The profile.
    pub profile: String,
    /// What makes it differ from the others of its sweep.
    pub label: String,
    /// What was to be done.
    pub workload: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The settings in which it differs from its profile.
    #[serde(default)]
    pub settings: Changes,
    /// The saved device that it began with.
    #[serde(default)]
    pub loaded_state: Option<LoadedState>,
    /// False.
    pub complete: bool,
    /// Why it failed; null if its turn did not come.
    #[serde(default)]
    pub error: Option<String>,
}

/// A saved device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedState {
    /// The file, as it was named.
    pub file: String,
    /// Of all its bytes.
    pub checksum: String,
}

/// One simulation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimReport {
    /// The profile.
    pub profile: String,
    /// What makes it differ from the others of its sweep.
    pub label: String,
    /// What was done.
    pub workload: String,
    /// When the requests of a trace went: asap, on-time or depth; null for a pattern.
    #[serde(default)]
    pub timing: Option<String>,
    /// What was changed of a trace, as flags.
    #[serde(default)]
    pub pipeline: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// The settings in which it differs from its profile.
    #[serde(default)]
    pub settings: Changes,
    /// The saved device that it began with; null if it began anew.
    #[serde(default)]
    pub loaded_state: Option<LoadedState>,
    /// Pages a victim policy, buffer and FTL worked on: the device's own counts.
    #[serde(flatten)]
    pub device: DeviceReport,
    /// IOs before the counts began.
    pub warmup_ios: u64,
    /// IOs that count.
    pub ios: u64,
    /// From the first IO to the last, and the flush of the buffer at the end.
    pub simulated_s: f64,
    /// Bytes of the host, in 10^6, for each simulated second; null if no time passed.
    pub throughput_mb_s: Option<f64>,
    /// Response times; null without an IO.
    pub response_us: Option<ResponseUs>,
    /// Requests simulated for each second of CPU time, preconditioning left out; null if that took none.
    pub requests_per_cpu_s: Option<f64>,
    /// What was changed of the trace to simulate it here, the warm-up included.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Of the trace, lines that a lenient reader left out.
    pub bad_lines: u64,
    /// The first of them: its number, what is wrong with it, and its text.
    #[serde(default)]
    pub first_bad_line: Option<String>,
    /// The file of its IOs, relative to the result folder; null if they are not kept.
    #[serde(default)]
    pub records: Option<String>,
    /// The file of what it did inside over time, relative to the result folder; null if that is not kept.
    #[serde(default)]
    pub inside: Option<String>,
    /// False if it was interrupted: all numbers are of the IOs up to there.
    pub complete: bool,
}
