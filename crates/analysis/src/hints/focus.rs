//! Random writes within a small area (hint 4).

use super::{Scene, is_more, says, words};
use crate::compare::ratio;
use crate::findings::Hint;
use crate::indicators::areas;

const MIB: f64 = 1048576.0;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let (rw, areas) = (scene.baseline("RW")?, areas(scene.points));
    let baselines = scene.baselines_text(&["SW", "RW"]);
    if let Some(area) = scene.indicators.locality_mib {
        let inside = areas.iter().rfind(|at| at.parameter == area.value * MIB)?;
        let factor = ratio(&rw, &inside.estimate).ok().filter(is_more)?;
        let (size, times) = (words::size(inside.parameter), words::digits(factor.value));
        return says(
            format!("Keep random writes within {size}: in a larger area they take {times} times as long."),
            format!("{}, {baselines}; confirms uFLIP hint 4", words::point(inside)),
        );
    }
    let smallest = areas.first()?;
    let is_dear = scene.baselines("RW", "SW").is_some_and(|factor| factor.ci_low >= 2.0);
    let gain = ratio(&rw, &smallest.estimate).ok()?;
    if !is_dear || gain.ci_high >= 1.2 {
        return None;
    }
    let size = words::size(smallest.parameter);
    says(
        format!("Avoid random writes: they are slow even within {size}."),
        format!("{}, {baselines}; contradicts uFLIP hint 4", words::point(smallest)),
    )
}
