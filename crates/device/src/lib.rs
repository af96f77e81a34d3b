//! Real block devices and files on Linux: what they are, whether they may be used, and the engines that move
//! bytes to and from them.
//!
//! ```text
//! path --identify--> Identity --guard::check--> Verdict: refused by Reasons, or Findings to know of
//!                       |
//!                       +-Handle::open--> Handle: checked again, held for the whole run
//!                                           |
//!                                           +--> DeviceTarget (sync, io_uring) for the drive loop
//!
//! path --doctor::examine--> Remarks: what about the machine would make the numbers wrong
//! ```
//!
//! Reading a file, 4 KiB at a random place at a time, past the page cache:
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use flashscope_core::{Control, Io, Limits, Nanos, Pacing, Pattern, PatternSource, Stream, drive};
//! use flashscope_device::{DeviceTarget, Engine, EngineSpec, Handle, Intent};
//!
//! let handle = Handle::open(Path::new("/mnt/drive/test.img"), &Intent::READ)?;
//! let mut target = DeviceTarget::new(Engine::Sync, Arc::new(handle), &EngineSpec::default())?;
//! let pattern: Pattern = "rw=randread bs=4k size=1g number_ios=1000".parse()?;
//! let mut slowest = Nanos::ZERO;
//! let mut observe = |io: &Io| {
//!     slowest = slowest.max(io.response);
//!     Control::Continue
//! };
//! let source = PatternSource::new(&pattern, 0, 1);
//! let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
//! drive(&mut target, &mut streams, Limits::default(), &mut observe)?;
//! println!("the slowest of 1000 reads took {slowest}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Writing takes [`Intent::WRITE`] and passes the guard: a device in use, or holding anybody's data, is
//! refused with every [`Reason`]. What a person can do about that is data too, a [`Remedy`].
//!
//! Nothing here decides what to measure, talks to a person, or prints. `unsafe` is in three files: the ring
//! (`ring.rs`), two ioctls (`sys.rs`) and the time stamp counter (`clock.rs`).

#![deny(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("real devices can be measured on Linux only");

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
mod processors;
mod provenance;
mod quota;
mod read_back;
mod remedy;
mod ring;
mod seal;
pub mod signature;
mod sparse;
mod sys;
mod sysfs;
mod traffic;
mod write_flags;

pub use clock::{Clock, ClockInfo, ClockSource};
pub use create::create_file;
pub use data::{DataPattern, sector_mark};
pub use engine::{DeviceTarget, Engine, EngineSpec, NullTarget, Overhead, SyncTarget, UringTarget, overhead};
pub use error::DeviceError;
pub use guard::{Finding, Intent, Reason, Verdict, check};
pub use handle::Handle;
pub use identify::{Filesystem, Hardware, Identity, Kind, identify};
pub use processors::others_share;
pub use quota::throttled;
pub use read_back::ReadBack;
pub use remedy::Remedy;
pub use ring::RingModes;
pub use sysfs::DevId;
pub use traffic::Traffic;
