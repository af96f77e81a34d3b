//! `flashscope compare`: two stored results side by side.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_analysis::reading::Reading;
use flashscope_bench::SuiteRequest;
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::{reading, suite_of};
use flashscope_show::sweep::Pairs;
use flashscope_show::{Suites, compare_json, compare_view};
use flashscope_store::{ResultKind, Stored};

use crate::exit::{Done, Usage};
use crate::screen::Screen;
use crate::shell::quoted;

/// `flashscope compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A result folder or pack
    pub a: PathBuf,
    /// Another
    pub b: PathBuf,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print all experiments, not only those that differ most
    #[arg(long, conflicts_with = "json")]
    pub details: bool,
}

/// What a folder holds.
fn kind(folder: &Path) -> Result<ResultKind> {
    // Says what is wrong if it is no result.
    Stored::read(folder)?;
    Ok(ResultKind::of(folder))
}

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let (a, b) = (screen.open(&args.a)?, screen.open(&args.b)?);
    let (a, b) = (a.folder(), b.folder());
    let text = screen.during("comparing", || match (kind(a)?, kind(b)?) {
        (ResultKind::Sweep, ResultKind::Sweep) => simulated(a, b, args.json),
        (of_a @ (ResultKind::Run | ResultKind::Measurement), of_b) if of_a == of_b => {
            measured([&Stored::read(a)?, &Stored::read(b)?], args, screen)
        }
        (a, b) => Err(unlike(args, a, b).into()),
    })?;
    screen.print(&text)?;
    Ok(Done::Well)
}

fn simulated(a: &Path, b: &Path, json: bool) -> Result<String> {
    let sweep = |folder| StoredSweep::read(folder)?.context("its list of simulations is missing");
    let (a, b) = (sweep(a)?, sweep(b)?);
    let pairs = Pairs::of(&a, &b);
    Ok(if json { serde_json::to_string_pretty(&pairs.json())? } else { pairs.view() })
}

fn measured([a, b]: [&Stored; 2], args: &CompareArgs, screen: &Screen) -> Result<String> {
    let wanted = [a, b].map(|stored| suite_of(&stored.manifest));
    let readings = readings(&wanted, [a, b]);
    let [of_a, of_b] = &wanted;
    let suites = Suites { names: [&of_a.name, &of_b.name], readings: readings.as_ref().map(|[a, b]| [a, b]) };
    let is_run = a.manifest.options["pattern"].is_null();
    let suites = is_run.then_some(suites);
    if args.json {
        return Ok(serde_json::to_string_pretty(&compare_json(a, b, suites))?);
    }
    Ok(compare_view(a, b, suites, args.details, screen.style()))
}

/// What a suite says of each, if both are of the same one.
fn readings([suite, other]: &[SuiteRequest; 2], [a, b]: [&Stored; 2]) -> Option<[Reading; 2]> {
    if suite.name != other.name {
        return None;
    }
    let known = flashscope_bench::Suites::builtin();
    let reading = |stored: &Stored| reading(suite, &known, stored.context.as_ref()?, &stored.finished);
    Some([reading(a)?, reading(b)?])
}

/// Why two such results are not compared, and what can be done with them.
fn unlike(args: &CompareArgs, a: ResultKind, b: ResultKind) -> Usage {
    let what = format!("{} holds {}, {} {}", args.a.display(), a.in_words(), args.b.display(), b.in_words());
    let is_measured = |kind| matches!(kind, ResultKind::Run | ResultKind::Measurement);
    let is_simulated = |kind| kind == ResultKind::Sweep;
    let remedy = if (is_simulated(a) && is_measured(b)) || (is_measured(a) && is_simulated(b)) {
        "compare two results of the same kind (`flashscope run sim:PROFILE` measures a simulated device)"
            .into()
    } else {
        let beside = format!("flashscope report {} {}", quoted(&args.a), quoted(&args.b));
        format!(
            "only two runs, two measurements or two simulations can be compared; show both with: {beside}"
        )
    };
    Usage(format!("{what}; {remedy}"))
}
