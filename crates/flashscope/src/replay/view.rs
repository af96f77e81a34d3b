//! What came of a replay: the document that is stored and printed, and what a person reads.

use std::path::Path;

use anyhow::{Context as _, Result};
use flashscope_core::number::{count, counted, size};
use serde::{Deserialize, Serialize};

use super::ResponseUs;
use crate::progress::rounded;

/// The document's name in a result folder.
pub const REPLAY: &str = "replay.json";
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
    /// The target's name.
    pub target: String,
    /// When the requests went: on-time, asap or depth.
    pub timing: String,
    /// What was changed of the trace, as flags.
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
    /// How late requests went; none unless they have a time of their own.
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
    /// What was changed of the trace to replay it here.
    pub notes: Vec<String>,
    /// Lines of the trace that were left out.
    pub bad_lines: u64,
    /// The first of them.
    pub first_bad_line: Option<String>,
    /// Lines of the trace that are in order and tell of no request.
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
    pub fn read(folder: &Path) -> Result<Option<ReplayReport>> {
        let path = folder.join(REPLAY);
        if !path.is_file() {
            return Ok(None);
        }
        let damaged = || format!("{} cannot be read; replay the trace again", path.display());
        let text = std::fs::read_to_string(&path).with_context(damaged)?;
        Ok(Some(serde_json::from_str(&text).with_context(damaged)?))
    }
}

/// What a person reads.
pub fn view(report: &ReplayReport) -> String {
    let mut lines = vec![
        format!("  {} on {} · {}", report.trace, report.target, heading(report)),
        format!("  {}", report.verdict),
        String::new(),
        format!(
            "  {:<14}{:>12}{:>12}{:>11}{:>11}{:>11}{:>11}",
            "", "requests", "bytes", "mean", "p50", "p99", "max"
        ),
    ];
    let rows = [
        ("all", report.response_us, None),
        ("reads", report.read_us, Some(report.read_bytes)),
        ("writes", report.write_us, Some(report.written_bytes)),
        ("flushes", report.flush_us, None),
        ("trims", report.trim_us, Some(report.trimmed_bytes)),
        ("in the trace", report.trace_latency_us, None),
        ("  its reads", report.trace_read_latency_us, None),
        ("  its writes", report.trace_write_latency_us, None),
        ("  its flushes", report.trace_flush_latency_us, None),
        ("  its trims", report.trace_trim_latency_us, None),
    ];
    lines.extend(rows.into_iter().filter_map(|(name, times, bytes)| Some(row(name, &times?, bytes))));
    if let Some(late) = report.lateness_us {
        let times = [late.p50, late.p99, late.max].map(|us| rounded(us * 1e3));
        lines.push(format!(
            "  {:<14}{:>12}{:>12}{:>11}{:>11}{:>11}{:>11}",
            "lateness", "", "", "", times[0], times[1], times[2]
        ));
    }
    lines.push(String::new());
    lines.extend(remarks(report));
    lines.join("\n")
}

/// How much went, and when.
pub fn heading(report: &ReplayReport) -> String {
    let begin = if report.complete { "" } else { "interrupted after " };
    let timing = match report.timing.as_str() {
        "on-time" => "at their own time".into(),
        "depth" => "at the trace's queue depth".into(),
        _ => format!("as fast as possible with {} in flight", report.iodepth),
    };
    format!(
        "{begin}{}, {timing}",
        counted(if report.complete { report.requests } else { report.ios }, "request")
    )
}

fn row(name: &str, times: &ResponseUs, bytes: Option<u64>) -> String {
    let shown = [times.mean, times.p50, times.p99, times.max].map(|us| rounded(us * 1e3));
    let bytes = bytes.map_or(String::new(), |bytes| size(bytes as f64));
    let [mean, p50, p99, max] = shown;
    format!("  {name:<14}{:>12}{bytes:>12}{mean:>11}{p50:>11}{p99:>11}{max:>11}", times.ios)
}

/// What else is to be said.
pub fn remarks(report: &ReplayReport) -> Vec<String> {
    let flush =
        report.flush_s.map_or(String::new(), |s| format!(", and {} for the last flush", rounded(s * 1e9)));
    let wall = rounded(report.wall_s * 1e9);
    let mut lines =
        vec![format!("  It took {wall}{flush}; the trace takes {}.", rounded(report.trace_s * 1e9))];
    if report.held_back > 0 {
        lines.push(format!(
            "  {} waited for an overlapping one before it.",
            counted(report.held_back, "request")
        ));
    }
    if report.left_out > 0 {
        lines.push(format!("  Requests that change data, left out: {}.", count(report.left_out)));
    }
    if let Some(blocks) = report.verified_blocks {
        lines.push(format!(
            "  Verified: all that was written, {}, holds its last write.",
            counted(blocks, "block")
        ));
    }
    lines.extend(report.notes.iter().map(|note| format!("  {note}.")));
    if report.other_lines > 0 {
        lines.push(format!("  Lines of the trace without a request: {}.", count(report.other_lines)));
    }
    if report.unsorted_requests > 0 {
        let count = counted(report.unsorted_requests, "request");
        lines.push(format!("  {count} of the trace are earlier than the one before them, and go with it."));
    }
    if report.ios > report.requests && report.complete {
        let pieces = counted(report.ios, "IO");
        lines.push(format!("  Long requests came in pieces: {pieces} in all."));
    }
    if let Some(error) = &report.error {
        lines.push(format!("  FAILED: {error}"));
    }
    if report.bad_lines > 0 {
        let first = report.first_bad_line.clone().unwrap_or_default();
        lines.push(format!(
            "  {} of the trace are left out; the first: {first}",
            counted(report.bad_lines, "bad line")
        ));
    }
    lines
}
