//! `flashscope man`: the manual, for `man` to show.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::exit::Done;
use crate::help::pages;
use crate::screen::Screen;

/// `flashscope man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &ManArgs, screen: &Screen) -> Result<Done> {
    let pages = pages::all()?;
    let Some(folder) = &args.output else {
        screen.print(&pages[0].1)?;
        return Ok(Done::Well);
    };
    let write = |name: &str, text: &str| fs::write(folder.join(name), text);
    let written =
        fs::create_dir_all(folder).and_then(|()| pages.iter().try_for_each(|(name, text)| write(name, text)));
    written.with_context(|| {
        format!("cannot write pages to {}; choose another folder with -o", folder.display())
    })?;
    screen.note(&format!("{} pages in {}", pages.len(), folder.display()));
    Ok(Done::Well)
}
