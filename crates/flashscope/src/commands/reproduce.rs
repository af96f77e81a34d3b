//! `flashscope reproduce`: what the papers say, run again.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_core::{Bytes, Nanos};
use flashscope_device::Intent;
use flashscope_lab::{OpenTarget, TargetSpec};
use flashscope_papers::{
    Judged, PAPERS, RealDevice, SEEDS, Schedule, Stage, Study, Verdict, json, judge, markdown,
    markdown_pages, page, sensitivity, sensitivity_json, sensitivity_view, studies, view,
};
use flashscope_show::html::{self, Bundle};
use flashscope_show::write_page;
use flashscope_store::SCHEMA_VERSION;

use crate::args::WriteArgs;
use crate::commands::report::may_replace;
use crate::confirm::confirm;
use crate::exit::{Done, Usage};
use crate::progress::studies_bar;
use crate::remedy;
use crate::remedy::papers::PAGE_HEAD;
use crate::screen::{OPENING, Screen};
use crate::signal;

/// `flashscope reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Studies by name, papers by number (000 to 004), or all; see `flashscope list studies`
    #[arg(value_name = "NAME", default_value = "all", value_parser = NonEmptyStringValueParser::new())]
    pub names: Vec<String>,
    /// Run the studies on this TARGET and compare the shapes
    #[arg(long, value_name = "TARGET")]
    pub on: Option<String>,
    /// Use only this much of a real TARGET, from its start [default: all]
    #[arg(long, value_name = "SIZE", requires = "on")]
    pub size: Option<Bytes>,
    /// Duration on a real TARGET of a run that lasts 30 s in the paper; other times scale with it [default:
    /// 2s; at least 100ms]
    #[arg(long, value_name = "TIME", requires = "on")]
    pub runtime: Option<Nanos>,
    /// Repeats of each study on a real TARGET; results are means with 95 % CI [default: 3]
    #[arg(long, value_name = "N", requires = "on")]
    pub repeats: Option<u32>,
    /// Leave to write to a real one.
    #[command(flatten)]
    pub writing: WriteArgs,
    /// Seed of all randomness [default: 1, as in docs/papers.md]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Runs of each study on virtual devices, with as many seeds from --seed on; a verdict holds in all of
    /// them [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=SEEDS_MAX))]
    pub seeds: Option<u32>,
    /// Halve and double each number that a study sets for its device: which verdicts change
    #[arg(long, conflicts_with_all = ["on", "markdown", "book", "output", "strict"])]
    pub sensitivity: bool,
    /// Parallel studies [default: one a core; always one on a real device]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Print the result as one JSON document
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the claims as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Write papers.md, and a page for each paper, into this folder, as they are in docs/
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "markdown", "on"])]
    pub book: Option<PathBuf>,
    /// Write an HTML page with charts
    #[arg(long, short, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Overwrite a file that is not a flashscope page
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Exit with status 4 if a claim differs
    #[arg(long)]
    pub strict: bool,
}

/// Names that are offered in place of one that none has.
const NEAREST: usize = 3;

/// The seed of docs/papers.md.
const SEED: u64 = 1;
/// More runs tell no more of chance, and take hours.
const SEEDS_MAX: i64 = 1000;

/// Runs the command.
pub fn run(args: &ReproduceArgs, screen: &Screen) -> Result<Done> {
    let chosen = chosen(&args.names)?;
    if let Some(output) = &args.output {
        may_replace(output, args.force)?;
        can_be_made(output)?;
    }
    let on = args.on.as_deref();
    let seed = args.seed.unwrap_or(SEED);
    let named = on.map(TargetSpec::from);
    must_fit(args, named.as_ref())?;
    let real = named.filter(|named| !named.is_virtual());
    let real = real.map(|named| opened(args, &named, seed, screen)).transpose()?;
    let stage = Stage::new(seed, signal::interrupt()).with_seeds(args.seeds.unwrap_or(SEEDS));
    if args.sensitivity {
        return sensitivities(args, &chosen, &stage, screen);
    }
    let stage = match (&real, on) {
        (Some(device), _) => stage.on_real(device),
        (None, Some(name)) => stage.on(name),
        (None, None) => stage,
    };
    let judged = judged(args, &chosen, &stage, screen);
    let is_written = real.is_some() && args.writing.write;
    if is_written && judged.as_ref().is_err_and(flashscope_lab::Error::is_interruption) {
        screen.note("  interrupted in the first study; its writes to the target remain");
    }
    let judged = judged?;
    let is_whole = judged.len() == chosen.len();
    if !is_whole && (args.markdown || args.book.is_some()) {
        return Err(flashscope_lab::Error::interrupted().into());
    }
    if let Some(folder) = &args.book {
        return write_book(folder, &judged, screen);
    }
    let text = match (args.json, args.markdown) {
        (true, _) => serde_json::to_string_pretty(&json(&judged, on, seed, is_whole))?,
        (_, true) => markdown(&judged),
        _ => view(&judged, screen.style()),
    };
    screen.print(&text)?;
    if let Some(output) = &args.output {
        write_page(output, &html::page(&[Bundle::plain(page(&judged, on))]))?;
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

/// Writes the pages of all papers.
fn write_book(folder: &Path, judged: &[Judged], screen: &Screen) -> Result<Done> {
    let pages = markdown_pages(judged, PAGE_HEAD);
    for (name, text) in &pages {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.with_context(|| format!("cannot write {}; choose another folder", path.display()))?;
    }
    screen.note(&format!("  {} pages in {}", pages.len(), folder.display()));
    Ok(Done::Well)
}

/// Runs the studies under a bar, and words why some cannot be run.
fn judged(
    args: &ReproduceArgs,
    chosen: &[&'static Study],
    stage: &Stage<'_>,
    screen: &Screen,
) -> flashscope_lab::Result<Vec<Judged>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let bar = studies_bar(screen, chosen.len() as u64);
    let judged = judge(chosen, stage, args.jobs.map_or(cores, usize::from), &|_| bar.inc(1));
    bar.finish_and_clear();
    let mut judged = judged?;
    judged.iter_mut().for_each(|judged| judged.reword(|error| remedy::message(error)));
    Ok(judged)
}

/// Which verdicts of the studies rest on the numbers that they set for their devices.
fn sensitivities(
    args: &ReproduceArgs,
    chosen: &[&'static Study],
    stage: &Stage<'_>,
    screen: &Screen,
) -> Result<Done> {
    let bar = studies_bar(screen, 0);
    let mut all = Vec::new();
    for study in chosen {
        all.push((*study, sensitivity(study, stage, &|| bar.inc(1))?));
    }
    bar.finish_and_clear();
    let text = if args.json {
        let entries: Vec<_> = all.iter().map(|(study, found)| sensitivity_json(study, found)).collect();
        serde_json::to_string_pretty(
            &serde_json::json!({ "schema_version": SCHEMA_VERSION, "studies": entries }),
        )?
    } else {
        let texts: Vec<_> = all.iter().map(|(study, found)| sensitivity_view(study, found)).collect();
        texts.join("\n")
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

/// Refuses a place for the page before anything is run for it.
fn can_be_made(output: &Path) -> Result<(), Usage> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = match folder {
        _ if output.is_dir() => "is a folder; add a file name",
        Some(folder) if !folder.is_dir() => "cannot be created: its folder does not exist",
        _ => return Ok(()),
    };
    Err(Usage(format!("-o {} {problem}", output.display())))
}

fn schedule(args: &ReproduceArgs) -> Schedule {
    let default = Schedule::default();
    Schedule {
        runtime: args.runtime.unwrap_or(default.runtime),
        repeats: args.repeats.unwrap_or(default.repeats),
    }
}

/// Refuses what cannot be run there, before every study would find out for itself.
fn must_fit(args: &ReproduceArgs, named: Option<&TargetSpec>) -> Result<()> {
    if let Some(TargetSpec::Null) = named {
        let problem = "null: has no characteristics to study; name a device, a file or sim:PROFILE";
        return Err(Usage(problem.into()).into());
    }
    schedule(args).check()?;
    let Some(named) = named else { return Ok(()) };
    if !named.is_virtual() {
        let problem = "--seeds has an effect only on virtual devices; use --repeats";
        return if args.seeds.is_some() { Err(Usage(problem.into()).into()) } else { Ok(()) };
    }
    named.check()?;
    let flags = [
        ("--size", args.size.is_some()),
        ("--runtime", args.runtime.is_some()),
        ("--repeats", args.repeats.is_some()),
    ];
    match flags.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => {
            Err(Usage(format!("{flag} has an effect only on real devices and files; leave it out")).into())
        }
    }
}

/// The real device that the person named, opened and, if it is to be written, confirmed.
fn opened(args: &ReproduceArgs, named: &TargetSpec, seed: u64, screen: &Screen) -> Result<RealDevice> {
    let WriteArgs { write, overwrite_existing_data, .. } = args.writing;
    let intent = Intent { write, overwrite_existing_data, ..Intent::READ };
    let options = RealDevice::open_options(intent, seed);
    let mut target = screen.during(OPENING, || OpenTarget::open(named, options, signal::interrupt()))?;
    target.limit_size(args.size.unwrap_or(Bytes(target.info().size_bytes)))?;
    if write {
        let part = if args.size.is_some() { "its first part" } else { "all of it" };
        let plan = format!("studies of the papers: most of them write {part}, some many times");
        confirm(&target, args.writing.confirm.as_deref(), &plan)?;
    }
    Ok(RealDevice::new(target, schedule(args))?)
}

/// The studies of these names, or of the papers of these numbers.
fn chosen(names: &[String]) -> Result<Vec<&'static Study>, Usage> {
    let mut chosen = Vec::new();
    for name in names {
        let name = name.to_ascii_lowercase();
        let is_it = |study: &&Study| name == "all" || study.name == name || study.paper.number == name;
        let found: Vec<&Study> = studies().filter(is_it).collect();
        if found.is_empty() {
            return Err(unknown(&name));
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
    if name.chars().all(|c| c.is_ascii_digit()) {
        let papers = PAPERS.map(|paper| format!("{} ({})", paper.number, paper.title));
        return Usage(format!("unknown paper '{name}'; choose one of {}", papers.join(", ")));
    }
    let mut all: Vec<&str> = studies().map(|study| study.name).collect();
    all.sort_by(|a, b| strsim::jaro_winkler(b, name).total_cmp(&strsim::jaro_winkler(a, name)));
    all.sort_by_key(|study| !study.starts_with(name));
    let begun = all.iter().filter(|study| study.starts_with(name)).count();
    let nearest = all[..NEAREST.max(begun)].join(", ");
    Usage(format!(
        "unknown study '{name}'; did you mean {nearest}? `flashscope list studies` lists them; `all` or a \
         paper number (000 to 004) runs several"
    ))
}
