//! `flashscope compare`: two stored results side by side.

use anyhow::Result;
use flashscope_report::{Stored, compare_json, compare_view};

use crate::cli::CompareArgs;
use crate::exit::Done;
use crate::screen::Screen;

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let (a, b) = (Stored::read(&args.a)?, Stored::read(&args.b)?);
    if args.json {
        screen.print(&serde_json::to_string_pretty(&compare_json(&a, &b))?)?;
    } else {
        screen.print(&compare_view(&a, &b, screen.style()))?;
    }
    Ok(Done::Well)
}
