//! The page of a folder, whatever kind of result it holds. One function and one line for each kind: a
//! function from what is stored to a document; the IOs of its traces are read here.

use std::path::Path;

use anyhow::Result;
use flashscope_analysis::Warning;
use flashscope_report::Stored;
use flashscope_report::html::document::Document;
use flashscope_report::html::{Bundle, remains, run_page};

use crate::exit::message;
use crate::replay::ReplayReport;
use crate::simulate::StoredSweep;

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
    if let Some(_sweep) = StoredSweep::read(folder)? {
        anyhow::bail!("it holds simulations: `flashscope show` says what they gave");
    }
    if let Some(_report) = ReplayReport::read(folder)? {
        anyhow::bail!("it holds a replay: `flashscope show` says what it gave");
    }
    Ok(run_page(&Stored::read(folder)?))
}
