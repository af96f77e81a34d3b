//! `flashscope show`: a stored result again.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_lab::describe::TraceDescription;
use flashscope_lab::replay::ReplayReport;
use flashscope_lab::suite_of;
use flashscope_lab::sweep::StoredSweep;
use flashscope_show::{figures, measure_json, measure_view, replay, sweep};
use flashscope_store::Stored;

use crate::commands::run::{Shown, show_result};
use crate::exit::Done;
use crate::screen::Screen;
use crate::shell::resume;
use crate::traces;

/// `flashscope show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A result folder or pack
    pub dir: PathBuf,
    /// Print it as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &ShowArgs, screen: &Screen) -> Result<Done> {
    let opened = screen.open(&args.dir)?;
    let dir = opened.folder();
    if let Some(sweep) = StoredSweep::read(dir)? {
        return simulations(&sweep, args, screen);
    }
    if let Some(description) = TraceDescription::read(dir)? {
        traces::show(&description, args.json, screen)?;
        return Ok(Done::Well);
    }
    if let Some(report) = ReplayReport::read(dir)? {
        let text = if args.json { serde_json::to_string_pretty(&report)? } else { replay::view(&report) };
        screen.print(&text)?;
        return Ok(Done::Well);
    }
    let Stored { path, context, finished, warnings, manifest } = Stored::read(dir)?;
    let writes = manifest.options["write"] == true && !manifest.target.virtual_time;
    let resume = resume(dir, writes);
    let context = context
        .with_context(|| format!("{}: the run was killed; finish it with: {resume}", dir.display()))?;
    if !finished.iter().all(|done| done.experiment.micro == "measure") || finished.is_empty() {
        let suite = &suite_of(&manifest);
        let shown = Shown { context: &context, finished: &finished, suite, folder: &path, resume: &resume };
        show_result(&shown, warnings, args.json, screen)?;
        return Ok(Done::Well);
    }
    // A single measurement, or the sizes that `--bs auto` tried.
    if args.json {
        let all: Vec<_> = finished.iter().map(|done| measure_json(&context, done)).collect();
        let document = if let [single] = &all[..] { single.clone() } else { all.into() };
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    } else {
        let view = |done| {
            let responses = figures::responses(&path, done);
            let means_ns = responses.map_or(Vec::new(), |responses| responses.mean_ns);
            measure_view(&context, done, &means_ns, screen.style())
        };
        let views: Vec<String> = finished.iter().map(view).collect();
        screen.print(&views.join("\n"))?;
    }
    warnings
        .iter()
        .for_each(|warning| screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy)));
    Ok(Done::Well)
}

/// What `flashscope sim` stored: its table, or its list of runs.
fn simulations(sweep: &StoredSweep, args: &ShowArgs, screen: &Screen) -> Result<Done> {
    let text = match args.json {
        true => serde_json::to_string_pretty(&sweep.entries)?,
        false => sweep::view(&sweep.entries, Some(&sweep.path)),
    };
    screen.print(&text)?;
    Ok(Done::Well)
}
