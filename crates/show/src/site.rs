//! A site of many results: they are looked for, each gets its page and its data, and every two of them what
//! they are beside one another. docs/results.md documents the folder.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use flashscope_lab::{Context as _, Interrupt, Result};
use flashscope_store::{Alias, AtomicFolder, Opened, PACK_EXTENSION, ResultFile, Stored};

use crate::html::{
    Bundle, Listed, SITE, SITE_ASSETS, SitePage, comparison_page, is_report, site_data, site_index,
    site_page, uncompared,
};
use crate::kinds::{Page, Words, is_measured, page_of};

/// Folders within folders that are looked at: the results of a month below those of a year.
const DEPTH: u32 = 2;

/// All that is in the folder of a site.
const OURS: [&str; 6] = ["index.html", "compare.html", "assets", "data", "pairs", "results"];

/// What was found, in the order of paths.
#[derive(Debug, Default)]
pub struct Found {
    /// Result folders and packs.
    pub results: Vec<PathBuf>,
    /// What could not be looked at, and why.
    pub problems: Vec<[String; 2]>,
}

/// Looks for results in a folder and the folders in it.
pub fn look_for(folder: &Path) -> Found {
    let mut found = Found::default();
    if is_result(folder) {
        found.results.push(folder.to_path_buf());
    } else {
        look(folder, DEPTH, &mut found);
    }
    found
}

fn look(folder: &Path, depth: u32, found: &mut Found) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten(),
        Err(cause) => {
            found.problems.push([folder.display().to_string(), cause.to_string()]);
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_packed = path.extension().is_some_and(|ending| ending == PACK_EXTENSION) && path.is_file();
        if is_packed || (path.is_dir() && is_result(&path)) {
            found.results.push(path);
        } else if path.is_dir() && !is_hidden && depth > 1 && !is_site(&path) {
            look(&path, depth - 1, found);
        }
    }
}

fn is_result(folder: &Path) -> bool {
    ["manifest.json", "runs.jsonl"].iter().any(|name| folder.join(name).exists())
}

/// Makes the site of what was found in a new folder, or in that of an old site; results so far as they can be
/// read.
///
/// # Errors
/// Something else is there; it cannot be written; it was stopped. Then there is what was there before.
pub fn site(found: Found, folder: &Path, words: &Words, interrupt: &Interrupt) -> Result<Site> {
    let kept = AtomicFolder::create_or_replace(folder, is_site)?;
    let mut site = Gallery::begin(kept.part(), words, found.problems)?;
    site.fill(&found.results, interrupt)?;
    let made = Site { results: site.shown.len() as u64, problems: site.problems };
    kept.keep()?;
    Ok(made)
}

/// What a site holds.
#[derive(Debug)]
pub struct Site {
    /// Results that have a page.
    pub results: u64,
    /// What was found and cannot be shown, and why.
    pub problems: Vec<[String; 2]>,
}

/// Whether a folder is a site, and nothing else is in it that would be lost.
fn is_site(folder: &Path) -> bool {
    let index = ResultFile::new(folder, "index.html").json().unwrap_or_default().into_bytes();
    let is_ours = |name: &std::ffi::OsStr| OURS.iter().any(|ours| name == *ours);
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    is_report(&index)
        && index.windows(SITE.len()).any(|part| part == SITE.as_bytes())
        && entries.all(|entry| is_ours(&entry.file_name()))
}

/// A site that is being made.
struct Gallery<'a> {
    folder: &'a Path,
    words: &'a Words,
    shown: Vec<(Listed, Option<Stored>)>,
    problems: Vec<[String; 2]>,
    /// Packs are shown by their names, and not by those of the folders that they lie in meanwhile.
    names: Vec<Alias>,
}

impl<'a> Gallery<'a> {
    /// Begins in an empty folder.
    fn begin(folder: &'a Path, words: &'a Words, problems: Vec<[String; 2]>) -> Result<Gallery<'a>> {
        for name in ["assets", "data", "pairs", "results"] {
            let path = folder.join(name);
            fs::create_dir(&path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        }
        let made = Gallery { folder, words, shown: Vec::new(), problems, names: Vec::new() };
        SITE_ASSETS.iter().try_for_each(|(name, text)| made.write(&format!("assets/{name}"), text))?;
        Ok(made)
    }

    fn fill(&mut self, results: &[PathBuf], interrupt: &Interrupt) -> Result<()> {
        for path in results {
            interrupt.check()?;
            self.add(path, interrupt)?;
        }
        self.shown.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        for (second, b) in self.shown.iter().enumerate() {
            interrupt.check()?;
            for a in &self.shown[..second] {
                self.pair(a, b)?;
            }
        }
        interrupt.check()?;
        self.index()
    }

    /// A text with the names of packs.
    fn named<'b>(&self, text: &'b str) -> Cow<'b, str> {
        Alias::replace_all(&self.names, text)
    }

    /// A result's page, and what is stored.
    fn read(&mut self, path: &Path, interrupt: &Interrupt) -> Result<(Page, Option<Stored>)> {
        let opened = Opened::of(path, interrupt.flag())?;
        self.names.extend(opened.alias());
        let page = page_of(opened.folder(), Bundle::room_bytes(1), &[], self.words)?;
        Ok((page, Stored::salvage(opened.folder()).ok().map(|(stored, _)| stored)))
    }

    /// One result: what cannot be read is kept as a problem, what cannot be written is an error.
    fn add(&mut self, path: &Path, interrupt: &Interrupt) -> Result<()> {
        let place = path.display().to_string();
        let (page, stored) = match self.read(path, interrupt) {
            Ok(read) => read,
            Err(error) => {
                let why = self.named(&(self.words.error)(&error)).into_owned();
                self.problems.push([place, why]);
                return Ok(());
            }
        };
        let seen = page.warnings.iter().map(|warning| self.named(&warning.seen).into_owned());
        let seen: Vec<String> = seen.collect();
        self.problems.extend(seen.into_iter().map(|seen| [place.clone(), seen]));
        let name = self.free_name(path);
        let listed = Listed::of(&name, &page.bundle.document, stored.as_ref());
        let data = format!("data/{name}.js");
        self.write(&data, &self.named(&site_data(&page.bundle)))?;
        let title = page.bundle.document.title.as_str();
        let start = "flashscope.start()";
        let html = site_page(&SitePage { title, up: "../", data: &[data], start, ..SitePage::default() });
        self.write(&format!("results/{name}.html"), &self.named(&html))?;
        self.shown.push((listed, stored));
        Ok(())
    }

    /// Of the folder's or the pack's name: what can stand in an address, and different from all others.
    fn free_name(&self, path: &Path) -> String {
        let is_packed = path.is_file();
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let last = if is_packed { whole.file_stem() } else { whole.file_name() };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '-' };
        let text: String = last.unwrap_or_default().to_string_lossy().chars().map(plain).collect();
        // Two names are joined by `--`.
        let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
        let stem = if parts.is_empty() { "result".into() } else { parts.join("-") };
        let is_free = |name: &String| self.shown.iter().all(|(listed, _)| listed.name != *name);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        std::iter::once(stem.clone()).chain(numbered).find(is_free).unwrap_or(stem)
    }

    /// What two results are beside one another.
    fn pair(&self, a: &(Listed, Option<Stored>), b: &(Listed, Option<Stored>)) -> Result<()> {
        let compared = match (&a.1, &b.1) {
            (Some(first), Some(second)) if is_measured(a.0.kind) && is_measured(b.0.kind) => {
                comparison_page(&[first.clone(), second.clone()])
            }
            _ => None,
        };
        let document = compared.unwrap_or_else(|| uncompared(&a.0, &b.0));
        let text = site_data(&Bundle::plain(document));
        self.write(&format!("pairs/{}--{}.js", a.0.name, b.0.name), &self.named(&text))
    }

    fn index(&self) -> Result<()> {
        let listed: Vec<Listed> = self.shown.iter().map(|(listed, _)| listed.clone()).collect();
        let link =
            |one: &Listed| (format!("results/{}.html", one.name), format!("{} ({})", one.title, one.name));
        let links: Vec<(String, String)> = listed.iter().map(link).collect();
        let bundle = Bundle::plain(site_index(&listed, &self.problems));
        let title = "All results";
        let index = SitePage { title, bundle: Some(&bundle), links: &links, ..SitePage::default() };
        self.write("index.html", &site_page(&index))?;
        let compare = SitePage { title: "Two results", start: "flashscope.compare()", ..SitePage::default() };
        self.write("compare.html", &site_page(&compare))
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
