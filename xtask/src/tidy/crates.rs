//! What every crate has: the workspace's lints, no `unsafe` but where said, and a first page with an example.
//! And what the binary has not: anything that a library could offer.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::Finding;
use super::code::{Source, Token};

/// The folder of the binary's crate.
pub const BINARY: &str = "crates/flashscope";

/// What the binary's own files have at most, in lines.
const BINARY_LINES_MAX: usize = 8_000;

/// Traits that do the work; the binary parses, asks and prints.
const WORKING: &[&str] = &["Target", "Journal", "Observer", "Lab", "RequestSource"];

/// Where `unsafe` may be, beside the attribute that allows it.
const UNSAFE: &[&str] = &[
    "crates/device/src/clock.rs",
    "crates/device/src/ring.rs",
    "crates/device/src/sys.rs",
    "crates/sim/src/prefetch.rs",
];

/// Without clock, file, thread or maps of random order; `clippy.toml` has the list.
const PURE: &[&str] = &["crates/core", "crates/sim", "crates/analysis"];

const PURE_LINTS: &str =
    "#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]";

/// All rules on one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = misplaced_unsafe(source);
    if ["src/lib.rs", "src/main.rs"].iter().any(|root| source.path == format!("{}/{root}", source.folder())) {
        findings.extend(check_root(source));
    }
    findings
}

fn check_root(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let folder = source.folder();
    let has_unsafe = UNSAFE.iter().any(|path| path.starts_with(&format!("{folder}/")));
    let level = if has_unsafe { "deny" } else { "forbid" };
    let mut must_have = |attribute: &str, rule| {
        if !source.text.lines().any(|line| line == attribute) {
            let way_out = "add it below the crate's first page";
            findings.push(Finding::new(&source.path, 1, rule, format!("`{attribute}` is missing"), way_out));
        }
    };
    must_have(&format!("#![{level}(unsafe_code)]"), "unsafe");
    if PURE.contains(&folder) {
        must_have(PURE_LINTS, "pure-crate");
    }
    if !source.text.starts_with("//!") {
        let way_out = "begin with //! lines that say what lives here and what does not";
        findings.push(Finding::new(&source.path, 1, "crate-page", "the crate has no page", way_out));
    }
    if source.path.ends_with("lib.rs") && !has_example(&source.text) {
        let way_out = "show what a reader would copy, as a block of code that compiles";
        let finding = Finding::new(&source.path, 1, "crate-page", "the crate's page has no example", way_out);
        findings.push(finding.sized(folder, 1));
    }
    findings
}

/// Whether the first page has a block of code that rustdoc compiles.
fn has_example(text: &str) -> bool {
    let page = text.lines().map_while(|line| line.strip_prefix("//!"));
    let fences = page.filter_map(|line| line.trim().strip_prefix("```"));
    // Every other fence opens a block.
    let mut blocks = fences.step_by(2);
    blocks.any(|info| info.split(',').all(|word| ["", "rust", "no_run", "should_panic"].contains(&word)))
}

/// Attributes that allow `unsafe` where it may not be.
fn misplaced_unsafe(source: &Source) -> Vec<Finding> {
    if UNSAFE.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let levels = ["allow", "warn", "expect"];
    let is_lifted = |tokens: &[Token]| levels.contains(&&*tokens[0].text) && tokens[2].text == "unsafe_code";
    let lifted = source.tokens.windows(3).filter(|tokens| is_lifted(tokens));
    let way_out = "ask the device crate, or do without";
    let finding = |tokens: &[Token]| {
        Finding::new(&source.path, tokens[0].line, "unsafe", "`unsafe` has no place here", way_out)
    };
    lifted.map(finding).collect()
}

/// Manifests, by path, that do not take over the lints.
pub fn check_lints(manifests: &[(String, String)]) -> Vec<Finding> {
    let without = manifests.iter().filter(|(_, text)| !text.contains("[lints]\nworkspace = true\n"));
    let way_out = "add `[lints]` with `workspace = true`";
    without
        .map(|(path, _)| Finding::new(path, 1, "crate-lints", "the workspace's lints are off", way_out))
        .collect()
}

/// The crates' manifests.
pub fn read_manifests(root: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let folders = fs::read_dir(root.join("crates"))?.map(|entry| Ok(entry?.path()));
    let mut folders = folders.collect::<anyhow::Result<Vec<_>>>()?;
    folders.push(root.join("xtask"));
    folders.sort();
    let manifests = folders.iter().map(|folder| folder.join("Cargo.toml")).filter(|path| path.is_file());
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_string_lossy().into_owned(), text))
    };
    manifests.map(read).collect()
}

/// That the binary is thin: its lines, in hundreds, and what it implements.
pub fn check_binary(sources: &[Source]) -> Vec<Finding> {
    let own = || sources.iter().filter(|source| source.folder() == BINARY && source.path.contains("/src/"));
    let mut findings = Vec::new();
    let lines = own().map(|source| source.text.lines().count()).sum::<usize>().div_ceil(100) * 100;
    if lines > BINARY_LINES_MAX {
        let way_out = format!("move what it does into a library, to {BINARY_LINES_MAX} at most");
        let what = format!("the binary has nearly {lines} lines");
        findings.push(Finding::new(BINARY, 1, "binary-lines", what, &way_out).sized(BINARY, lines));
    }
    let works: Vec<String> = own().flat_map(implementations).collect();
    if !works.is_empty() {
        let what = format!("the binary does what a library should offer: {}", works.join(", "));
        let way_out = "move the type into the lab";
        findings.push(Finding::new(BINARY, 1, "binary-works", what, way_out).sized(BINARY, works.len()));
    }
    findings
}

/// Every `impl .. TRAIT .. for ..` of a trait that does the work.
fn implementations(source: &Source) -> Vec<String> {
    let tokens: Vec<&Token> = source.product_tokens().collect();
    let mut found = Vec::new();
    for (start, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "impl") {
        let header = tokens[start..].iter().take_while(|token| token.text != "{");
        let header: Vec<&str> = header.map(|token| token.text.as_str()).collect();
        let Some(end) = header.iter().position(|word| *word == "for") else { continue };
        let name = implemented(&header[1..end]);
        if WORKING.contains(&name) {
            found.push(format!("{}:{} `impl {name}`", source.path, token.line));
        }
    }
    found
}

/// The trait's name: the last word outside of angle brackets.
fn implemented<'a>(header: &[&'a str]) -> &'a str {
    let mut depth = 0;
    let mut name = "";
    for &word in header {
        match word {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ if depth == 0 => name = word,
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: &str) -> Vec<&'static str> {
        check(&Source::new(path, text).unwrap()).iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn every_root_forbids_unsafe_and_has_a_page_with_an_example() {
        let page = "//! A.\n//! ```\n//! a();\n//! ```\n";
        let forbid = "#![forbid(unsafe_code)]\n";
        assert_eq!(rules("crates/bench/src/lib.rs", &format!("{page}{forbid}")), [""; 0]);
        assert_eq!(rules("crates/bench/src/lib.rs", page), ["unsafe"]);
        assert_eq!(rules("crates/bench/src/lib.rs", &format!("//! A.\n{forbid}")), ["crate-page"]);
        assert_eq!(rules("crates/flashscope/src/main.rs", &format!("//! A.\n{forbid}")), [""; 0]);
        assert_eq!(rules("crates/flashscope/src/main.rs", forbid), ["crate-page"]);
        assert_eq!(rules("crates/core/src/lib.rs", &format!("{page}{forbid}")), ["pure-crate"]);
        assert_eq!(rules("crates/core/src/lib.rs", &format!("{page}{forbid}{PURE_LINTS}\n")), [""; 0]);
        assert_eq!(rules("crates/device/src/lib.rs", &format!("{page}#![deny(unsafe_code)]\n")), [""; 0]);
        assert_eq!(rules("crates/bench/src/lib.rs", &format!("{page}#![deny(unsafe_code)]\n")), ["unsafe"]);
    }

    #[test]
    fn an_example_is_a_block_that_compiles() {
        assert!(has_example("//! ```text\n//! a\n//! ```\n//! ```no_run\n//! b();\n//! ```\n"));
        assert!(!has_example("//! ```text\n//! a\n//! ```\n//! b\n"));
        assert!(!has_example("//! ```ignore\n//! a\n//! ```\n"));
        assert!(!has_example("//! A.\n\n/// ```\n/// a\n/// ```\nfn a() {}\n"));
    }

    #[test]
    fn unsafe_is_allowed_in_four_files_alone() {
        let text = "#![allow(unsafe_code, reason = \"a\")]";
        assert_eq!(rules("crates/bench/src/a.rs", text), ["unsafe"]);
        assert_eq!(rules("crates/sim/tests/a.rs", "#[expect(unsafe_code)] fn a() {}"), ["unsafe"]);
        assert_eq!(rules("crates/device/src/ring.rs", text), [""; 0]);
    }

    #[test]
    fn a_crate_takes_over_the_lints() {
        let manifest = |text: &str| [("crates/a/Cargo.toml".to_string(), text.to_string())];
        assert_eq!(check_lints(&manifest("[lints]\nworkspace = true\n")).len(), 0);
        assert_eq!(check_lints(&manifest("[lints]\n")).len(), 1);
    }

    fn of_binary(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let findings = check_binary(&[Source::new(path, text).unwrap()]);
        findings
            .iter()
            .map(|finding| (finding.rule, finding.size.as_ref().map_or(0, |size| size.1)))
            .collect()
    }

    #[test]
    fn a_binary_of_more_than_8000_lines_is_caught() {
        let path = "crates/flashscope/src/a.rs";
        assert_eq!(of_binary(path, &"//\n".repeat(8_000)), []);
        assert_eq!(of_binary(path, &"//\n".repeat(8_001)), [("binary-lines", 8_100)]);
        assert_eq!(of_binary("crates/lab/src/a.rs", &"//\n".repeat(8_001)), []);
    }

    #[test]
    fn a_binary_that_does_the_work_is_caught() {
        let path = "crates/flashscope/src/a.rs";
        let one = [("binary-works", 1)];
        assert_eq!(of_binary(path, "impl Target for A {}"), one);
        assert_eq!(of_binary(path, "impl<T: A<B>> core::RequestSource for C<T> {}"), one);
        assert_eq!(of_binary(path, "impl Fetch<Target> for A {}"), []);
        assert_eq!(of_binary(path, "impl Target { fn a() { for b in c {} } }"), []);
        assert_eq!(of_binary(path, "#[cfg(test)] mod tests { impl Target for A {} }"), []);
        assert_eq!(of_binary("crates/lab/src/a.rs", "impl Target for A {}"), []);
    }
}
