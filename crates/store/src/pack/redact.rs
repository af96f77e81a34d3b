//! What of a result identifies a person or a machine, and what stands in its place: values by their keys,
//! names wherever they occur, and every absolute path.

use std::collections::BTreeMap;
use std::path::Path;

use flashscope_core::number::counted;
use serde_json::Value;

use crate::folder::Manifest;

/// Values that say who or where, whatever their type; they become null.
const WHO: [(&str, &str); 16] = [
    ("serial", "serial numbers"),
    ("wwid", "world-wide identifiers"),
    ("wwn", "world-wide identifiers"),
    ("uuid", "identifiers"),
    ("path", "the target's path"),
    ("canonical_path", "the target's path"),
    ("mount_point", "mount points"),
    ("source", "mounted devices"),
    ("partition_of", "device names"),
    ("partitions", "device names"),
    ("name", "device names"),
    ("inode", "inodes and device numbers"),
    ("device", "inodes and device numbers"),
    ("disk_sequence", "inodes and device numbers"),
    ("hostname", "the host's name"),
    ("user", "the user's name"),
];

/// Names that identify nobody.
const EVERYBODY: [&str; 6] = ["root", "localhost", "user", "home", "admin", "debian"];

/// Shorter names are as likely a piece of something else.
const NAME_CHARS_MIN: usize = 3;
/// Longer ones are replaced within words too.
const ANYWHERE_CHARS_MIN: usize = 7;

/// A text that must not be seen.
#[derive(Debug)]
struct Hidden {
    text: String,
    shown: String,
    what: &'static str,
}

/// What is hidden, and how often it was met.
#[derive(Debug, Default)]
pub struct Redactor {
    /// The longest first, for a path holds the names of its folders.
    hidden: Vec<Hidden>,
    met: BTreeMap<&'static str, u64>,
}

impl Redactor {
    /// What is known to identify: the result's own facts, and this machine and its user.
    pub fn of(folder: &Path, manifest: &Manifest, others: &[Value]) -> Redactor {
        let mut redactor = Redactor::default();
        redactor.add_target(manifest);
        redactor.add_device(&manifest.device);
        let options = [&manifest.options["trace"], &manifest.options["load_state"]];
        options.into_iter().filter_map(Value::as_str).for_each(|text| redactor.add_file(text, "trace"));
        others.iter().for_each(|document| redactor.add_named_files(document));
        let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        redactor.add(&whole.display().to_string(), "(path)", "paths");
        let home = std::env::var("HOME").unwrap_or_default();
        redactor.add(&home, "(path)", "paths");
        for user in ["USER", "LOGNAME", "SUDO_USER"].map(|key| std::env::var(key).unwrap_or_default()) {
            redactor.add(&user, "(user)", "the user's name");
        }
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        redactor.add(host.trim(), "(host)", "the host's name");
        redactor.hidden.sort_by_key(|hidden| std::cmp::Reverse(hidden.text.len()));
        redactor
    }

    fn add(&mut self, text: &str, shown: &str, what: &'static str) {
        let is_known = self.hidden.iter().any(|hidden| hidden.text == text);
        if text.len() >= NAME_CHARS_MIN && !EVERYBODY.contains(&text) && !is_known {
            self.hidden.push(Hidden { text: text.into(), shown: shown.into(), what });
        }
    }

    /// A file by its path and by its name.
    fn add_file(&mut self, path: &str, shown: &str) {
        let what = "file names and paths";
        let file = Path::new(path);
        let part = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let ending = part(file.extension()).map_or(String::new(), |ending| format!(".{ending}"));
        self.add(path, &format!("{shown}{ending}"), what);
        self.add(&part(file.file_name()).unwrap_or_default(), &format!("{shown}{ending}"), what);
    }

    fn add_device(&mut self, device: &Value) {
        for (pointer, shown, what) in [
            ("/hardware/serial", "(serial)", "serial numbers"),
            ("/hardware/wwid", "(wwid)", "world-wide identifiers"),
            ("/canonical_path", "(path)", "the target's path"),
            ("/path", "(path)", "the target's path"),
            ("/filesystem/mount_point", "(path)", "mount points"),
            ("/filesystem/source", "(device)", "mounted devices"),
        ] {
            self.add(device.pointer(pointer).and_then(Value::as_str).unwrap_or_default(), shown, what);
        }
    }

    /// The name of a real target gives way to its model; of a virtual one only a file's.
    fn add_target(&mut self, manifest: &Manifest) {
        let model = manifest.device.pointer("/hardware/model").and_then(Value::as_str).unwrap_or_default();
        let shown = match (manifest.device["kind"].as_str(), model.trim()) {
            (Some("file"), "") => "file".into(),
            (Some("file"), model) => format!("file on {model}"),
            (_, "") => "device".into(),
            (_, model) => model.into(),
        };
        let given = manifest.options["target"].as_str().unwrap_or_default();
        for name in [manifest.target.name.as_str(), given] {
            let file = name.split_once(':').filter(|(scheme, _)| matches!(*scheme, "rig" | "sim"));
            match file {
                Some((_, file)) if is_file(file) => {
                    self.add_file(file.split('?').next().unwrap_or(file), "file")
                }
                None if name != "null:" && manifest.device.is_object() => {
                    self.add(name, &shown, "the target's path");
                    let last = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
                    self.add(&last.unwrap_or_default(), &shown, "the target's path");
                }
                _ => {}
            }
        }
    }

    /// Files that a sweep, a replay or a described trace name.
    fn add_named_files(&mut self, document: &Value) {
        let entries = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
        for entry in entries {
            let word = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
            let workload = word("/workload").and_then(|text| text.strip_prefix("trace "));
            let profile = word("/profile").filter(|profile| is_file(profile));
            for (name, shown) in [
                (word("/trace"), "trace"),
                (workload, "trace"),
                (profile, "profile"),
                (word("/loaded_state/file"), "state"),
            ] {
                name.into_iter().for_each(|name| self.add_file(name, shown));
            }
        }
    }

    /// A text without what identifies.
    pub fn text(&mut self, text: &str) -> String {
        let mut text = text.to_string();
        for Hidden { text: hidden, shown, what } in &self.hidden {
            let (without, count) = replaced(&text, hidden, shown);
            if count > 0 {
                *self.met.entry(what).or_default() += count;
                text = without;
            }
        }
        let (without, paths) = without_paths(&text);
        if paths > 0 {
            *self.met.entry("paths").or_default() += paths;
        }
        without
    }

    /// The same for all texts of a document.
    pub fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(all) => all.into_iter().map(|one| self.value(one)).collect(),
            Value::Object(all) => {
                all.into_iter().map(|(key, value)| (self.text(&key), self.value(value))).collect()
            }
            other => other,
        }
    }

    /// The facts about a device, without those that say which one it is.
    pub fn device(&mut self, device: Value) -> Value {
        self.facts(device, "")
    }

    fn facts(&mut self, of: Value, above: &str) -> Value {
        let Value::Object(facts) = of else { return self.value(of) };
        let mut kept = serde_json::Map::new();
        for (key, value) in facts {
            // The name of a filesystem is its type.
            let who = WHO.iter().find(|(who, _)| *who == key && (key != "name" || above == "hardware"));
            let value = match who {
                Some((_, what)) => {
                    let is_there = !(value.is_null() || value == Value::Array(Vec::new()));
                    *self.met.entry(what).or_default() += u64::from(is_there);
                    Value::Null
                }
                None => self.facts(value, &key),
            };
            kept.insert(key, value);
        }
        Value::Object(kept)
    }

    /// A line for each kind that was left out or replaced.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let met = self.met.iter().filter(|(_, count)| **count > 0);
        met.map(|(what, count)| format!("{what} ({})", counted(*count, "place")))
    }
}

fn is_file(name: &str) -> bool {
    let name = name.split('?').next().unwrap_or(name);
    name.contains('/') || name.ends_with(".toml")
}

/// Replaces a name, short ones only where they are a word of their own; and how often.
fn replaced(text: &str, hidden: &str, shown: &str) -> (String, u64) {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut count) = (text, 0);
    let mut before: Option<char> = None;
    while let Some(at) = rest.find(hidden) {
        let after = rest[at + hidden.len()..].chars().next();
        let last = rest[..at].chars().next_back().or(before);
        let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_word = hidden.len() >= ANYWHERE_CHARS_MIN || !(is_inside(last) || is_inside(after));
        out.push_str(&rest[..at]);
        out.push_str(if is_word { shown } else { hidden });
        count += u64::from(is_word);
        rest = &rest[at + hidden.len()..];
        before = hidden.chars().next_back();
    }
    out.push_str(rest);
    (out, count)
}

/// Replaces `/home/somebody/x` and its like; and how many. A quotient such as `MB/s` is none.
fn without_paths(text: &str) -> (String, u64) {
    let ends = |c: char| c.is_whitespace() || "\"'`()<>,;".contains(c);
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut count) = (text, 0);
    let mut before = ' ';
    while let Some(at) = rest.find('/') {
        let last = rest[..at].chars().next_back().unwrap_or(before);
        let next = rest[at + 1..].chars().next().unwrap_or(' ');
        let begins = last.is_whitespace() || "\"'`()<>,;=:~".contains(last);
        let is_path = begins && (next.is_alphanumeric() || "._-".contains(next));
        let end = if is_path { rest[at..].find(ends).map_or(rest.len(), |n| at + n) } else { at + 1 };
        out.push_str(&rest[..at]);
        out.push_str(if is_path { "(path)" } else { "/" });
        count += u64::from(is_path);
        (rest, before) = (&rest[end..], '/');
    }
    out.push_str(rest);
    (out, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_as_words_and_long_ones_everywhere() {
        assert_eq!(replaced("on bob, bobbin, x-bob", "bob", "?"), ("on ?, bobbin, x-?".into(), 2));
        assert_eq!(replaced("xS123456789y", "S123456789", "?"), ("x?y".into(), 1));
        assert_eq!(replaced("bobbob bob", "bob", "?"), ("bobbob ?".into(), 1));
    }

    #[test]
    fn absolute_paths_go_and_quotients_stay() {
        let paths = |text: &str| without_paths(text).0;
        assert_eq!(paths("write /home/bob/a.img: no room"), "write (path) no room");
        assert_eq!(paths("rig:/home/bob/a.toml"), "rig:(path)");
        assert_eq!(paths("5 MB/s, ns / IO, granularity/RW/32KiB"), "5 MB/s, ns / IO, granularity/RW/32KiB");
        assert_eq!(paths("'/a' and ~/b"), "'(path)' and ~(path)");
    }
}
