//! A random order that is written again and again (paper 004).

use super::{Scene, is_less, says, words};
use crate::compare::ratio;
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let curve = scene.curve("repetition", "W");
    let named = |label: &str| curve.iter().find(|at| at.point.experiment.label == label);
    let (fresh, repeated) = (named("permutation")?, named("repeated-permutation")?);
    let factor = ratio(&repeated.estimate, &fresh.estimate).ok().filter(is_less)?;
    let times = words::digits(1.0 / factor.value);
    says(
        format!(
            "Rewrite data in the order in which it was written: a new order takes {times} times as long."
        ),
        format!("{}, {}", words::point(fresh), words::point(repeated)),
    )
}
