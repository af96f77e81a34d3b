//! Targets: named ([`TargetSpec`]), opened and held ([`OpenTarget`]), served by one type ([`AnyTarget`]).

mod any;
mod around;
mod atomic;
mod cores;
mod open;
mod spec;

pub use any::AnyTarget;
pub use open::{OpenOptions, OpenTarget};
pub use spec::{TargetSpec, override_pair, profile, split_overrides};
