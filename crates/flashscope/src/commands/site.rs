//! `flashscope site`: a folder of pages of many results, to be opened from disk or put on a server.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use flashscope_core::number::counted;
use flashscope_lab::ErrorKind;
use flashscope_show::{look_for, site};

use crate::exit::{Done, Usage};
use crate::pages::WORDS;
use crate::screen::Screen;
use crate::signal;

/// `flashscope site`.
#[derive(Debug, Args)]
pub struct SiteArgs {
    /// Folder of result folders and packs (searched one level deep)
    pub dir: PathBuf,
    /// Output folder; an existing site is replaced
    #[arg(long, short, value_name = "SITE", default_value = "site")]
    pub output: PathBuf,
}

/// Runs the command.
pub fn run(args: &SiteArgs, screen: &Screen) -> Result<Done> {
    let shown = args.dir.display();
    if !args.dir.is_dir() {
        return Err(
            Usage(format!("{shown} is not a folder; name a folder of result folders or packs")).into()
        );
    }
    let found = screen.during(&format!("reading {shown}"), || look_for(&args.dir));
    if found.results.is_empty() {
        let problem = format!("no results in {shown}; name a folder of result folders or packs");
        return Err(Usage(problem).into());
    }
    let writing = format!("writing {}", args.output.display());
    let made = screen.during(&writing, || site(found, &args.output, &WORDS, signal::interrupt()));
    let made = match made {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            screen.note(&format!("interrupted: {} was not written", args.output.display()));
            return Ok(Done::Interrupted);
        }
        made => made?,
    };
    for [place, why] in &made.problems {
        screen.note(&format!("warning: {place}: {why}"));
    }
    let results = made.results;
    let index = args.output.join("index.html");
    let pairs = counted(results * results.saturating_sub(1) / 2, "comparison");
    screen.print(&format!("{}   ({}, {pairs})", index.display(), counted(results, "result")))?;
    Ok(Done::Well)
}
