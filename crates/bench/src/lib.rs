//! Micro-benchmarks and method: what to run, in which state, with which pauses, and when enough is measured.
//!
//! Knows a [`flashscope_core::Target`], never which one. Opens no file and prints nothing: what is measured
//! goes to a [`Journal`], which the caller provides.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod campaign;
mod chain;
mod error;
mod goal;
mod interference;
mod journal;
mod measure;
pub mod micro;
pub mod plan;
mod prepare;
mod rounds;
mod self_scaling;
mod state;
mod step;
pub mod suite;

pub use campaign::{Alone, Campaign, Lab, Outcome, Prior, run};
pub use chain::Broken;
pub use error::{BenchError, Cause, ScriptError, ScriptProblem, SuiteError};
pub use goal::{Effort, Known};
pub use journal::{Event, Journal, Recording, Unkept, Unrecorded};
pub use measure::{MeasuredRun, Measurement, measure};
pub use micro::{Draft, Frame, Micro, Micros, Scope};
pub use plan::{Plan, Settings};
pub use self_scaling::{GAIN_MIN, Scaled, self_scaling};
pub use state::{FLASH_BLOCK_BYTES, State, StateSource};
pub use step::{
    ASSUMED_RATE, ASSUMED_RATE_MAX, ASSUMED_READ, ASSUMED_WRITE, Condition, Length, Preparation, Step,
};
pub use suite::{Suite, SuiteRequest, Suites, conduct};

#[doc(inline)]
pub use flashscope_analysis::{Experiment, Finished, Run};
