//! The words every part of flashscope shares, and the one path that a request takes.
//!
//! Here live units and time, [`Request`] and [`Completion`], the IO [`Pattern`] and its generator, the
//! [`Target`] that serves requests, and the drive loop ([`drive()`]) that joins them. Nothing here opens a
//! file, starts a thread or reads a clock: a target does that, or pretends to.
//!
//! ```text
//!  what and where                        Pattern, trace: RequestSource
//!  when                                  Pacing             |
//!                                            \             v
//!                                             Stream --> drive() --> Observer: every IO, its times
//!                                                         |  ^
//!                                       prepare, submit,  |  |  completions, both stamps
//!                                       reap or serve     v  |
//!  a device, a file, a simulation                         Target
//! ```
//!
//! Every other crate stands above this one: `sim` and `device` bring targets, `trace` brings sources,
//! `bench` and `lab` bring observers.
//!
//! # Example
//! A target of one's own, and what it does with four random reads in flight:
//!
//! ```
//! use std::collections::VecDeque;
//!
//! use flashscope_core::{
//!     Completion, Control, Driven, Io, Limits, Nanos, Pattern, Request, Target, TargetError, TargetInfo,
//!     Time, drive, submit_and_reap,
//! };
//!
//! /// Serves one IO after the other, each for 100 us.
//! struct OneByOne {
//!     info: TargetInfo,
//!     clock: Time,
//!     flying: VecDeque<Completion>,
//! }
//!
//! impl Target for OneByOne {
//!     fn info(&self) -> &TargetInfo {
//!         &self.info
//!     }
//!     fn now(&mut self) -> Time {
//!         self.clock
//!     }
//!     fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
//!         for request in requests {
//!             let begun = self.flying.back().map_or(self.clock, |last| last.completed);
//!             let completed = begun + Nanos::from_us(100);
//!             self.flying.push_back(Completion { tag: request.tag, submitted: self.clock, completed });
//!         }
//!         Ok(())
//!     }
//!     fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
//!         for _ in 0..min {
//!             let Some(done) = self.flying.pop_front_if(|next| next.completed <= until) else {
//!                 self.clock = self.clock.max(until);
//!                 break;
//!             };
//!             self.clock = self.clock.max(done.completed);
//!             out.push(done);
//!         }
//!         Ok(())
//!     }
//!     fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
//!         submit_and_reap(self, request, &mut Vec::new())
//!     }
//!     fn wait_until(&mut self, time: Time) {
//!         self.clock = self.clock.max(time);
//!     }
//! }
//!
//! let info = TargetInfo {
//!     name: "one by one".into(),
//!     size_bytes: 1 << 30,
//!     logical_block_bytes: 512,
//!     virtual_time: true,
//!     engine: "example".into(),
//!     queue_depth_max: 64,
//!     placements: 1,
//!     zones: None,
//! };
//! let pattern: Pattern = "rw=randread bs=4KiB size=1GiB iodepth=4 number_ios=1000".parse()?;
//! pattern.validate(&info)?;
//!
//! let mut target = OneByOne { info, clock: Time::ZERO, flying: VecDeque::new() };
//! let mut streams: Vec<_> = pattern.streams(42).collect();
//! let mut longest = Nanos::ZERO;
//! let mut observer = |io: &Io| {
//!     longest = longest.max(io.response);
//!     Control::Continue
//! };
//! let end = drive(&mut target, &mut streams, Limits::default(), &mut observer)?;
//!
//! assert_eq!(end, Driven::Exhausted);
//! assert_eq!(longest, Nanos::from_us(400), "three wait before each");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod drive;
pub mod histogram;
pub mod number;
pub mod ordered;
pub mod pacing;
mod parse_error;
pub mod pattern;
pub mod permutation;
pub mod plain;
pub mod record;
pub mod request;
pub mod seed;
pub mod source;
pub mod target;
pub mod time;
pub mod units;
pub mod zipf;
mod zoned;

pub use drive::{Control, Driven, Flow, FlowShare, Io, Limits, Observer, WriteBudget, drive};
pub use ordered::Ordered;
pub use pacing::{Arrivals, Pacing, Rate};
pub use parse_error::ParseError;
pub use pattern::{
    JobSpace, Location, Mix, Pattern, PatternError, PatternSource, Placement, Priorities, PriorityRule, Rw,
    Sequence, Sizes, Streams, Turns, Zones,
};
pub use record::Record;
pub use request::{Completion, Flags, Op, Request};
pub use source::{RequestSource, Stream};
pub use target::{Breach, ErrorKind, Target, TargetError, TargetInfo, now_after, submit_and_reap, wait};
pub use time::{Nanos, Time};
pub use units::{Bytes, Share, total};
pub use zoned::ZoneLayout;
