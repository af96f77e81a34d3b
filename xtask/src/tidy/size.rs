//! Files and lines stay short, and no note of work to be done is left in them. The length of functions is
//! clippy's `too_many_lines`.

use super::Finding;

const FILE_LINES_MAX: usize = 500;
const LINE_CHARS_MAX: usize = 110;

/// What a note of work to be done begins with; in pieces, for this file is looked at too.
const NOTES: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        let way_out = format!("split it by what its parts do, to {FILE_LINES_MAX} at most");
        let finding = Finding::new(path, 1, "file-length", format!("{lines} lines"), &way_out);
        findings.push(finding.sized(path, lines));
    }
    for (line, text) in (1..).zip(text.lines()) {
        let chars = text.chars().count();
        if chars > LINE_CHARS_MAX {
            let way_out = format!("break it, to {LINE_CHARS_MAX} at most");
            let finding = Finding::new(path, line, "line-length", format!("{chars} characters"), &way_out);
            findings.push(finding.sized(path, chars));
        }
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| NOTES.contains(&word)) {
            let way_out = "do it now, or write an issue";
            findings.push(Finding::new(path, line, "unfinished", "a note of work to be done", way_out));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<(&'static str, usize)> {
        check("crates/core/src/a.rs", text).iter().map(|f| (f.rule, f.line)).collect()
    }

    #[test]
    fn a_file_of_501_lines_is_too_long() {
        assert_eq!(rules(&"//\n".repeat(500)), []);
        assert_eq!(rules(&"//\n".repeat(501)), [("file-length", 1)]);
    }

    #[test]
    fn a_line_is_measured_in_characters_not_bytes() {
        assert_eq!(rules(&format!("//\n{}", "µ".repeat(110))), []);
        assert_eq!(rules(&format!("//\n{}", "µ".repeat(111))), [("line-length", 2)]);
    }

    #[test]
    fn nothing_is_left_unfinished() {
        assert_eq!(rules(&format!("\n// {}: later", NOTES[0])), [("unfinished", 2)]);
        assert_eq!(rules(&format!("/* {} */", NOTES[1])), [("unfinished", 1)]);
        assert_eq!(rules("let AUTODOC = 1;"), []);
    }
}
