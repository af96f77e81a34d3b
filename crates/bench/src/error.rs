//! What can end a campaign early.

use flashscope_core::{Bytes, PatternError, TargetError};
use thiserror::Error;

use crate::journal::Cause;

/// Why a run could not go on. All runs that had finished are in the journal.
#[derive(Debug, Error)]
pub enum BenchError {
    /// An IO failed.
    #[error("{0}")]
    Target(#[from] TargetError),
    /// A pattern does not fit the target.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// What was measured could not be kept: the journal's or the lab's own error.
    #[error("the results cannot be stored")]
    Journal(#[source] Cause),
    /// The target is too small for anything to be learnt.
    #[error(
        "{size} of {name} are too few: it takes at least {need} at this size of IOs; choose a target or \
         --size of {need} or more, {way}or measure a single pattern with `flashscope measure`"
    )]
    TooSmall {
        /// The target.
        name: String,
        /// The size of the part that was to be measured.
        size: Bytes,
        /// The least size.
        need: Bytes,
        /// What else can be done, with a comma; may be empty.
        way: String,
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
