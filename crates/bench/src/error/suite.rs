//! Why a suite cannot be planned, and what is wrong with the file of one.

use flashscope_core::{Bytes, PatternError};
use thiserror::Error;

/// Why a suite cannot be planned as it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// A name that no suite has.
    #[error("unknown suite '{name}'; choose one of {}, or a file", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// All names.
        known: Vec<String>,
    },
    /// A setting that the suite does not have.
    #[error("unknown setting {name}: the suite {suite} {}", settings(known))]
    UnknownSetting {
        /// The suite.
        suite: String,
        /// What was given.
        name: String,
        /// Its settings.
        known: Vec<&'static str>,
    },
    /// A setting that is given more than once.
    #[error("setting {name} is given twice ({first}, {second}); give it once")]
    SettingTwice {
        /// The setting.
        name: String,
        /// Its first value.
        first: String,
        /// Its second.
        second: String,
    },
    /// A value that a setting cannot take.
    #[error("setting {name}={value}: {problem}")]
    Setting {
        /// The setting.
        name: String,
        /// What was given.
        value: String,
        /// What is wrong with it or what is allowed, as the end of a sentence.
        problem: String,
    },
    /// Writing is not allowed, and nothing worth doing is left without it.
    #[error("all runs of this suite{} write, and writing is not allowed", but(*except))]
    OnlyWrites {
        /// The runs that do not.
        except: Option<&'static str>,
    },
    /// A suite that runs every experiment once was asked for more.
    #[error("{repeats} repeats: the parts of this suite are not repeated; run it again and compare")]
    Repeats {
        /// What was asked for.
        repeats: u32,
    },
    /// No run at all.
    #[error("there is nothing to run")]
    Empty,
    /// Two runs with the same name.
    #[error("two runs have the name {id}; rename one")]
    SameName {
        /// Their name.
        id: String,
    },
    /// A file that says nothing that can be done.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

fn settings(known: &[&str]) -> String {
    match known {
        [] => "has no settings".into(),
        _ => format!("has: {}", known.join(", ")),
    }
}

fn but(except: Option<&str>) -> String {
    except.map_or(String::new(), |runs| format!(" but its {runs}"))
}

/// A line of a suite's file that cannot be done.
#[derive(Debug, Error)]
#[error("{file}, line {line}: {problem}")]
pub struct ScriptError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub problem: ScriptProblem,
}

/// What is wrong with a line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScriptProblem {
    /// A file without a step.
    #[error("the file is empty; write at least one line such as: {example}")]
    Empty {
        /// A line that would do.
        example: &'static str,
    },
    /// It is not TOML, or not the tables that are expected.
    #[error("{0}")]
    Toml(String),
    /// A table without the key that says what is done.
    #[error("a step needs an act, such as do = \"run\"")]
    NoAct,
    /// A first word that means nothing.
    #[error("unknown act '{word}'; choose one of {}", known.join(", "))]
    UnknownAct {
        /// The word.
        word: String,
        /// All words.
        known: Vec<&'static str>,
    },
    /// A key that the word does not have.
    #[error("unknown key '{key}' of {word}, which {}", keys(known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The word.
        word: &'static str,
        /// Its keys.
        known: Vec<&'static str>,
    },
    /// A key that is given more than once.
    #[error("{key} is set twice; set it once")]
    KeyTwice {
        /// The key.
        key: String,
    },
    /// A word where a key and its value are expected.
    #[error("'{text}' is not KEY=VALUE{}", if *has_name { "; a name is one word" } else { "" })]
    NotPair {
        /// The word.
        text: String,
        /// The line has a name already.
        has_name: bool,
    },
    /// A run without a name.
    #[error("it needs a name: {word} NAME ...")]
    NoName {
        /// What it is.
        word: &'static str,
    },
    /// A value that a key cannot take.
    #[error("{key}={value}: {problem}")]
    Value {
        /// The key.
        key: String,
        /// What was given.
        value: String,
        /// What is wrong with it or what is allowed, as the end of a sentence.
        problem: String,
    },
    /// Something of TOML that is neither a text nor a number.
    #[error("{key} must be a text or a number")]
    NotText {
        /// The key.
        key: String,
    },
    /// A pattern that is none, or that the target cannot take.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A pattern that leaves the part of the target that is measured.
    #[error("IOs of {bs} exceed the measured {span}; use smaller numbers, or measure more")]
    Beyond {
        /// Size of its IOs.
        bs: Bytes,
        /// Size of that part.
        span: Bytes,
    },
    /// More than one length.
    #[error("runtime, bytes, ios and number_ios exclude one another; give one")]
    Lengths,
    /// A length of nothing.
    #[error("a run must be longer than 0")]
    NoLength,
    /// A burst that would have no end.
    #[error("a burst needs a length: runtime=5s, bytes=1GiB or ios=1000")]
    EndlessBurst,
    /// Idle time without a length.
    #[error("idle needs a time, such as: idle 30s")]
    EndlessIdle,
    /// Preparations behind the last run.
    #[error("nothing is measured after this; add a run")]
    NothingMeasured,
    /// Two runs with the same name.
    #[error("line {earlier} also has a run named {id}; rename one")]
    SameName {
        /// The line of the first.
        earlier: usize,
        /// Their name.
        id: String,
    },
}

fn keys(known: &[&str]) -> String {
    match known {
        [] => "has none".into(),
        _ => format!("has: {}", known.join(", ")),
    }
}
