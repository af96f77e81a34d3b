//! What can end a campaign early.

mod suite;

use flashscope_analysis::IoError;
use flashscope_core::number::{count, percent};
use flashscope_core::{Bytes, Pattern, PatternError, TargetError};
use thiserror::Error;

pub use suite::{ScriptError, ScriptProblem, SuiteError};

/// Why the code of a caller could not do its part, whatever it was that failed there.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a run could not go on. All runs that had finished are in the journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// An IO failed.
    #[error("{0}")]
    Target(#[from] TargetError),
    /// So many IOs failed that the device is none to measure.
    #[error(
        "{} of {} IOs failed, more than {}; the first: {} of {} bytes at offset {}: {}; see `dmesg` and the \
         drive's SMART log",
        count(*errors), count(*ios), percent(*share_max), first.op, first.length_bytes, first.offset_bytes,
        first.cause
    )]
    IoErrors {
        /// IOs that failed.
        errors: u64,
        /// All IOs, those that failed among them.
        ios: u64,
        /// The share of them that may fail.
        share_max: f64,
        /// The first one that failed.
        first: Box<IoError>,
    },
    /// A pattern does not fit the target.
    #[error("{0}")]
    Pattern(#[from] PatternError),
    /// What was measured could not be kept: the journal's or the lab's own error.
    #[error("the results cannot be stored")]
    Journal(#[source] Cause),
    /// The target is too small for anything to be learnt.
    #[error(
        "{size} of {name} are too few: this IO size needs at least {need}; measure more of it, {}or a single \
         pattern", smaller(*io_bytes_max)
    )]
    TooSmall {
        /// The target.
        name: String,
        /// The size of the part that was to be measured.
        size: Bytes,
        /// The least size.
        need: Bytes,
        /// The largest IO for which it would be enough; none if it is too small for any.
        io_bytes_max: Option<Bytes>,
    },
    /// A run that would leave the part of the target that is measured.
    #[error("{id} exceeds the measured {span}, up to byte {}: {pattern}", pattern.end_bytes())]
    Beyond {
        /// The experiment, or the one that it is done before.
        id: String,
        /// What would be done.
        pattern: Box<Pattern>,
        /// That part, from the target's start.
        span: Bytes,
    },
    /// IOs of no bytes.
    #[error("the block size must be more than 0")]
    NoBlockSize,
    /// The target has zones, which are written in order, and what is planned writes it otherwise.
    #[error(
        "{name} has zones, which are written in order, and {what} writes it otherwise; measure single \
         patterns instead, of sequential writes or of reads"
    )]
    Zoned {
        /// The target.
        name: String,
        /// Of the plan.
        what: String,
    },
    /// A plan that would go on for more than 30 years.
    #[error("it would take more than 30 years; use shorter times or fewer runs")]
    TooLong,
    /// A suite cannot be planned as it was asked for.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// An experiment that results could not keep or tell from another.
    #[error("the experiment {id} cannot be stored: {problem}")]
    Unstorable {
        /// The experiment.
        id: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A name that is no micro-benchmark.
    #[error("unknown micro-benchmark '{name}'; choose one of {}", known.join(", "))]
    UnknownMicro {
        /// What was asked for.
        name: String,
        /// All names.
        known: Vec<&'static str>,
    },
}

fn smaller(io_bytes_max: Option<Bytes>) -> String {
    io_bytes_max.map_or(String::new(), |most| format!("with IOs of {most} or less, "))
}
