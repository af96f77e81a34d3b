//! `flashscope compare`: two stored results side by side.

use std::path::Path;

use anyhow::Result;
use flashscope_report::{Stored, compare_json, compare_view};

use crate::cli::CompareArgs;
use crate::exit::{Done, Usage};
use crate::pack::Opened;
use crate::screen::Screen;
use crate::simulate::{Pairs, StoredSweep};

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let (a, b) = (Opened::of(&args.a, screen)?, Opened::of(&args.b, screen)?);
    let (a, b) = (a.folder(), b.folder());
    let text = match (StoredSweep::read(a)?, StoredSweep::read(b)?) {
        (None, None) => measured(a, b, args.json, screen)?,
        (Some(a), Some(b)) => {
            let pairs = Pairs::of(&a, &b);
            if args.json { serde_json::to_string_pretty(&pairs.json())? } else { pairs.view() }
        }
        (of_a, _) => {
            let (simulated, other) = if of_a.is_some() { (a, b) } else { (b, a) };
            // If the other one is no result at all, that comes first.
            Stored::read(other)?;
            let message = format!(
                "{} holds simulations, {} measurements; compare two of a kind: `flashscope run sim:PROFILE` \
                 measures a simulated device",
                simulated.display(),
                other.display()
            );
            return Err(Usage(message).into());
        }
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

fn measured(a: &Path, b: &Path, json: bool, screen: &Screen) -> Result<String> {
    let (a, b) = (Stored::read(a)?, Stored::read(b)?);
    if json {
        return Ok(serde_json::to_string_pretty(&compare_json(&a, &b))?);
    }
    Ok(compare_view(&a, &b, screen.style()))
}
