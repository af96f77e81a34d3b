//! Addresses that the device prefers (hint 3).

use super::{Scene, is_no_more, says, words};
use crate::compare::ratio;
use crate::findings::Hint;
use crate::indicators::Shifts;
use crate::indicators::curve::dearest;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let shifts = Shifts::of(scene.points)?;
    let worst = dearest(&shifts.shifted)?;
    let of = words::pattern(shifts.curve);
    let evidence = format!("{}, aligned {}", words::point(&worst), words::mean(&shifts.aligned));
    let indicators = scene.indicators;
    if let (Some(unit), Some(factor)) = (indicators.alignment_bytes, indicators.alignment_factor) {
        let (unit, times) = (words::size(unit.value), words::digits(factor.value));
        return says(
            format!("Align {of} to {unit}: misaligned ones take {times} times as long.{}", stated(scene)),
            format!("{evidence}; confirms uFLIP hint 3"),
        );
    }
    let is_free = |at| ratio(at, &shifts.aligned).is_ok_and(|factor| is_no_more(&factor));
    let is_sure = shifts.shifted.iter().all(|at| is_free(&at.estimate));
    let text = format!("Alignment has no effect: misaligned {of} are as fast as aligned ones.");
    if is_sure { says(text, format!("{evidence}; contradicts uFLIP hint 3")) } else { None }
}

/// The device's own word, where it differs.
fn stated(scene: &Scene<'_>) -> String {
    let measured = scene.indicators.alignment_bytes.map_or(0.0, |unit| unit.value);
    match scene.context.physical_block_bytes.map(f64::from) {
        Some(stated) if stated != measured => format!(" The device reports {}.", words::size(stated)),
        _ => String::new(),
    }
}
