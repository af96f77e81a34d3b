//! The syntax of job files: sections, options, comments. `[global]` holds for the jobs behind it.

use flashscope_core::plain::is_steering;

use super::{CONTROL, Refusal};

/// One line `name=value`; `name` alone is `name=1`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Line of the file, from 1.
    pub line: usize,
    /// The option, by the one of its names that is used here.
    pub name: String,
    /// As it is written, with the values of variables.
    pub value: String,
}

/// A job with all options that hold for it, later ones last.
#[derive(Clone, Debug)]
pub struct Section {
    /// What stands in brackets.
    pub name: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// Its options and those of `[global]` before it.
    pub entries: Vec<Entry>,
    /// It stands for several that do the same; its last entry counts their processes.
    pub is_joined: bool,
}

impl Section {
    /// The option as it holds: the last one of that name.
    pub fn last(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.name == name)
    }

    /// Whether it begins when `before` is over.
    pub fn follows(&self, before: &Section) -> bool {
        let waits_for = self.last("wait_for").is_some_and(|entry| entry.value == before.name);
        waits_for || self.has("stonewall") || self.has("wait_for_previous")
    }

    /// Whether both have the same options; what `join` added is none.
    pub fn does_the_same(&self, other: &Section) -> bool {
        let all = |section: &Section| {
            let given = section.entries[..section.entries.len() - usize::from(section.is_joined)].iter();
            given.map(|entry| (entry.name.clone(), entry.value.clone())).collect::<Vec<_>>()
        };
        all(self) == all(other)
    }

    /// Takes in another job that does the same at the same time.
    pub fn join(&mut self) {
        let each = self.last("numjobs").and_then(|entry| entry.value.parse::<u32>().ok()).unwrap_or(1);
        if self.is_joined {
            self.entries.pop();
        }
        let before = self.last("numjobs").and_then(|entry| entry.value.parse::<u32>().ok()).unwrap_or(1);
        let value = each.saturating_add(before).to_string();
        self.entries.push(Entry { line: self.line, name: "numjobs".into(), value });
        self.is_joined = true;
    }

    /// Whether an option of that name is on.
    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|entry| entry.value != "0")
    }
}

/// The value of a variable, or why it is missing.
pub type Variable<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// The jobs of a file.
///
/// # Errors
/// The first line that is none of a job file.
pub fn sections(text: &str, variable: Variable<'_>) -> Result<Vec<Section>, Refusal> {
    // What it calls things must not steer the terminal that shows it.
    let text = text.replace(|c: char| is_steering(c) && c != '\r', CONTROL);
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
                jobs.push(Section { name: name.into(), line: at, entries: global.clone(), is_joined: false });
            }
            continue;
        }
        if plain.starts_with("include ") {
            return refuse("included files are not supported; insert its lines here");
        }
        let (name, value) = plain.split_once('=').unwrap_or((plain, "1"));
        let value = value.trim().trim_matches('"');
        let value = match expanded(value, variable) {
            Ok(value) => value,
            Err(why) => return refuse(&why),
        };
        let entry = Entry { line: at, name: alias(name.trim()).into(), value };
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

/// The text with the values of `${NAME}`.
fn expanded(text: &str, variable: Variable<'_>) -> Result<String, String> {
    let mut all = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        let name = behind.strip_prefix('{').and_then(|name| name.split_once('}'));
        let Some((name, after)) = name else {
            return Err("only variables as ${NAME} are supported; write the value".into());
        };
        all += before;
        all += &variable(name)?.replace(char::is_control, CONTROL);
        rest = after;
    }
    Ok(all + rest)
}

/// fio has two names for some options.
fn alias(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "io_limit" => "io_size",
        "io_queue_depth" => "iodepth",
        "ba" => "blockalign",
        "timeout" => "runtime",
        "ratemin" => "rate_min",
        "ss" => "steadystate",
        "ss_dur" => "steadystate_duration",
        "ss_ramp" => "steadystate_ramp_time",
        "ss_interval" => "steadystate_check_interval",
        "threads" => "thread",
        other => other,
    }
}
