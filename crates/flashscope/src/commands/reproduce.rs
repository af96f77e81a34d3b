//! `flashscope reproduce`: what the papers say, run again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_core::{Bytes, Nanos};
use flashscope_device::{DataPattern, Intent};
use flashscope_report::html::{self, Bundle};

use crate::cli::WriteArgs;
use crate::commands::report::{may_replace, write};
use crate::confirm::confirm;
use crate::exit::{Done, Interrupted, Usage, not_zero};
use crate::progress::studies_bar;
use crate::screen::Screen;
use crate::signal;
use crate::studies::{Stage, Study, Verdict, json, judge, markdown, page, studies, view};
use crate::target::{Bench, Named, Opening};

/// `flashscope reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Studies by name, papers by number (000 to 004), or all: `flashscope list studies`
    #[arg(value_name = "NAME", default_value = "all", value_parser = NonEmptyStringValueParser::new())]
    pub names: Vec<String>,
    /// Run them on this TARGET instead, and compare shapes
    #[arg(long, value_name = "TARGET")]
    pub on: Option<String>,
    /// The first bytes of a real TARGET alone [default: all of it]
    #[arg(long, value_name = "SIZE", requires = "on")]
    pub size: Option<Bytes>,
    /// On a real TARGET, how long that runs which a paper runs for 30 s; other times in proportion
    /// [default: 2s]
    #[arg(long, value_name = "TIME", requires = "on")]
    pub runtime: Option<Nanos>,
    /// Leave to write to a real one.
    #[command(flatten)]
    pub writing: WriteArgs,
    /// Seed of everything random [default: 1, that of docs/papers.md]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Studies at a time [default: one for each core; on a real device always one]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Print the result as one JSON document
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the page docs/papers.md
    #[arg(long)]
    pub markdown: bool,
    /// Write a page with the pictures too, to be opened in any browser
    #[arg(long, short, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Replace a file that is no page of flashscope
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Exit with status 4 if a claim differs
    #[arg(long)]
    pub strict: bool,
}

/// What a real target is given for 30 s of a paper.
const RUNTIME: Nanos = Nanos::from_s(2);

/// Names that are offered in place of one that none has.
const NEAREST: usize = 3;

/// The seed of docs/papers.md.
const SEED: u64 = 1;

/// Runs the command.
pub fn run(args: &ReproduceArgs, screen: &Screen) -> Result<Done> {
    let chosen = chosen(&args.names)?;
    if let Some(output) = &args.output {
        may_replace(output, args.force)?;
        can_be_made(output)?;
    }
    let on = args.on.as_deref();
    let seed = args.seed.unwrap_or(SEED);
    let held = held(args, seed)?.map(Mutex::new);
    let is_real = held.is_some();
    let stage = Stage {
        on,
        seed,
        interrupted: signal::listen(),
        opening: opening(args, seed),
        runtime: args.runtime.unwrap_or(RUNTIME),
        held: held.as_ref(),
        used: Arc::default(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // On a real device studies would disturb each other.
    let jobs = if is_real { 1 } else { args.jobs.unwrap_or(cores).max(1) };
    let bar = studies_bar(screen, chosen.len() as u64);
    let judged = judge(&chosen, &stage, jobs, &|_| bar.inc(1));
    bar.finish_and_clear();
    if is_real && args.writing.write && judged.as_ref().is_err_and(|error| error.is::<Interrupted>()) {
        screen.note("  interrupted within the first study: what it wrote to the target stays there");
    }
    let judged = judged?;
    let is_whole = judged.len() == chosen.len();
    if !is_whole && args.markdown {
        return Err(Interrupted.into());
    }
    let text = match (args.json, args.markdown) {
        (true, _) => serde_json::to_string_pretty(&json(&judged, on, seed))?,
        (_, true) => markdown(&judged),
        _ => view(&judged, screen.style()),
    };
    screen.print(&text)?;
    if let Some(output) = &args.output {
        write(output, &html::page(&[Bundle::plain(page(&judged, on))]))?;
        screen.note(&format!("  pictures in {}", output.display()));
    }
    if !is_whole {
        let (done, all) = (judged.len(), chosen.len());
        screen.note(&format!("  interrupted: {done} of {all} studies were done"));
        return Ok(Done::Interrupted);
    }
    let differs = judged.iter().flat_map(|judged| &judged.claims).any(|c| c.verdict == Verdict::Differs);
    Ok(if args.strict && differs { Done::Unreliable } else { Done::Well })
}

/// Refuses a place for the page before anything is run for it.
fn can_be_made(output: &Path) -> Result<(), Usage> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = match folder {
        _ if output.is_dir() => "is a folder: add the name of a file",
        Some(folder) if !folder.is_dir() => "cannot be made: its folder is not there",
        _ => return Ok(()),
    };
    Err(Usage(format!("-o {} {problem}", output.display())))
}

fn opening(args: &ReproduceArgs, seed: u64) -> Opening {
    let WriteArgs { write, overwrite_existing_data, .. } = args.writing;
    let intent = Intent { write, overwrite_existing_data, ..Intent::READ };
    let data = DataPattern::Random;
    Opening { intent, engine: None, data, io_bytes_max: 8 << 20, depth_max: 256, seed }
}

/// The real device that the person named, opened and, if it is to be written, confirmed.
fn held(args: &ReproduceArgs, seed: u64) -> Result<Option<Bench>> {
    not_zero("--runtime", args.runtime)?;
    let named = args.on.as_deref().map(Named::parse);
    if named == Some(Named::Null) {
        let problem = "null: has no character that a study could find; name a device, a file or sim:PROFILE";
        return Err(Usage(problem.into()).into());
    }
    let Some(named) = named.as_ref().filter(|named| !named.is_virtual()) else {
        // Else every study would find out for itself.
        named.as_ref().map_or(Ok(()), Named::must_exist)?;
        let flags = [("--size", args.size.is_some()), ("--runtime", args.runtime.is_some())];
        return match flags.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(None),
            Some((flag, _)) => {
                Err(Usage(format!("{flag} is for real devices and files; leave it out")).into())
            }
        };
    };
    let mut bench = Bench::open(named, opening(args, seed))?;
    bench.limit_size(args.size.unwrap_or(Bytes(bench.info().size_bytes)))?;
    if let Some(handle) = bench.handle().filter(|_| args.writing.write) {
        let part = if args.size.is_some() { "its first part" } else { "all of it" };
        let plan = format!("studies of the papers: most write {part}, some many times");
        confirm(handle.identity(), args.writing.confirm.as_deref(), &plan)?;
    }
    Ok(Some(bench))
}

/// The studies of these names, or of the papers of these numbers.
fn chosen(names: &[String]) -> Result<Vec<&'static Study>, Usage> {
    let mut chosen = Vec::new();
    for name in names {
        let is_it = |study: &&Study| name == "all" || study.name == name || study.paper.number == name;
        let found: Vec<&Study> = studies().filter(is_it).collect();
        if found.is_empty() {
            return Err(unknown(name));
        }
        chosen.extend(
            found
                .into_iter()
                .filter(|s| !chosen.iter().any(|c: &&Study| c.name == s.name))
                .collect::<Vec<_>>(),
        );
    }
    Ok(chosen)
}

/// A name that none has, with those that are most like it.
fn unknown(name: &str) -> Usage {
    let mut all: Vec<&str> = studies().map(|study| study.name).collect();
    all.sort_by(|a, b| strsim::jaro_winkler(b, name).total_cmp(&strsim::jaro_winkler(a, name)));
    let nearest = all[..NEAREST].join(", ");
    Usage(format!(
        "there is no study '{name}'; most like it are {nearest}; `flashscope list studies` names them, and \
         all, or the number of a paper (000 to 004), are several"
    ))
}
