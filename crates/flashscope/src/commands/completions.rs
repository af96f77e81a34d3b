//! `flashscope completions`: what a shell needs to complete commands, flags and names.

use anyhow::Result;
use clap::Args;

use crate::exit::Done;
use crate::help::complete;
use crate::screen::Screen;

/// `flashscope completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Runs the command.
pub fn run(args: &CompletionsArgs, screen: &Screen) -> Result<Done> {
    screen.print(&complete(args.shell))?;
    Ok(Done::Well)
}
