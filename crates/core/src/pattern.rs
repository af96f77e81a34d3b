//! An IO pattern as a value: uFLIP's section 3.1 and table 1, and the field's other patterns, as plain data.
//!
//! The words are fio's where the meaning is the same. A pattern is written on a command line, as one line of
//! text (`rw=randwrite bs=32KiB size=1GiB`) or as a TOML table with the same keys, and prints itself back.
//! How it becomes requests is in [`PatternSource`]; when they go is in [`crate::pacing`].

mod settings;
mod source;
mod validate;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use settings::{KEYS, Key};
pub use source::{PatternSource, Space};
pub use validate::PatternError;

use crate::pacing::{Arrivals, Pacing};
use crate::request::Op;
use crate::source::Stream;
use crate::time::Nanos;
use crate::units::{Bytes, Share};

/// What the IOs of a pattern do: uFLIP's four baselines (paper 001, section 3.1), and discards, under fio's
/// names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rw {
    /// Sequential reads, SR.
    #[default]
    Read,
    /// Sequential writes, SW.
    Write,
    /// Random reads, RR.
    RandRead,
    /// Random writes, RW.
    RandWrite,
    /// Sequential discards, ST.
    Trim,
    /// Random discards, RT.
    RandTrim,
}

impl Rw {
    /// The four baselines, in the order of paper 001's table 3.
    pub const ALL: [Rw; 4] = [Rw::Read, Rw::RandRead, Rw::Write, Rw::RandWrite];
    /// Everything that IOs can do.
    pub const EVERY: [Rw; 6] = [Rw::Read, Rw::RandRead, Rw::Write, Rw::RandWrite, Rw::Trim, Rw::RandTrim];

    /// Whether addresses are random by default.
    pub fn is_random(self) -> bool {
        matches!(self, Rw::RandRead | Rw::RandWrite | Rw::RandTrim)
    }

    /// Whether it discards.
    pub fn is_trim(self) -> bool {
        matches!(self, Rw::Trim | Rw::RandTrim)
    }

    /// Whether it changes what the device holds: by writing or by discarding.
    pub fn is_write(self) -> bool {
        self.op() != Op::Read
    }

    /// What each IO does.
    pub fn op(self) -> Op {
        match self {
            Rw::Read | Rw::RandRead => Op::Read,
            Rw::Write | Rw::RandWrite => Op::Write,
            Rw::Trim | Rw::RandTrim => Op::Trim,
        }
    }

    /// fio's word.
    pub fn name(self) -> &'static str {
        ["read", "write", "randread", "randwrite", "trim", "randtrim"][self as usize]
    }

    /// uFLIP's two letters: SR, SW, RR, RW, and in their way ST and RT.
    pub fn short_name(self) -> &'static str {
        ["SR", "SW", "RR", "RW", "ST", "RT"][self as usize]
    }
}

impl fmt::Display for Rw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The address of the i-th IO in slots of `bs`, inside the target space. Unless said otherwise the source is
/// paper 001, section 3.1 and table 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Location {
    /// `i`, wrapping inside the target space.
    #[default]
    Sequential,
    /// `stride x i`, wrapping: -1 is reverse, 0 in place.
    Ordered {
        /// Incr, in slots.
        stride: i64,
    },
    /// Round robin over equal partitions, sequential in each; a partition is a whole number of slots.
    Partitioned {
        /// How many.
        partitions: u32,
    },
    /// Sequential with a gap after every IO (paper 004).
    RegularGaps {
        /// Bytes left out.
        gap: Bytes,
    },
    /// Sequential with a gap after an IO if a coin says so (paper 004).
    RandomGaps {
        /// Bytes left out.
        gap: Bytes,
    },
    /// Independent uniform draws.
    Random,
    /// A random order that repeats no address until all were used, then another (paper 000, appendix A).
    Permutation,
    /// The same random order again and again (paper 004).
    RepeatedPermutation,
    /// Rank k with probability proportional to `k^-theta`; ranks are scattered over the space.
    Zipf {
        /// Skew, above 0.
        theta: f64,
    },
    /// The first `hot_space` of the space receives `hot_ios` of the IOs, both parts uniform.
    HotCold {
        /// Share of the space.
        hot_space: Share,
        /// Share of the IOs.
        hot_ios: Share,
    },
}

/// A second baseline pattern in the same stream: `ratio` IOs of the first, then one of the second, exactly.
/// The first uses the lower half of the target space, the second the upper half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// The second pattern.
    pub rw: Rw,
    /// IOs of the first for each one of the second (Ratio in paper 001, table 1), at least 1.
    pub ratio: u32,
}

/// A whole IO pattern. `Pattern::default()` is 32 KiB sequential reads with no space yet: set `size`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Baseline: what each IO does, and whether it is sequential or random.
    pub rw: Rw,
    /// IOSize.
    pub bs: Bytes,
    /// TargetOffset.
    pub offset: Bytes,
    /// TargetSize.
    pub size: Bytes,
    /// IOShift: added to every address.
    pub shift: Bytes,
    /// The location function. Where `rw` is random it is one of the random kinds.
    pub location: Location,
    /// The second pattern of a mix.
    pub mix: Option<Mix>,
    /// ParallelDegree: this many processes, each with an equal part of the target space.
    pub numjobs: u32,
    /// Queue depth of each process.
    pub iodepth: u32,
    /// Pause, after every `thinktime_blocks` IOs.
    pub thinktime: Nanos,
    /// Burst; 1 makes `thinktime` a pause between all IOs.
    pub thinktime_blocks: u64,
    /// Open loop: arrivals a second over all processes.
    pub rate_iops: Option<f64>,
    /// How those arrivals are spaced.
    pub arrivals: Arrivals,
    /// A flush command after so many IOs of each process; none means never.
    pub fsync: Option<u64>,
    /// IOCount for each process, flushes included; none means until something else stops it.
    pub number_ios: Option<u64>,
    /// IOIgnore: IOs at the start that no summary may use, whatever is found from the data.
    pub ignore_ios: u64,
}

/// uFLIP's IOSize (paper 001, table 1).
pub const BS_DEFAULT: Bytes = Bytes(32 << 10);

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern {
            rw: Rw::Read,
            bs: BS_DEFAULT,
            offset: Bytes(0),
            size: Bytes(0),
            shift: Bytes(0),
            location: Location::Sequential,
            mix: None,
            numjobs: 1,
            iodepth: 1,
            thinktime: Nanos::ZERO,
            thinktime_blocks: 1,
            rate_iops: None,
            arrivals: Arrivals::Fixed,
            fsync: None,
            number_ios: None,
            ignore_ios: 0,
        }
    }
}

impl Pattern {
    /// The baseline `rw` in `size` bytes from `offset`.
    pub fn baseline(rw: Rw, offset: Bytes, size: Bytes) -> Pattern {
        let location = if rw.is_random() { Location::Random } else { Location::Sequential };
        Pattern { rw, offset, size, location, ..Pattern::default() }
    }

    /// Whether any IO of it writes.
    pub fn writes(&self) -> bool {
        self.rw.is_write() || self.mix.is_some_and(|mix| mix.rw.is_write())
    }

    /// The share of the IOs that write.
    pub fn write_share(&self) -> f64 {
        let share = |rw: Rw| f64::from(u8::from(rw.is_write()));
        match self.mix {
            None => share(self.rw),
            Some(Mix { rw, ratio }) => {
                (share(self.rw) * f64::from(ratio) + share(rw)) / (f64::from(ratio) + 1.0)
            }
        }
    }

    /// Whether it, or what is mixed into it, is of this kind.
    pub fn has(&self, rw: Rw) -> bool {
        self.rw == rw || self.mix.is_some_and(|mix| mix.rw == rw)
    }

    /// One past the last byte that it may touch. The shift moves every IO, so the last one ends that much
    /// beyond the target space, as table 1's formulas have it. `u64::MAX` stands for anything beyond that.
    pub fn end_bytes(&self) -> u64 {
        self.offset.0.saturating_add(self.size.0).saturating_add(self.shift.0)
    }

    /// When the requests of each process go.
    pub fn pacing(&self) -> Pacing {
        match self.rate_iops {
            Some(_) => Pacing::Due { iodepth: self.iodepth },
            None => {
                Pacing::Closed { iodepth: self.iodepth, pause: self.thinktime, burst: self.thinktime_blocks }
            }
        }
    }

    /// IOs in flight, over all processes.
    pub fn in_flight(&self) -> u32 {
        self.iodepth.saturating_mul(self.numjobs)
    }

    /// A stream for each parallel process: the same seed gives the same requests.
    pub fn streams(&self, seed: u64) -> impl Iterator<Item = Stream<PatternSource>> + '_ {
        let pacing = self.pacing();
        (0..self.numjobs).map(move |job| Stream { source: PatternSource::new(self, job, seed), pacing })
    }

    /// Bytes that an IO of it carries: a discard has a range and no data.
    pub fn data_bytes(&self) -> u64 {
        if self.rw.is_trim() && self.mix.is_none() { 0 } else { self.bs.0 }
    }

    /// The part of the target space that parallel process `job` uses (table 1, Parallelism), a whole number
    /// of slots.
    pub fn job_space(&self, job: u32) -> Space {
        let part_bytes = self.size.0 / u64::from(self.numjobs);
        let part_bytes = if self.numjobs > 1 { part_bytes / self.bs.0 * self.bs.0 } else { part_bytes };
        Space { offset_bytes: self.offset.0 + part_bytes * u64::from(job), size_bytes: part_bytes }
    }
}
