//! `flashscope compare`: two stored results side by side.

use anyhow::Result;
use flashscope_report::{Stored, compare_json, compare_view};

use crate::cli::CompareArgs;
use crate::exit::{Done, Usage};
use crate::screen::Screen;
use crate::simulate::{Pairs, StoredSweep};

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let text = match (StoredSweep::read(&args.a)?, StoredSweep::read(&args.b)?) {
        (None, None) => measured(args, screen)?,
        (Some(a), Some(b)) => {
            let pairs = Pairs::of(&a, &b);
            if args.json { serde_json::to_string_pretty(&pairs.json())? } else { pairs.view() }
        }
        (a, _) => {
            let (simulated, other) = if a.is_some() { (&args.a, &args.b) } else { (&args.b, &args.a) };
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

fn measured(args: &CompareArgs, screen: &Screen) -> Result<String> {
    let (a, b) = (Stored::read(&args.a)?, Stored::read(&args.b)?);
    if args.json {
        return Ok(serde_json::to_string_pretty(&compare_json(&a, &b))?);
    }
    Ok(compare_view(&a, &b, screen.style()))
}
