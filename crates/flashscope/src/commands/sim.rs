//! `flashscope sim`: simulated SSDs under a pattern or a trace, one or many side by side.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cli::SimArgs;
use crate::exit::{Done, Usage};
use crate::journal::fresh_seed;
use crate::progress::cases_bar;
use crate::screen::Screen;
use crate::signal;
use crate::simulate::{Axis, Case, Common, Entry, SweepFolder, Workload, cases, check, sweep, unheard, view};

/// Runs the command.
pub fn run(args: &SimArgs, screen: &Screen) -> Result<Done> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let jobs = jobs(args.jobs)?;
    let workload = Workload::of(args, seed)?;
    let cases = cases(args)?;
    notes(args, &cases, screen);
    let warmup_each_ios = before_the_first_io(args, &cases, &workload)?;
    let axis = args.figure.as_deref().map(|path| axis(path, &cases)).transpose()?;
    let mut entries: Vec<Entry> =
        cases.iter().map(|case| Entry::not_run(case, &workload.describe(), seed)).collect();
    let create = |path: &Path| SweepFolder::create(path, &cases, &workload, seed, &entries);
    let mut folder = args.output.as_deref().map(create).transpose()?;
    let kept = folder.as_ref().map(SweepFolder::path);
    let common = Common {
        workload: &workload,
        seed,
        warmup_each_ios,
        final_flush: !args.no_final_flush,
        folder: kept.as_deref(),
        save_state: args.save_state.as_deref(),
        interrupted: signal::listen(),
    };
    let bar = cases_bar(screen, cases.len() as u64);
    let outcome = sweep(&cases, &common, jobs, &mut entries, &mut |entries| {
        bar.inc(1);
        folder.as_mut().map_or(Ok(()), |folder| folder.keep(entries))
    });
    bar.finish_and_clear();
    if let Some(folder) = &mut folder {
        folder.write(&entries)?;
    }
    if let (Some(axis), Some(path)) = (axis, &args.figure) {
        draw(axis, path, &entries)?;
    }
    if outcome.is_ok() || entries.iter().any(|entry| entry.report().is_some()) {
        show(args, &entries, screen)?;
    }
    outcome?;
    Ok(if entries.iter().all(Entry::is_complete) { Done::Well } else { Done::Interrupted })
}

/// What a person may not have meant.
fn notes(args: &SimArgs, cases: &[Case], screen: &Screen) {
    unheard(args, cases).iter().for_each(|flag| screen.note(&format!("note: {flag}")));
    if args.trace.is_none() && args.pattern.given("rw").is_none() && !args.pattern.has_file() {
        screen.note("note: nothing but reads; to write: --rw randwrite --bs 4k, or --trace FILE");
    }
}

/// Refuses what cannot be simulated. Returns the IOs of each stream that are not counted.
fn before_the_first_io(args: &SimArgs, cases: &[Case], workload: &Workload) -> Result<u64> {
    let readers = if args.output.is_some() { 2 } else { 1 };
    workload.can_be_read(cases.len() * readers)?;
    let warmup_each_ios = workload.warmup_ios(args.warmup)?;
    for case in cases {
        workload.fitted(&case.info()?)?.check_warmup(warmup_each_ios)?;
    }
    // A single one is refused soon enough.
    if cases.len() > 1 || args.output.is_some() {
        check(cases)?;
    }
    Ok(warmup_each_ios)
}

fn show(args: &SimArgs, entries: &[Entry], screen: &Screen) -> Result<()> {
    if args.json {
        return screen.print(&serde_json::to_string_pretty(entries)?);
    }
    screen.print(&view(entries, args.output.as_deref()))
}

fn jobs(asked: Option<usize>) -> Result<usize> {
    match asked {
        Some(0) => Err(Usage("--jobs must be at least 1".into()).into()),
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// The axis of the picture, if it can be drawn and kept.
fn axis(path: &Path, cases: &[Case]) -> Result<Axis> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        let message = format!("--figure {}: give a file in a folder that exists", path.display());
        return Err(Usage(message).into());
    }
    Ok(Axis::of(cases)?)
}

fn draw(axis: Axis, path: &Path, entries: &[Entry]) -> Result<()> {
    let Some(picture) = axis.draw(entries) else { return Ok(()) };
    std::fs::write(path, picture).with_context(|| format!("cannot write the picture {}", path.display()))
}
