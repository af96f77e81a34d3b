//! The words every part of flashscope shares, and the one path that a request takes.
//!
//! Here live units and time, [`Request`] and [`Completion`], the IO [`Pattern`] and its generator, the
//! [`Target`] that serves requests, and the drive loop ([`drive()`]) that joins them. Nothing here opens a
//! file, starts a thread or reads a clock: a target does that, or pretends to.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod drive;
pub mod number;
pub mod ordered;
pub mod pacing;
pub mod pattern;
pub mod permutation;
pub mod record;
pub mod request;
pub mod seed;
pub mod source;
pub mod target;
pub mod time;
pub mod units;
pub mod zipf;

pub use drive::{Control, Driven, Io, Limits, Observer, drive};
pub use ordered::Ordered;
pub use pacing::{Arrivals, Pacing};
pub use pattern::{Location, Mix, Pattern, PatternError, PatternSource, Rw};
pub use record::Record;
pub use request::{Completion, Flags, Op, Request};
pub use source::{RequestSource, Stream};
pub use target::{Breach, ErrorKind, Target, TargetError, TargetInfo, submit_and_reap};
pub use time::{Nanos, Time};
pub use units::{Bytes, Share, UnitError, total};
