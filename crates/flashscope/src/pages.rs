//! The page of a folder, whatever kind of result it holds. One function and one line for each kind: a
//! function from what is stored to a document; the IOs of its traces are read here.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flashscope_analysis::Warning;
use flashscope_report::Stored;
use flashscope_report::html::document::Document;
use flashscope_report::html::{Bundle, page, remains, run_page};

use crate::exit::message;
use crate::replay::{self, ReplayReport};
use crate::screen::Screen;
use crate::simulate::{self, StoredSweep};
use crate::traces::{self, output::Output};

/// The page's name in a result folder.
pub const REPORT: &str = "report.html";

/// What is shown of one folder.
pub struct Page {
    /// The document and its IOs.
    pub bundle: Bundle,
    /// What a person should know about it beforehand.
    pub warnings: Vec<Warning>,
}

/// The page of a folder, in no more than `room_bytes`. Of a result that cannot be read it says why, and what
/// it is.
///
/// # Errors
/// There is no such folder, or no result in it.
pub fn page_of(folder: &Path, room_bytes: usize) -> Result<Page> {
    let (document, mut warnings) = match document(folder) {
        Ok(document) => (document, Vec::new()),
        Err(error) => {
            let problem = message(&error);
            let Some(document) = remains(folder, &problem) else { return Err(error) };
            let remedy = "the page says what is known of it".into();
            (document, vec![Warning { seen: problem, remedy }])
        }
    };
    let (bundle, missing) = Bundle::fill(document, folder, room_bytes);
    warnings.extend(missing);
    Ok(Page { bundle, warnings })
}

/// By the file that only this kind of result has.
fn document(folder: &Path) -> Result<Document> {
    if let Some(sweep) = StoredSweep::read(folder)? {
        return Ok(simulate::page(&sweep));
    }
    if let Some(document) = traces::page_stored(folder)? {
        return Ok(document);
    }
    if let Some(report) = ReplayReport::read(folder)? {
        return Ok(replay::page(folder, &report, &Stored::read(folder)?.manifest));
    }
    Ok(run_page(&Stored::read(folder)?))
}

/// Leaves the page of a finished result in its folder. Without it the result is whole: what keeps it from
/// being made is told, and no error.
pub fn leave(folder: &Path, screen: &Screen) {
    let made = page_of(folder, Bundle::room_bytes(1)).and_then(|made| {
        made.warnings.iter().for_each(|warning| screen.note(&format!("warning: {}", warning.seen)));
        let (kept, mut writer) = Output::of("the report", &folder.join(REPORT))?;
        writer.write_all(page(&[made.bundle]).as_bytes()).context("cannot write the report")?;
        writer.flush().context("cannot write the report")?;
        drop(writer);
        kept.keep()
    });
    match made {
        Ok(()) => screen.note(&format!("  charts in {}", folder.join(REPORT).display())),
        Err(error) => screen.note(&format!("The report could not be made: {error:#}")),
    }
}
