//! `flashscope show`: a stored result again.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use flashscope_show::text_of;

use crate::exit::Done;
use crate::pages::form;
use crate::screen::Screen;

/// `flashscope show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A result folder or pack
    pub dir: PathBuf,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print all of a run, not its first screen alone
    #[arg(long, conflicts_with = "json")]
    pub details: bool,
}

/// Runs the command.
pub fn run(args: &ShowArgs, screen: &Screen) -> Result<Done> {
    let opened = screen.open(&args.dir)?;
    let form = form(args.json, args.details, screen);
    let reading = format!("reading {}", args.dir.display());
    let shown = screen.during(&reading, || text_of(opened.folder(), &form))?;
    screen.print(&shown.text)?;
    for warning in &shown.warnings {
        screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy));
    }
    Ok(Done::Well)
}
