//! Simulated devices in virtual time.
//!
//! Here live [`Ssd`], a simulated SSD made of [`nand`], an FTL ([`ftl`]) and a write buffer ([`buffer`]), and
//! [`Rig`], a virtual device that follows written rules and so knows its own truth, with the [`rigs`]
//! shipped with flashscope. Nothing here opens a file, starts a thread or reads a clock, and the only
//! randomness is the seed that a device is given: the same seed gives the same bytes on every machine.

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
pub use error::SimError;
pub use profiles::Profile;
pub use rig::indicators::IndicatorsTruth;
pub use rig::truth::{Level, Truth};
pub use rig::{Rig, RigSpec};
pub use settings::Settings;
pub use ssd::{Ssd, SsdBuilder};
