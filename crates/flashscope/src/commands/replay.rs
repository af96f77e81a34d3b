//! `flashscope replay`: a trace on a real or simulated target, at its own pace or as fast as it goes.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_core::number::size;
use flashscope_device::Engine;
use flashscope_lab::replay::{ON_TIME_SHARE, PlannedReplay, ReplayEvent, ReplayResult};
use flashscope_lab::{ReplayRequest, TargetSpec, TraceInput};
use flashscope_show::replay::view;

use crate::args::WriteArgs;
use crate::confirm::confirm;
use crate::exit::Done;
use crate::facts::forewarn;
use crate::pages::leave;
use crate::progress::requests_bar;
use crate::screen::{EXAMINING, Screen};
use crate::signal;
use crate::traces::ReadArgs;
use crate::traces::pipeline::PipelineArgs;
use crate::traces::timing::TimingArg;

/// `flashscope replay`. A real target is written only with --write; with --read-only the trace's reads alone
/// are replayed. A trace is changed in this order, whatever the order of the flags: time window, devices,
/// operations, address range, sample; repeat; time scale, idle gaps; align; fit; split.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The trace
    pub trace: PathBuf,
    /// Target of the replay
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    /// When requests are submitted
    #[arg(long, default_value = "on-time")]
    pub timing: TimingArg,
    /// Maximum IOs in flight [default: 1 with --timing asap, else 128]
    #[arg(long, value_name = "N")]
    pub iodepth: Option<u32>,
    /// Skip writes, flushes and trims
    #[arg(long, conflicts_with_all = ["write", "verify"])]
    pub read_only: bool,
    /// Read back everything written, and check that each block holds its last write
    #[arg(long)]
    pub verify: bool,
    /// Trim the whole target first
    #[arg(long)]
    pub discard: bool,
    /// Do not flush the target at the end
    #[arg(long)]
    pub no_final_flush: bool,
    #[command(flatten)]
    /// How the trace is read.
    pub read: ReadArgs,
    #[command(flatten)]
    /// What of it is replayed, and how it is fitted to the target.
    pub pipeline: PipelineArgs,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    /// IO engine on real targets: sync or io_uring [default: sync for one IO in flight, else io_uring]
    #[arg(long)]
    pub engine: Option<Engine>,
    /// Seed of all randomness [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Store every IO in this result folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if fewer than 95 % of the requests were submitted within 50 µs of their time
    #[arg(long)]
    pub strict: bool,
}

/// Runs the command.
pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Done> {
    let interrupt = signal::interrupt();
    let request = request(args)?;
    let reading = format!("reading {}", args.trace.display());
    let planned = screen.during(&reading, || PlannedReplay::new(&request, interrupt))?;
    let written = size(planned.written_bytes() as f64);
    let first = if args.discard { "the target is trimmed first, and " } else { "" };
    let plan = format!("{first}the trace {} writes {written} to it", args.trace.display());
    confirm(planned.target(), args.writing.confirm.as_deref(), &plan)?;
    let requests = planned.requests();
    let begun = screen.during(EXAMINING, || planned.begin(args.output.as_deref()))?;
    forewarn(begun.facts(), screen);
    let bar = requests_bar(screen, requests);
    let mut reading_back = None;
    let mut hear = |event| match event {
        ReplayEvent::Ios(ios) => bar.set_position(ios),
        ReplayEvent::ReadingBack => {
            bar.finish_and_clear();
            screen.note("  reading back what was written");
            reading_back = Some(screen.working("reading back"));
        }
    };
    let result = begun.replay(&mut hear, interrupt);
    bar.finish_and_clear();
    if let Some(line) = reading_back {
        line.finish_and_clear();
    }
    let result = result?;
    let done = conclude(&result, args, screen)?;
    result.error.map_or(Ok(done), |error| Err(error.into()))
}

/// What the flags ask for.
fn request(args: &ReplayArgs) -> Result<ReplayRequest> {
    let trace = TraceInput {
        file: args.read.file(&args.trace),
        pipeline: args.pipeline.pipeline()?,
        timing: args.timing.into(),
    };
    Ok(ReplayRequest {
        iodepth: args.iodepth,
        read_only: args.read_only,
        verify: args.verify,
        discard: args.discard,
        final_flush: !args.no_final_flush,
        write: args.writing.write,
        overwrite_existing_data: args.writing.overwrite_existing_data,
        engine: args.engine,
        seed: args.seed,
        ..ReplayRequest::new(trace, TargetSpec::from(args.target.as_str()))
    })
}

fn conclude(result: &ReplayResult, args: &ReplayArgs, screen: &Screen) -> Result<Done> {
    let report = &result.report;
    if args.json {
        screen.print(&serde_json::to_string_pretty(report)?)?;
    } else {
        screen.print(&view(report))?;
    }
    if let Some(folder) = &result.folder {
        leave(folder.path(), screen);
        screen.note(&format!("  results in {}", folder.path().display()));
    }
    let is_late = report.on_time_share.is_some_and(|share| share < ON_TIME_SHARE);
    Ok(match report.complete {
        false => Done::Interrupted,
        true if args.strict && is_late => Done::Unreliable,
        true => Done::Well,
    })
}
