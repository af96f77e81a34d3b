//! Simulated devices in virtual time: an SSD whose inside is known, or a device of written truth, behind the
//! same [`Target`](flashscope_core::Target) as a real drive. For whoever invents an FTL, a write buffer or a
//! victim policy, asks what a setting costs, or tests a method of measurement against what is true.
//!
//! ```text
//! requests --> Ssd --> WriteBuffer --> Ftl --> Nand --> completions in virtual time
//!               |         buffer        ftl     nand         counts by cause, rules of flash
//!               |                        +--> VictimPolicy (gc)
//!               +-- Settings: a profile, keys on top of it
//! requests --> Rig, by the rules of a RigSpec (rigs) --> completions; its Truth is known
//! ```
//!
//! Write amplification of a known drive with more spare flash, under random writes:
//!
//! ```
//! use flashscope_core::{Control, Io, Limits, Pattern, PatternSource, Stream, drive};
//! use flashscope_sim::{Profile, Ssd};
//!
//! let keys = [("capacity", "64MiB"), ("over_provisioning", "0.28")];
//! let keys = keys.map(|(key, value)| (key.to_string(), value.to_string()));
//! let Profile::Ssd(settings) = Profile::find("x25m-2009", &keys)? else { panic!("a hard disk") };
//! let mut ssd = Ssd::new("x25m-2009", *settings, 1)?;
//! let pattern: Pattern = "rw=randwrite bs=4KiB size=64MiB number_ios=50000".parse()?;
//! let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 2), pacing: pattern.pacing() }];
//! drive(&mut ssd, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue)?;
//! let write_amplification = ssd.report().write_amplification.expect("it wrote");
//! assert!((1.5..3.5).contains(&write_amplification), "{write_amplification}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Parts of your own go into [`Ssd::builder`], and the module `testing` says whether they keep what the
//! traits ask for. Name this crate with the feature `testing` among the dev-dependencies;
//! `cargo doc -p flashscope-sim --features testing` shows it. `examples/own-ftl` of the repository does both.
//!
//! Nothing here opens a file, starts a thread or reads a clock, and the only randomness is the seed that a
//! device is given: the same seed gives the same bytes on every machine.

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod buffer;
pub mod disk;
mod error;
mod flight;
pub mod ftl;
pub mod gc;
mod line;
pub mod nand;
mod prefetch;
pub mod profiles;
pub mod rig;
pub mod rigs;
pub mod settings;
pub mod ssd;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use disk::{Disk, DiskSettings};
pub use error::{Remedy, SimError};
pub use profiles::Profile;
pub use rig::indicators::IndicatorsTruth;
pub use rig::truth::{Level, Truth};
pub use rig::{Rig, RigSpec};
pub use settings::Settings;
pub use ssd::{Ssd, SsdBuilder};
