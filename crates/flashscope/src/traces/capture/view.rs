//! The report of a capture, for a person or a program.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use flashscope_core::number::{self, counted, exact_size, plural, span};
use flashscope_store::SCHEMA_VERSION;
use flashscope_trace::capture::Dropped;
use serde_json::{Value, json};

use super::CaptureArgs;
use super::command::How;
use super::disk::Disk;
use super::record::Recorded;

/// A capture that is over.
pub struct Captured {
    /// Why it is.
    pub how: How,
    /// Elapsed time, with the final sync.
    pub seconds: f64,
    /// What is in the trace.
    pub recorded: Recorded,
    /// What is not.
    pub dropped: Dropped,
}

impl Captured {
    /// The document.
    pub fn json(&self, args: &CaptureArgs, disk: &Disk, format: &str) -> Value {
        let Recorded { tally, counts, losses, .. } = &self.recorded;
        let status = match self.how {
            How::Ended(status) => Some(status),
            How::Interrupted(status) => status,
            How::TimeOver | How::Failed => None,
        };
        let losses: Vec<_> =
            losses.iter().map(|(loss, count)| json!({"requests": count, "what": loss.about()})).collect();
        let (major, minor) = disk.subject.device;
        json!({
            "schema_version": SCHEMA_VERSION,
            "device": args.device,
            "disk": disk.name,
            "partition": disk.partition,
            "number": format!("{major}:{minor}"),
            "first_sector": disk.subject.sectors.as_ref().map(|sectors| sectors.start),
            "output": args.output,
            "format": format,
            "ended_by": self.ended_by(),
            "seconds": self.seconds,
            "command": args.during.as_ref().map(|text| json!({
                "text": text,
                "exit_status": status.and_then(|status| status.code()),
                "signal": status.and_then(|status| status.signal()),
            })),
            "requests": counts.records,
            "reads": tally.reads,
            "writes": tally.writes,
            "flushes": tally.flushes,
            "trims": tally.trims,
            "read_bytes": tally.read_bytes,
            "written_bytes": tally.written_bytes,
            "completed": tally.completed,
            "lines": counts.lines,
            "bad_lines": counts.bad_lines,
            "dropped": self.dropped.total(),
            "overrun": self.dropped.overrun,
            "commit_overrun": self.dropped.commit_overrun,
            "dropped_events": self.dropped.dropped_events,
            "losses": losses,
        })
    }

    fn ended_by(&self) -> &'static str {
        match self.how {
            How::Ended(_) => "command",
            How::TimeOver => "time",
            How::Interrupted(_) => "interruption",
            How::Failed => "failure",
        }
    }

    /// What a person reads afterwards.
    pub fn summary(&self, output: &Path, format: &str) -> String {
        let Recorded { tally, counts, losses, first_bad_line } = &self.recorded;
        let mut lines = vec![
            format!(
                "{} in {}, written to {} as {format}",
                counted(counts.records, "request"),
                span(self.seconds * 1e9),
                output.display()
            ),
            format!(
                "  {} of {}, {} of {}, {}, {}",
                counted(tally.reads, "read"),
                exact_size(tally.read_bytes),
                counted(tally.writes, "write"),
                exact_size(tally.written_bytes),
                plural(tally.flushes, "flush", "flushes"),
                counted(tally.trims, "trim")
            ),
        ];
        if counts.records == 0 {
            lines.push("  no requests: the data were in the page cache, or it is the wrong device".into());
        }
        lines.extend(
            losses.iter().map(|(loss, count)| format!("  {}: {}", loss.about(), number::count(count))),
        );
        if let Some(error) = first_bad_line.as_ref().filter(|_| self.dropped.total() == 0) {
            let bad_lines = number::count(counts.bad_lines);
            lines.push(format!("  unreadable lines: {bad_lines}; the first: {}", error.with_remedy(None)));
        }
        if let How::Ended(status) | How::Interrupted(Some(status)) = self.how {
            lines.push(format!("  the command ended with {status}"));
        }
        if self.dropped.total() > 0 {
            lines.push(format!(
                "WARNING: the kernel lost {}: the trace is incomplete; record again with a larger --buffer, \
                 or uncompressed",
                counted(self.dropped.total(), "event")
            ));
        }
        lines.join("\n")
    }
}
