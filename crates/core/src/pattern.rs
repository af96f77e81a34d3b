//! An IO pattern as a value: uFLIP's section 3.1 and table 1, and the field's other patterns, as plain data.
//!
//! The words are fio's where the meaning is the same. A pattern is written on a command line, as one line of
//! text (`rw=randwrite bs=32KiB size=1GiB`) or as a TOML table with the same keys, and prints itself back.
//! How it becomes requests is in [`PatternSource`]; when they go is in [`crate::pacing`].

mod arrivals;
mod gaps;
mod levels;
mod mix;
mod order;
mod placement;
mod priority;
mod sequence;
mod settings;
mod sizes;
mod source;
mod streams;
mod validate;
mod zoned;
mod zones;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use levels::Levels;
pub use mix::{Mix, Turns};
pub use placement::Placement;
pub use priority::{Priorities, PriorityRule};
pub use sequence::Sequence;
pub use settings::{KEYS, Key};
pub use sizes::Sizes;
pub use source::{PatternSource, Space};
pub use streams::Streams;
pub use validate::PatternError;
pub use zones::Zones;

use crate::ParseError;
use crate::pacing::{Arrivals, Pacing, Rate};
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
#[expect(clippy::large_enum_variant, reason = "patterns are few, and no IO copies one")]
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
    /// Sequential with a gap after every `zone` bytes (fio's `zonemode=strided`).
    ZoneGaps {
        /// Bytes left out.
        gap: Bytes,
        /// Bytes between two gaps, a multiple of `bs`.
        zone: Bytes,
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
    /// Each zone receives its share of the IOs, uniform within it.
    Zones(Zones),
    /// Sequential within each of several parts; which one goes on is drawn.
    Streams(Streams),
    /// Segments of the levels of a log-structured engine, written in order and discarded.
    Levels(Levels),
    /// Slots in an order that is written out.
    Sequence(Sequence),
}

impl Location {
    /// Whether addresses are drawn, rather than being in an order.
    pub fn is_drawn(self) -> bool {
        match self {
            Location::Sequential
            | Location::Ordered { .. }
            | Location::Partitioned { .. }
            | Location::RegularGaps { .. }
            | Location::RandomGaps { .. }
            | Location::ZoneGaps { .. }
            | Location::Sequence(_) => false,
            Location::Random
            | Location::Permutation
            | Location::RepeatedPermutation
            | Location::Zipf { .. }
            | Location::HotCold { .. }
            | Location::Zones(_)
            | Location::Levels(_)
            | Location::Streams(_) => true,
        }
    }
}

/// The space of each of several parallel processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobSpace {
    /// Each has an equal part (paper 001, table 1, Parallelism).
    #[default]
    Parts,
    /// Each has all of it, as processes of fio on one file have.
    Shared,
    /// Each has so much of its own, and begins this far behind the one before it (fio's `offset_increment`).
    Apart(Bytes),
    /// The same, and each ends where the target space does.
    ApartToEnd(Bytes),
}

impl JobSpace {
    /// From the beginning of one process's space to that of the next, where that is set.
    pub fn distance(self) -> Option<Bytes> {
        match self {
            JobSpace::Parts | JobSpace::Shared => None,
            JobSpace::Apart(distance) | JobSpace::ApartToEnd(distance) => Some(distance),
        }
    }
}

impl fmt::Display for JobSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobSpace::Parts => f.write_str("parts"),
            JobSpace::Shared => f.write_str("shared"),
            JobSpace::Apart(distance) => write!(f, "{distance}"),
            JobSpace::ApartToEnd(distance) => write!(f, "{distance}:end"),
        }
    }
}

impl FromStr for JobSpace {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<JobSpace, ParseError> {
        let (distance, is_to_end) = text.strip_suffix(":end").map_or((text, false), |size| (size, true));
        let space = match (text, is_to_end) {
            ("parts", _) => JobSpace::Parts,
            ("shared", _) => JobSpace::Shared,
            (_, is_to_end) => {
                let distance = distance.parse().ok().filter(|distance: &Bytes| distance.0 > 0);
                let known = ["parts", "shared", "a distance such as 1GiB", "1GiB:end"];
                let distance = distance.ok_or_else(|| ParseError::unknown("space", text, known))?;
                if is_to_end { JobSpace::ApartToEnd(distance) } else { JobSpace::Apart(distance) }
            }
        };
        Ok(space)
    }
}

/// A whole IO pattern. `Pattern::default()` is 32 KiB sequential reads with no space yet: set `size`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Baseline: what each IO does, and whether it is sequential or random.
    pub rw: Rw,
    /// IOSize; with `sizes` what addresses are multiples of.
    pub bs: Bytes,
    /// IOs of several sizes, instead of `bs`.
    pub sizes: Option<Sizes>,
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
    /// ParallelDegree: this many processes.
    pub numjobs: u32,
    /// Which part of the target space each process uses.
    pub job_space: JobSpace,
    /// Queue depth of each process.
    pub iodepth: u32,
    /// Pause, after every `thinktime_blocks` IOs.
    pub thinktime: Nanos,
    /// Burst; 1 makes `thinktime` a pause between all IOs.
    pub thinktime_blocks: u64,
    /// Open loop: arrivals a second over all processes.
    pub rate_iops: Option<Rate>,
    /// How those arrivals are spaced.
    pub arrivals: Arrivals,
    /// Writes are durable when they are acknowledged (fio's `sync=dsync`).
    pub is_dsync: bool,
    /// Of each write all or nothing is stored, whatever happens (fio's `atomic`).
    pub is_atomic: bool,
    /// IOs with a priority of their own.
    pub priorities: Option<Priorities>,
    /// Placement handles of the writes; none: 0.
    pub placement: Option<Placement>,
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
            sizes: None,
            offset: Bytes(0),
            size: Bytes(0),
            shift: Bytes(0),
            location: Location::Sequential,
            mix: None,
            numjobs: 1,
            job_space: JobSpace::Parts,
            iodepth: 1,
            thinktime: Nanos::ZERO,
            thinktime_blocks: 1,
            rate_iops: None,
            arrivals: Arrivals::Fixed,
            is_dsync: false,
            is_atomic: false,
            priorities: None,
            placement: None,
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

    /// Whether any IO of it writes or discards.
    pub fn writes(&self) -> bool {
        self.share_of(Rw::is_write) > 0.0
    }

    /// Whether any IO of it discards.
    pub fn trims(&self) -> bool {
        self.share_of(Rw::is_trim) > 0.0 || matches!(self.location, Location::Levels(_))
    }

    /// The share of the IOs that write or discard.
    pub fn write_share(&self) -> f64 {
        self.share_of(Rw::is_write)
    }

    /// The share of the IOs of such kinds.
    fn share_of(&self, is_kind: impl Fn(Rw) -> bool) -> f64 {
        let share = |rw: Rw| f64::from(u8::from(is_kind(rw)));
        let of_mix = self.mix_share();
        share(self.rw) * (1.0 - of_mix) + self.mix.map_or(0.0, |mix| share(mix.rw) * of_mix)
    }

    /// The share of the IOs that are of a mix's second pattern: as its turns or the rates of both have it; 0
    /// without a mix.
    pub fn mix_share(&self) -> f64 {
        match (self.mix, self.rate_iops) {
            (None, _) => 0.0,
            (Some(_), Some(Rate::Each { reads, writes })) => writes / (reads + writes),
            (Some(mix), _) => mix.share(),
        }
    }

    /// Whether it, or what is mixed into it, is of this kind.
    pub fn has(&self, rw: Rw) -> bool {
        self.rw == rw || self.mix.is_some_and(|mix| mix.rw == rw)
    }

    /// One past the last byte that it may touch. The shift moves every IO, so the last one ends that much
    /// beyond the target space, as table 1's formulas have it. `u64::MAX` stands for anything beyond that.
    pub fn end_bytes(&self) -> u64 {
        let end = self.offset.0.saturating_add(self.size.0).saturating_add(self.shift.0);
        match self.job_space {
            JobSpace::Apart(_) => end.saturating_add(self.last_distance_bytes()),
            JobSpace::Parts | JobSpace::Shared | JobSpace::ApartToEnd(_) => end,
        }
    }

    /// From the beginning of the first process's space to that of the last, where a distance is set.
    pub fn last_distance_bytes(&self) -> u64 {
        let distance = self.job_space.distance().unwrap_or_default();
        distance.0.saturating_mul(u64::from(self.numjobs.saturating_sub(1)))
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

    /// Bytes that an IO of it carries at most: a discard has a range and no data.
    pub fn data_bytes(&self) -> u64 {
        if self.share_of(Rw::is_trim) < 1.0 { self.bs_max().0 } else { 0 }
    }

    /// Its largest IO.
    pub fn bs_max(&self) -> Bytes {
        self.sizes.as_ref().map_or(self.bs, Sizes::most)
    }

    /// The mean size of its IOs in bytes.
    pub fn bs_mean(&self) -> f64 {
        let Some(sizes) = &self.sizes else { return self.bs.0 as f64 };
        let of = |op: Op| self.share_of(|rw| rw.op() == op) * sizes.mean_bytes(op);
        of(Op::Read) + of(Op::Write) + of(Op::Trim)
    }

    /// What drawn addresses of all kinds of IOs are multiples of: `bs`, unless some have larger sizes only.
    pub fn grid(&self) -> Bytes {
        let sizes = self.sizes.as_ref().filter(|sizes| sizes.differ() && self.location.is_drawn());
        let grids = sizes.map(|sizes| [Op::Read, Op::Write, Op::Trim].map(|op| sizes.least_of(op)));
        grids.into_iter().flatten().fold(self.bs, Bytes::max)
    }

    /// The part of the target space that parallel process `job` uses (table 1, Parallelism), a whole number
    /// of slots; or all of it, or so much that begins at a distance.
    pub fn job_space(&self, job: u32) -> Space {
        let (offset_bytes, size_bytes, job) = (self.offset.0, self.size.0, u64::from(job));
        let space = match self.job_space {
            JobSpace::Shared => Space { offset_bytes, size_bytes },
            JobSpace::Apart(distance) => Space { offset_bytes: offset_bytes + distance.0 * job, size_bytes },
            JobSpace::ApartToEnd(distance) => {
                let before_bytes = distance.0 * job;
                Space { offset_bytes: offset_bytes + before_bytes, size_bytes: size_bytes - before_bytes }
            }
            JobSpace::Parts => {
                let grid_bytes = self.grid().0;
                let part_bytes = size_bytes / u64::from(self.numjobs);
                let is_one = self.numjobs == 1;
                let part_bytes = if is_one { part_bytes } else { part_bytes / grid_bytes * grid_bytes };
                Space { offset_bytes: offset_bytes + part_bytes * job, size_bytes: part_bytes }
            }
        };
        let grid_bytes = self.grid().0;
        let is_coarser = grid_bytes > self.bs.0;
        let size_bytes =
            if is_coarser { space.size_bytes / grid_bytes * grid_bytes } else { space.size_bytes };
        Space { size_bytes, ..space }
    }
}
