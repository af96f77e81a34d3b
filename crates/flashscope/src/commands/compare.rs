//! `flashscope compare`: two stored results side by side.

use anyhow::Result;
use flashscope_report::{Stored, compare_view};

use crate::cli::CompareArgs;
use crate::exit::Done;
use crate::screen::Screen;

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let (a, b) = (Stored::read(&args.a)?, Stored::read(&args.b)?);
    screen.print(&compare_view(&a, &b, screen.style()))?;
    Ok(Done::Well)
}
