//! One replay at work: the drive loop, what is seen of it, the last flush and the proof.

use std::path::Path;
use std::sync::Arc;

use flashscope_core::number::{digits, span};
use flashscope_core::{Driven, Limits, Op, Ordered, RequestSource, Stream, Target, drive};
use flashscope_device::Handle;
use flashscope_store::{Origin, Recorder, SCHEMA_VERSION};
use flashscope_trace::{Ahead, Reached, TraceError};

use super::report::{RECORDS, ReplayReport};
use super::requests::{Requests, Survey};
use super::tally::{ResponseUs, Tally};
use super::verify::{Ledger, read_back};
use super::{ReplayEvent, ReplayRequest, flush};
use crate::error::{Context as _, Error, Result};
use crate::inside;
use crate::interrupt::Interrupt;
use crate::target::AnyTarget;
use crate::timing::Timing;

/// The share of the requests that have to go on time, or the replay is called late.
pub const ON_TIME_SHARE: f64 = 0.95;

/// All that a replay needs.
pub struct Session<'a> {
    pub request: &'a ReplayRequest,
    pub requests: &'a Requests,
    pub survey: &'a Survey,
    pub iodepth: u32,
    pub seed: u64,
    pub target: String,
    pub interrupt: &'a Interrupt,
}

impl Session<'_> {
    /// Errors that come before the first IO end it; later ones are reported with the measurements.
    pub fn replay(
        &self,
        served: &mut AnyTarget,
        real: Option<(Arc<Handle>, u64)>,
        folder: Option<&Path>,
        listener: &mut dyn FnMut(ReplayEvent),
    ) -> Result<(ReplayReport, Option<Error>)> {
        let (source, _) = self.requests.source()?;
        let first = source.reached();
        let mut recorder = folder.map(|path| self.recorder(path, first.clone())).transpose()?;
        let mut heard = |ios| listener(ReplayEvent::Ios(ios));
        let mut tally = Tally::new(recorder.as_mut(), &mut heard);
        let ahead = Ahead::start(source).context("cannot start the thread that reads the trace")?;
        let mut streams = [Stream { source: ahead, pacing: self.request.trace.timing.pacing(self.iodepth) }];
        if let (Some(_), AnyTarget::Ssd(ssd)) = (folder, &mut *served) {
            ssd.watch();
        }
        let mut target =
            Ordered::new(Ledger::new(served, self.request.verify, real.as_ref().map(|(_, key)| *key)));
        let begun = target.now();
        let limits = Limits { interrupted: self.interrupt.flag(), ..Limits::default() };
        let driven = drive(&mut target, &mut streams, limits, &mut tally);
        let wall = target.now().since(begun);
        let [Stream { source, .. }] = streams;
        let source = source.finish();
        let source = source.inner();
        let was_cut = source.error().is_some_and(TraceError::is_interruption);
        let is_whole = driven == Ok(Driven::Exhausted) && !was_cut;
        let mut report = self.report(&tally, is_whole, wall.0 as f64 / 1e9, target.held_back());
        drop(tally);
        let end = driven.map_err(Error::from);
        let end = end.and_then(|_| if was_cut { Ok(()) } else { self.requests.check(source) });
        let end = end.and_then(|()| self.flush(&mut report, &mut target));
        let kept = self.keep_inside(&mut target, folder);
        let end = end.and(kept).and_then(|()| self.prove(&mut report, &mut target, real, listener));
        let end = end.and(recorder.map_or(Ok(()), |recorder| Ok(recorder.finish().map(|_| ())?)));
        report.error = end.as_ref().err().map(Error::message);
        report.complete &= end.is_ok();
        Ok((report, end.err()))
    }

    /// The last flush.
    fn flush(&self, report: &mut ReplayReport, target: &mut impl Target) -> Result<()> {
        if report.complete && self.request.final_flush && !self.request.read_only {
            report.flush_s = Some(flush(target)?);
        }
        Ok(())
    }

    /// What a simulated SSD did inside, up to the last flush.
    fn keep_inside(&self, target: &mut Ordered<Ledger<&mut AnyTarget>>, folder: Option<&Path>) -> Result<()> {
        let seen = target.inner_mut().inner_mut().seen();
        folder.zip(seen).map_or(Ok(()), |(folder, seen)| inside::keep(folder, RECORDS, &seen).map(drop))
    }

    /// The proof.
    fn prove(
        &self,
        report: &mut ReplayReport,
        target: &mut Ordered<Ledger<&mut AnyTarget>>,
        real: Option<(Arc<Handle>, u64)>,
        listener: &mut dyn FnMut(ReplayEvent),
    ) -> Result<()> {
        let ledger = target.inner_mut();
        if self.request.verify && real.is_some() {
            report.verified_read_sectors = Some(ledger.reads_checked()?);
        }
        if let Some(written) = ledger.written().filter(|_| report.complete) {
            listener(ReplayEvent::ReadingBack);
            report.verified_blocks = read_back(&written, ledger.inner_mut(), real, self.interrupt.flag())?;
            report.complete = report.verified_blocks.is_some();
        }
        Ok(())
    }

    fn report(&self, tally: &Tally<'_>, is_whole: bool, wall_s: f64, held_back: u64) -> ReplayReport {
        let survey = self.survey;
        let passed = &survey.passed;
        let on_time = self.request.trace.timing == Timing::OnTime;
        let lateness_us = tally.lateness_us().filter(|_| on_time);
        let trace_s = passed.span_ns() as f64 / 1e9;
        let times = |op| tally.response_us_of(op);
        ReplayReport {
            schema_version: SCHEMA_VERSION,
            trace: self.request.trace.file.path.display().to_string(),
            format: survey.format.into(),
            reading: survey.reading.clone(),
            target: self.target.clone(),
            timing: self.request.trace.timing.name().into(),
            pipeline: self.request.trace.changes(),
            iodepth: self.iodepth,
            requests: if is_whole { passed.all() } else { tally.ios().min(passed.all()) },
            ios: tally.ios(),
            left_out: passed.left_out,
            read_bytes: tally.bytes(Op::Read),
            written_bytes: tally.bytes(Op::Write),
            trimmed_bytes: tally.bytes(Op::Trim),
            wall_s,
            flush_s: None,
            trace_s,
            lateness_us: lateness_us.map(Into::into),
            on_time_share: lateness_us.map(|_| tally.on_time_share()),
            verdict: verdict(tally, lateness_us, is_whole, wall_s, trace_s),
            held_back,
            response_us: tally.response_us(),
            read_us: times(Op::Read),
            write_us: times(Op::Write),
            flush_us: times(Op::Flush),
            trim_us: times(Op::Trim),
            trace_latency_us: passed.latencies(None),
            trace_read_latency_us: passed.latencies(Some(Op::Read)),
            trace_write_latency_us: passed.latencies(Some(Op::Write)),
            trace_flush_latency_us: passed.latencies(Some(Op::Flush)),
            trace_trim_latency_us: passed.latencies(Some(Op::Trim)),
            verified_blocks: None,
            verified_read_sectors: None,
            notes: survey.notes.clone(),
            bad_lines: survey.counts.bad_lines,
            first_bad_line: survey.first_bad_line.clone(),
            other_lines: survey.counts.other_lines,
            unsorted_requests: survey.counts.unsorted,
            seed: self.seed,
            complete: is_whole,
            error: None,
        }
    }

    /// A recorder, and the same requests once more: the records hold no addresses.
    fn recorder(&self, folder: &Path, first: Arc<Reached>) -> Result<Recorder> {
        let source = self.requests.source_again(first)?;
        let origin = Origin {
            experiment: "replay".into(),
            repeat: 0,
            pattern: format!("trace {}", self.request.trace.file.path.display()),
            seed: self.seed,
            target: self.target.clone(),
            has_due: self.request.trace.timing == Timing::OnTime,
        };
        let source: Box<dyn RequestSource + Send> = Box::new(source);
        Ok(Recorder::create(&folder.join(RECORDS), vec![source], &origin)?)
    }
}

fn verdict(
    tally: &Tally<'_>,
    lateness_us: Option<ResponseUs>,
    is_whole: bool,
    wall_s: f64,
    trace_s: f64,
) -> String {
    let Some(lateness_us) = lateness_us else {
        let factor = trace_s / wall_s.max(1e-9);
        return match factor {
            _ if !is_whole => "incomplete".into(),
            0.0 => "done; the trace has no duration to compare with".into(),
            1.0.. => format!("{}x faster than recorded", digits(factor)),
            _ => format!("{}x slower than recorded", digits(1.0 / factor)),
        };
    };
    let share = tally.on_time_share();
    // Rounded down, so that a failing share never reads as a passing one.
    let percent = (share * 1000.0).floor() / 10.0;
    if share >= ON_TIME_SHARE {
        return format!("on time: {percent} % of the requests within 50 µs of their time");
    }
    format!(
        "late: {percent} % of the requests within 50 µs of their time, 95 % within {}",
        span(lateness_us.p95 * 1e3)
    )
}
