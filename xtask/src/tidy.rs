//! The rules of the house, held by a test. Each rule is a function from what was read to findings, so that
//! its own tests can show it what is bad.

mod code;
mod commits;
mod crates;
mod docs;
mod edges;
mod flags;
mod imports;
pub mod papers;
mod ratchet;
mod registry;
mod size;
pub mod typescript;
mod wanted;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

pub use code::Source;
use wanted::Wanted;

/// A rule that does not hold, where, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    pub line: usize,
    pub rule: &'static str,
    pub what: String,
    pub way_out: String,
    /// For rules about size: what is measured, and how much. The ratchet may allow it.
    pub size: Option<(String, usize)>,
}

impl Finding {
    pub fn new(
        path: &str,
        line: usize,
        rule: &'static str,
        what: impl Into<String>,
        way_out: &str,
    ) -> Finding {
        Finding { path: path.into(), line, rule, what: what.into(), way_out: way_out.into(), size: None }
    }

    fn sized(self, thing: &str, size: usize) -> Finding {
        Finding { size: Some((thing.into(), size)), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, rule, what, way_out, .. } = self;
        write!(f, "{path}:{line}: {rule}: {what}; {way_out}")
    }
}

/// Checks all rules on the workspace in `root`.
pub fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let sources = read_sources(root)?;
    let wanted = Wanted::parse(&fs::read_to_string(root.join(wanted::PATH)).context(wanted::PATH)?);
    let mut findings = edges::check(&edges::read(root)?);
    findings.extend(sources.iter().flat_map(crates::check));
    findings.extend(crates::check_lints(&crates::read_manifests(root)?));
    findings.extend(crates::check_binary(&sources));
    findings.extend(flags::check(&sources, &wanted));
    findings.extend(imports::check(&sources, &wanted));
    findings.extend(commits::check(&commits::read(root)));
    findings.extend(typescript::check(root)?);
    let others = read_texts(root, &["report/src", "report/test"], "ts")?;
    let texts = sources.iter().map(|source| (&source.path, &source.text));
    let texts = texts.chain(others.iter().map(|(path, text)| (path, text)));
    findings.extend(texts.flat_map(|(path, text)| size::check(path, text)));
    for registry in registry::ALL {
        findings.extend(registry::check(registry, &registry::read(registry, root, &sources)?));
    }
    findings.extend(docs::check(&docs::read(root)?, |path| root.join(path).exists()));
    findings.extend(wanted.check());
    findings.extend(papers::check(&papers::kept(root), &papers::Inputs::read(root, &sources)?));
    let list = fs::read_to_string(root.join(ratchet::PATH)).context(ratchet::PATH)?;
    let mut findings = ratchet::apply(&list, findings);
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(findings)
}

/// All Rust files of the workspace, by path.
pub fn read_sources(root: &Path) -> anyhow::Result<Vec<Source>> {
    let texts = read_texts(root, &["crates", "xtask"], "rs")?;
    texts.iter().map(|(path, text)| Source::new(path, text)).collect()
}

/// The files in these folders whose names end so: paths from the root, with `/`, and texts, by path.
pub fn read_texts(root: &Path, folders: &[&str], extension: &str) -> anyhow::Result<Vec<(String, String)>> {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut paths = files_below(&folders)?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_string_lossy().replace('\\', "/"), text))
    };
    paths.into_iter().map(text).collect()
}

fn files_below(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            match path.is_dir() {
                true if path.file_name().is_some_and(|name| name == "target") && is_built_in(&path) => {}
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    Ok(files)
}

/// Whether a folder called `target` is cargo's, and not a module of that name.
fn is_built_in(path: &Path) -> bool {
    path.parent().is_some_and(|parent| parent.join("Cargo.toml").is_file())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_workspace_is_tidy() {
        let findings = super::check(crate::root()).unwrap();
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
    }
}
