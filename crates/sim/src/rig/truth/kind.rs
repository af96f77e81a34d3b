//! Which rule prices a pattern's IOs in its running phase, told from the pattern alone.

use flashscope_core::{Location, Pattern};

use crate::rig::classify::{ESTABLISHED, WINDOW};
use crate::rig::service::READ_STREAMS;
use crate::rig::spec::RigSpec;

/// The rule that prices nearly all IOs of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SequentialRead,
    RandomRead,
    SequentialWrite { streams: u64 },
    InPlace,
    Reverse,
    LargeIncrement { stride_bytes: u64 },
    Local,
    Random,
}

/// Below this many places, chance makes random IOs pass for something else too often for a closed form.
const PLACES_MIN: u64 = 64;

/// The addresses of a pattern in the simplest form that matters.
enum Walk {
    /// Round robin over streams of some slots each.
    Streams { streams: u64, slots_each: u64 },
    /// A constant step of `step` out of `slots`, forwards.
    Steps { step: u64, slots: u64 },
    /// Scattered over this many slots.
    Scattered { slots: u64 },
}

/// What prices the pattern, or none where no closed form is known.
pub(super) fn kind(spec: &RigSpec, pattern: &Pattern) -> Option<Kind> {
    let walk = walk(pattern)?;
    if pattern.rw.is_write() { write_kind(spec, pattern, walk) } else { read_kind(walk) }
}

fn walk(pattern: &Pattern) -> Option<Walk> {
    let (bs, jobs) = (pattern.bs.0, u64::from(pattern.numjobs));
    let slots = pattern.size.0 / jobs / bs;
    Some(match pattern.location {
        Location::Sequential => Walk::Streams { streams: jobs, slots_each: slots },
        Location::Partitioned { partitions } => {
            let partitions = u64::from(partitions);
            Walk::Streams { streams: jobs * partitions, slots_each: slots / partitions }
        }
        Location::Random | Location::Permutation | Location::RepeatedPermutation => {
            Walk::Scattered { slots: slots * jobs }
        }
        Location::Ordered { stride } if jobs == 1 => match stride.rem_euclid(slots as i64) as u64 {
            1 => Walk::Streams { streams: 1, slots_each: slots },
            step => Walk::Steps { step, slots },
        },
        Location::RegularGaps { gap } if jobs == 1 && gap.0 > 0 && gap.0.is_multiple_of(bs) => {
            let step = gap.0 / bs + 1;
            // A whole number of steps: after the last one it begins again at the first place.
            Walk::Steps { step, slots: slots.div_ceil(step) * step }
        }
        _ => return None,
    })
}

fn read_kind(walk: Walk) -> Option<Kind> {
    match walk {
        Walk::Streams { streams, slots_each: 2.. } if streams <= u64::from(READ_STREAMS) => {
            Some(Kind::SequentialRead)
        }
        Walk::Streams { slots_each: 2.., .. } | Walk::Streams { streams: 1, .. } => Some(Kind::RandomRead),
        Walk::Steps { step: 0, .. } | Walk::Scattered { slots: PLACES_MIN.. } => Some(Kind::RandomRead),
        Walk::Steps { step, slots } if slots / step.min(slots - step) >= PLACES_MIN => Some(Kind::RandomRead),
        _ => None,
    }
}

fn write_kind(spec: &RigSpec, pattern: &Pattern, walk: Walk) -> Option<Kind> {
    let bs = pattern.bs.0;
    match walk {
        Walk::Streams { streams: 1, slots_each: 1 } | Walk::Scattered { slots: 1 } => Some(Kind::InPlace),
        Walk::Steps { step: 0, .. } => Some(Kind::InPlace),
        Walk::Streams { streams, slots_each: 2.. } => stream_kind(spec, streams, slots_each_bytes(&walk, bs)),
        Walk::Streams { .. } => None,
        Walk::Steps { step, slots } if step + 1 == slots => {
            (slots >= 2 * u64::from(ESTABLISHED)).then_some(Kind::Reverse)
        }
        Walk::Steps { step, slots } => step_kind(spec, bs, step, slots),
        Walk::Scattered { slots } => {
            let Some(locality) = spec.locality.filter(|_| slots >= PLACES_MIN) else {
                return (slots >= PLACES_MIN).then_some(Kind::Random);
            };
            let span_bytes = slots * bs;
            if span_bytes <= locality.area.0 {
                return Some(Kind::Local);
            }
            // Between one and two areas, a window of random places fits the area now and then.
            (span_bytes >= 2 * locality.area.0).then_some(Kind::Random)
        }
    }
}

fn slots_each_bytes(walk: &Walk, bs: u64) -> u64 {
    match walk {
        Walk::Streams { slots_each, .. } => slots_each * bs,
        _ => 0,
    }
}

/// Several streams: sequential up to the limit; beyond it each write opens a stream anew.
fn stream_kind(spec: &RigSpec, streams: u64, distance_bytes: u64) -> Option<Kind> {
    if streams <= u64::from(spec.streams.limit) {
        return Some(Kind::SequentialWrite { streams });
    }
    if is_large(spec, distance_bytes) {
        return (streams >= 4).then_some(Kind::LargeIncrement { stride_bytes: distance_bytes });
    }
    let span_bytes = (streams.min(WINDOW as u64) - 1) * distance_bytes;
    leaves_area(spec, span_bytes).then_some(Kind::Random)
}

fn step_kind(spec: &RigSpec, bs: u64, step: u64, slots: u64) -> Option<Kind> {
    let stride_bytes = step * bs;
    if is_large(spec, stride_bytes) && slots / step >= 4 {
        // After some wraps a place may lie right behind one of the last few: then it goes on a stream.
        let meets = (1..=u64::from(spec.streams.limit) + 1).any(|k| k * step % slots == 1);
        return (!meets).then_some(Kind::LargeIncrement { stride_bytes });
    }
    let step = step.min(slots - step);
    let span_bytes = (WINDOW as u64 - 1) * step * bs + bs;
    (slots / step >= PLACES_MIN && leaves_area(spec, span_bytes)).then_some(Kind::Random)
}

fn is_large(spec: &RigSpec, stride_bytes: u64) -> bool {
    (spec.order.large_increment_from.0..=spec.order.large_increment_to.0).contains(&stride_bytes)
}

fn leaves_area(spec: &RigSpec, span_bytes: u64) -> bool {
    spec.locality.is_none_or(|locality| span_bytes > locality.area.0)
}
