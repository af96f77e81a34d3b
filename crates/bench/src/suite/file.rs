//! A suite as a file (paper 000, appendix A): one act a line, or one `[[step]]` of TOML with the same words.
//!
//! ```text
//! # Everything behind a # is a remark.
//! fill bs=1MiB
//! burst rw=randwrite bs=2KiB runtime=5s
//! run after-burst rw=write bs=32KiB runtime=2min window=4s
//! idle 30s
//! scale reads rw=randread bs=512 to=8MiB runtime=30s repeats=3
//! ```
//!
//! A run has the settings of a pattern and a few of its own ([`WORDS`]). Here is what the words mean; how a
//! line or a table is taken apart is in `file/parse.rs`.

mod parse;
mod show;

use std::collections::BTreeMap;

use flashscope_analysis::Cut;
use flashscope_core::pattern::KEYS;
use flashscope_core::{Bytes, Nanos, Pattern, Rw, TargetInfo};

use super::program::{Act, Probe, windows_within};
use crate::error::{ScriptError, ScriptProblem};
use crate::micro::Frame;
use crate::state::State;
use crate::step::{Condition, Length, Preparation};

pub use parse::parse;
pub use show::reading;

/// A word that begins a line.
#[derive(Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Its own keys; `burst`, `run` and `scale` have those of a pattern beside them.
    pub keys: &'static [&'static str],
    has_pattern: bool,
}

/// All words.
pub const WORDS: &[Word] = &[
    Word { name: "fill", help: "write everything in order", keys: &["bs", "times"], has_pattern: false },
    Word { name: "trim", help: "discard everything", keys: &[], has_pattern: false },
    Word { name: "enforce", help: "precondition everything", keys: &["state"], has_pattern: false },
    Word {
        name: "burst",
        help: "run a pattern without recording it",
        keys: &["runtime", "bytes", "ios"],
        has_pattern: true,
    },
    Word { name: "idle", help: "leave the device idle", keys: &["for"], has_pattern: false },
    Word {
        name: "run",
        help: "measure a pattern",
        keys: &["runtime", "bytes", "ios", "repeats", "window", "keep"],
        has_pattern: true,
    },
    Word {
        name: "scale",
        help: "measure a pattern with bs doubled until throughput grows by less than 2.5 %",
        keys: &["to", "runtime", "bytes", "ios", "repeats", "window", "keep"],
        has_pattern: true,
    },
];

/// A line that was read, and where it stood.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    word: &'static Word,
    name: String,
    /// The word's own keys.
    own: Vec<(String, String)>,
    pattern: Pattern,
}

/// A file that was read: what it does on any target.
#[derive(Clone, Debug)]
pub struct Script {
    file: String,
    lines: Vec<Line>,
}

/// Passes of a fill, and runs of a pattern: more than anybody waits for.
const TIMES_MAX: u32 = 1 << 20;
const REPEATS_MAX: u32 = 1_000;
/// Sizes beyond which nothing is doubled: no single IO is larger.
const BS_MAX: u64 = 64 << 20;
/// Windows of a run whose length does not say how many there will be.
const WINDOWS_MOST: usize = 1024;

impl Script {
    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The acts on a part of a target.
    pub(super) fn acts(&self, target: &TargetInfo, frame: &Frame) -> Result<Vec<Act>, ScriptError> {
        let mut acts = Vec::new();
        // What stands right before a series is done before each of its sizes.
        let mut before: Vec<Preparation> = Vec::new();
        let mut lines_by_name = BTreeMap::new();
        for line in &self.lines {
            let at = At { script: self, line, target, frame };
            let probes = match line.word.name {
                "run" => vec![at.probe(&line.pattern)?],
                "scale" => at.series()?,
                _ => {
                    before.push(at.preparation()?);
                    continue;
                }
            };
            for probe in probes {
                let name = probe.experiment().id();
                if let Some(earlier) = lines_by_name.insert(name.clone(), line.number) {
                    return Err(at.wrong(ScriptProblem::SameName { earlier, id: name }));
                }
                acts.extend(before.iter().cloned().map(Act::Prepare));
                acts.push(probe.act());
            }
            before.clear();
        }
        if !before.is_empty() {
            let last = self.lines.last().map_or(0, |line| line.number);
            return Err(self.wrong(last, ScriptProblem::NothingMeasured));
        }
        Ok(acts)
    }

    fn wrong(&self, line: usize, problem: ScriptProblem) -> ScriptError {
        ScriptError { file: self.file.clone(), line, problem }
    }
}

/// A line on a target.
struct At<'a> {
    script: &'a Script,
    line: &'a Line,
    target: &'a TargetInfo,
    frame: &'a Frame,
}

impl At<'_> {
    fn wrong(&self, problem: ScriptProblem) -> ScriptError {
        self.script.wrong(self.line.number, problem)
    }

    /// The refusal of a key's value.
    fn refused(&self, key: &str, value: &str, problem: impl std::fmt::Display) -> ScriptError {
        let (key, value) = (key.into(), value.into());
        self.wrong(ScriptProblem::Value { key, value, problem: problem.to_string() })
    }

    fn own(&self, key: &str) -> Option<&str> {
        self.line.own.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The value of a key of the word's own.
    fn value<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        key: &str,
    ) -> Result<Option<T>, ScriptError> {
        let parse = |text: &str| text.parse::<T>().map_err(|error| self.refused(key, text, error));
        self.own(key).map(parse).transpose()
    }

    /// A whole number of at least 1.
    fn count(&self, key: &str) -> Result<Option<u64>, ScriptError> {
        let Some(text) = self.own(key) else { return Ok(None) };
        match text.parse() {
            Ok(0) | Err(_) => Err(self.refused(key, text, "write a whole number of 1 or more")),
            Ok(count) => Ok(Some(count)),
        }
    }

    fn preparation(&self) -> Result<Preparation, ScriptError> {
        Ok(match self.line.word.name {
            "fill" => {
                let bs = self.value("bs")?.unwrap_or(Bytes(1 << 20));
                self.fits(&Pattern { bs, ..Pattern::baseline(Rw::Write, Bytes(0), bs) })?;
                Preparation::Fill { bs, times: self.small("times", TIMES_MAX)?.unwrap_or(1) }
            }
            "trim" => Preparation::Trim,
            "enforce" => Preparation::Enforce(match self.own("state") {
                None | Some("random") => State::Random,
                Some("sequential") => State::Sequential,
                Some(other) => return Err(self.refused("state", other, "write random or sequential")),
            }),
            "idle" => {
                Preparation::Idle(self.value("for")?.ok_or_else(|| self.wrong(ScriptProblem::EndlessIdle))?)
            }
            _ => {
                let length = self.length()?;
                if length == Length::Precise {
                    return Err(self.wrong(ScriptProblem::EndlessBurst));
                }
                Preparation::Burst { pattern: Box::new(self.placed(&self.line.pattern)?), length }
            }
        })
    }

    fn small(&self, key: &str, most: u32) -> Result<Option<u32>, ScriptError> {
        let Some(count) = self.count(key)? else { return Ok(None) };
        let count = u32::try_from(count).ok().filter(|count| *count <= most);
        let given = self.own(key).unwrap_or_default();
        count.map(Some).ok_or_else(|| self.refused(key, given, format!("write a number from 1 to {most}")))
    }

    fn length(&self) -> Result<Length, ScriptError> {
        let lengths = [
            self.value::<Nanos>("runtime")?.map(Length::Time),
            self.value::<Bytes>("bytes")?.map(|bytes| Length::Bytes(bytes.0)),
            self.count("ios")?.map(Length::Ios),
            // Where only the pattern says it, it is the pattern's.
            self.line
                .pattern
                .number_ios
                .map(|ios| Length::Ios(ios.saturating_mul(self.line.pattern.numjobs.into()))),
        ];
        let mut lengths = lengths.into_iter().flatten();
        match (lengths.next(), lengths.next()) {
            (_, Some(_)) => Err(self.wrong(ScriptProblem::Lengths)),
            (Some(Length::Time(Nanos(0)) | Length::Bytes(0)), _) => Err(self.wrong(ScriptProblem::NoLength)),
            (length, _) => Ok(length.unwrap_or(Length::Precise)),
        }
    }

    /// The pattern over the whole span where it says no size.
    fn placed(&self, pattern: &Pattern) -> Result<Pattern, ScriptError> {
        let mut pattern = pattern.clone();
        if pattern.size.0 == 0 {
            let room = self.room(&pattern);
            pattern.size = Bytes(room / pattern.bs.0.max(1) * pattern.bs.0);
        }
        self.fits(&pattern)?;
        Ok(pattern)
    }

    /// What is left of the span behind a pattern's beginning.
    fn room(&self, pattern: &Pattern) -> u64 {
        self.frame.span.0.saturating_sub(pattern.offset.0.saturating_add(pattern.shift.0))
    }

    /// Refuses a pattern that the target cannot take, or that leaves the part that is measured.
    fn fits(&self, pattern: &Pattern) -> Result<(), ScriptError> {
        let span = self.frame.span;
        if pattern.bs > span || pattern.end_bytes() > span.0 {
            return Err(self.wrong(ScriptProblem::Beyond { bs: pattern.bs, span }));
        }
        pattern.validate(self.target).map_err(|error| self.wrong(error.into()))
    }

    fn probe(&self, pattern: &Pattern) -> Result<Probe, ScriptError> {
        let length = self.length()?;
        let pattern = self.placed(pattern)?;
        let curve = pattern.rw.short_name();
        let probe = Probe::new(&self.line.name, curve, pattern, length);
        let probe = probe.repeated(self.small("repeats", REPEATS_MAX)?.unwrap_or(1));
        let keeps_ios = match self.own("keep") {
            None => self.own("window").is_none(),
            Some("ios") => true,
            Some("nothing") => false,
            Some(other) => return Err(self.refused("keep", other, "write ios or nothing")),
        };
        let probe = Probe { keeps_ios, ..probe };
        Ok(match self.own("window") {
            Some(text) => {
                let cut = cut(text).map_err(|problem| self.refused("window", text, problem))?;
                let most = match (cut, length) {
                    (Cut::Time(window), Length::Time(time)) => windows_within(time, window),
                    _ => WINDOWS_MOST,
                };
                probe.windows(cut, most.min(WINDOWS_MOST * 16))
            }
            None => probe,
        })
    }

    /// One run for each size: up to `to` in any case, beyond while it is worth it.
    fn series(&self) -> Result<Vec<Probe>, ScriptError> {
        let to = self.value::<Bytes>("to")?;
        let first = self.line.pattern.bs.0.max(1);
        if let Some(to) = to.filter(|to| to.0 < first) {
            return Err(self.refused("to", &to.to_string(), "is less than bs"));
        }
        let asked = self.line.pattern.size.0;
        let room = if asked > 0 { asked } else { self.room(&self.line.pattern) };
        let most = BS_MAX.min(room);
        if first > most {
            let problem = format!("a series begins at {} or less", Bytes(most));
            return Err(self.refused("bs", &Bytes(first).to_string(), problem));
        }
        let mut probes = Vec::new();
        let mut bs = first;
        while bs <= most {
            let probe = self.probe(&Pattern { bs: Bytes(bs), ..self.line.pattern.clone() })?;
            let is_free = to.is_none_or(|to| bs > to.0);
            probes.push(probe.only_if(is_free.then_some(Condition::Growing)));
            bs *= 2;
        }
        Ok(probes)
    }
}

/// `4s`, `64MiB` or `1000ios`.
fn cut(text: &str) -> Result<Cut, &'static str> {
    if let Some(ios) = text.strip_suffix("ios").or_else(|| text.strip_suffix("IOs")) {
        let ios = ios.trim().parse().ok().filter(|ios| *ios > 0);
        return ios.map(Cut::Ios).ok_or("write a number of IOs such as 1000ios");
    }
    match (text.parse::<Nanos>(), text.parse::<Bytes>()) {
        (Ok(time), _) if time.0 > 0 => Ok(Cut::Time(time)),
        (_, Ok(bytes)) if bytes.0 > 0 => Ok(Cut::Bytes(bytes.0)),
        _ => Err("write a time such as 4s, a size such as 64MiB or a number such as 1000ios"),
    }
}

/// The keys of a word, those of a pattern included.
fn keys(word: &Word) -> Vec<&'static str> {
    let pattern = KEYS.iter().filter(|_| word.has_pattern).map(|key| key.name);
    word.keys.iter().copied().chain(pattern).collect()
}

/// The pattern of a word that has one, before its keys are set.
fn bare(word: &Word) -> Pattern {
    let rw = if word.name == "burst" { Rw::RandWrite } else { Rw::Read };
    Pattern::baseline(rw, Bytes(0), Bytes(0))
}
