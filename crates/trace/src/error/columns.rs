//! Columns of a table that make no sense.

use thiserror::Error;

/// Columns that make no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ColumnsError {
    /// It is not of the form `KEY=COLUMN:UNIT`.
    #[error("columns: '{0}' is not of the form KEY=COLUMN or KEY=COLUMN:UNIT, with columns from 1")]
    Form(String),
    /// The key is unknown.
    #[error("columns: unknown key '{0}'; choose one of time, offset, length, op, device, latency")]
    Key(String),
    /// A key comes twice.
    #[error("columns: {0} is given twice")]
    Twice(&'static str),
    /// A needed key is missing.
    #[error("columns: {0} is missing; give time, offset, length and op")]
    Missing(&'static str),
    /// A unit is missing or unknown.
    #[error("columns: {key}: {problem}")]
    Unit {
        /// The key.
        key: &'static str,
        /// What is wrong, and what is allowed.
        problem: String,
    },
}
