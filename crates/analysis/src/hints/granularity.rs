//! Writes so small that they cost as much as larger ones (paper 001, figure 6; hint 2).

use super::{Scene, says, words};
use crate::findings::Hint;
use crate::indicators::curve::At;
use crate::indicators::of_writes;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let found = scene.indicators.granularity_bytes?;
    let (name, curve) = of_writes(scene.points, "granularity")?;
    let smallest = curve.first()?;
    let at: &At<'_> = curve.iter().find(|at| at.parameter == found.value)?;
    let is_end = found.ci_high <= found.value;
    let (size, of) = (words::size(found.value), words::pattern(name));
    let least = if is_end { " (the largest size measured)" } else { "" };
    says(
        format!(
            "Write {size} or more at once{least}: {of} of {} take nearly the same {}.",
            words::size(smallest.parameter),
            words::span(smallest.estimate.mean_ns)
        ),
        format!("{}, {}", words::point(smallest), words::point(at)),
    )
}
