//! `flashscope trace stats`: what a trace is like.

mod page;
mod pictures;
mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_core::TargetInfo;
use flashscope_core::number::counted;
use flashscope_show::html::document as html;
use flashscope_store::{Manifest, ResultFolder, SCHEMA_VERSION, Stored};
use flashscope_trace::stats::{Stats, Summary};
use flashscope_trace::{Records, TraceFile};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::open::{ReadArgs, named};
use crate::exit::Done;
use crate::pages::leave;
use crate::progress::reading_bar;
use crate::screen::Screen;
use crate::signal;
use flashscope_lab::now_text;

/// The description in a result folder.
const STATS: &str = "stats.json";
/// The map of addresses, which is large and has a file of its own.
const ADDRESSES: &str = "addresses.json";

/// The bar tells of more requests after so many.
const BAR_REQUESTS: u64 = 1 << 16;

/// `flashscope trace stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// The trace; - is standard input
    pub input: PathBuf,
    #[command(flatten)]
    /// How it is read.
    pub read: ReadArgs,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// Keep it in a new folder: JSON and pictures
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// What `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    schema_version: u32,
    trace: String,
    #[serde(flatten)]
    summary: Summary,
}

/// Runs the command.
pub fn run(args: &StatsArgs, screen: &Screen) -> Result<Done> {
    let interrupted = signal::listen();
    let file = args.read.file(&args.input);
    let bar = reading_bar(screen, file.bytes_to_read());
    let moved = bar.clone();
    let file = TraceFile { on_read: Some(Arc::new(move |bytes| moved.inc(bytes))), ..file };
    let mut trace = file.open().map_err(|error| named(&args.input, error))?;
    let mut batch = Vec::new();
    // The input is looked at before the output is touched.
    let mut count = trace.next_batch(&mut batch).map_err(|error| named(&args.input, error))?;
    let folder = args.output.as_deref().map(|path| create(path, args)).transpose()?;
    let (mut stats, mut shown) = (Stats::default(), 0);
    while count > 0 {
        stats.add(&batch);
        if trace.counts().records >= shown + BAR_REQUESTS {
            shown = trace.counts().records;
            bar.set_message(counted(shown, "request"));
        }
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        count = match trace.next_batch(&mut batch) {
            Err(error) if error.is_interruption() => break,
            read => read.map_err(|error| named(&args.input, error))?,
        };
    }
    bar.finish_and_clear();
    let complete = count == 0;
    let summary = stats.summary(&*trace, complete);
    let document = Document { schema_version: SCHEMA_VERSION, trace: name(&args.input), summary };
    if let Some(folder) = &folder {
        folder.write_text(STATS, &(serde_json::to_string_pretty(&document)? + "\n"))?;
        folder.write_text(ADDRESSES, &serde_json::to_string(&document.summary.map)?)?;
        pictures::draw(folder, &document.trace, &document.summary)?;
    }
    show(&document, args.json, screen)?;
    if let Some(path) = &args.output {
        leave(path, screen);
        screen.note(&format!("  {STATS} and pictures in {}", path.display()));
    }
    if let Some(first) = trace.first_bad_line() {
        screen.note(&format!("  the first bad line: {}", first.with_remedy(None)));
    }
    Ok(if complete { Done::Well } else { Done::Interrupted })
}

fn show(document: &Document, json: bool, screen: &Screen) -> Result<()> {
    match json {
        true => screen.print(&serde_json::to_string_pretty(document)?),
        false => screen.print(&view::view(&document.trace, &document.summary, screen.style())),
    }
}

/// Shows again what such a folder holds; false if it holds none.
pub fn show_stored(folder: &Path, json: bool, screen: &Screen) -> Result<bool> {
    let Some(document) = stored(folder)? else { return Ok(false) };
    show(&document, json, screen)?;
    Ok(true)
}

/// The page of what such a folder holds; none if it holds no description.
pub fn page_stored(folder: &Path) -> Result<Option<html::Document>> {
    let Some(mut document) = stored(folder)? else { return Ok(None) };
    let map = folder.join(ADDRESSES);
    if map.is_file() {
        document.summary.map = serde_json::from_str(&read(&map)?).with_context(|| unreadable(&map))?;
    }
    let manifest = Stored::read(folder)?.manifest;
    Ok(Some(page::page(&document.trace, &document.summary, &manifest)))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| unreadable(path))
}

fn unreadable(path: &Path) -> String {
    format!("{} cannot be read; describe the trace again", path.display())
}

/// Whether a folder holds a description.
pub fn is_described(folder: &Path) -> bool {
    folder.join(STATS).is_file()
}

/// The description in a folder, if it is one.
fn stored(folder: &Path) -> Result<Option<Document>> {
    if !is_described(folder) {
        return Ok(None);
    }
    let path = folder.join(STATS);
    let document = serde_json::from_str(&read(&path)?).with_context(|| unreadable(&path))?;
    Ok(Some(document))
}

fn name(input: &Path) -> String {
    match input.file_name() {
        Some(name) if input != Path::new("-") => name.to_string_lossy().into_owned(),
        _ => "standard input".into(),
    }
}

fn create(path: &Path, args: &StatsArgs) -> Result<ResultFolder> {
    let manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        created: now_text(),
        device: Value::Null,
        target: TargetInfo {
            name: args.input.display().to_string(),
            size_bytes: 0,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "none".into(),
            queue_depth_max: 0,
        },
        state: String::new(),
        kernel: String::new(),
        scheduler: None,
        clock: Value::Null,
        engine: "none".into(),
        data_pattern: "none".into(),
        seed: 0,
        plan: json!(["trace stats"]),
        options: json!({"from": args.read.from, "lenient": args.read.lenient}),
        warnings: Vec::new(),
    };
    Ok(ResultFolder::create(path, &manifest)?)
}
