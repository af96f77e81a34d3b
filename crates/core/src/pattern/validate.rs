//! Which patterns make sense on a target. Everything that can be wrong is said before the first IO.

use thiserror::Error;

use super::{JobSpace, KEYS, Location, Mix, Pattern, Sizes, Turns};
use crate::pacing::{Arrivals, Rate};
use crate::record::Record;
use crate::request::Op;
use crate::target::TargetInfo;
use crate::units::Bytes;

/// A setting that is unknown or cannot be, with the way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key}: {problem}")]
pub struct PatternError {
    /// The setting.
    pub key: String,
    /// What is wrong and what to write instead.
    pub problem: String,
}

impl PatternError {
    pub(super) fn new(key: &str, problem: String) -> PatternError {
        PatternError { key: key.into(), problem }
    }

    pub(super) fn unknown_key(name: &str) -> PatternError {
        let known = KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ");
        PatternError::new(name, format!("unknown pattern setting; choose one of {known}"))
    }
}

/// The largest single IO: Linux' own limit on one read or write, rounded down.
const BS_MAX: Bytes = Bytes(1 << 30);

/// Skews that differ from a uniform draw, and from a single address.
const THETA: std::ops::RangeInclusive<f64> = 1e-3..=100.0;
/// Arrivals a second whose gaps are spans of time.
const RATE_IOPS: std::ops::RangeInclusive<f64> = 1e-6..=1e9;

impl Pattern {
    /// Checks what no target changes: counts, pacing, and settings that contradict each other.
    ///
    /// # Errors
    /// The first setting that cannot be, with the reason and the way out.
    pub fn check(&self) -> Result<(), PatternError> {
        self.check_counts()?;
        self.check_pacing()?;
        self.check_addresses()?;
        self.check_levels()?;
        self.check_sizes()?;
        self.check_atomic()?;
        self.check_placement()
    }

    /// Checks the pattern against a target.
    ///
    /// # Errors
    /// As [`Pattern::check`]; a setting that does not fit the target.
    pub fn validate(&self, target: &TargetInfo) -> Result<(), PatternError> {
        self.check()?;
        self.check_placements_of(target)?;
        self.check_sectors(target)?;
        self.check_space(target)?;
        self.check_zones_of(target)
    }

    fn check_counts(&self) -> Result<(), PatternError> {
        let fail = |key: &str, problem: &str| Err(PatternError::new(key, problem.into()));
        if self.numjobs == 0 || self.numjobs > u32::from(Record::STREAMS_MAX) {
            return fail("numjobs", "must be 1 to 4096");
        }
        if self.iodepth == 0 || self.iodepth > 65_536 / self.numjobs {
            return fail("iodepth", "must be at least 1, and iodepth x numjobs at most 65536");
        }
        if self.number_ios.is_some_and(|count| count <= self.ignore_ios) {
            return fail("number_ios", "must be more than ignore_ios");
        }
        if self.fsync == Some(0) {
            return fail("fsync", "must be at least 1");
        }
        match self.mix.map(|mix| mix.turns) {
            Some(Turns::Ratio(0)) => fail("mix", "needs a ratio of at least 1"),
            Some(Turns::Chance(101..)) => fail("mix", "needs a share of at most 100 %"),
            _ => Ok(()),
        }
    }

    /// A setting of time that would have no effect is refused: it promises what does not happen.
    fn check_pacing(&self) -> Result<(), PatternError> {
        let fail = |key: &str, problem: &str| Err(PatternError::new(key, problem.into()));
        if self.thinktime_blocks == 0 {
            return fail("thinktime_blocks", "must be at least 1");
        }
        if self.thinktime_blocks != 1 && self.thinktime.0 == 0 {
            return fail("thinktime_blocks", "has no effect without thinktime: set both, or neither");
        }
        if self.arrivals != Arrivals::Fixed && self.rate_iops.is_none() {
            return fail("arrivals", "has no effect without rate_iops: set both, or neither");
        }
        let is_one = |is_so: fn(f64) -> bool| self.rate_iops.is_some_and(|rate| rate.all().any(is_so));
        if is_one(|rate| !(rate.is_finite() && rate > 0.0)) {
            return fail("rate_iops", "must be more than 0");
        }
        if is_one(|rate| !RATE_IOPS.contains(&rate)) {
            return fail("rate_iops", "must be 0.000001 to 1000000000 IOs a second");
        }
        if let Some(Rate::Each { .. }) = self.rate_iops {
            match self.percent_read() {
                None => return fail("rate_iops", "rates of reads and of writes need rw=rw or rw=randrw"),
                Some(50) => {}
                Some(_) => {
                    return fail(
                        "rwmixread",
                        "has no effect where reads and writes have a rate each; leave it out",
                    );
                }
            }
        }
        if self.rate_iops.is_some() && self.thinktime.0 > 0 {
            return fail("thinktime", "excludes rate_iops (arrivals do not wait); give one of them");
        }
        Ok(())
    }

    /// Each kind of addresses can be, and is not what a random `rw` contradicts.
    fn check_addresses(&self) -> Result<(), PatternError> {
        let fail = |key: &str, problem: &str| Err(PatternError::new(key, problem.into()));
        let in_order = match self.location {
            // As a stride of 1 would; it has no word of its own.
            Location::Sequential | Location::Ordered { .. } => Some("stride"),
            Location::Partitioned { .. } => Some("partitions"),
            Location::RegularGaps { .. } | Location::RandomGaps { .. } | Location::ZoneGaps { .. } => {
                Some("gap")
            }
            _ => None,
        };
        if let Some(key) = in_order.filter(|_| self.rw.is_random()) {
            let rw = self.mixed_word().unwrap_or(self.rw.name());
            let ordered = rw.strip_prefix("rand").unwrap_or(rw);
            let problem = format!("excludes rw={rw} (random addresses); write rw={ordered}");
            return fail(key, &problem);
        }
        match self.location {
            Location::Zipf { theta } if !THETA.contains(&theta) => {
                fail("random", "zipf needs a theta of 0.001 to 100, such as zipf:1.1")
            }
            Location::Streams(streams) if streams.theta.is_some_and(|theta| !THETA.contains(&theta)) => {
                fail("random", "streams need a theta of 0.001 to 100, such as streams:8:1.1")
            }
            Location::Partitioned { partitions: 0 } => fail("partitions", "must be at least 1"),
            Location::ZoneGaps { zone, .. } if zone.0 == 0 || !zone.0.is_multiple_of(self.bs.0.max(1)) => {
                let problem = format!("has zones of {zone}; write a multiple of bs ({})", self.bs);
                fail("gap", &problem)
            }
            _ => Ok(()),
        }
    }

    fn check_sizes(&self) -> Result<(), PatternError> {
        let Some(sizes) = &self.sizes else { return Ok(()) };
        let fail = |problem: String| Err(PatternError::new("bssplit", problem));
        if sizes.least() > self.bs {
            return fail(format!("its smallest size must be at most bs ({}); leave out bs", self.bs));
        }
        let is_streams = matches!(self.location, Location::Streams(_) | Location::Levels(_));
        if self.location != Location::Sequential && (is_streams || !self.location.is_drawn()) {
            let what =
                "excludes stride, partitions, gap, and random=streams, levels and sequence; leave them out";
            return fail(what.into());
        }
        if sizes.differ() && self.mix.is_none() {
            return fail("has sizes of reads and of writes, but no mix; give one of them".into());
        }
        let (bs, grid) = (self.bs.0.max(1), self.grid());
        let has_grid = |op: Op| {
            let least = sizes.least_of(op).0.max(bs);
            least.is_multiple_of(bs) && grid.0.is_multiple_of(least)
        };
        if grid.0 > bs && ![Op::Read, Op::Write, Op::Trim].into_iter().all(has_grid) {
            let what = "the smallest sizes of reads, writes and discards must be multiples of each other";
            return fail(format!("{what} and of bs ({}), such as 4k and 64k", self.bs));
        }
        Ok(())
    }

    /// A write that is all or nothing has a size that is a power of two, at multiples of it (Linux'
    /// `generic_atomic_write_valid`).
    fn check_atomic(&self) -> Result<(), PatternError> {
        let fail = |problem: String| Err(PatternError::new("atomic", problem));
        if !self.is_atomic {
            return Ok(());
        }
        if self.share_of(|rw| rw.op() == Op::Write) == 0.0 {
            return fail("has no effect without writes; leave it out".into());
        }
        if let Some(sizes) = &self.sizes
            && sizes.shares(Op::Write).any(|(size, _)| size != sizes.least_of(Op::Write))
        {
            return fail("writes must have one size; leave out bssplit, or give them one".into());
        }
        let size = self.sizes.as_ref().map_or(self.bs, |sizes| sizes.least_of(Op::Write));
        if !size.0.is_power_of_two() {
            return fail(format!("writes of {size} cannot be atomic; choose a power of two"));
        }
        let distance = self.job_space.distance().unwrap_or_default();
        let has_own = self.sizes.as_ref().is_some_and(Sizes::differ);
        let slot = if has_own { size } else { self.bs };
        let places = [self.offset, self.shift, self.gap(), slot, distance];
        if places.iter().any(|place| !place.0.is_multiple_of(size.0)) {
            let which = "offset, shift, gap, bs and job_space";
            return fail(format!(
                "atomic writes are at multiples of their size; choose {which} as {size} has them"
            ));
        }
        Ok(())
    }

    fn check_sectors(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let sector_bytes = u64::from(target.logical_block_bytes);
        let sizes = [
            ("bs", self.bs),
            ("offset", self.offset),
            ("size", self.size),
            ("shift", self.shift),
            ("gap", self.gap()),
            ("job_space", self.job_space.distance().unwrap_or_default()),
        ];
        let split = self.sizes.iter().flat_map(|sizes| sizes.all()).map(|size| ("bssplit", size));
        for (key, size) in sizes.into_iter().chain(split) {
            if !size.0.is_multiple_of(sector_bytes) {
                let below = size.0 / sector_bytes * sector_bytes;
                let near = Bytes(if below == 0 { sector_bytes } else { below });
                let name = &target.name;
                let problem = format!(
                    "{size} is not a multiple of the {sector_bytes}-byte sector of {name}; \
                     write {near}, for example"
                );
                return Err(PatternError::new(key, problem));
            }
        }
        if self.bs.0 == 0 || self.bs_max().max(self.bs) > BS_MAX {
            return Err(PatternError::new("bs", format!("must be {sector_bytes} bytes to {BS_MAX}")));
        }
        Ok(())
    }

    /// Bytes left out after an IO.
    fn gap(&self) -> Bytes {
        match self.location {
            Location::RegularGaps { gap } | Location::RandomGaps { gap } | Location::ZoneGaps { gap, .. } => {
                gap
            }
            _ => Bytes(0),
        }
    }

    fn check_space(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let end_bytes = self.end_bytes();
        if end_bytes > target.size_bytes {
            let (name, size) = (&target.name, Bytes(target.size_bytes));
            let last_bytes =
                if let JobSpace::Apart(_) = self.job_space { self.last_distance_bytes() } else { 0 };
            let before_bytes = self.offset.0.saturating_add(self.shift.0).saturating_add(last_bytes);
            let left = target.size_bytes.saturating_sub(before_bytes);
            let left = left / self.bs.0 * self.bs.0;
            let problem = format!(
                "the pattern ends at {}, beyond the end of {name} ({size}); \
                 at most {} fit at this offset and shift",
                Bytes(end_bytes),
                Bytes(left)
            );
            return Err(PatternError::new("size", problem));
        }
        let has_halves = matches!(self.mix, Some(Mix { turns: Turns::Ratio(_), .. }));
        let (walks, what) = match (has_halves, self.location) {
            (true, Location::Partitioned { partitions }) => {
                (2 * u64::from(partitions), "mix and partitions need")
            }
            (false, Location::Partitioned { partitions }) => (u64::from(partitions), "partitions need"),
            (true, Location::Streams(streams)) => (2 * u64::from(streams.count), "mix and streams need"),
            (false, Location::Streams(streams)) => (streams.count.into(), "streams need"),
            (true, _) => (2, "a mix needs"),
            (false, _) => (1, "a pattern needs"),
        };
        if self.size.0 == 0 {
            let (name, size, bs) = (&target.name, Bytes(target.size_bytes), self.bs);
            let problem =
                format!("no IO of {bs} fits between offset plus shift and the end of {name} ({size})");
            return Err(PatternError::new("size", problem));
        }
        if self.gap() >= self.size {
            let problem = format!("{} is no less than the target space of {}", self.gap(), self.size);
            return Err(PatternError::new("gap", problem));
        }
        let spaces = if self.job_space == JobSpace::Parts { self.numjobs } else { 1 };
        let slots =
            if let Location::Sequence(sequence) = self.location { sequence.slots_needed() } else { 1 };
        let each = self.bs_max().max(self.grid()).0.max(self.bs.0.saturating_mul(slots));
        let last_bytes =
            if let JobSpace::ApartToEnd(_) = self.job_space { self.last_distance_bytes() } else { 0 };
        let needed = (walks * u64::from(spaces)).saturating_mul(each).saturating_add(last_bytes);
        if self.size.0 < needed {
            let problem = format!("{} is too small: {what} room for at least {}", self.size, Bytes(needed));
            return Err(PatternError::new("size", problem));
        }
        Ok(())
    }
}
