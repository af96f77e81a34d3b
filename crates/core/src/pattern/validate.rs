//! Which patterns make sense on a target. Everything that can be wrong is said before the first IO.

use thiserror::Error;

use super::{KEYS, Location, Pattern, Rw};
use crate::pacing::Arrivals;
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
    /// Checks the pattern against a target.
    ///
    /// # Errors
    /// The first setting that cannot be, with the reason and the way out.
    pub fn validate(&self, target: &TargetInfo) -> Result<(), PatternError> {
        self.check_counts()?;
        self.check_pacing()?;
        self.check_addresses()?;
        self.check_sectors(target)?;
        self.check_space(target)
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
        if self.mix.is_some_and(|mix| mix.ratio == 0) {
            return fail("mix", "needs a ratio of at least 1");
        }
        Ok(())
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
        if self.rate_iops.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)) {
            return fail("rate_iops", "must be more than 0");
        }
        if self.rate_iops.is_some_and(|rate| !RATE_IOPS.contains(&rate)) {
            return fail("rate_iops", "must be 0.000001 to 1000000000 IOs a second");
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
            Location::RegularGaps { .. } | Location::RandomGaps { .. } => Some("gap"),
            _ => None,
        };
        if let Some(key) = in_order.filter(|_| self.rw.is_random()) {
            let ordered = match self.rw.op() {
                Op::Trim => Rw::Trim,
                Op::Write => Rw::Write,
                _ => Rw::Read,
            };
            let problem = format!("excludes rw={} (random addresses); write rw={ordered}", self.rw);
            return fail(key, &problem);
        }
        match self.location {
            Location::Zipf { theta } if !THETA.contains(&theta) => {
                fail("random", "zipf needs a theta of 0.001 to 100, such as zipf:1.1")
            }
            Location::Partitioned { partitions: 0 } => fail("partitions", "must be at least 1"),
            _ => Ok(()),
        }
    }

    fn check_sectors(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let sector_bytes = u64::from(target.logical_block_bytes);
        let sizes = [
            ("bs", self.bs),
            ("offset", self.offset),
            ("size", self.size),
            ("shift", self.shift),
            ("gap", self.gap()),
        ];
        for (key, size) in sizes {
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
        if self.bs.0 == 0 || self.bs > BS_MAX {
            return Err(PatternError::new("bs", format!("must be {sector_bytes} bytes to {BS_MAX}")));
        }
        Ok(())
    }

    /// Bytes left out after an IO.
    fn gap(&self) -> Bytes {
        match self.location {
            Location::RegularGaps { gap } | Location::RandomGaps { gap } => gap,
            _ => Bytes(0),
        }
    }

    fn check_space(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let end_bytes = self.end_bytes();
        if end_bytes > target.size_bytes {
            let (name, size) = (&target.name, Bytes(target.size_bytes));
            let left = target.size_bytes.saturating_sub(self.offset.0.saturating_add(self.shift.0));
            let left = left / self.bs.0 * self.bs.0;
            let problem = format!(
                "the pattern ends at {}, beyond the end of {name} ({size}); \
                 at most {} fit at this offset and shift",
                Bytes(end_bytes),
                Bytes(left)
            );
            return Err(PatternError::new("size", problem));
        }
        let (walks, what) = match (self.mix, self.location) {
            (Some(_), Location::Partitioned { partitions }) => {
                (2 * u64::from(partitions), "mix and partitions need")
            }
            (None, Location::Partitioned { partitions }) => (u64::from(partitions), "partitions need"),
            (Some(_), _) => (2, "a mix needs"),
            (None, _) => (1, "a pattern needs"),
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
        let needed = (walks * u64::from(self.numjobs)).saturating_mul(self.bs.0);
        if self.size.0 < needed {
            let problem = format!("{} is too small: {what} room for at least {}", self.size, Bytes(needed));
            return Err(PatternError::new("size", problem));
        }
        Ok(())
    }
}
