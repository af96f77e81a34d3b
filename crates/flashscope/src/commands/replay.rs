//! `flashscope replay`: a trace on a real or simulated target, at its own pace or as fast as it goes.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use flashscope_bench::Lab;
use flashscope_core::{Driven, Limits, Op, Ordered, Request, RequestSource, Stream, Target, drive};
use flashscope_device::{DataPattern, Engine, Intent};
use flashscope_report::{Origin, Recorder, ResultFolder, SCHEMA_VERSION, size};
use flashscope_trace::Ahead;
use serde_json::json;

use crate::confirm::confirm;
use crate::exit::{Done, Usage};
use crate::journal::fresh_seed;
use crate::manifest::{Facts, manifest};
use crate::progress::requests_bar;
use crate::replay::{
    Ledger, REPLAY, ReplayArgs, ReplayReport, Requests, ResponseUs, Survey, Tally, Timing, read_back, view,
};
use crate::screen::Screen;
use crate::signal;
use crate::target::{Bench, Named, Opening, Served};

/// 95 % of the requests have to go on time, or the replay is called late.
const ON_TIME_SHARE: f64 = 0.95;
const DEPTH: u32 = 128;

/// Runs the command.
pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Done> {
    let named = checked(args)?;
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let asked = args.iodepth.unwrap_or(if args.timing == Timing::Asap { 1 } else { DEPTH });
    let write = !args.read_only;
    let opening = Opening {
        intent: Intent {
            write,
            span_bytes: 0,
            io_unit_bytes: 0,
            overwrite_existing_data: args.writing.overwrite_existing_data,
        },
        engine: args.engine,
        data: if args.verify { DataPattern::Numbered } else { DataPattern::Random },
        io_bytes_max: 256 << 20,
        depth_max: asked,
        seed,
    };
    let mut bench = Bench::open(&named, opening)?;
    let iodepth = asked.min(bench.info().queue_depth_max);
    bench.will_serve(iodepth..=iodepth);
    let info = bench.info().clone();
    let (requests, survey) = Requests::survey(args, &info, iodepth)?;
    if let Some(handle) = bench.handle().filter(|_| write) {
        let written = size(survey.passed.bytes[Op::Write as usize] as f64);
        let plan = format!("the trace {} writes {written} to it", args.trace.display());
        confirm(handle.identity(), args.writing.confirm.as_deref(), &plan)?;
    }
    let facts = Facts::of(&bench, &opening.data, seed);
    let plan = [format!("replay of {}, {}", args.trace.display(), args.timing.name())];
    let options =
        json!({ "trace": args.trace, "timing": args.timing.name(), "iodepth": iodepth, "write": write });
    let manifest = manifest(&facts, "as it is", &plan, options);
    let folder = args.output.as_deref().map(|path| ResultFolder::create(path, &manifest)).transpose()?;
    let session =
        Session { args, requests: &requests, survey: &survey, iodepth, seed, target: info.name.clone() };
    let handle = bench.shared_handle();
    bench.limit_ios(requests.piece_bytes());
    let served = bench.target(iodepth)?;
    if args.discard {
        discard(served)?;
    }
    let replayed = session.replay(served, handle, folder.as_ref().map(ResultFolder::path), screen)?;
    conclude(&replayed, args, folder.as_ref(), &facts, screen)
}

/// The target, if the flags fit it.
fn checked(args: &ReplayArgs) -> Result<Named> {
    let mut named = Named::parse(&args.target);
    let usage = |text: &str| Err(Usage(text.into()).into());
    if args.iodepth == Some(0) {
        return usage("--iodepth must be at least 1");
    }
    if matches!(named, Named::Path(_)) && !args.writing.write && !args.read_only {
        return usage(
            "a replay writes what the trace writes, and that destroys what is on the target: add --write to \
             allow it, or --read-only to replay the reads alone",
        );
    }
    if args.discard && args.read_only {
        return usage("--discard destroys what is on the target: leave out --read-only, or --discard");
    }
    if args.trace == Path::new("-") {
        return usage(
            "a replay reads the trace twice, so it cannot be standard input: store it in a file first",
        );
    }
    if args.engine == Some(Engine::Sync) && args.iodepth.is_none_or(|iodepth| iodepth > 1) {
        return usage("the sync engine has one IO in flight: leave out --engine, or add --iodepth 1");
    }
    match &mut named {
        Named::Rig(_) | Named::Null if args.verify => {
            return usage("--verify needs a target that holds data: a device, a file or sim:PROFILE");
        }
        // Token mode: each page carries its writer, and each read is compared.
        Named::Sim(name) if args.verify => {
            name.push(if name.contains('?') { '&' } else { '?' });
            name.push_str("nand.data=true");
        }
        _ => {}
    }
    named.must_heed(&args.target, args.engine, DataPattern::Random)?;
    Ok(named)
}

/// Trims all of the target.
fn discard(target: &mut Served) -> Result<()> {
    const PIECE_BYTES: u64 = 1 << 20;
    let size_bytes = target.info().size_bytes;
    for offset_bytes in (0..size_bytes).step_by(PIECE_BYTES as usize) {
        let length_bytes = PIECE_BYTES.min(size_bytes - offset_bytes) as u32;
        let request = Request { offset_bytes, length_bytes, op: Op::Trim, ..Request::default() };
        target.serve_in_turn(&[request], &mut Vec::new())?;
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
    fn replay(
        &self,
        served: &mut Served,
        handle: Option<Arc<flashscope_device::Handle>>,
        folder: Option<&Path>,
        screen: &Screen,
    ) -> Result<ReplayReport> {
        let (source, passed) = self.requests.source()?;
        let mut recorder = folder.map(|path| self.recorder(path)).transpose()?;
        let bar = requests_bar(screen, self.survey.passed.all());
        let mut tally = Tally::new(recorder.as_mut(), &bar);
        let ahead = Ahead::start(source).context("cannot start a thread that reads the trace")?;
        let mut streams = [Stream { source: ahead, pacing: self.args.timing.pacing(self.iodepth) }];
        let mut target = Ordered::new(Ledger::new(served, self.args.verify));
        let begun = target.now();
        let limits = Limits { runtime: None, interrupted: signal::listen() };
        let driven = drive(&mut target, &mut streams, limits, &mut tally);
        let wall = target.now().since(begun);
        bar.finish_and_clear();
        let [Stream { source, .. }] = streams;
        let source = source.finish();
        let driven = driven?;
        self.requests.check(&source)?;
        let flush_s = (!self.args.no_final_flush && !self.args.read_only && driven != Driven::Interrupted)
            .then(|| flush(&mut target))
            .transpose()?;
        let held_back = target.held_back();
        let mut ledger = target.into_inner();
        let left_out = passed.lock().expect("nobody panics with it").left_out;
        let mut report = self.report(&tally, driven, wall.0 as f64 / 1e9, held_back, left_out);
        report.flush_s = flush_s;
        drop(tally);
        if let Some(recorder) = recorder {
            recorder.finish()?;
        }
        if let Some(written) = ledger.written() {
            screen.note("  reading back what was written");
            report.verified_blocks = Some(read_back(&written, ledger.inner_mut(), handle)?);
        }
        Ok(report)
    }

    fn report(
        &self,
        tally: &Tally<'_>,
        driven: Driven,
        wall_s: f64,
        held_back: u64,
        left_out: u64,
    ) -> ReplayReport {
        let survey = self.survey;
        let passed = &survey.passed;
        let on_time = self.args.timing == Timing::OnTime;
        let lateness_us = tally.lateness_us().filter(|_| on_time);
        let trace_s = passed.span_ns() as f64 / 1e9;
        ReplayReport {
            schema_version: SCHEMA_VERSION,
            trace: self.requests.path().display().to_string(),
            format: survey.format.into(),
            target: self.target.clone(),
            timing: self.args.timing.name().into(),
            iodepth: self.iodepth,
            requests: tally.ios(),
            left_out,
            read_bytes: tally.bytes(Op::Read),
            written_bytes: tally.bytes(Op::Write),
            trimmed_bytes: tally.bytes(Op::Trim),
            wall_s,
            flush_s: None,
            trace_s,
            lateness_us: lateness_us.map(Into::into),
            on_time_share: lateness_us.map(|_| tally.on_time_share()),
            verdict: verdict(tally, lateness_us, wall_s, trace_s),
            held_back,
            response_us: tally.response_us(),
            read_us: tally.response_us_of(Op::Read),
            write_us: tally.response_us_of(Op::Write),
            flush_us: tally.response_us_of(Op::Flush),
            trim_us: tally.response_us_of(Op::Trim),
            trace_latency_us: ResponseUs::of(&passed.latencies, passed.latency_sum_ns),
            verified_blocks: None,
            notes: survey.notes.clone(),
            bad_lines: survey.counts.bad_lines,
            first_bad_line: survey.first_bad_line.clone(),
            seed: self.seed,
            complete: driven == Driven::Exhausted,
        }
    }

    /// A recorder, and the same requests once more: the records hold no addresses.
    fn recorder(&self, folder: &Path) -> Result<Recorder> {
        let (source, _) = self.requests.source()?;
        let origin = Origin {
            experiment: "replay".into(),
            repeat: 0,
            pattern: format!("trace {}", self.args.trace.display()),
            seed: self.seed,
            target: self.target.clone(),
            has_due: self.args.timing == Timing::OnTime,
        };
        let source: Box<dyn RequestSource + Send> = Box::new(source);
        Ok(Recorder::create(&folder.join("ios/replay.parquet"), vec![source], &origin)?)
    }
}

/// Flushes the target; returns the seconds it took.
fn flush(target: &mut impl Target) -> Result<f64> {
    let begun = target.now();
    let request = Request { op: Op::Flush, ..Request::default() };
    target.serve_in_turn(&[request], &mut Vec::new())?;
    Ok(target.now().since(begun).0 as f64 / 1e9)
}

fn verdict(tally: &Tally<'_>, lateness_us: Option<ResponseUs>, wall_s: f64, trace_s: f64) -> String {
    let Some(lateness_us) = lateness_us else {
        let factor = trace_s / wall_s.max(1e-9);
        return match factor {
            1.0.. => format!("done {factor:.1} times as fast as the trace"),
            _ => format!("done {:.1} times as slowly as the trace", 1.0 / factor.max(1e-9)),
        };
    };
    let share = tally.on_time_share();
    // Rounded down, so that a failing share never reads as a passing one.
    let percent = (share * 1000.0).floor() / 10.0;
    if share >= ON_TIME_SHARE {
        return format!("on time: {percent} % of the requests went within 50 µs of their time");
    }
    format!(
        "late: {percent} % of the requests went within 50 µs of their time, 95 % within {:.0} µs",
        lateness_us.p95
    )
}

fn conclude(
    report: &ReplayReport,
    args: &ReplayArgs,
    folder: Option<&ResultFolder>,
    facts: &Facts,
    screen: &Screen,
) -> Result<Done> {
    let document = serde_json::to_string_pretty(report)?;
    if let Some(folder) = folder {
        folder.write_text(REPLAY, &document)?;
    }
    if args.json {
        screen.print(&document)?;
    } else {
        screen.print(&view(report))?;
    }
    if let Some(folder) = folder {
        screen.note(&format!("  every IO is in {}/", folder.path().display()));
    }
    for warning in &facts.warnings {
        screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy));
    }
    let is_late = report.on_time_share.is_some_and(|share| share < ON_TIME_SHARE);
    Ok(match report.complete {
        false => Done::Interrupted,
        true if args.strict && is_late => Done::Unreliable,
        true => Done::Well,
    })
}
