//! How many sequential streams may be written side by side (hint 5).

use super::{Scene, is_more, is_no_more, says, words};
use crate::compare::ratio;
use crate::findings::Hint;
use crate::indicators::curve::dearest;

/// uFLIP's "4-8 different partitions".
const FEW: f64 = 8.0;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let curve = scene.curve("partitioning", "SW");
    let (single, several) = curve.split_first().filter(|(first, _)| first.parameter == 1.0)?;
    if let Some(most) = scene.indicators.partitions {
        let next = several.iter().find(|at| at.parameter > most.value)?;
        let factor = ratio(&next.estimate, &single.estimate).ok().filter(is_more)?;
        let verdict =
            if most.value <= FEW { "confirms" } else { "confirms qualitatively, but not in number," };
        let count = words::counted(most.value as u64, "sequential stream");
        let (beyond, times) = (words::plain(next.parameter), words::digits(factor.value));
        return says(
            format!("Write at most {count} at once: with {beyond}, each write takes {times} times as long."),
            format!("{}, {}; {verdict} uFLIP hint 5", words::point(single), words::point(next)),
        );
    }
    let worst = dearest(several)?;
    let is_free = |at| ratio(at, &single.estimate).is_ok_and(|factor| is_no_more(&factor));
    if worst.parameter <= FEW && several.last()?.parameter <= FEW
        || !several.iter().all(|at| is_free(&at.estimate))
    {
        return None;
    }
    let most = words::plain(several.last()?.parameter);
    says(
        format!("Many sequential streams have no penalty: {most} concurrent streams are as fast as one."),
        format!("{}, {}; contradicts uFLIP hint 5", words::point(single), words::point(&worst)),
    )
}
