//! What a loop counts, and the run that it makes.

use flashscope_analysis::{Gaps, IoErrors, Outcome, Responses, Run, Stop, Windows};
use flashscope_core::{Driven, Io, Op, Pattern, TargetError, Time};

use super::reader::Reader;
use super::{MeasuredRun, Measurement};

/// What the loop itself counts.
#[derive(Default)]
pub(super) struct Totals {
    /// All IOs of the pattern that were done.
    pub(super) ios: u64,
    /// Those that failed, of a load too.
    pub(super) errors: IoErrors,
    /// The verdict, or the pattern's own length, ended it.
    pub(super) is_over: Option<Stop>,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    pub(super) end: Time,
    pub(super) gaps: Option<Gaps>,
    pub(super) windows: Option<Windows>,
}

impl Totals {
    /// Counts the bytes of an IO, and the time at which it ended. Returns what it read and wrote.
    #[inline]
    pub(super) fn count(&mut self, io: &Io) -> (u32, u32) {
        let (read, written) = match io.op {
            Op::Write => (0, io.length_bytes),
            Op::Read => (io.length_bytes, 0),
            Op::Flush | Op::Trim => (0, 0),
        };
        self.read_bytes += u64::from(read);
        self.written_bytes += u64::from(written);
        if let Some(gaps) = &mut self.gaps {
            gaps.push(io.submitted.since(self.end));
        }
        self.end = self.end.max(io.submitted + io.response);
        (read, written)
    }

    pub(super) fn into_measured(
        self,
        reader: Reader,
        driven: Result<Driven, TargetError>,
        measurement: &Measurement<'_>,
    ) -> MeasuredRun {
        let (stop, error) = match driven {
            Ok(Driven::Exhausted) => (Stop::Ios, None),
            Ok(Driven::OutOfBytes) => (Stop::Bytes, None),
            Ok(Driven::OutOfTime) => (measurement.runtime.map_or(Stop::Runtime, |(_, stop)| stop), None),
            Ok(Driven::Interrupted | Driven::Stopped) => (self.is_over.unwrap_or(Stop::Interrupted), None),
            Ok(Driven::Ended) => (self.is_over.unwrap_or(Stop::Ended), None),
            Err(error) => (Stop::Failed, Some(error)),
        };
        let (outcome, kinds) = reader.finish(stop);
        let run = self.into_run(outcome, kinds, measurement.pattern);
        MeasuredRun { run, error }
    }

    fn into_run(self, mut outcome: Outcome, kinds: Vec<Responses>, pattern: &Pattern) -> Run {
        if is_overloaded(pattern, self.ios, self.end) {
            // The queue grows for as long as the run lasts: no mean exists.
            (outcome.estimate, outcome.stationary) = (None, false);
        }
        if pattern.in_flight() > 1 {
            // What recurs in the order of completions is the queue, not the device.
            outcome.phases.period = None;
        }
        Run {
            ios: self.ios,
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            elapsed_ns: self.end.0,
            outcome,
            kinds,
            gaps: self.gaps,
            records: None,
            windows: self.windows.map_or(Vec::new(), Windows::finish),
            summary_only: false,
            cpu_ns: None,
            disturbance: None,
            began_s: None,
            threads: None,
            standstills: None,
            takes_turns: false,
            errors: self.errors,
        }
    }
}

/// Whether an open loop asked for more than the target serves.
pub(crate) fn is_overloaded(pattern: &Pattern, ios: u64, end: Time) -> bool {
    // A hundred arrivals late at the end are more than a hiccup.
    let asked = pattern.rate_iops.map(|rate| rate.total_iops() * end.0 as f64 / 1e9);
    asked.is_some_and(|asked| (ios as f64) < 0.97 * asked - 100.0)
}
