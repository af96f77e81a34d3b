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
        "{size_bytes} bytes of {name} are too few: a characterisation needs at least {need_bytes}; measure a \
         larger part or target, or a single pattern with `flashscope measure`"
    )]
    TooSmall {
        /// The target.
        name: String,
        /// The size of the part that was to be measured.
        size_bytes: u64,
        /// The least size.
        need_bytes: u64,
    },
    /// A suite cannot be planned as it was asked for.
    #[error("{0}")]
    Suite(String),
    /// A name that is no micro-benchmark.
    #[error("'{name}' is no micro-benchmark; write one of: {known}")]
    UnknownMicro {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
}
