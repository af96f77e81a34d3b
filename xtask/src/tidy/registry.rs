//! Registries: every entry is one file with a doc, one line in a list, and has a test.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::code::Source;
use super::{Finding, files_below};

/// A folder of entries and the list that names them.
pub struct Registry {
    rule: &'static str,
    folder: &'static str,
    extension: &'static str,
    /// How an entry's doc begins.
    doc: &'static str,
    list: &'static str,
    /// What the list holds for the entry `NAME`.
    line: &'static str,
    /// A test that names this goes over all entries.
    all: &'static str,
    /// Where the tests are: files of this folder, or anything under `#[cfg(test)]` in its crate.
    crate_folder: &'static str,
}

pub const ALL: &[Registry] = &[
    Registry {
        rule: "registry-rig",
        folder: "crates/sim/rigs",
        extension: "toml",
        doc: "# ",
        list: "crates/sim/src/rigs.rs",
        line: "include_str!(\"../rigs/NAME.toml\")",
        all: "NAMES",
        crate_folder: "crates/sim/",
    },
    Registry {
        rule: "registry-micro",
        folder: "crates/bench/src/micro",
        extension: "rs",
        doc: "//! ",
        list: "crates/bench/src/micro.rs",
        line: " NAME::MICRO,",
        all: "MICROS",
        crate_folder: "crates/bench/",
    },
    Registry {
        rule: "registry-trace-format",
        folder: "crates/trace/src/format",
        extension: "rs",
        doc: "//! ",
        list: "crates/trace/src/format.rs",
        line: "NAME::FORMAT",
        all: "FORMATS",
        crate_folder: "crates/trace/",
    },
    Registry {
        rule: "registry-export",
        folder: "crates/store/src/export",
        extension: "rs",
        doc: "//! ",
        list: "crates/store/src/export.rs",
        line: "NAME::EXPORT",
        all: "EXPORTS",
        crate_folder: "crates/store/",
    },
    Registry {
        rule: "registry-trace-generator",
        folder: "crates/trace/src/generate",
        extension: "rs",
        doc: "//! ",
        list: "crates/trace/src/generate.rs",
        line: "NAME::GENERATOR",
        all: "GENERATORS",
        crate_folder: "crates/trace/",
    },
    Registry {
        rule: "registry-doctor",
        folder: "crates/device/src/doctor/checks",
        extension: "rs",
        doc: "//! ",
        list: "crates/device/src/doctor/checks.rs",
        line: " NAME::CHECK,",
        all: "CHECKS",
        crate_folder: "crates/device/",
    },
];

/// What a registry's rules look at.
pub struct Contents {
    /// Name and text of each entry.
    entries: Vec<(String, String)>,
    list: String,
    /// All test code of the crate.
    tests: String,
}

/// Nothing where the folder does not exist.
pub fn read(registry: &Registry, root: &Path, sources: &[Source]) -> anyhow::Result<Contents> {
    let folder = root.join(registry.folder);
    let mut contents = Contents { entries: Vec::new(), list: String::new(), tests: String::new() };
    if !folder.is_dir() {
        return Ok(contents);
    }
    for path in files_below(std::slice::from_ref(&folder))? {
        // Further down are the parts of an entry, in a folder of its name.
        let is_entry = path.parent() == Some(&folder);
        if is_entry && path.extension().is_some_and(|extension| extension == registry.extension) {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            contents.entries.push((name, text));
        }
    }
    contents.list = fs::read_to_string(root.join(registry.list)).context(registry.list)?;
    let own = sources.iter().filter(|source| source.path.starts_with(registry.crate_folder));
    contents.tests = own.map(Source::test_text).collect();
    Ok(contents)
}

pub fn check(registry: &Registry, contents: &Contents) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, text) in &contents.entries {
        let path = format!("{}/{name}.{}", registry.folder, registry.extension);
        let mut report = |what: &str, way_out: &str| {
            findings.push(Finding::new(&path, 1, registry.rule, format!("{name} {what}"), way_out));
        };
        if !text.starts_with(registry.doc) {
            report("has no doc", &format!("begin the file with a line of `{}` and what it is", registry.doc));
        }
        let line = registry.line.replace("NAME", name);
        if !contents.list.contains(&line) {
            report("is in no list", &format!("add its line with `{}` to {}", line.trim(), registry.list));
        }
        let is_tested =
            contents.tests.contains(registry.all) || contents.tests.contains(&format!("\"{name}\""));
        if !is_tested {
            report("has no test", &format!("name it in a test, or test all of {}", registry.all));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str, list: &str, tests: &str) -> Vec<String> {
        let contents =
            Contents { entries: vec![("mtron".into(), text.into())], list: list.into(), tests: tests.into() };
        check(&ALL[0], &contents).into_iter().map(|finding| finding.what).collect()
    }

    const LIST: &str = "(\"mtron\", include_str!(\"../rigs/mtron.toml\")),";

    #[test]
    fn an_entry_has_a_doc_a_line_and_a_test() {
        assert!(findings("# A drive.\n", LIST, "for name in NAMES {").is_empty());
        assert!(findings("# A drive.\n", LIST, "rig(\"mtron\")").is_empty());
        assert_eq!(findings("size = 1\n", LIST, "NAMES"), ["mtron has no doc"]);
        assert_eq!(findings("# A drive.\n", "", "NAMES"), ["mtron is in no list"]);
        assert_eq!(findings("# A drive.\n", LIST, "rig(\"mtron2\")"), ["mtron has no test"]);
    }
}
