//! The rule for a pattern's response times in the steady state, derived from the pattern alone.

use flashscope_core::{Location, Pattern};

use crate::rig::classify::{ESTABLISHED, WINDOW};
use crate::rig::service::READ_STREAMS;
use crate::rig::spec::RigSpec;

/// The rule that prices nearly all IOs of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    SequentialRead,
    RandomRead,
    SequentialWrite {
        streams: u64,
    },
    InPlace,
    Reverse,
    /// `local_ios` at the start still lie within the locality area.
    LargeIncrement {
        local_ios: u64,
    },
    Local,
    /// Likewise.
    Random {
        local_ios: u64,
    },
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
    if pattern.numjobs > 1 && pattern.job_space.distance().is_some() {
        return None;
    }
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
        Walk::Streams { slots_each: 1, .. } => None,
        Walk::Streams { streams, slots_each } => stream_kind(spec, bs, streams, slots_each * bs),
        Walk::Steps { step, slots } if step + 1 == slots => {
            (slots >= 2 * u64::from(ESTABLISHED)).then_some(Kind::Reverse)
        }
        Walk::Steps { step, slots } => step_kind(spec, bs, step, slots),
        Walk::Scattered { slots } => scattered_kind(spec, bs, slots),
    }
}

fn scattered_kind(spec: &RigSpec, bs: u64, slots: u64) -> Option<Kind> {
    if slots < PLACES_MIN.max(8 * u64::from(spec.streams.limit)) {
        return None;
    }
    let (span_bytes, area_bytes) = (slots * bs, spec.locality.map_or(0, |locality| locality.area.0));
    if span_bytes <= area_bytes {
        return Some(Kind::Local);
    }
    // Between one and two areas, a window of random places fits the area now and then.
    (span_bytes >= 2 * area_bytes).then_some(Kind::Random { local_ios: 0 })
}

/// Several streams: sequential up to the limit; beyond it each write opens a stream anew.
fn stream_kind(spec: &RigSpec, bs: u64, streams: u64, distance_bytes: u64) -> Option<Kind> {
    if streams <= u64::from(spec.streams.limit) {
        return Some(Kind::SequentialWrite { streams });
    }
    if is_large(spec, distance_bytes) {
        return (streams > u64::from(ESTABLISHED)).then_some(large(spec, distance_bytes, bs));
    }
    let span_bytes = (streams.min(WINDOW as u64) - 1) * distance_bytes;
    let local_ios = local_ios(spec, distance_bytes, bs);
    leaves_area(spec, span_bytes).then_some(Kind::Random { local_ios })
}

fn step_kind(spec: &RigSpec, bs: u64, step: u64, slots: u64) -> Option<Kind> {
    let stride_bytes = step * bs;
    if is_large(spec, stride_bytes) && slots / step > u64::from(ESTABLISHED) {
        // After some wraps a place may lie right behind one of the last few: then it goes on a stream.
        let meets = (1..=u64::from(spec.streams.limit) + 1).any(|k| k * step % slots == 1);
        return (!meets).then_some(large(spec, stride_bytes, bs));
    }
    let step = step.min(slots - step);
    let span_bytes = (WINDOW as u64 - 1) * step * bs + bs;
    // A descending order jumps to the far end of the space first.
    let local_ios = if stride_bytes == step * bs { local_ios(spec, stride_bytes, bs) } else { 0 };
    (slots / step >= PLACES_MIN && leaves_area(spec, span_bytes)).then_some(Kind::Random { local_ios })
}

fn large(spec: &RigSpec, stride_bytes: u64, bs: u64) -> Kind {
    Kind::LargeIncrement { local_ios: local_ios(spec, stride_bytes, bs).min(u64::from(ESTABLISHED)) }
}

/// How many IOs at the start of a run with this stride lie within the locality area: none if the second does
/// not, for the first one is priced with it.
fn local_ios(spec: &RigSpec, stride_bytes: u64, bs: u64) -> u64 {
    let fitting = spec.locality.map_or(0, |locality| locality.area.0.saturating_sub(bs) / stride_bytes + 1);
    if fitting < 2 { 0 } else { fitting }
}

fn is_large(spec: &RigSpec, stride_bytes: u64) -> bool {
    (spec.order.large_increment_from.0..=spec.order.large_increment_to.0).contains(&stride_bytes)
}

fn leaves_area(spec: &RigSpec, span_bytes: u64) -> bool {
    spec.locality.is_none_or(|locality| span_bytes > locality.area.0)
}
