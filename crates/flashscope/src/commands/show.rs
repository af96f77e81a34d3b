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
}

/// Runs the command.
pub fn run(args: &ShowArgs, screen: &Screen) -> Result<Done> {
    let opened = screen.open(&args.dir)?;
    let shown = text_of(opened.folder(), &form(args.json, screen))?;
    screen.print(&shown.text)?;
    for warning in &shown.warnings {
        screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy));
    }
    Ok(Done::Well)
}
