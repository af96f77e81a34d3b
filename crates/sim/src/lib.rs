//! Simulated devices in virtual time.
//!
//! Here live [`Rig`], a virtual device that follows written rules and so knows its own truth, and the
//! [`rigs`] shipped with flashscope. Nothing here opens a file, starts a thread or reads a clock, and the
//! only randomness is the seed that a device is given: the same seed gives the same bytes on every
//! machine.

mod error;
pub mod rig;
pub mod rigs;

pub use error::SimError;
pub use rig::indicators::IndicatorsTruth;
pub use rig::truth::{Level, Truth};
pub use rig::{Rig, RigSpec};
