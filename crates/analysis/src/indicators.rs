//! The key characteristics of a device: paper 001's table 3, and what alignment and granularity show.
//!
//! Each is read off the points of one micro-benchmark; `docs/method.md` gives the definitions.
//! What could not be read off for lack of measurements is named by [`unmeasured`], so that "no effect" and
//! "not measured" stay apart. What to make of the numbers is in `hints`.

mod alignment;
mod area;
pub(crate) mod curve;
mod order;
mod pause;

pub(crate) use alignment::{Shifts, of_writes};
pub(crate) use area::areas;
pub(crate) use order::large_steps;

use crate::compare::Comparison;
use crate::conclusion::Indicator;
use crate::estimate::Estimate;
use crate::findings::Indicators;
use crate::result::Point;
use curve::baseline;

/// A value with its interval and a factor that goes with it.
type Pair = (Indicator, Option<Indicator>);

/// The indicators that the points give. No point and no combination of points is an error: what is missing
/// gives None.
pub fn indicators(points: &[Point<'_>]) -> Indicators {
    let time = |curve| baseline(points, curve).map(|estimate| in_ms(&estimate));
    let (locality_mib, locality_factor) = split(area::locality(points));
    let (partitions, partitions_factor) = split(area::partitions(points));
    let (alignment_bytes, alignment_factor) = split(alignment::alignment(points));
    Indicators {
        sr_ms: time("SR"),
        rr_ms: time("RR"),
        sw_ms: time("SW"),
        rw_ms: time("RW"),
        pause_ms: pause::pause(points),
        locality_mib,
        locality_factor,
        partitions,
        partitions_factor,
        reverse_factor: order::stride_factor(points, -1.0),
        in_place_factor: order::stride_factor(points, 0.0),
        large_increment_factor: order::large_increment_factor(points),
        granularity_bytes: alignment::granularity(points),
        alignment_bytes,
        alignment_factor,
    }
}

fn split(pair: Option<Pair>) -> (Option<Indicator>, Option<Indicator>) {
    pair.map_or((None, None), |(value, factor)| (Some(value), factor))
}

fn in_ms(estimate: &Estimate) -> Indicator {
    Indicator {
        value: estimate.mean_ns / 1e6,
        ci_low: estimate.ci_low_ns / 1e6,
        ci_high: estimate.ci_high_ns / 1e6,
    }
}

impl From<Comparison> for Indicator {
    fn from(comparison: Comparison) -> Self {
        let Comparison { value, ci_low, ci_high } = comparison;
        Self { value, ci_low, ci_high }
    }
}

/// A curve that indicators need, and those indicators. Curves after the first would do as well.
pub(crate) struct Need {
    pub(crate) micro: &'static str,
    pub(crate) curves: &'static [&'static str],
    pub(crate) indicators: &'static [&'static str],
}

const fn need(
    micro: &'static str,
    curves: &'static [&'static str],
    indicators: &'static [&'static str],
) -> Need {
    Need { micro, curves, indicators }
}

const NEEDS: &[Need] = &[
    need("baseline", &["SR"], &["sr_ms"]),
    need("baseline", &["RR"], &["rr_ms"]),
    need("baseline", &["SW"], &["sw_ms"]),
    need("baseline", &["RW"], &["rw_ms"]),
    need("pause", &["RW"], &["pause_ms"]),
    need("locality", &["RW"], &["locality_mib", "locality_factor"]),
    need("partitioning", &["SW"], &["partitions", "partitions_factor"]),
    need("order", &["SW"], &["reverse_factor", "in_place_factor", "large_increment_factor"]),
    need("granularity", &["RW", "SW"], &["granularity_bytes"]),
    need("alignment", &["RW", "SW"], &["alignment_bytes", "alignment_factor"]),
];

/// What no indicator could be read off, because no point of these curves has a mean. Indicators that compare
/// with a baseline miss that too; the baseline is in the list then.
pub(crate) fn unmeasured(points: &[Point<'_>]) -> Vec<&'static Need> {
    let is_there =
        |need: &Need| need.curves.iter().any(|name| !curve::curve(points, need.micro, name).is_empty());
    NEEDS.iter().filter(|need| !is_there(need)).collect()
}
