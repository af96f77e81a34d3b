//! The page that a finished result leaves in its folder, and what it says of the ways out.

use std::path::Path;

use flashscope_show::{Form, REPORT, Words, leave_page};

use crate::remedy;
use crate::screen::Screen;
use crate::shell::{quoted, resume};

/// Ways out in the commands and flags of this program.
pub const WORDS: Words = Words { resume, remedy: remedy::analysis::worded, error: remedy::message };

/// How a result is shown on this screen.
pub fn form(json: bool, screen: &Screen) -> Form {
    Form { json, style: screen.style(), words: WORDS }
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
    let made = leave_page(folder, &WORDS);
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
