//! Processes side by side (hint 7; paper 001, section 5.2: sequential writes "degenerate" with many).

use super::throughput::{Gain, gain};
use super::{Scene, is_less, says, words};
use crate::findings::Hint;

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let curves = ["SR", "RR", "SW", "RW"].into_iter();
    let gains: Vec<Gain<'_>> = curves.filter_map(|curve| gain(scene, "parallelism", curve)).collect();
    let useful: Vec<&Gain<'_>> = gains.iter().filter(|gain| gain.is_useful()).collect();
    let harmed: Vec<&Gain<'_>> = gains.iter().filter(|gain| is_less(&gain.worst.1)).collect();
    let mut parts = Vec::new();
    if !useful.is_empty() {
        let text = useful.iter().map(|gain| gain.text()).collect::<Vec<_>>().join("; ");
        parts.push(format!("Use parallel jobs: {text}."));
    }
    if !harmed.is_empty() {
        let text = harmed.iter().map(|gain| harm(gain)).collect::<Vec<_>>().join("; ");
        parts.push(format!("Limit parallel jobs: {text}."));
    }
    let mut evidence: Vec<String> = useful.iter().map(|gain| gain.evidence()).collect();
    evidence.extend(
        harmed.iter().map(|gain| format!("{}, {}", words::point(&gain.single), words::point(&gain.worst.0))),
    );
    if !parts.is_empty() {
        let verdict = if useful.is_empty() { "confirms" } else { "contradicts" };
        return says(parts.join(" "), format!("{}; {verdict} uFLIP hint 7", evidence.join(", ")));
    }
    if gains.is_empty() || !gains.iter().all(|gain| gain.is_useless) {
        return None;
    }
    let evidence = gains.iter().map(Gain::evidence).collect::<Vec<_>>().join(", ");
    says("Parallel jobs do not increase throughput.".into(), format!("{evidence}; confirms uFLIP hint 7"))
}

/// `with 16 of them sequential writes fall to 30 % of the throughput of one`.
fn harm(gain: &Gain<'_>) -> String {
    let (at, share) = &gain.worst;
    let (count, of) = (words::plain(at.parameter), words::pattern(gain.curve));
    format!("with {count} jobs, {of} fall to {} of the throughput of one job", words::percent(share.value))
}
