//! What is said of target and machine before the first IO.

use std::path::Path;

use flashscope_lab::Facts;

use crate::screen::Screen;
use crate::shell::quoted;

/// Prints the warnings, a line each.
pub fn forewarn(facts: &Facts, screen: &Screen) {
    for warning in &facts.warnings {
        screen.note(&format!("warning: {}; {}", warning.seen, warning.remedy));
    }
    if !facts.warnings.is_empty() {
        let target = quoted(Path::new(facts.target_name()));
        screen.note(&format!("  details: flashscope doctor {target}"));
    }
}
