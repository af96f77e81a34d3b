//! Random writes that cost no more than sequential ones (against hint 4).

use super::{Scene, is_no_more, says, words};
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let factor = scene.baselines("RW", "SW")?;
    if !is_no_more(&factor) {
        return None;
    }
    says(
        "Sequential writes have no advantage: random writes are as fast.".into(),
        format!(
            "{}, {}; contradicts uFLIP hint 4",
            scene.baselines_text(&["SW", "RW"]),
            words::factor(&factor)
        ),
    )
}
