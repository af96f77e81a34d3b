//! What a person reads of a replay.

use flashscope_core::number::{count, counted, size, span};
use flashscope_lab::replay::{ReplayReport, ResponseUs};

use crate::columns;

/// What a person reads.
pub fn view(report: &ReplayReport) -> String {
    let mut lines = vec![
        format!("  {} on {} · {}", report.trace, report.target, heading(report)),
        format!("  {}", report.verdict),
        String::new(),
    ];
    let mut table = vec![["", "requests", "bytes", "mean", "p50", "p99", "max"].map(String::from)];
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
    table.extend(rows.into_iter().filter_map(|(name, times, bytes)| Some(row(name, &times?, bytes))));
    if let Some(late) = report.lateness_us {
        let [p50, p99, max] = [late.p50, late.p99, late.max].map(|us| span(us * 1e3));
        let nothing = String::new;
        table.push(["lateness".into(), nothing(), nothing(), nothing(), p50, p99, max]);
    }
    lines.extend(columns(&table, |column| column > 0).iter().map(|line| format!("  {line}")));
    lines.push(String::new());
    lines.extend(remarks(report));
    lines.join("\n")
}

/// How much went, and when.
pub fn heading(report: &ReplayReport) -> String {
    let begin = if report.complete { "" } else { "interrupted after " };
    let timing = match report.timing.as_str() {
        "on-time" => "at the recorded times".into(),
        "depth" => "at the trace's queue depth".into(),
        _ => format!("as fast as possible with {} in flight", report.iodepth),
    };
    format!(
        "{begin}{}, {timing}",
        counted(if report.complete { report.requests } else { report.ios }, "request")
    )
}

fn row(name: &str, times: &ResponseUs, bytes: Option<u64>) -> [String; 7] {
    let shown = [times.mean, times.p50, times.p99, times.max].map(|us| span(us * 1e3));
    let bytes = bytes.map_or(String::new(), |bytes| size(bytes as f64));
    let [mean, p50, p99, max] = shown;
    [name.into(), count(times.ios), bytes, mean, p50, p99, max]
}

/// What else is to be said.
pub fn remarks(report: &ReplayReport) -> Vec<String> {
    let flush = report.flush_s.map_or(String::new(), |s| format!(", final flush {}", span(s * 1e9)));
    let wall = span(report.wall_s * 1e9);
    let mut lines =
        vec![format!("  Elapsed: {wall}{flush}; trace duration: {}.", span(report.trace_s * 1e9))];
    if report.held_back > 0 {
        lines.push(format!(
            "  {} waited for an overlapping earlier one.",
            counted(report.held_back, "request")
        ));
    }
    if report.left_out > 0 {
        lines.push(format!("  Skipped requests that change data: {}.", count(report.left_out)));
    }
    if let Some(blocks) = report.verified_blocks {
        lines.push(format!("  Verified: all {} written hold their last write.", counted(blocks, "block")));
    }
    if let Some(sectors @ 1..) = report.verified_read_sectors {
        let sectors = counted(sectors, "sector");
        lines.push(format!("  Verified: all {sectors} read after a write held what it had written."));
    }
    lines.extend(report.reading.iter().map(|reading| format!("  Trace read as: {reading}.")));
    lines.extend(report.notes.iter().map(|note| format!("  {note}.")));
    if report.other_lines > 0 {
        lines.push(format!(
            "  Lines without a request (comments, other events): {}.",
            count(report.other_lines)
        ));
    }
    if report.unsorted_requests > 0 {
        let count = counted(report.unsorted_requests, "request");
        lines.push(format!("  {count} out of time order, submitted with the request before."));
    }
    if report.ios > report.requests && report.complete {
        let pieces = counted(report.ios, "IO");
        lines.push(format!("  Long requests were split: {pieces} in total."));
    }
    if let Some(error) = &report.error {
        lines.push(format!("  FAILED: {error}"));
    }
    if report.bad_lines > 0 {
        let first = report.first_bad_line.clone().unwrap_or_default();
        lines.push(format!(
            "  {} of the trace skipped; the first: {first}",
            counted(report.bad_lines, "unreadable line")
        ));
    }
    lines
}
