//! Micro-benchmarks and suites: what to run, in which state, with which pauses, and when enough is measured.
//!
//! ```text
//! Micros --Plan::new--+                              +-- Lab: gives the target, one IO or many in flight
//!                     +--> Plan: Steps, cost --run--+
//! Suite --Plan::of----+    (nothing written yet)     +-- Journal: takes IOs, finished runs, events
//!                                                    |
//!                                                    v
//!                    Outcome: Finished runs --analysis, Suite::reading--> what they mean
//! ```
//!
//! A quick characterisation of a simulated device, and its row of uFLIP's table 3:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use flashscope_analysis::{indicators, points};
//! use flashscope_bench::{Alone, Campaign, Plan, Prior, Scope, Settings, Unkept, run};
//! use flashscope_core::Target;
//! use flashscope_sim::{Rig, rigs};
//!
//! let mut lab = Alone(Rig::new(rigs::get("mtron").ok_or("no such rig")?, 1));
//! let settings = Settings { scope: Scope::Quick, write: true, repeats: 1, ..Settings::default() };
//! let plan = Plan::new(lab.0.info(), &settings)?;
//! let interrupted = AtomicBool::new(false);
//! let campaign = Campaign { settings: &settings, plan: &plan, interrupted: &interrupted };
//! let outcome = run(&campaign, &mut lab, &mut Unkept, Prior::default());
//! let row = indicators(&points(&outcome.finished));
//! println!("random writes: {:.0} ms", row.rw_ms.ok_or("not measured")?.value);
//! # assert_eq!(row.rw_ms.unwrap().value.round(), 9.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A suite is run the same way, by [`conduct`] in memory; `examples/own_suite.rs` is one from outside.
//! Measured on is any [`flashscope_core::Target`]: nothing here opens a file, prints, or names a flag. What
//! went wrong or was left out is data: [`BenchError`], [`plan::Note`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod campaign;
mod chain;
mod error;
mod goal;
mod interference;
mod journal;
mod lab;
mod latency_target;
mod measure;
pub mod micro;
mod offered;
mod on_error;
pub mod plan;
mod prepare;
mod rounds;
mod self_scaling;
mod state;
mod step;
pub mod suite;
mod together;
mod writes;

pub use campaign::{Campaign, Outcome, Prior, run};
pub use chain::Broken;
pub use error::{BenchError, Cause, ScriptError, ScriptProblem, SuiteError};
pub use goal::{Effort, Known};
pub use journal::{Event, Journal, Recording, Unkept, Unrecorded};
pub use lab::{Alone, CpuClock, Lab, Opener, Surroundings};
pub use latency_target::{LatencyTarget, WithinTarget, deepest};
pub use measure::{MeasuredRun, Measurement, Progress, measure, measure_each, measure_on};
pub use micro::{Draft, Frame, Micro, Micros, Scope};
pub use offered::Offered;
pub use on_error::OnError;
pub use plan::{Plan, Settings, WriteLimit};
pub use self_scaling::{GAIN_MIN, Scaled, self_scaling};
pub use state::{FLASH_BLOCK_BYTES, State, StateSource};
pub use step::{
    ASSUMED_RATE, ASSUMED_RATE_MAX, ASSUMED_READ, ASSUMED_WRITE, Condition, Length, Preparation,
    SHARE_FACTOR, Step, Wanted,
};
pub use suite::{Suite, SuiteRequest, Suites, conduct};

#[doc(inline)]
pub use flashscope_analysis::{Experiment, Finished, Run};
pub use together::{Company, Place, Together};
