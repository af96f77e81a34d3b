//! Writes with a constant large step (paper 001, table 3, Large increments).

use super::{Scene, is_more, says, words};
use crate::compare::Comparison;
use crate::findings::Hint;
use crate::indicators::large_steps;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let factor = Comparison::from(scene.indicators.large_increment_factor?);
    if !is_more(&factor) {
        return None;
    }
    let points: Vec<String> = large_steps(scene.points).iter().map(words::point).collect();
    let times = words::digits(factor.value);
    says(
        format!(
            "Avoid strided writes with steps of 1 MiB to 8 MiB: each takes {times} times as long as a random \
             write."
        ),
        format!("{}, {}", words::some(&points), scene.baselines_text(&["RW"])),
    )
}
