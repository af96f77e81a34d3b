//! The result of one simulation, as `--json` prints it.

use flashscope_sim::ssd::report::DeviceReport;
use serde::{Deserialize, Serialize};

use super::tally::ResponseUs;

/// One simulation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimReport {
    /// The profile.
    pub profile: String,
    /// What makes it differ from the others of its sweep.
    pub label: String,
    /// What was done.
    pub workload: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Pages a victim policy, buffer and FTL worked on: the device's own counts.
    #[serde(flatten)]
    pub device: DeviceReport,
    /// IOs before the counts began.
    pub warmup_ios: u64,
    /// IOs that count.
    pub ios: u64,
    /// From the first IO to the last, and the flush of the buffer at the end.
    pub simulated_s: f64,
    /// Bytes of the host, in 10^6, for each simulated second.
    pub throughput_mb_s: f64,
    /// Response times; null without an IO.
    pub response_us: Option<ResponseUs>,
    /// Requests simulated for each second of CPU time, preconditioning left out.
    pub requests_per_cpu_s: f64,
    /// Of the trace, lines that a lenient reader left out.
    pub bad_lines: u64,
    /// False if it was interrupted.
    pub complete: bool,
}
