//! What a trace is like, as text, page and pictures.

mod first_screen;
mod page;
mod pictures;
mod view;

use std::path::Path;

use flashscope_lab::Result;
use flashscope_lab::describe::TraceDescription;
use flashscope_store::{ResultFolder, Stored};

use crate::html::document::Document;
use crate::view::Style;

/// What a person reads.
pub fn view(found: &TraceDescription, style: Style) -> String {
    view::view(&found.trace, &found.summary, style)
}

/// Draws all that there is something to draw of into its folder.
///
/// # Errors
/// A picture cannot be written.
pub fn draw(folder: &ResultFolder, found: &TraceDescription) -> Result<()> {
    pictures::draw(folder, &found.trace, &found.summary)
}

/// The page of the description in a folder; none if it holds none.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn page(folder: &Path) -> Result<Option<Document>> {
    let Some(found) = TraceDescription::read_with_map(folder)? else { return Ok(None) };
    let manifest = Stored::read(folder)?.manifest;
    Ok(Some(page::page(&found.trace, &found.summary, &manifest)))
}
