//! `flashscope replay`: a trace on a real or simulated target, at its own pace or as fast as it goes.

use anyhow::Result;
use flashscope_core::number::size;
use flashscope_lab::replay::{ON_TIME_SHARE, PlannedReplay, ReplayEvent, ReplayResult};
use flashscope_lab::{ReplayRequest, TargetSpec, TraceInput};
use flashscope_show::replay::view;

use crate::confirm::confirm;
use crate::exit::Done;
use crate::facts::forewarn;
use crate::pages::leave;
use crate::progress::requests_bar;
use crate::replay::ReplayArgs;
use crate::screen::Screen;
use crate::signal;

/// Runs the command.
pub fn run(args: &ReplayArgs, screen: &Screen) -> Result<Done> {
    let interrupt = signal::interrupt();
    let request = request(args)?;
    let planned = PlannedReplay::new(&request, interrupt)?;
    let written = size(planned.written_bytes() as f64);
    let first = if args.discard { "all of it is trimmed first, and " } else { "" };
    let plan = format!("{first}the trace {} writes {written} to it", args.trace.display());
    confirm(planned.target(), args.writing.confirm.as_deref(), &plan)?;
    let bar = requests_bar(screen, planned.requests());
    let begun = planned.begin(args.output.as_deref())?;
    forewarn(begun.facts(), screen);
    let mut hear = |event| match event {
        ReplayEvent::Ios(ios) => bar.set_position(ios),
        ReplayEvent::ReadingBack => {
            bar.finish_and_clear();
            screen.note("  reading back what was written");
        }
    };
    let result = begun.replay(&mut hear, interrupt)?;
    bar.finish_and_clear();
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
        screen.note(&format!("  every IO is in {}/", folder.path().display()));
    }
    let is_late = report.on_time_share.is_some_and(|share| share < ON_TIME_SHARE);
    Ok(match report.complete {
        false => Done::Interrupted,
        true if args.strict && is_late => Done::Unreliable,
        true => Done::Well,
    })
}
