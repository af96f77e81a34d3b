//! Why a suite cannot be planned, and what is wrong with the file of one.

use flashscope_core::{Bytes, PatternError};
use thiserror::Error;

/// Why a suite cannot be planned as it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// A name that no suite has.
    #[error("unknown suite '{name}'; write one of: {}; or the path of a file", known.join(", "))]
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
    #[error("setting {name} is given twice, as {first} and as {second}: write it once")]
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
    #[error("every run of this suite{} writes, and writing is not allowed", but(*except))]
    OnlyWrites {
        /// The runs that do not.
        except: Option<&'static str>,
    },
    /// A suite that runs every experiment once was asked for more.
    #[error("{repeats} repeats: each part is one long run; run the suite again and compare")]
    Repeats {
        /// What was asked for.
        repeats: u32,
    },
    /// No run at all.
    #[error("there is nothing to run")]
    Empty,
    /// Two runs that no result could tell apart.
    #[error("two runs are called {id}; give one another name")]
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
        [] => "has no settings of its own".into(),
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
    /// There is none that says anything.
    #[error("the file says nothing; write at least one line such as: {example}")]
    Empty {
        /// A line that would do.
        example: &'static str,
    },
    /// It is not TOML, or not the tables that are expected.
    #[error("{0}")]
    Toml(String),
    /// A table without the key that says what is done.
    #[error("a step says what it does: do = \"run\"")]
    NoAct,
    /// A first word that means nothing.
    #[error("'{word}' is no act; write one of: {}", known.join(", "))]
    UnknownAct {
        /// The word.
        word: String,
        /// All words.
        known: Vec<&'static str>,
    },
    /// A key that the word does not have.
    #[error("'{key}' is no key of {word}; it {}", keys(known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The word.
        word: &'static str,
        /// Its keys.
        known: Vec<&'static str>,
    },
    /// A key that is given more than once.
    #[error("{key} is set twice; write it once")]
    KeyTwice {
        /// The key.
        key: String,
    },
    /// A word where a key and its value are expected.
    #[error("'{text}' is not KEY=VALUE{}", if *has_name { ", and a name is one word" } else { "" })]
    NotPair {
        /// The word.
        text: String,
        /// The line has a name already.
        has_name: bool,
    },
    /// A run without a name.
    #[error("give it a name: {word} NAME ...")]
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
    #[error("{key} is a text or a number")]
    NotText {
        /// The key.
        key: String,
    },
    /// A pattern that is none, or that the target cannot take.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// A pattern that leaves the part of the target that is measured.
    #[error("IOs of {bs} go beyond the {span} that are measured; write smaller numbers, or measure more")]
    Beyond {
        /// Size of its IOs.
        bs: Bytes,
        /// Size of that part.
        span: Bytes,
    },
    /// More than one length.
    #[error("runtime, bytes, ios and number_ios exclude one another; write one")]
    Lengths,
    /// A length of nothing.
    #[error("a run has to last")]
    NoLength,
    /// A burst that would have no end.
    #[error("say how long the burst is: runtime=5s, bytes=1GiB or ios=1000")]
    EndlessBurst,
    /// Idle time without a length.
    #[error("say for how long, such as: idle 30s")]
    EndlessIdle,
    /// Preparations behind the last run.
    #[error("nothing is measured after this; add a line that begins with run")]
    NothingMeasured,
    /// Two runs that no result could tell apart.
    #[error("line {earlier} has a run called {id} too; give one another name")]
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
