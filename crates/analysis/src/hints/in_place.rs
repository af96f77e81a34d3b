//! Writing one place again and again (paper 001, table 3, In-place).

use super::{Scene, is_less, is_more, says, words};
use crate::compare::Comparison;
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let factor = Comparison::from(scene.indicators.in_place_factor?);
    let times = words::digits(factor.value);
    let text = if is_more(&factor) {
        format!(
            "Do not rewrite one address repeatedly: such a write takes {times} times as long as a sequential \
             one."
        )
    } else if is_less(&factor) {
        format!(
            "Rewriting one address is fast: such a write takes {times} times as long as a sequential one."
        )
    } else {
        return None;
    };
    says(text, format!("order/SW/0 over baseline seq write: {}", words::factor(&factor)))
}
