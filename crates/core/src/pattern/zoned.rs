//! Which patterns a target with zones can take: reads anywhere, and writes that go through whole zones in
//! order. Anything else would be refused in the middle of a run.

use super::{JobSpace, Location, Pattern, PatternError, Turns};
use crate::request::Op;
use crate::target::TargetInfo;
use crate::units::Bytes;
use crate::zoned::ZoneLayout;

impl Pattern {
    pub(super) fn check_zones_of(&self, target: &TargetInfo) -> Result<(), PatternError> {
        let Some(zones) = target.zones else { return Ok(()) };
        let name = &target.name;
        if self.trims() {
            let problem = format!("{name} has zones and takes no discards; write, or use a target without");
            return Err(PatternError::new("rw", problem));
        }
        if !self.writes() {
            return Ok(());
        }
        if !zones.resets_on_rewrite {
            let problem = format!(
                "nobody resets the zones of {name} before they are written again; let them be, or only read"
            );
            return Err(PatternError::new("rw", problem));
        }
        self.check_order(name)?;
        self.check_io_sizes(name, zones)?;
        self.check_whole_zones(name, zones)
    }

    /// Walks of which each goes through its space from start to end, and no other is there.
    fn check_order(&self, name: &str) -> Result<(), PatternError> {
        let fail = |key: &str, way_out: &str| {
            let problem = format!("{name} has zones, which are written in order; {way_out}");
            Err(PatternError::new(key, problem))
        };
        match self.location {
            Location::Sequential | Location::Partitioned { .. } | Location::ZoneGaps { .. } => {}
            Location::Streams(_) if self.mix.is_none() => {}
            Location::Ordered { .. } => return fail("stride", "leave it out"),
            Location::RegularGaps { .. } | Location::RandomGaps { .. } => {
                return fail("gap", "write GAP/ZONE with what a zone has beyond its capacity");
            }
            _ if self.writes_in_order_beside_reads() => {}
            _ => return fail("rw", "choose write or rw, partitions, or randwrite with random=streams:K"),
        }
        match self.mix.map(|mix| (mix.rw.op(), mix.rw.is_random(), mix.turns)) {
            None | Some((Op::Read, _, Turns::Chance(_))) => {}
            Some((Op::Write, false, Turns::Chance(_))) if self.rw.op() == Op::Read => {}
            Some(_) => return fail("mix", "mix reads and sequential writes by chance, such as write:30%"),
        }
        if self.sizes.is_some() {
            return fail("bssplit", "leave it out");
        }
        if self.numjobs > 1 && self.job_space != JobSpace::Parts {
            return fail("job_space", "give each process a part of its own");
        }
        Ok(())
    }

    /// Random reads with sequential writes among them, which keep a position of their own.
    fn writes_in_order_beside_reads(&self) -> bool {
        let of_second = self.mix.is_some_and(|mix| mix.rw.op() == Op::Write && !mix.rw.is_random());
        of_second && self.rw.op() == Op::Read && self.rw.is_random()
    }

    fn check_io_sizes(&self, name: &str, zones: ZoneLayout) -> Result<(), PatternError> {
        let ZoneLayout { size_bytes, capacity_bytes, .. } = zones;
        if !capacity_bytes.is_multiple_of(self.bs.0) || !size_bytes.is_multiple_of(self.bs.0) {
            let (size, capacity) = (Bytes(size_bytes), Bytes(capacity_bytes));
            let what =
                if size == capacity { format!("of {size}") } else { format!("of {capacity} in {size}") };
            let problem = format!("{} does not divide the zones {what} of {name}; use a divisor", self.bs);
            return Err(PatternError::new("bs", problem));
        }
        let hole = size_bytes - capacity_bytes;
        let leaves_out = match self.location {
            Location::ZoneGaps { gap, zone } => (gap.0, zone.0),
            _ => (0, capacity_bytes),
        };
        if leaves_out == (hole, capacity_bytes) {
            return Ok(());
        }
        let capacity = Bytes(capacity_bytes);
        let problem = match hole {
            0 => format!("zones of {name} can be written to their end; leave it out"),
            _ => format!("zones of {name} can be written to {capacity}; write {}/{capacity}", Bytes(hole)),
        };
        Err(PatternError::new("gap", problem))
    }

    /// Each walk begins with a zone, ends with one, and has one begun at a time.
    fn check_whole_zones(&self, name: &str, zones: ZoneLayout) -> Result<(), PatternError> {
        let zone_bytes = zones.size_bytes;
        let parts = match self.location {
            Location::Partitioned { partitions } => u64::from(partitions),
            Location::Streams(streams) => u64::from(streams.count),
            _ => 1,
        };
        let walks = parts * u64::from(self.numjobs);
        let problem = |what: &str, way_out: Bytes| {
            format!("{what} whole zones of {} of {name}; write {way_out}, for example", Bytes(zone_bytes))
        };
        let start_bytes = self.offset.0.saturating_add(self.shift.0);
        if !start_bytes.is_multiple_of(zone_bytes) {
            let key = if self.shift.0 > 0 { "shift" } else { "offset" };
            let near = if self.shift.0 > 0 { 0 } else { start_bytes / zone_bytes * zone_bytes };
            return Err(PatternError::new(key, problem("is not a number of", Bytes(near))));
        }
        if zones.active_max > 0 && walks > u64::from(zones.active_max) {
            let problem =
                format!("{name} has at most {} zones begun, not {walks}; use fewer", zones.active_max);
            let key = if self.numjobs > 1 { "numjobs" } else { self.key_of_parts() };
            return Err(PatternError::new(key, problem));
        }
        let each = zone_bytes.saturating_mul(walks);
        if self.size.0 == 0 || !self.size.0.is_multiple_of(each) {
            let near = Bytes((self.size.0 / each * each).max(each));
            let what = if walks > 1 { "does not give each sequence of writes" } else { "is not a number of" };
            return Err(PatternError::new("size", problem(what, near)));
        }
        Ok(())
    }

    fn key_of_parts(&self) -> &'static str {
        if let Location::Streams(_) = self.location { "random" } else { "partitions" }
    }
}
