//! Everything flashscope does, callable.
//!
//! ```text
//!   core   sim   device   trace   analysis   bench   store      (each knows only those before it)
//!     \     \      \        |        /        /        /
//!                        lab                                    targets by name, opened and held;
//!                         |                                     run, measure, sweep, replay
//!              show, papers, the program, notebooks
//! ```
//!
//! A request is a plain struct with defaults ([`RunRequest`], [`MeasureRequest`]); a target is named
//! ([`TargetSpec`]) and opened behind the guard ([`OpenTarget`]); what happens is heard by a closure, and
//! stopped by an [`Interrupt`]. Results are stored as they come, and returned. Nothing here prints, reads a
//! flag or knows an exit status: an [`Error`] has a kind and a way out, and its caller words them.
//!
//! ```
//! use flashscope_lab::{Bytes, Interrupt, SweepSpec, simulate};
//!
//! let buffer = ["none", "lru", "bplru"].map(String::from).to_vec();
//! let buffer_size = vec![Bytes(1 << 20)];
//! let spec = SweepSpec { buffer, buffer_size, seed: Some(1), ..SweepSpec::default() };
//! let entries = simulate(&spec, &Interrupt::new())?;
//! let reports = entries.iter().filter_map(|entry| entry.report());
//! let best = reports.min_by_key(|found| found.device.block_erases).expect("three devices");
//! println!("{} erases least: {} blocks", best.label, best.device.block_erases);
//! # Ok::<(), flashscope_lab::Error>(())
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod describe;
mod description;
mod error;
mod facts;
pub mod fio_job;
pub mod inside;
mod interrupt;
mod journal;
mod measure;
pub mod replay;
mod run;
mod suites;
pub mod sweep;
mod target;
mod time;
mod timing;
mod traces;

pub use description::{DESCRIPTION_BYTES_MAX, read_description};
pub use error::{Context, Error, ErrorKind, Remedy, Result, message};
pub use facts::{Facts, manifest};
// What the requests are made of, so that a program can do with this crate alone.
pub use flashscope_bench::{
    Company, Lab, LatencyTarget, Micros, OnError, Scope, State, SuiteRequest, Suites,
};
pub use flashscope_core::{Bytes, Nanos, Pattern};
pub use flashscope_device::{DataPattern, Engine, Intent};
pub use flashscope_sim::settings::Initial;
pub use interrupt::Interrupt;
pub use journal::Listener;
pub use measure::{
    BUDGET as MEASURE_BUDGET, BegunJobs, BegunMeasurement, HORIZON as MEASURE_HORIZON, JobRequest, JobSpec,
    MeasureRequest, MeasureResult, OpenJobs, OpenMeasurement, Reach, measure,
};
pub use replay::ReplayRequest;
pub use run::{BegunRun, Conclusions, Leave, PlannedRun, Resumption, RunRequest, RunResult, characterise};
pub use suites::{reading, suite, suite_of};
pub use sweep::{PlannedSweep, SweepResult, SweepSpec, simulate};
pub use target::{AnyTarget, OpenOptions, OpenTarget, TargetSpec, override_pair, profile, split_overrides};
pub use time::{fresh_seed, now_text};
pub use timing::Timing;
pub use traces::{TraceInput, open_end};
