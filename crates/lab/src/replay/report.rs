//! What came of a replay: the document that is stored and printed.

use std::path::Path;

use flashscope_store::ResultFile;
use flashscope_trace::Reading;
use serde::{Deserialize, Serialize};

use super::tally::ResponseUs;
use crate::error::{Context as _, Result};

/// The document's name in a result folder.
pub const REPLAY: &str = flashscope_store::ResultKind::Replay.document().expect("it has one");
/// The file of the IOs.
pub const RECORDS: &str = "ios/replay.parquet";

/// How long after their time requests were submitted, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatenessUs {
    /// Half are at most this late.
    pub p50: f64,
    /// 95 % are at most this late.
    pub p95: f64,
    /// 99 % are at most this late.
    pub p99: f64,
    /// The latest.
    pub max: f64,
}

impl From<ResponseUs> for LatenessUs {
    fn from(times: ResponseUs) -> LatenessUs {
        LatenessUs { p50: times.p50, p95: times.p95, p99: times.p99, max: times.max }
    }
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayReport {
    /// Version of this document.
    pub schema_version: u32,
    /// The trace's file.
    pub trace: String,
    /// Its format.
    pub format: String,
    /// How it was read.
    #[serde(default)]
    pub reading: Option<Reading>,
    /// The target's name.
    pub target: String,
    /// When the requests went: on-time, asap or depth.
    pub timing: String,
    /// What was changed of the trace, a setting each.
    #[serde(default)]
    pub pipeline: Vec<String>,
    /// IOs in flight at most.
    pub iodepth: u32,
    /// Requests of the trace that were replayed.
    pub requests: u64,
    /// IOs served: a request longer than the buffers is several.
    pub ios: u64,
    /// Requests of the trace that were left out because it was read only.
    pub left_out: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes trimmed.
    pub trimmed_bytes: u64,
    /// From the first request to the last completion; simulated seconds on a simulated device.
    pub wall_s: f64,
    /// The final flush on top of it; none if it was not asked for.
    pub flush_s: Option<f64>,
    /// From the first request of the trace to its last, scaled as asked for.
    pub trace_s: f64,
    /// Lateness; none unless they have a time of their own.
    pub lateness_us: Option<LatenessUs>,
    /// Share of the requests that went within 50 µs of their time.
    pub on_time_share: Option<f64>,
    /// The judgement in a line.
    pub verdict: String,
    /// Requests that had to wait for an overlapping one.
    pub held_back: u64,
    /// From submission to completion.
    pub response_us: Option<ResponseUs>,
    /// The same of reads.
    pub read_us: Option<ResponseUs>,
    /// The same of writes.
    pub write_us: Option<ResponseUs>,
    /// The same of flushes.
    pub flush_us: Option<ResponseUs>,
    /// The same of trims.
    pub trim_us: Option<ResponseUs>,
    /// What the trace itself says of its latencies.
    pub trace_latency_us: Option<ResponseUs>,
    /// The same of its reads.
    #[serde(default)]
    pub trace_read_latency_us: Option<ResponseUs>,
    /// The same of its writes.
    #[serde(default)]
    pub trace_write_latency_us: Option<ResponseUs>,
    /// The same of its flushes.
    #[serde(default)]
    pub trace_flush_latency_us: Option<ResponseUs>,
    /// The same of its trims.
    #[serde(default)]
    pub trace_trim_latency_us: Option<ResponseUs>,
    /// Blocks that hold their last write, all that were written; none if it was not asked for.
    pub verified_blocks: Option<u64>,
    /// Sectors of 512 bytes that reads of the replay brought as they had been written before them; none if it
    /// was not asked for, or on a simulated device, which compares each read itself.
    #[serde(default)]
    pub verified_read_sectors: Option<u64>,
    /// What was changed of the trace to replay it here.
    pub notes: Vec<String>,
    /// Lines of the trace that were left out.
    pub bad_lines: u64,
    /// The first of them.
    pub first_bad_line: Option<String>,
    /// Valid lines of the trace without a request.
    pub other_lines: u64,
    /// Requests of the trace that are earlier than the one before them; they go with it.
    pub unsorted_requests: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the whole trace was replayed.
    pub complete: bool,
    /// What ended it early, or made it fail at its end.
    pub error: Option<String>,
}

impl ReplayReport {
    /// The one that a result folder holds, if it holds one.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn read(folder: &Path) -> Result<Option<ReplayReport>> {
        let file = ResultFile::new(folder, REPLAY);
        if !file.is_there() {
            return Ok(None);
        }
        let damaged = || format!("{} cannot be read; replay the trace again", file.path().display());
        let text = file.json().with_context(damaged)?;
        Ok(Some(serde_json::from_str(&text).with_context(damaged)?))
    }
}
