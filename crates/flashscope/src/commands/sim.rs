//! `flashscope sim`: simulated SSDs under a pattern or a trace, one or many side by side.

use std::path::Path;

use anyhow::Result;

use crate::cli::SimArgs;
use crate::exit::{Done, Usage};
use crate::pages::leave;
use crate::progress::cases_bar;
use crate::screen::Screen;
use crate::signal;
use crate::simulate::{
    Axis, Case, Common, Entry, Product, SweepFolder, Workload, cases, check, sweep, unheard, view,
};
use flashscope_lab::fresh_seed;

/// Runs the command.
pub fn run(args: &SimArgs, screen: &Screen) -> Result<Done> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let jobs = jobs(args.jobs)?;
    let workload = Workload::of(args, seed)?;
    let cases = cases(args)?;
    notes(args, &cases, screen);
    let warmup_each_ios = before_the_first_io(args, &cases, &workload)?;
    let figure = args.figure.as_deref().map(|path| figure(path, &cases)).transpose()?;
    let product = args.save_state.as_deref().map(Product::state).transpose()?;
    let mut entries: Vec<Entry> =
        cases.iter().map(|case| Entry::not_run(case, &workload.describe(), seed)).collect();
    let create = |path: &Path| SweepFolder::create(path, &cases, &workload, seed, &entries);
    let mut folder = args.output.as_deref().map(create).transpose()?;
    let place = folder.as_ref().map(SweepFolder::path);
    let common = Common {
        workload: &workload,
        seed,
        warmup_each_ios,
        final_flush: !args.no_final_flush,
        folder: place.as_deref(),
        save_state: product.as_ref(),
        interrupted: signal::listen(),
    };
    let bar = cases_bar(screen, cases.len() as u64);
    let outcome = sweep(&cases, &common, jobs, &mut entries, &mut |entries| {
        bar.inc(1);
        folder.as_mut().map_or(Ok(()), |folder| folder.keep(entries))
    });
    bar.finish_and_clear();
    let kept = folder.map_or(Ok(()), |mut folder| folder.write(&entries));
    // What could not be kept or drawn takes nothing from what was simulated.
    let drawn = figure.map_or(Ok(()), |(axis, product)| match axis.draw(&entries) {
        Some(picture) => product.write(picture.as_bytes()),
        None => Ok(()),
    });
    if outcome.is_ok() || entries.len() > 1 || entries.iter().any(|entry| entry.report().is_some()) {
        show(args, &entries, screen)?;
    }
    if let Some(place) = &place {
        leave(place, screen);
    }
    outcome.and(kept).and(drawn)?;
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

/// The axis of the picture and its place, if it can be drawn and kept.
fn figure(path: &Path, cases: &[Case]) -> Result<(Axis, Product)> {
    let product = Product::picture(path)?;
    Ok((Axis::of(cases)?, product))
}
