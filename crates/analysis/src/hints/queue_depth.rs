//! IOs in flight from one process (hint 7, first half).

use super::throughput::{Gain, gain};
use super::{Scene, says};
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let gains: Vec<Gain<'_>> =
        ["RR", "RW"].into_iter().filter_map(|curve| gain(scene, "queue-depth", curve)).collect();
    let useful: Vec<&Gain<'_>> = gains.iter().filter(|gain| gain.is_useful()).collect();
    let evidence = |of: &[&Gain<'_>]| of.iter().map(|gain| gain.evidence()).collect::<Vec<_>>().join(", ");
    if !useful.is_empty() {
        let text = useful.iter().map(|gain| gain.text()).collect::<Vec<_>>().join("; ");
        return says(
            format!("Keep several IOs in flight: {text} in flight."),
            format!("{}; contradicts uFLIP hint 7", evidence(&useful)),
        );
    }
    if gains.is_empty() || !gains.iter().all(|gain| gain.is_useless) {
        return None;
    }
    says(
        "One IO at a time is enough: a higher queue depth does not increase throughput.".into(),
        format!("{}; confirms uFLIP hint 7", evidence(&gains.iter().collect::<Vec<_>>())),
    )
}
