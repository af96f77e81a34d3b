//! The page that a finished result leaves in its folder, and what it says of the ways out.

use std::path::Path;

use flashscope_show::{Form, REPORT, Words, leave_page};

use crate::remedy;
use crate::screen::Screen;
use crate::shell::{quoted, resume};

/// Ways out in the commands and flags of this program.
pub const WORDS: Words = Words { resume, remedy: remedy::analysis::worded, error: remedy::message };

/// How a result is shown on this screen: as JSON, or as text with all of a run or its first screen.
pub fn form(json: bool, details: bool, screen: &Screen) -> Form {
    Form { json, details, style: screen.style(), words: WORDS }
}

/// Leaves the page of a finished result in its folder, and says so.
pub fn leave(folder: &Path, screen: &Screen) {
    if put(folder, screen) {
        screen.note(&format!("  charts in {}", folder.join(REPORT).display()));
    }
}

/// Leaves the page of a finished result in its folder; whether it could. Without it the result is whole, so
/// that what went wrong is a warning.
pub fn put(folder: &Path, screen: &Screen) -> bool {
    let page = folder.join(REPORT);
    let made = screen.during(&format!("writing {}", page.display()), || leave_page(folder, &WORDS));
    match &made {
        Ok(warnings) => {
            warnings.iter().for_each(|warning| screen.note(&format!("warning: {}", warning.seen)));
        }
        Err(error) => {
            let (why, again) = (remedy::message(error), quoted(folder));
            screen.note(&format!("warning: no {REPORT}: {why}; make it with: flashscope report {again}"));
        }
    }
    made.is_ok()
}
