//! `flashscope trace sniff`: the format of a trace.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_store::SCHEMA_VERSION;
use flashscope_trace::{Format, TraceError, sniff_input};
use serde_json::json;

use super::open::{ReadArgs, named};
use crate::exit::{Done, message};
use crate::screen::Screen;

/// `flashscope trace sniff`.
#[derive(Debug, Args)]
pub struct SniffArgs {
    /// Traces; - is standard input
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    /// Print all that fit as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &SniffArgs, screen: &Screen) -> Result<Done> {
    let mut documents = Vec::new();
    let mut failure = None;
    for path in &args.traces {
        let all = match sniffed(path).map_err(|error| named(path, error)) {
            Ok(all) => all,
            Err(error) if args.traces.len() == 1 => return Err(error),
            Err(error) => {
                screen.note(&message(&error));
                failure = Some(error);
                continue;
            }
        };
        if args.json {
            let formats: Vec<_> = all
                .iter()
                .map(|(format, percent)| json!({"format": format.name, "percent": percent}))
                .collect();
            documents.push(json!({"trace": path, "formats": formats}));
            continue;
        }
        let (best, percent) = all[0];
        let others: Vec<_> =
            all[1..].iter().map(|(format, percent)| format!("{} {percent} %", format.name)).collect();
        let others = if others.is_empty() { String::new() } else { format!("; also {}", others.join(", ")) };
        screen.print(&format!("{}: {}, {percent} % confidence{others}", path.display(), best.name))?;
    }
    if args.json {
        let document = json!({ "schema_version": SCHEMA_VERSION, "traces": documents });
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    }
    match failure {
        None => Ok(Done::Well),
        Some(error) => Err(error.context("not every file is a known trace")),
    }
}

fn sniffed(path: &Path) -> Result<Vec<(&'static Format, u8)>, TraceError> {
    sniff_input(ReadArgs::default().file(path).bytes()?)
}
