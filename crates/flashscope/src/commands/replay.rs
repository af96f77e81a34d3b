//! `flashscope replay`: a trace on a real or simulated target, at its own pace or as fast as it goes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use flashscope_bench::Lab;
use flashscope_core::number::{size, span};
use flashscope_core::{Driven, Limits, Op, Ordered, Request, RequestSource, Stream, Target, drive};
use flashscope_device::{DataPattern, Engine, Handle, Intent};
use flashscope_store::{Origin, Recorder, ResultFolder, SCHEMA_VERSION};
use flashscope_trace::{Ahead, Reached, TraceError};
use serde_json::json;

use crate::confirm::confirm;
use crate::exit::{Done, Interrupted, Usage, message};
use crate::facts::forewarn;
use crate::pages::leave;
use crate::progress::requests_bar;
use crate::replay::{
    Ledger, PIECE_BYTES_REAL, RECORDS, REPLAY, ReplayArgs, ReplayReport, Requests, ResponseUs, Survey, Tally,
    flush, read_back, view,
};
use crate::screen::Screen;
use crate::signal;
use crate::traces::open::check_file;
use crate::traces::timing::Timing;
use flashscope_lab::fresh_seed;
use flashscope_lab::inside;
use flashscope_lab::{AnyTarget, OpenOptions, OpenTarget, TargetSpec};
use flashscope_lab::{Facts, manifest};

/// 95 % of the requests have to go on time, or the replay is called late.
const ON_TIME_SHARE: f64 = 0.95;
const DEPTH: u32 = 128;
const DEPTH_MAX: u32 = 4096;

/// Runs the command.
pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Done> {
    let named = checked(args)?;
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let asked = depth(args);
    let write = !args.read_only;
    let opening = OpenOptions {
        intent: Intent {
            write,
            span_bytes: 0,
            io_unit_bytes: 0,
            overwrite_existing_data: args.writing.overwrite_existing_data,
        },
        engine: args.engine,
        data: if args.verify { DataPattern::Numbered } else { DataPattern::Random },
        io_bytes_max: PIECE_BYTES_REAL as u32,
        depth_max: asked,
        seed,
    };
    let mut bench = OpenTarget::open(&named, opening, signal::interrupt())?;
    let iodepth = asked.min(bench.info().queue_depth_max);
    bench.name_engines(iodepth..=iodepth);
    let info = bench.info().clone();
    let (requests, survey) = Requests::survey(args, &info, iodepth)?;
    if survey.passed.all() == 0 {
        let out = if args.read_only { "; without --read-only it would" } else { "" };
        return Err(Usage(format!("nothing of {} is left to be replayed{out}", args.trace.display())).into());
    }
    if write {
        let written = size(survey.passed.bytes[Op::Write as usize] as f64);
        let first = if args.discard { "all of it is trimmed first, and " } else { "" };
        let plan = format!("{first}the trace {} writes {written} to it", args.trace.display());
        confirm(&bench, args.writing.confirm.as_deref(), &plan)?;
    }
    let facts = Facts::of(&bench, &opening.data, seed);
    forewarn(&facts, screen);
    let plan = [format!("replay of {}, {}", args.trace.display(), args.timing.name())];
    let options =
        json!({ "trace": args.trace, "timing": args.timing.name(), "iodepth": iodepth, "write": write });
    let manifest = manifest(&facts, "as it is", &plan, options);
    let folder = args.output.as_deref().map(|path| ResultFolder::create(path, &manifest)).transpose()?;
    let session =
        Session { args, requests: &requests, survey: &survey, iodepth, seed, target: info.name.clone() };
    if args.discard {
        discard(bench.target(1)?)?;
    }
    bench.limit_ios(requests.piece_bytes());
    let real = bench.shared_handle().map(|handle| (handle, bench.engine_seed(iodepth)));
    let served = bench.target(iodepth)?;
    let (report, failure) = session.replay(served, real, folder.as_ref().map(ResultFolder::path), screen)?;
    let done = conclude(&report, args, folder.as_ref(), screen)?;
    failure.map_or(Ok(done), Err)
}

/// IOs in flight at most.
fn depth(args: &ReplayArgs) -> u32 {
    args.iodepth.unwrap_or(if args.timing == Timing::Asap { 1 } else { DEPTH })
}

/// The target, if the flags fit it.
fn checked(args: &ReplayArgs) -> Result<TargetSpec> {
    let mut named = TargetSpec::from(args.target.as_str());
    let usage = |text: &str| Err(Usage(text.into()).into());
    if args.iodepth.is_some_and(|iodepth| !(1..=DEPTH_MAX).contains(&iodepth)) {
        return Err(Usage(format!("--iodepth must be from 1 to {DEPTH_MAX}")).into());
    }
    if matches!(named, TargetSpec::Path(_)) && !args.writing.write && !args.read_only {
        return usage(
            "a replay writes what the trace writes, and that destroys what is on the target: add --write to \
             allow it, or --read-only to replay the reads alone",
        );
    }
    if args.discard && args.read_only {
        return usage("--discard destroys what is on the target: leave out --read-only, or --discard");
    }
    check_file(&args.trace, "a replay reads the trace twice")?;
    args.timing.check(&args.pipeline)?;
    if args.engine == Some(Engine::Sync) && depth(args) > 1 {
        return usage("the sync engine has one IO in flight: leave out --engine, or add --iodepth 1");
    }
    match &mut named {
        TargetSpec::Rig(_) | TargetSpec::Null if args.verify => {
            return usage("--verify needs a target that holds data: a device, a file or sim:PROFILE");
        }
        // Token mode: each page carries its writer, and each read is compared.
        TargetSpec::Sim(name) if args.verify => {
            name.push(if name.contains('?') { '&' } else { '?' });
            name.push_str("nand.data=true");
        }
        _ => {}
    }
    named.refuse_ignored(args.engine, DataPattern::Random)?;
    Ok(named)
}

/// Trims all of the target.
fn discard(target: &mut AnyTarget) -> Result<()> {
    let interrupted = signal::listen();
    let size_bytes = target.info().size_bytes;
    for offset_bytes in (0..size_bytes).step_by(PIECE_BYTES_REAL as usize) {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        let length_bytes = PIECE_BYTES_REAL.min(size_bytes - offset_bytes) as u32;
        let request = Request { offset_bytes, length_bytes, op: Op::Trim, ..Request::default() };
        target.serve(&request)?;
    }
    Ok(())
}

/// All that a replay needs.
struct Session<'a> {
    args: &'a ReplayArgs,
    requests: &'a Requests<'a>,
    survey: &'a Survey,
    iodepth: u32,
    seed: u64,
    target: String,
}

impl Session<'_> {
    /// Errors that come before the first IO end it; later ones are told beside what was measured.
    fn replay(
        &self,
        served: &mut AnyTarget,
        real: Option<(Arc<Handle>, u64)>,
        folder: Option<&Path>,
        screen: &Screen,
    ) -> Result<(ReplayReport, Option<anyhow::Error>)> {
        let (source, _) = self.requests.source()?;
        let first = source.reached();
        let mut recorder = folder.map(|path| self.recorder(path, first.clone())).transpose()?;
        let bar = requests_bar(screen, self.survey.passed.all());
        let mut tally = Tally::new(recorder.as_mut(), &bar);
        let ahead = Ahead::start(source).context("cannot start a thread that reads the trace")?;
        let mut streams = [Stream { source: ahead, pacing: self.args.timing.pacing(self.iodepth) }];
        if let (Some(_), AnyTarget::Ssd(ssd)) = (folder, &mut *served) {
            ssd.watch();
        }
        let mut target = Ordered::new(Ledger::new(served, self.args.verify));
        let begun = target.now();
        let interrupted = signal::listen();
        let limits = Limits { runtime: None, interrupted };
        let driven = drive(&mut target, &mut streams, limits, &mut tally);
        let wall = target.now().since(begun);
        bar.finish_and_clear();
        let [Stream { source, .. }] = streams;
        let source = source.finish();
        let source = source.inner();
        let was_cut = source.error().is_some_and(TraceError::is_interruption);
        let is_whole = driven == Ok(Driven::Exhausted) && !was_cut;
        let mut report = self.report(&tally, is_whole, wall.0 as f64 / 1e9, target.held_back());
        drop(tally);
        let end = driven.map_err(Into::into);
        let end = end.and_then(|_| if was_cut { Ok(()) } else { self.requests.check(source) });
        let end = end.and_then(|()| self.flush(&mut report, &mut target));
        let kept = self.keep_inside(&mut target, folder);
        let end = end.and(kept).and_then(|()| self.prove(&mut report, &mut target, real, screen));
        let end = end.and(recorder.map_or(Ok(()), |recorder| Ok(recorder.finish().map(|_| ())?)));
        report.error = end.as_ref().err().map(message);
        report.complete &= end.is_ok();
        Ok((report, end.err()))
    }

    /// The last flush.
    fn flush(&self, report: &mut ReplayReport, target: &mut impl Target) -> Result<()> {
        if report.complete && !self.args.no_final_flush && !self.args.read_only {
            report.flush_s = Some(flush(target)?);
        }
        Ok(())
    }

    /// What a simulated SSD did inside, up to the last flush.
    fn keep_inside(&self, target: &mut Ordered<Ledger<&mut AnyTarget>>, folder: Option<&Path>) -> Result<()> {
        let seen = target.inner_mut().inner_mut().seen();
        folder.zip(seen).map_or(Ok(()), |(folder, seen)| Ok(inside::keep(folder, RECORDS, &seen).map(drop)?))
    }

    /// The proof.
    fn prove(
        &self,
        report: &mut ReplayReport,
        target: &mut Ordered<Ledger<&mut AnyTarget>>,
        real: Option<(Arc<Handle>, u64)>,
        screen: &Screen,
    ) -> Result<()> {
        let ledger = target.inner_mut();
        if let Some(written) = ledger.written().filter(|_| report.complete) {
            screen.note("  reading back what was written");
            report.verified_blocks = read_back(&written, ledger.inner_mut(), real, signal::listen())?;
            report.complete = report.verified_blocks.is_some();
        }
        Ok(())
    }

    fn report(&self, tally: &Tally<'_>, is_whole: bool, wall_s: f64, held_back: u64) -> ReplayReport {
        let survey = self.survey;
        let passed = &survey.passed;
        let on_time = self.args.timing == Timing::OnTime;
        let lateness_us = tally.lateness_us().filter(|_| on_time);
        let trace_s = passed.span_ns() as f64 / 1e9;
        let times = |op| tally.response_us_of(op);
        ReplayReport {
            schema_version: SCHEMA_VERSION,
            trace: self.requests.path().display().to_string(),
            format: survey.format.into(),
            target: self.target.clone(),
            timing: self.args.timing.name().into(),
            pipeline: self.args.pipeline.flags(),
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
            pattern: format!("trace {}", self.args.trace.display()),
            seed: self.seed,
            target: self.target.clone(),
            has_due: self.args.timing == Timing::OnTime,
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
            _ if !is_whole => "not done to its end".into(),
            0.0 => "done; the trace tells no time to compare with".into(),
            1.0.. => format!("done {factor:.1} times as fast as the trace"),
            _ => format!("done {:.1} times as slowly as the trace", 1.0 / factor),
        };
    };
    let share = tally.on_time_share();
    // Rounded down, so that a failing share never reads as a passing one.
    let percent = (share * 1000.0).floor() / 10.0;
    if share >= ON_TIME_SHARE {
        return format!("on time: {percent} % of the requests went within 50 µs of their time");
    }
    format!(
        "late: {percent} % of the requests went within 50 µs of their time, 95 % within {}",
        span(lateness_us.p95 * 1e3)
    )
}

fn conclude(
    report: &ReplayReport,
    args: &ReplayArgs,
    folder: Option<&ResultFolder>,
    screen: &Screen,
) -> Result<Done> {
    let document = serde_json::to_string_pretty(report)?;
    if args.json {
        screen.print(&document)?;
    } else {
        screen.print(&view(report))?;
    }
    // What was printed is safe, whatever the disk says.
    if let Some(folder) = folder {
        folder.write_text(REPLAY, &document)?;
    }
    if let Some(folder) = folder {
        leave(folder.path(), screen);
        screen.note(&format!("  every IO is in {}/", folder.path().display()));
    }
    let is_late = report.on_time_share.is_some_and(|share| share < ON_TIME_SHARE);
    Ok(match report.complete {
        false => Done::Interrupted,
        true if args.strict && is_late => Done::Unreliable,
        true => Done::Well,
    })
}
