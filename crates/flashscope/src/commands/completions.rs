//! `flashscope completions`: what a shell needs to complete commands, flags and names.

use anyhow::Result;

use crate::cli::CompletionsArgs;
use crate::exit::Done;
use crate::help::complete;
use crate::screen::Screen;

/// Runs the command.
pub fn run(args: &CompletionsArgs, screen: &Screen) -> Result<Done> {
    screen.print(&complete(args.shell))?;
    Ok(Done::Well)
}
