//! Files, functions and lines stay short.

use super::Finding;
use super::code::{Source, item_end, line_of, positions};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 60;
const LINE_CHARS_MAX: usize = 110;

/// All three of Rust.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = check_lines(&source.path, &source.text);
    for (name, line, lines) in functions(&source.code) {
        if lines > FUNCTION_LINES_MAX {
            let way_out =
                format!("name its steps as functions of their own, to {FUNCTION_LINES_MAX} at most");
            findings.push(finding(&source.path, line, "function-length", name, lines, "lines", &way_out));
        }
    }
    findings
}

/// Files and lines, in whatever language.
pub fn check_lines(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        let way_out = format!("split it by what its parts do, to {FILE_LINES_MAX} at most");
        findings.push(finding(path, 1, "file-length", "", lines, "lines", &way_out));
    }
    for (line, text) in (1..).zip(text.lines()) {
        let chars = text.chars().count();
        if chars > LINE_CHARS_MAX {
            let way_out = format!("break it, to {LINE_CHARS_MAX} at most");
            findings.push(finding(path, line, "line-length", "", chars, "characters", &way_out));
        }
    }
    findings
}

fn finding(
    path: &str,
    line: usize,
    rule: &'static str,
    name: &str,
    size: usize,
    unit: &str,
    way_out: &str,
) -> Finding {
    let thing = if name.is_empty() { path.to_string() } else { format!("{path}::{name}") };
    let what = if name.is_empty() { format!("{size} {unit}") } else { format!("{name} has {size} {unit}") };
    Finding { size: Some((thing, size)), ..Finding::new(path, line, rule, what, way_out) }
}

/// Name, first line and number of lines of every function.
fn functions(code: &str) -> impl Iterator<Item = (&str, usize, usize)> {
    positions(code, "fn").filter_map(|at| {
        // A function pointer's type has a bracket here, not a name.
        let name = code[at + 2..].trim_start();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        let first = line_of(code, at);
        (end > 0).then(|| (&name[..end], first, line_of(code, item_end(code, at)) - first + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<(&'static str, usize)> {
        check(&Source::new("crates/core/src/a.rs", text)).iter().map(|f| (f.rule, f.line)).collect()
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
    fn a_function_is_measured_to_its_matching_brace() {
        let body =
            |lines: usize| format!("\nfn a(b: [u8; 4]) {{\n{}}}\nfn c() {{}}\n", "  {}\n".repeat(lines));
        assert_eq!(rules(&body(58)), []);
        assert_eq!(rules(&body(59)), [("function-length", 2)]);
        let tricky = format!("fn a() {{\n let b = \"}}\"; // }}\n{}}}\n", "x();\n".repeat(60));
        assert_eq!(rules(&tricky), [("function-length", 1)]);
    }

    #[test]
    fn a_declaration_ends_at_its_semicolon() {
        let text = format!("trait A {{ fn b(c: [u8; 2]);\n{} }}", "\n".repeat(80));
        assert_eq!(functions(&text).collect::<Vec<_>>(), [("b", 1, 1)]);
        assert_eq!(functions("struct A { get: fn(&B) -> C }").count(), 0);
    }
}
