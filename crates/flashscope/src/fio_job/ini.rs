//! The syntax of job files: sections, options, comments. `[global]` holds for the jobs behind it.

use super::{CONTROL, Refusal};

/// One line `name=value`; `name` alone is `name=1`.
#[derive(Clone, Debug)]
pub struct Entry {
    pub line: usize,
    pub name: String,
    pub value: String,
}

/// A job with all options that hold for it, later ones last.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub line: usize,
    pub entries: Vec<Entry>,
}

impl Section {
    /// The option as it holds: the last one of that name.
    pub fn last(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.name == name)
    }

    /// Whether an option of that name is on.
    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|entry| entry.value != "0")
    }
}

/// The jobs of a file.
pub fn sections(text: &str) -> Result<Vec<Section>, Refusal> {
    let mut global: Vec<Entry> = Vec::new();
    let mut jobs: Vec<Section> = Vec::new();
    let mut in_global = None;
    for (number, line) in text.lines().enumerate() {
        let at = number + 1;
        let refuse = |why: &str| Err(Refusal { line: at, option: line.trim().into(), why: why.into() });
        // fio takes these for comments wherever they stand.
        let plain = line.split([';', '#']).next().unwrap_or_default().trim();
        if plain.is_empty() {
            continue;
        }
        if plain.contains(CONTROL) {
            return refuse("it contains a control character; remove it");
        }
        if let Some(name) = plain.strip_prefix('[') {
            let Some(name) = name.strip_suffix(']') else { return refuse("a section ends with ]") };
            in_global = Some(name == "global");
            if name != "global" {
                jobs.push(Section { name: name.into(), line: at, entries: global.clone() });
            }
            continue;
        }
        if plain.starts_with("include ") {
            return refuse("included files are not supported; insert its lines here");
        }
        let (name, value) = plain.split_once('=').unwrap_or((plain, "1"));
        let value = value.trim().trim_matches('"');
        if value.contains('$') {
            return refuse("variables are not supported; write the value");
        }
        let entry = Entry { line: at, name: alias(name.trim()).into(), value: value.into() };
        match in_global {
            None => return refuse("it is outside a section; write [global] above it"),
            Some(true) => global.push(entry),
            Some(false) => jobs.last_mut().expect("a job was opened").entries.push(entry),
        }
    }
    let nothing =
        || Refusal { line: 1, option: "the file".into(), why: "it has no job; add a section [NAME]".into() };
    if jobs.is_empty() { Err(nothing()) } else { Ok(jobs) }
}

/// fio has two names for some options.
fn alias(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "io_limit" => "io_size",
        "io_queue_depth" => "iodepth",
        other => other,
    }
}
