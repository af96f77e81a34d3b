//! The registry of micro-benchmarks: one file and one line each.
//!
//! A micro-benchmark is a list of patterns that differ in one parameter (paper 001, section 3.2). Where in
//! the target space they run, in which order and how often is the plan's business.

mod alignment;
mod baseline;
mod burst;
mod granularity;
mod locality;
mod mix;
mod order;
mod parallelism;
mod partitioning;
mod pause;
mod queue_depth;
mod repetition;

use flashscope_core::{Bytes, Location, Pattern, Rw};

/// One micro-benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Micro {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it shows.
    pub doc: &'static str,
    /// The parameter that varies, with its unit.
    pub parameter: &'static str,
    /// Whether uFLIP defines it (then it belongs to the nine and runs by default).
    pub is_uflip: bool,
    /// Its points.
    pub points: fn(&Frame) -> Vec<Draft>,
}

/// Those that come with this crate, in the order in which they are explained.
const MICROS: &[Micro] = &[
    baseline::MICRO,
    granularity::MICRO,
    alignment::MICRO,
    locality::MICRO,
    partitioning::MICRO,
    order::MICRO,
    parallelism::MICRO,
    mix::MICRO,
    pause::MICRO,
    burst::MICRO,
    queue_depth::MICRO,
    repetition::MICRO,
];

/// The micro-benchmarks that a plan chooses from.
#[derive(Clone, Debug)]
pub struct Micros(Vec<Micro>);

impl Default for Micros {
    fn default() -> Micros {
        Micros::builtin()
    }
}

impl Micros {
    /// Those that come with this crate.
    pub fn builtin() -> Micros {
        Micros(MICROS.to_vec())
    }

    /// Those and one more; it takes the place of one of the same name.
    #[must_use]
    pub fn with(mut self, micro: Micro) -> Micros {
        match self.0.iter_mut().find(|known| known.name == micro.name) {
            Some(known) => *known = micro,
            None => self.0.push(micro),
        }
        self
    }

    /// All of them, in the order in which they are explained.
    pub fn iter(&self) -> std::slice::Iter<'_, Micro> {
        self.0.iter()
    }
}

/// How many points of each range are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// What the indicators need, in a few minutes on a real file.
    Quick,
    /// Table 1 as it stands: 286 points.
    #[default]
    Table1,
    /// Table 1, its "non-powers of 2", and what came after uFLIP.
    Full,
}

/// What the points of a micro-benchmark are made for.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The part of the target that is measured.
    pub span: Bytes,
    /// Baseline IOSize.
    pub bs: Bytes,
    /// The smallest IO of the target.
    pub sector: Bytes,
    /// Target space of a sequential experiment.
    pub room: Bytes,
    /// The most IOs that the target holds in flight.
    pub queue_depth_max: u32,
    /// How many points.
    pub scope: Scope,
}

/// A point before it has a place: its pattern's offset is set by the plan.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The curve that it belongs to.
    pub curve: String,
    /// Value of the varying parameter.
    pub parameter: f64,
    /// That value for a person.
    pub label: String,
    /// What is done, at offset 0.
    pub pattern: Pattern,
}

impl Frame {
    /// The baseline `rw`: random patterns use the whole span, sequential ones a room.
    pub fn baseline(&self, rw: Rw) -> Pattern {
        let size = if rw.is_random() { self.whole() } else { self.room };
        Pattern { bs: self.bs, ..Pattern::baseline(rw, Bytes(0), size) }
    }

    /// The baselines that idle time may help. Reads leave nothing to do behind: a quick run takes the writes
    /// that do.
    fn paused(&self) -> impl Iterator<Item = Rw> {
        let is_quick = self.scope == Scope::Quick;
        Rw::ALL.into_iter().filter(move |rw| !is_quick || *rw == Rw::RandWrite)
    }

    /// The span in whole IOs.
    pub fn whole(&self) -> Bytes {
        Bytes(self.span.0 / self.bs.0 * self.bs.0)
    }

    /// `2^0, ..., 2^last`; in a quick run every `step`-th of them and the last.
    fn powers(&self, last: u32, step: usize) -> Vec<u64> {
        let all = (0..=last).map(|exponent| 1u64 << exponent);
        if self.scope != Scope::Quick {
            return all.collect();
        }
        let last = 1u64 << last;
        let mut some: Vec<u64> = all.step_by(step).collect();
        if some.last() != Some(&last) {
            some.push(last);
        }
        some
    }
}

/// The largest odd number of slots in `size`, so that every stride that is a power of two visits them all.
fn odd_slots(size: Bytes, bs: Bytes) -> Bytes {
    let slots = size.0 / bs.0;
    Bytes((slots - u64::from(slots.is_multiple_of(2) && slots > 1)) * bs.0)
}

fn draft(curve: &str, parameter: f64, label: impl ToString, pattern: Pattern) -> Draft {
    Draft { curve: curve.into(), parameter, label: label.to_string(), pattern }
}

/// A pattern whose location function is replaced.
fn located(pattern: Pattern, location: Location) -> Pattern {
    Pattern { location, ..pattern }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(scope: Scope) -> Frame {
        Frame {
            span: Bytes(4 << 30),
            bs: Bytes(32 << 10),
            sector: Bytes(512),
            room: Bytes(64 << 20),
            queue_depth_max: 128,
            scope,
        }
    }

    #[test]
    fn table_1_has_286_points() {
        let frame = frame(Scope::Table1);
        let count = |name: &str| {
            let micro = MICROS.iter().find(|micro| micro.name == name).unwrap();
            (micro.points)(&frame).len()
        };
        // Counted from the ranges of paper 001, table 1.
        let expected = [
            ("granularity", 10 * 4),
            ("alignment", 7 * 4),
            ("locality", 17 * 2 + 9 * 2),
            ("partitioning", 9 * 2),
            ("order", 11 * 2),
            ("parallelism", 5 * 4),
            ("mix", 6 * 7),
            ("pause", 9 * 4),
            ("burst", 7 * 4),
        ];
        for (name, points) in expected {
            assert_eq!(count(name), points, "{name}");
        }
        let total: usize = MICROS.iter().filter(|m| m.is_uflip).map(|m| (m.points)(&frame).len()).sum();
        assert_eq!(total, 286);
    }

    #[test]
    fn every_point_fits_its_target_and_has_a_name_of_its_own() {
        let info = flashscope_core::TargetInfo {
            name: "test".into(),
            size_bytes: (4 << 30) + (1 << 20),
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 128,
            placements: 1,
            zones: None,
        };
        for scope in [Scope::Quick, Scope::Table1, Scope::Full] {
            for micro in MICROS {
                let mut seen = std::collections::HashSet::new();
                for point in (micro.points)(&frame(scope)) {
                    point
                        .pattern
                        .validate(&info)
                        .unwrap_or_else(|e| panic!("{} {}: {e}", micro.name, point.label));
                    assert!(
                        seen.insert((point.curve.clone(), point.label.clone())),
                        "{} {}",
                        micro.name,
                        point.label
                    );
                }
            }
        }
    }
}
