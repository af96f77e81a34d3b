//! `flashscope compare`: two stored results side by side.

use std::path::Path;

use anyhow::Result;
use flashscope_analysis::reading::Reading;
use flashscope_bench::SuiteRequest;
use flashscope_show::{Suites, compare_json, compare_view};
use flashscope_store::Stored;

use crate::cli::CompareArgs;
use crate::exit::{Done, Usage};
use crate::screen::Screen;
use crate::shell::quoted;
use flashscope_lab::describe::TraceDescription;
use flashscope_lab::replay::ReplayReport;
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::{reading, suite_of};
use flashscope_show::sweep::Pairs;

/// What a folder holds.
enum Held {
    Run(Box<Stored>),
    Measurement(Box<Stored>),
    Simulations(StoredSweep),
    Replay,
    Description,
}

impl Held {
    /// By the file that only this kind of result has.
    fn of(folder: &Path) -> Result<Held> {
        if let Some(sweep) = StoredSweep::read(folder)? {
            return Ok(Held::Simulations(sweep));
        }
        let stored = Box::new(Stored::read(folder)?);
        Ok(if TraceDescription::is_in(folder) {
            Held::Description
        } else if ReplayReport::read(folder)?.is_some() {
            Held::Replay
        } else if stored.manifest.options["pattern"].is_null() {
            Held::Run(stored)
        } else {
            Held::Measurement(stored)
        })
    }

    /// In words.
    fn name(&self) -> &'static str {
        match self {
            Held::Run(_) => "a run",
            Held::Measurement(_) => "a measurement",
            Held::Simulations(_) => "simulations",
            Held::Replay => "a replay",
            Held::Description => "the description of a trace",
        }
    }
}

/// Runs the command.
pub fn run(args: &CompareArgs, screen: &Screen) -> Result<Done> {
    let (a, b) = (screen.open(&args.a)?, screen.open(&args.b)?);
    let text = match (Held::of(a.folder())?, Held::of(b.folder())?) {
        (Held::Run(a), Held::Run(b)) | (Held::Measurement(a), Held::Measurement(b)) => {
            measured(&a, &b, args.json, screen)?
        }
        (Held::Simulations(a), Held::Simulations(b)) => {
            let pairs = Pairs::of(&a, &b);
            if args.json { serde_json::to_string_pretty(&pairs.json())? } else { pairs.view() }
        }
        (a, b) => return Err(unlike(args, &a, &b).into()),
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

fn measured(a: &Stored, b: &Stored, json: bool, screen: &Screen) -> Result<String> {
    let wanted = [a, b].map(|stored| suite_of(&stored.manifest));
    let readings = readings(&wanted, [a, b]);
    let [of_a, of_b] = &wanted;
    let suites = Suites { names: [&of_a.name, &of_b.name], readings: readings.as_ref().map(|[a, b]| [a, b]) };
    let is_run = a.manifest.options["pattern"].is_null();
    let suites = is_run.then_some(suites);
    if json {
        return Ok(serde_json::to_string_pretty(&compare_json(a, b, suites))?);
    }
    Ok(compare_view(a, b, suites, screen.style()))
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
fn unlike(args: &CompareArgs, a: &Held, b: &Held) -> Usage {
    let what = format!("{} holds {}, {} {}", args.a.display(), a.name(), args.b.display(), b.name());
    let is_measured = |held: &Held| matches!(held, Held::Run(_) | Held::Measurement(_));
    let is_simulated = |held: &Held| matches!(held, Held::Simulations(_));
    let remedy = if (is_simulated(a) && is_measured(b)) || (is_measured(a) && is_simulated(b)) {
        "compare two of a kind: `flashscope run sim:PROFILE` measures a simulated device".into()
    } else {
        let beside = format!("flashscope report {} {}", quoted(&args.a), quoted(&args.b));
        format!("runs, measurements and simulations are compared, two of a kind; see both with: {beside}")
    };
    Usage(format!("{what}; {remedy}"))
}
