//! The page of a folder, whatever kind of result it holds. One function and one line for each kind: a
//! function from what is stored to a document; the IOs of its traces are read here.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flashscope_analysis::Warning;
use flashscope_bench::{Micro, Micros, Suites};
use flashscope_show::html::document::{Block, Document, Item};
use flashscope_show::html::{
    Beside, Bundle, Known, MicroDoc, comparison_page, is_measure, measure_page, page, remains, run_page,
};
use flashscope_show::inside::{self, with_inside};
use flashscope_show::known::known;
use flashscope_show::{OfSuite, replay, sweep, trace};
use flashscope_store::{Output, Stored};

use crate::exit::message;
use crate::remedy;
use crate::screen::Screen;
use crate::shell::{quoted, resume};
use flashscope_lab::replay::ReplayReport;
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::{Conclusions, suite_of};

/// The page's name in a result folder.
pub const REPORT: &str = "report.html";

/// What is shown of one folder.
pub struct Page {
    /// The document and its IOs.
    pub bundle: Bundle,
    /// What a person should know about it beforehand.
    pub warnings: Vec<Warning>,
}

/// The page of a folder, in no more than `room_bytes`, beside devices that are known. Of a result that cannot
/// be read it says why, and what it is.
///
/// # Errors
/// There is no such folder, or no result in it.
pub fn page_of(folder: &Path, room_bytes: usize, known: &[Known]) -> Result<Page> {
    let (mut document, mut warnings) = match document(folder, known) {
        Ok(found) => found,
        Err(error) => {
            let problem = message(&error);
            let Some(document) = remains(folder, &problem) else { return Err(error) };
            let remedy = "the page says what is known of it".into();
            (document, vec![Warning { seen: problem, remedy }])
        }
    };
    let torn = inside::damage(&document, folder);
    if let (Some(first), false) = (document.sections.first_mut(), torn.is_empty()) {
        let items = torn.iter().map(|torn| Item::alert(&torn.seen, torn.remedy.to_string())).collect();
        first.blocks.insert(0, Block::Items { items });
    }
    warnings.extend(torn);
    let (bundle, missing) = Bundle::fill(document, folder, room_bytes);
    warnings.extend(missing);
    Ok(Page { bundle, warnings })
}

/// By the file that only this kind of result has. The warnings say what of the folder is damaged.
fn document(folder: &Path, known: &[Known]) -> Result<(Document, Vec<Warning>)> {
    if let Some(sweep) = StoredSweep::read(folder)? {
        return Ok((sweep::page(&sweep), Vec::new()));
    }
    if let Some(document) = trace::page(folder)? {
        return Ok((document, Vec::new()));
    }
    if let Some(report) = ReplayReport::read(folder)? {
        let manifest = Stored::read(folder)?.manifest;
        return Ok((replay::page(folder, &report, &manifest), Vec::new()));
    }
    measured(folder, known)
}

/// What `run` and `measure` left.
fn measured(folder: &Path, known: &[Known]) -> Result<(Document, Vec<Warning>)> {
    let (stored, damage) = Stored::salvage(folder)?;
    let writes = stored.manifest.options["write"] == true && !stored.manifest.target.virtual_time;
    let micro = |micro: &Micro| MicroDoc { name: micro.name, doc: micro.doc, parameter: micro.parameter };
    let micros: Vec<MicroDoc> = Micros::builtin().iter().map(micro).collect();
    let request = suite_of(&stored.manifest);
    let reading = stored
        .context
        .as_ref()
        .and_then(|context| Conclusions::of(&request, &Suites::builtin(), context, &stored.finished).reading);
    let suite = reading.as_ref().map(|reading| OfSuite { name: &request.name, reading });
    let beside = Beside {
        micros: &micros,
        known,
        resume: &resume(folder, writes),
        remedy: remedy::analysis::worded,
        damage: &damage,
        suite,
    };
    let page = if is_measure(&stored) { measure_page } else { run_page };
    Ok((with_inside(page(&stored, &beside), folder), damage))
}

/// What several results are beside the first; none if one of them is not a run or measurement.
pub fn comparison(folders: &[impl AsRef<Path>], pages: &[Page]) -> Option<Bundle> {
    let is_measured = |page: &Page| matches!(page.bundle.document.kind, "run" | "measure");
    if !pages.iter().all(is_measured) {
        return None;
    }
    let stored = folders.iter().map(|folder| Some(Stored::salvage(folder.as_ref()).ok()?.0));
    Some(Bundle::plain(comparison_page(&stored.collect::<Option<Vec<Stored>>>()?)?))
}

/// Leaves the page of a finished result in its folder, and says so.
pub fn leave(folder: &Path, screen: &Screen) {
    if put(folder, screen) {
        screen.note(&format!("  charts in {}", folder.join(REPORT).display()));
    }
}

/// Leaves the page of a finished result in its folder. Without it the result is whole: what keeps it from
/// being made is told, and no error; then false.
pub fn put(folder: &Path, screen: &Screen) -> bool {
    let made = page_of(folder, Bundle::room_bytes(1), &known()).and_then(|made| {
        made.warnings.iter().for_each(|warning| screen.note(&format!("warning: {}", warning.seen)));
        let (kept, mut writer) = Output::create(&folder.join(REPORT))?;
        writer.write_all(page(&[made.bundle]).as_bytes()).context("cannot write the report")?;
        writer.flush().context("cannot write the report")?;
        drop(writer);
        Ok(kept.keep()?)
    });
    if let Err(error) = &made {
        let again = quoted(folder);
        screen.note(&format!(
            "warning: no {REPORT}: {}; make it with: flashscope report {again}",
            message(error)
        ));
    }
    made.is_ok()
}
