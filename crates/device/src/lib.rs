//! Real block devices and files on Linux: what they are, whether they may be used, and the engines that move
//! bytes to and from them. The only crate with `unsafe` and ioctls.
//!
//! A target passes through here in three steps: [`identify`] says what a path is, [`guard::check`] whether it
//! may be used as intended, and [`Handle::open`] holds it for a run.
//! Nothing here decides what to measure, talks to a person, or prints.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "flashscope measures devices through Linux's own interfaces; there is no port to another system"
);

mod clock;
mod create;
mod data;
pub mod doctor;
pub mod engine;
mod error;
pub mod guard;
mod handle;
mod identify;
mod memory;
mod mounts;
mod provenance;
mod read_back;
mod ring;
pub mod signature;
mod sparse;
mod sys;
mod sysfs;

pub use clock::{Clock, ClockInfo, ClockSource};
pub use create::create_file;
pub use data::{DataPattern, DataPatternError, sector_mark};
pub use engine::{DeviceTarget, Engine, EngineSpec, NullTarget, Overhead, SyncTarget, UringTarget, overhead};
pub use error::DeviceError;
pub use guard::{Finding, Intent, Reason, Verdict, check};
pub use handle::Handle;
pub use identify::{Filesystem, Hardware, Identity, Kind, identify};
pub use read_back::ReadBack;
pub use ring::RingModes;
pub use sysfs::DevId;
