//! One IO on its way to a target, and its answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// What an IO does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Op {
    /// Read `length_bytes` at `offset_bytes`.
    #[default]
    Read,
    /// Write `length_bytes` at `offset_bytes`.
    Write,
    /// Make all acknowledged writes durable; offset and length are zero.
    Flush,
    /// Tell the device that the range holds no data any more.
    Trim,
}

impl Op {
    /// All operations, in the order of their codes in a [`crate::Record`] and in Parquet.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Flush, Op::Trim];

    /// The operation's name, as in reports and files.
    pub fn name(self) -> &'static str {
        ["read", "write", "flush", "trim"][self as usize]
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an IO is to be done, beyond what it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// Nothing special.
    pub const NONE: Flags = Flags(0);
    /// Force unit access: durable when acknowledged.
    pub const FUA: Flags = Flags(1);
    /// Somebody waits for it (the kernel's `REQ_SYNC`).
    pub const SYNC: Flags = Flags(2);
    /// All of it or nothing is stored, whatever happens (Linux' `RWF_ATOMIC`).
    pub const ATOMIC: Flags = Flags(4);

    /// Whether all of `flags` are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// One IO to be done. A source says what and where; the drive loop fills in `tag` and `stream`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// First byte on the target.
    pub offset_bytes: u64,
    /// When an open-loop arrival or a trace wants it submitted, from the start of the experiment. Read only
    /// by [`crate::Pacing::Due`].
    pub due: Time,
    /// Length; zero for a flush.
    pub length_bytes: u32,
    /// The drive loop's slot for it: unique among the IOs in flight, below the sum of the queue depths.
    /// Comes back in the [`Completion`]; a real engine uses it as its buffer's number.
    pub tag: u32,
    /// Which of the parallel streams it belongs to.
    pub stream: u16,
    /// How many were in flight in the trace when it went, itself included. Read only by
    /// [`crate::Pacing::Traced`].
    pub depth: u16,
    /// What to do.
    pub op: Op,
    /// How to do it.
    pub flags: Flags,
    /// Linux' IO priority: class, hint and level; 0 is that of the process.
    pub priority: u16,
    /// Placement handle of a write: data of one handle go together. A stream or an FDP placement handle; what
    /// it means is the target's affair. 0 where nothing is said; below
    /// [`crate::TargetInfo::placements`].
    pub placement: u16,
}

/// The answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's `tag`.
    pub tag: u32,
    /// When the target took it.
    pub submitted: Time,
    /// When it was done.
    pub completed: Time,
}
