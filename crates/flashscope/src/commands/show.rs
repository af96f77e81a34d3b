//! `flashscope show`: a stored result again.

use anyhow::{Context as _, Result};
use flashscope_report::{Stored, measure_json, measure_view};

use crate::cli::ShowArgs;
use crate::commands::run::show_result;
use crate::exit::Done;
use crate::figures;
use crate::screen::Screen;

/// Runs the command.
pub fn run(args: &ShowArgs, screen: &Screen) -> Result<Done> {
    let Stored { path, context, finished, warnings, .. } = Stored::read(&args.dir)?;
    let context = context.with_context(|| {
        let dir = args.dir.display();
        format!("{dir}: the run was killed; finish it with: flashscope run --resume {dir}")
    })?;
    match &finished[..] {
        [single] if single.experiment.micro == "measure" => {
            let text = if args.json {
                serde_json::to_string_pretty(&measure_json(&context, single))?
            } else {
                let responses = figures::responses(&path, single);
                let means_ns = responses.map_or(Vec::new(), |responses| responses.mean_ns);
                measure_view(&context, single, &means_ns, screen.style())
            };
            screen.print(&text)?;
        }
        _ => {
            show_result(&context, &finished, warnings, &path, args.json, screen)?;
        }
    }
    Ok(Done::Well)
}
