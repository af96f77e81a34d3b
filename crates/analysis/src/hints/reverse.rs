//! Writes at descending addresses (paper 001, table 3, Reverse).

use super::{Scene, is_more, says, words};
use crate::compare::Comparison;
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let factor = Comparison::from(scene.indicators.reverse_factor?);
    if !is_more(&factor) {
        return None;
    }
    let times = words::digits(factor.value);
    says(
        format!("Do not write at descending addresses: such a write takes {times} times as long."),
        format!("order/SW/-1 over baseline seq write: {}", words::factor(&factor)),
    )
}
