//! How each kind of result looks, as text and as a page: one row of `looks` for each kind.

use std::error::Error as StdError;
use std::path::Path;

use flashscope_analysis::{Answered, Context, Finished, Remedy, Warning};
use flashscope_bench::{Micro, Micros, SuiteRequest, Suites};
use flashscope_lab::describe::TraceDescription;
use flashscope_lab::replay::ReplayReport;
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::{Conclusions, Context as _, Error, Leave, Result, suite_of};
use flashscope_store::{Output, ResultFile, ResultKind, Stored};
use serde::Serialize;

use crate::html::document::{Block, Document, Item};
use crate::html::{
    Beside, Bundle, Known, MicroDoc, comparison_page, is_measure, measure_page, page, remains, run_page,
};
use crate::inside::{self, with_inside};
use crate::json::{chosen_bs, measurement_json, run_json, with_answers};
use crate::known::known;
use crate::view::{Findings, OfSuite, Style, brief_view, measure_view, result_view};
use crate::{figures, replay, sweep, trace};

/// The page's name in a result folder.
pub const REPORT: &str = "report.html";

/// What whoever shows a result says of the ways out: a library knows no command.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// How the run in a folder is finished, which takes that leave.
    pub resume: fn(&Path, Leave) -> String,
    /// A remedy; the text is that of [`Words::resume`].
    pub remedy: fn(&Remedy, &str) -> String,
    /// An error with its causes.
    pub error: fn(&(dyn StdError + 'static)) -> String,
}

impl Default for Words {
    fn default() -> Words {
        Words {
            resume: |folder, _| format!("resume the run in {}", folder.display()),
            remedy: |remedy, _| remedy.to_string(),
            error: |error| flashscope_lab::message(error, ToString::to_string),
        }
    }
}

/// How a result is to be shown as text.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// As one JSON document.
    pub json: bool,
    /// With all of a run, in place of its first screen.
    pub details: bool,
    /// Width and colour, if not.
    pub style: Style,
    /// What is said of the ways out.
    pub words: Words,
}

impl Form {
    fn of(&self, value: &impl Serialize, view: impl FnOnce() -> String) -> Result<String> {
        if self.json { Ok(serde_json::to_string_pretty(value)?) } else { Ok(view()) }
    }
}

/// A result as text.
pub struct Text {
    /// The result.
    pub text: String,
    /// Warnings to show beside it.
    pub warnings: Vec<Warning>,
}

/// A document, and what of its folder is damaged.
type Salvaged = (Document, Vec<Warning>);

/// How a kind of result looks.
struct Looks {
    text: fn(&Path, &Form) -> Result<Text>,
    page: fn(&Path, &[Known], &Words) -> Result<Salvaged>,
}

/// A new kind is one more row.
fn looks(kind: ResultKind) -> Looks {
    match kind {
        ResultKind::Sweep => Looks {
            text: |folder, form| {
                let sweep = read(folder, StoredSweep::read)?;
                plain(form.of(&sweep::Document::from(&sweep.entries[..]), || {
                    sweep::view(&sweep.entries, Some(&sweep.path))
                }))
            },
            page: |folder, _, _| whole(sweep::page(&read(folder, StoredSweep::read)?)),
        },
        ResultKind::TraceDescription => Looks {
            text: |folder, form| {
                let found = read(folder, TraceDescription::read)?;
                plain(form.of(&found, || trace::view(&found, form.style)))
            },
            page: |folder, _, _| whole(read(folder, trace::page)?),
        },
        ResultKind::Replay => Looks {
            text: |folder, form| {
                let report = read(folder, ReplayReport::read)?;
                plain(form.of(&report, || replay::view(&report)))
            },
            page: |folder, _, _| {
                let report = read(folder, ReplayReport::read)?;
                whole(replay::page(folder, &report, &Stored::read(folder)?.manifest))
            },
        },
        ResultKind::Measurement | ResultKind::Run => Looks { text: measured_text, page: measured_page },
    }
}

/// The document that only one kind has.
fn read<T>(folder: &Path, read: fn(&Path) -> Result<Option<T>>) -> Result<T> {
    read(folder)?.ok_or_else(|| Error::failed(format!("{}: its document is gone", folder.display())))
}

fn plain(text: Result<String>) -> Result<Text> {
    Ok(Text { text: text?, warnings: Vec::new() })
}

fn whole(document: Document) -> Result<Salvaged> {
    Ok((document, Vec::new()))
}

/// A stored result as text, of whichever kind it is.
///
/// # Errors
/// There is no such folder, or no result in it; it is damaged, or of a newer version; a run was killed before
/// it had written what is known of the whole.
pub fn text_of(folder: &Path, form: &Form) -> Result<Text> {
    (looks(ResultKind::of(folder)).text)(folder, form)
}

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
pub fn page_of(folder: &Path, room_bytes: usize, known: &[Known], words: &Words) -> Result<Page> {
    let found = (looks(ResultKind::of(folder)).page)(folder, known, words);
    let (mut document, mut warnings) = match found {
        Ok(found) => found,
        Err(error) => {
            let problem = (words.error)(&error);
            let Some(document) = remains(folder, &problem) else { return Err(error) };
            let remedy = "the page shows what could be read".into();
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

/// Whether a document of this kind is of a run or a measurement, which can be compared.
pub(crate) fn is_measured(kind: &str) -> bool {
    matches!(kind, "run" | "measure")
}

/// What several results are beside the first; none if one of them is not a run or measurement.
pub fn comparison(folders: &[impl AsRef<Path>], pages: &[Page]) -> Option<Bundle> {
    if !pages.iter().all(|page| is_measured(page.bundle.document.kind)) {
        return None;
    }
    let stored = folders.iter().map(|folder| Some(Stored::salvage(folder.as_ref()).ok()?.0));
    Some(Bundle::plain(comparison_page(&stored.collect::<Option<Vec<Stored>>>()?)?))
}

/// Leaves the page of a finished result in its folder, and says what a person should know about it.
///
/// # Errors
/// As of [`page_of`]; it cannot be written.
pub fn leave_page(folder: &Path, words: &Words) -> Result<Vec<Warning>> {
    let made = page_of(folder, Bundle::room_bytes(1), &known(), words)?;
    let place = folder.join(REPORT);
    if place.is_symlink() {
        // What it leads to is none of the result's.
        std::fs::remove_file(&place)
            .with_context(|| format!("cannot remove the link {}", place.display()))?;
    }
    write_page(&place, &page(&[made.bundle]))?;
    Ok(made.warnings)
}

/// Writes a page to its place, whole or not at all.
///
/// # Errors
/// It cannot be written; what was there before is still there.
pub fn write_page(output: &Path, html: &str) -> Result<()> {
    let (kept, mut writer) = Output::create(output)?;
    let unwritable = || format!("cannot write the report {}", output.display());
    writer.write_all(html.as_bytes()).and_then(|()| writer.flush()).with_context(unwritable)?;
    drop(writer);
    Ok(kept.keep()?)
}

fn measured_page(folder: &Path, known: &[Known], words: &Words) -> Result<Salvaged> {
    let (stored, damage) = Stored::salvage(folder)?;
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
        resume: &(words.resume)(folder, Leave::of(&stored.manifest)),
        remedy: words.remedy,
        damage: &damage,
        suite,
    };
    let page = if is_measure(&stored) { measure_page } else { run_page };
    Ok((with_inside(page(&stored, &beside), folder), damage))
}

fn measured_text(folder: &Path, form: &Form) -> Result<Text> {
    let Stored { path, context, finished, warnings, manifest } = Stored::read(folder)?;
    let resume = (form.words.resume)(folder, Leave::of(&manifest));
    let killed = || Error::failed(format!("{}: the run was killed; to go on: {resume}", folder.display()));
    let context = context.ok_or_else(killed)?;
    if finished.is_empty() || finished.iter().any(|done| done.experiment.micro != "measure") {
        let suite = &suite_of(&manifest);
        let run = RunToShow {
            context: &context,
            finished: &finished,
            suite,
            folder: &path,
            resume: &resume,
            answers: &[],
        };
        return Ok(Text { text: run_text(&run, warnings, form)?.0, warnings: Vec::new() });
    }
    // A single measurement, or the sizes that were tried.
    let text = if form.json {
        serde_json::to_string_pretty(&measurement_json(&context, &finished, chosen_bs(&context, &finished)))?
    } else {
        let view = |done| measure_view(&context, done, &means_ns(&path, done), form.style);
        finished.iter().map(view).collect::<Vec<_>>().join("\n")
    };
    Ok(Text { text, warnings })
}

/// Response times over a stored run, for a small picture.
fn means_ns(folder: &Path, finished: &Finished) -> Vec<f64> {
    figures::responses(folder, finished).map_or(Vec::new(), |responses| responses.mean_ns)
}

/// The result of a run, fresh or stored.
pub struct RunToShow<'a> {
    /// Facts about the whole run.
    pub context: &'a Context,
    /// Its single runs.
    pub finished: &'a [Finished],
    /// The suite that was run.
    pub suite: &'a SuiteRequest,
    /// Where it is.
    pub folder: &'a Path,
    /// How it is finished.
    pub resume: &'a str,
    /// Conditions on it and whether they hold; printed in the JSON document.
    pub answers: &'a [Answered],
}

/// A run as text, and the number of its own warnings. `more` are those of what is around it.
///
/// # Errors
/// It cannot be written as JSON.
pub fn run_text(run: &RunToShow<'_>, more: Vec<Warning>, form: &Form) -> Result<(String, usize)> {
    let RunToShow { context, finished, suite, folder, resume, answers } = *run;
    let mut found = Conclusions::of(suite, &Suites::builtin(), context, finished);
    for warning in &mut found.warnings {
        warning.remedy = (form.words.remedy)(&warning.remedy, resume).into();
    }
    let own = found.warnings.len();
    found.warnings.extend(more);
    let findings = Findings {
        folder: Some(folder),
        page_bytes: ResultFile::new(folder, REPORT).size_bytes(),
        ..Findings::of(context, finished, suite, &found)
    };
    let text = match (form.json, form.details) {
        (true, _) => serde_json::to_string_pretty(&with_answers(run_json(&findings), answers))?,
        (false, true) => result_view(&findings, form.style),
        (false, false) => brief_view(&findings, form.style),
    };
    Ok((text, own))
}
