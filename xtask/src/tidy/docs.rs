//! The book: every page of `docs/` has its place in the contents, and every link to a file leads to one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Finding, files_below};

const CONTENTS: &str = "docs/SUMMARY.md";

/// A page of text, by its path from the root.
pub struct Page {
    pub path: String,
    pub text: String,
}

/// The pages in the root and in `docs`.
pub fn read(root: &Path) -> anyhow::Result<Vec<Page>> {
    let in_root = fs::read_dir(root)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = in_root.into_iter().chain(files_below(&[root.join("docs")])?).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(Page { path: path.strip_prefix(root)?.to_string_lossy().into_owned(), text })
    };
    paths.into_iter().map(page).collect()
}

/// Pages without a place in the contents, and links that lead nowhere. `exists` is asked with paths from the
/// root.
pub fn check(pages: &[Page], exists: impl Fn(&Path) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let contents = pages.iter().find(|page| page.path == CONTENTS).map_or("", |page| &page.text);
    for page in pages {
        if let Some(name) = page.path.strip_prefix("docs/")
            && page.path != CONTENTS
            && !contents.contains(&format!("]({name})"))
        {
            let way_out = "give it a line in docs/SUMMARY.md";
            findings.push(Finding::new(&page.path, 1, "book", "the page is not in the contents", way_out));
        }
        for (line, link) in links(&page.text) {
            let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
            if !exists(&folder.join(link)) {
                let what = format!("there is no {link}");
                findings.push(Finding::new(&page.path, line, "link", what, "mend or remove the link"));
            }
        }
    }
    findings
}

/// Links to files, with their lines; not those to the web or within the page, and none in code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (i, line) in text.lines().enumerate() {
        is_code ^= line.starts_with("```");
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
        let is_file = |target: &&str| !target.is_empty() && !target.contains("://");
        found.extend(targets.filter(|_| !is_code).filter(is_file).map(|target| (i + 1, target)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(pages: &[(&str, &str)]) -> Vec<String> {
        let page = |(path, text): &(&str, &str)| Page { path: (*path).into(), text: (*text).into() };
        let pages: Vec<Page> = pages.iter().map(page).collect();
        let exists = |path: &Path| path == Path::new("docs/a.md") || path == Path::new("docs/../LICENSE");
        check(&pages, exists).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_page_needs_its_place_in_the_contents() {
        assert_eq!(findings(&[("docs/SUMMARY.md", "- [A](a.md)"), ("docs/a.md", "")]), [""; 0]);
        let found = findings(&[("docs/SUMMARY.md", ""), ("docs/a.md", "")]);
        assert!(found[0].contains("docs/a.md:1: book"), "{found:?}");
    }

    #[test]
    fn a_link_leads_to_a_file() {
        let good = "[a](a.md#part) [web](https://a.b) [here](#x) [up](../LICENSE)\n```\n[no](link)\n```\n";
        let contents = ("docs/SUMMARY.md", "[A](a.md)");
        assert_eq!(findings(&[contents, ("docs/a.md", good)]), [""; 0]);
        let found = findings(&[contents, ("docs/a.md", "\n[b](b.md)")]);
        assert!(found[0].contains("docs/a.md:2: link: there is no b.md"), "{found:?}");
    }
}
