//! How far writes stay cheap: as the area of random writes grows, as the sequential streams become more.

use super::Pair;
use super::curve::{At, baseline, curve, dearest};
use crate::compare::ratio;
use crate::conclusion::Indicator;
use crate::result::Point;

const MIB: f64 = 1024.0 * 1024.0;

/// An area of fewer IOs is the in-place pattern of table 1's Order rather than a focused area.
pub(crate) const AREA_SLOTS_MIN: u64 = 8;

/// A write is cheap while it costs at most half of a random write. None if either baseline is missing, or if
/// random writes cost less than twice a sequential one: then there is nothing to be cheap against.
fn cheap_ns_max(points: &[Point<'_>]) -> Option<f64> {
    let (sw, rw) = (baseline(points, "SW")?, baseline(points, "RW")?);
    (rw.mean_ns >= 2.0 * sw.mean_ns).then_some(rw.mean_ns / 2.0)
}

/// The cheap points at the beginning of a curve, and the first dear one. None if one of both is missing.
fn cheap_start<'a, 'b>(curve: &'b [At<'a>], cheap_ns_max: f64) -> Option<(&'b [At<'a>], At<'a>)> {
    let cheap = curve.iter().take_while(|at| at.estimate.mean_ns <= cheap_ns_max).count();
    let next = curve.get(cheap)?;
    (cheap > 0).then_some((&curve[..cheap], *next))
}

/// The points of `locality/RW` that are areas.
pub(crate) fn areas<'a>(points: &'a [Point<'a>]) -> Vec<At<'a>> {
    let mut curve = curve(points, "locality", "RW");
    curve.retain(|at| {
        at.point.experiment.pattern.size.0 / at.point.experiment.pattern.bs.0.max(1) >= AREA_SLOTS_MIN
    });
    curve
}

/// The largest TargetSize, in MiB, up to which random writes are cheap, and the dearest of them over a
/// sequential write (paper 001, section 5.2, table 3, column 6). The interval is from this size to the next
/// one measured, at which they are dear.
pub(super) fn locality(points: &[Point<'_>]) -> Option<Pair> {
    let curve = areas(points);
    let (cheap, next) = cheap_start(&curve, cheap_ns_max(points)?)?;
    let size_mib = cheap.last()?.parameter / MIB;
    let value = Indicator { value: size_mib, ci_low: size_mib, ci_high: next.parameter / MIB };
    let factor = ratio(&dearest(cheap)?.estimate, &baseline(points, "SW")?).ok();
    Some((value, factor.map(Indicator::from)))
}

/// The largest number of sequential streams up to which their writes are cheap, and the dearest of them over
/// a write to a single stream (paper 001, section 5.2, table 3, column 7). The interval ends one stream
/// before the next number measured, at which they are dear.
pub(super) fn partitions(points: &[Point<'_>]) -> Option<Pair> {
    let curve = curve(points, "partitioning", "SW");
    let (cheap, next) = cheap_start(&curve, cheap_ns_max(points)?)?;
    let count = cheap.last()?.parameter;
    let value = Indicator { value: count, ci_low: count, ci_high: next.parameter - 1.0 };
    let (single, several) = if cheap[0].parameter <= 1.0 {
        (cheap[0].estimate, &cheap[1..])
    } else {
        (baseline(points, "SW")?, cheap)
    };
    let factor = dearest(several).and_then(|dearest| ratio(&dearest.estimate, &single).ok());
    Some((value, factor.map(Indicator::from)))
}
