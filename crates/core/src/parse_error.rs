//! Why a text is no value of its type.

use std::fmt;

/// A text that is no value of its type, and what would be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// A name that is not in a list.
    Unknown {
        /// What it should name: `engine`.
        what: &'static str,
        /// The text.
        text: String,
        /// All names that there are.
        choices: Vec<&'static str>,
    },
    /// A value that cannot be.
    Invalid {
        /// The text.
        text: String,
        /// What is wrong with it, behind "is": `too large`.
        problem: String,
        /// What would be right, behind "write": `a time, such as 100us`.
        remedy: String,
    },
}

impl ParseError {
    /// A name that is not among `choices`.
    pub fn unknown(
        what: &'static str,
        text: &str,
        choices: impl IntoIterator<Item = &'static str>,
    ) -> ParseError {
        ParseError::Unknown { what, text: text.into(), choices: choices.into_iter().collect() }
    }

    /// A value that cannot be: what is wrong with it, and what would be right.
    pub fn invalid(text: &str, problem: impl Into<String>, remedy: impl Into<String>) -> ParseError {
        ParseError::Invalid { text: text.into(), problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Unknown { what, text, choices } => {
                write!(f, "unknown {what} '{text}'; choose one of {}", choices.join(", "))
            }
            ParseError::Invalid { text, problem, remedy } => {
                write!(f, "'{text}' is {problem}; write {remedy}")
            }
        }
    }
}

impl std::error::Error for ParseError {}
