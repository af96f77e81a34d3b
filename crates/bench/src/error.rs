//! What can end a campaign early.

use flashscope_core::{PatternError, TargetError};
use thiserror::Error;

/// Why a run could not go on. All runs that had finished are in the journal.
#[derive(Debug, Error)]
pub enum BenchError {
    /// An IO failed.
    #[error("{0}")]
    Target(#[from] TargetError),
    /// A pattern does not fit the target.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// The results could not be kept.
    #[error("{0}")]
    Journal(String),
    /// The target is too small for anything to be learnt.
    #[error(
        "{name} has {size_bytes} bytes; a characterisation needs at least {need_bytes}; take a larger target, or \
         `flashscope measure` for a single pattern"
    )]
    TooSmall {
        /// The target.
        name: String,
        /// Its size.
        size_bytes: u64,
        /// The least size.
        need_bytes: u64,
    },
    /// A name that is no micro-benchmark.
    #[error("'{name}' is no micro-benchmark; write one of: {known}")]
    UnknownMicro {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
}
