//! `flashscope trace`: block traces recognised, described, converted, transformed, generated and captured.

use anyhow::Result;

use crate::exit::Done;
use crate::screen::Screen;
use crate::traces::TraceArgs;

/// Runs the command.
pub fn run(args: &TraceArgs, screen: &Screen) -> Result<Done> {
    args.command.run(screen)
}
