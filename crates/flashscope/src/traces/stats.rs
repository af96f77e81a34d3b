//! `flashscope trace stats`: what a trace is like.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use flashscope_core::number::counted;
use flashscope_lab::describe::{STATS, TraceDescription, describe};
use flashscope_show::trace;
use flashscope_trace::TraceFile;

use super::open::ReadArgs;
use crate::exit::Done;
use crate::pages::leave;
use crate::progress::reading_bar;
use crate::screen::Screen;
use crate::signal;

/// `flashscope trace stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// The trace; - is standard input
    pub input: PathBuf,
    #[command(flatten)]
    /// How it is read.
    pub read: ReadArgs,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// Keep it in a new folder: JSON and pictures
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &StatsArgs, screen: &Screen) -> Result<Done> {
    let file = args.read.file(&args.input);
    let bar = reading_bar(screen, file.bytes_to_read());
    let moved = bar.clone();
    let file = TraceFile { on_read: Some(Arc::new(move |bytes| moved.inc(bytes))), ..file };
    let mut hear = |requests| bar.set_message(counted(requests, "request"));
    let found = describe(&file, args.output.as_deref(), &mut hear, signal::interrupt());
    bar.finish_and_clear();
    let found = found?;
    if let Some(folder) = &found.folder {
        trace::draw(folder, &found.description)?;
    }
    show(&found.description, args.json, screen)?;
    if let Some(path) = &args.output {
        leave(path, screen);
        screen.note(&format!("  {STATS} and pictures in {}", path.display()));
    }
    if let Some(first) = found.first_bad_line {
        screen.note(&format!("  the first bad line: {first}"));
    }
    Ok(if found.complete { Done::Well } else { Done::Interrupted })
}

/// Prints a description.
fn show(description: &TraceDescription, json: bool, screen: &Screen) -> Result<()> {
    match json {
        true => screen.print(&serde_json::to_string_pretty(description)?),
        false => screen.print(&trace::view(description, screen.style())),
    }
}
