//! `flashscope report`: one page of one or several results.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_core::number::{count, counted, size};
use flashscope_core::total;
use flashscope_show::html::{Bundle, is_report, page};
use flashscope_show::known::known;
use flashscope_show::{Page, REPORT, comparison, page_of, write_page};
use flashscope_store::SCHEMA_VERSION;
use serde_json::{Value, json};

use crate::exit::{Done, Usage};
use crate::pages::WORDS;
use crate::screen::Screen;

/// `flashscope report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Result folders or packs; several are overlaid
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Output file; - is standard output [default: DIR/report.html; with several results ./report.html]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite a file that is not a flashscope report
    #[arg(long, short)]
    pub force: bool,
    /// Print a summary of the page as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Bytes at the start of a file that identify a page.
const HEAD_BYTES: u64 = 4096;

/// Runs the command.
pub fn run(args: &ReportArgs, screen: &Screen) -> Result<Done> {
    let output = output(args);
    if args.json && output == Path::new("-") {
        return Err(Usage("-o - and --json both write to standard output; leave out one".into()).into());
    }
    if args.output.is_none() && output.is_symlink() {
        // A folder from elsewhere may name a file of one's own with it.
        let problem = format!("{} is a link; remove it, or name the file with -o", output.display());
        return Err(Usage(problem).into());
    }
    may_replace(&output, args.force)?;
    let dirs = args.dirs.iter().map(|dir| screen.open(dir)).collect::<Result<Vec<_>>>()?;
    let room_bytes = Bundle::room_bytes(dirs.len());
    let known = known();
    // Known devices are beside the first result alone: laid over one another they would come again and again.
    let others = |i: usize| if i == 0 { &known[..] } else { &[] };
    let pages = dirs.iter().zip(&args.dirs).enumerate().map(|(i, (dir, named))| {
        let reading = format!("reading {}", named.display());
        screen.during(&reading, || page_of(dir.folder(), room_bytes, others(i), &WORDS))
    });
    let pages = pages.collect::<Result<Vec<Page>, _>>()?;
    for warning in pages.iter().flat_map(|page| &page.warnings) {
        screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy));
    }
    let facts: Vec<Value> = args.dirs.iter().zip(&pages).map(|(dir, page)| facts(dir, page)).collect();
    let comparison = screen.during("comparing", || comparison(&dirs, &pages));
    let bundles: Vec<Bundle> = pages.into_iter().map(|page| page.bundle).chain(comparison).collect();
    let html = screen.during(&format!("writing {}", output.display()), || {
        let html = page(&bundles);
        let html = screen.named(&html).into_owned();
        write_page(&output, &html)?;
        anyhow::Ok(html)
    })?;
    if output == Path::new("-") {
        return Ok(Done::Well);
    }
    let text = if args.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "file": output.display().to_string(),
            "size_bytes": html.len(),
            "results": facts,
        });
        serde_json::to_string_pretty(&document)?
    } else {
        format!("{}   ({})", output.display(), summary(&bundles, html.len()))
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

fn output(args: &ReportArgs) -> PathBuf {
    match (&args.output, &args.dirs[..]) {
        (Some(output), _) => output.clone(),
        (None, [dir]) if is_writable(dir) => dir.join(REPORT),
        (None, _) => REPORT.into(),
    }
}

fn is_writable(dir: &Path) -> bool {
    use rustix::fs::{Access, access};
    dir.is_dir() && access(dir, Access::WRITE_OK).is_ok()
}

/// Refuses to write over what is no page of flashscope.
pub fn may_replace(output: &Path, force: bool) -> Result<()> {
    if force || !output.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = File::open(output).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.with_context(|| format!("cannot read the existing {}", output.display()))?;
    if head.is_empty() || is_report(&head) {
        return Ok(());
    }
    let output = output.display();
    let problem =
        format!("{output} exists and is not a flashscope report; choose another -o, or add --force");
    Err(Usage(problem).into())
}

fn facts(dir: &Path, page: &Page) -> Value {
    let (ios, ios_exact) = page.bundle.ios();
    json!({
        "folder": dir.display().to_string(),
        "kind": page.bundle.document.kind,
        "target": page.bundle.document.title,
        "ios": ios,
        "ios_exact": ios_exact,
        "warnings": page.warnings,
    })
}

/// `1.6 MB; 148,000 IOs, each one of them`.
fn summary(bundles: &[Bundle], bytes: usize) -> String {
    let (ios, exact): (Vec<u64>, Vec<u64>) = bundles.iter().map(Bundle::ios).unzip();
    let (ios, exact) = (total(ios), total(exact));
    let size = size(bytes as f64);
    match exact {
        _ if ios == 0 => size,
        _ if exact == ios => format!("{size}, all of {}", counted(ios, "IO")),
        _ => format!("{size}, {} of {} as single points", count(exact), counted(ios, "IO")),
    }
}
