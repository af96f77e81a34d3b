//! Placement handles of writes: which data a host says belong together ([`Request::placement`]).

use std::fmt;
use std::str::FromStr;

use super::{Location, Mix, Pattern, PatternError, Space, Turns};
use crate::ParseError;
use crate::request::{Op, Request};
use crate::target::TargetInfo;

/// Which placement handle a write carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// This one, whichever write.
    One(u16),
    /// The number of its process, the first is 0.
    Job,
    /// The number of the part of the space that it falls into, the first is 0: a partition, a stream, a zone,
    /// or hot (0) and cold (1).
    Part,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::One(handle) => handle.fmt(f),
            Placement::Job => f.write_str("job"),
            Placement::Part => f.write_str("part"),
        }
    }
}

impl FromStr for Placement {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Placement, ParseError> {
        match text {
            "job" => Ok(Placement::Job),
            "part" => Ok(Placement::Part),
            number => number
                .parse()
                .map(Placement::One)
                .map_err(|_| ParseError::unknown("placement", text, ["job", "part", "a handle such as 3"])),
        }
    }
}

impl Pattern {
    /// Placement handles that it needs: one more than the highest that its writes carry.
    pub fn placements(&self) -> u64 {
        match self.placement {
            None => 1,
            Some(Placement::One(handle)) => u64::from(handle) + 1,
            Some(Placement::Job) => self.numjobs.into(),
            Some(Placement::Part) => self.parts().unwrap_or(1),
        }
    }

    /// Parts into which the location function cuts the space; none if it does not.
    fn parts(&self) -> Option<u64> {
        match &self.location {
            Location::Partitioned { partitions } => Some((*partitions).into()),
            Location::Streams(streams) => Some(streams.count.into()),
            Location::Levels(levels) => Some(levels.count.into()),
            Location::Zones(zones) => Some(zones.shares().count() as u64),
            Location::HotCold { .. } => Some(2),
            _ => None,
        }
    }

    pub(super) fn check_placement(&self) -> Result<(), PatternError> {
        let fail = |problem: &str| Err(PatternError::new("placement", problem.into()));
        if self.placement.is_none() {
            return Ok(());
        }
        if self.share_of(|rw| rw.op() == Op::Write) == 0.0 {
            return fail("has no effect without writes; leave it out");
        }
        if self.placement != Some(Placement::Part) {
            return Ok(());
        }
        let has_halves = matches!(self.mix, Some(Mix { turns: Turns::Ratio(_), .. }));
        match self.parts() {
            None => {
                fail("part needs partitions, or random=streams, levels, zones or hot; give one, or a handle")
            }
            Some(_) if has_halves => fail("part excludes mix=RW:RATIO, which cuts the space otherwise"),
            Some(_) => Ok(()),
        }
    }

    pub(super) fn check_placements_of(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let (needed, known, name) = (self.placements(), target.placements, &target.name);
        if needed <= u64::from(known) {
            return Ok(());
        }
        let problem = match known {
            1 => format!("has no effect on {name}, which knows no placement handles; leave it out"),
            _ => format!("needs {needed} handles, and {name} knows {known}; use fewer"),
        };
        Err(PatternError::new("placement", problem))
    }
}

/// Gives the writes of one process their handles.
#[derive(Clone, Debug)]
pub(super) enum Placer {
    One(u16),
    /// By the first bytes of the second part and those behind it.
    Borders(Vec<u64>),
}

impl Placer {
    pub(super) fn new(pattern: &Pattern, space: Space, job: u32) -> Option<Placer> {
        Some(match pattern.placement? {
            Placement::One(handle) => Placer::One(handle),
            Placement::Job => Placer::One(job as u16),
            // A walk over levels knows which one it writes.
            Placement::Part if matches!(pattern.location, Location::Levels(_)) => return None,
            Placement::Part => Placer::Borders(borders(pattern, space)),
        })
    }

    #[inline]
    pub(super) fn place(&self, request: &mut Request) {
        if request.op == Op::Write {
            request.placement = match self {
                Placer::One(handle) => *handle,
                Placer::Borders(borders) => {
                    borders.partition_point(|border| *border <= request.offset_bytes) as u16
                }
            };
        }
    }
}

/// Where the parts begin, but the first.
fn borders(pattern: &Pattern, space: Space) -> Vec<u64> {
    let bs = pattern.bs.0;
    let slots = space.size_bytes / bs;
    let equal = |parts: u64| -> Vec<u64> {
        let slots_each = space.size_bytes / parts / bs;
        (1..parts).map(|part| part * slots_each).collect()
    };
    let first_slots = match &pattern.location {
        Location::Partitioned { partitions } => equal((*partitions).into()),
        Location::Streams(streams) => equal(streams.count.into()),
        Location::Zones(zones) => zones.borders(slots).collect(),
        Location::HotCold { hot_space, .. } => vec![super::source::hot_slots(slots, *hot_space)],
        _ => Vec::new(),
    };
    let base_bytes = space.offset_bytes + pattern.shift.0;
    first_slots.into_iter().map(|slot| base_bytes + slot * bs).collect()
}
