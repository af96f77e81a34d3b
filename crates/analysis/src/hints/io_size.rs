//! Larger IOs, and which size is enough (hints 1 and 2).

use super::throughput::ENOUGH;
use super::{Scene, is_more, says, words};
use crate::compare::{Comparison, ratio};
use crate::findings::Hint;
use crate::indicators::curve::At;

/// The size at which an IO of one kind is large enough.
pub(super) struct Enough<'a> {
    pub(super) curve: &'static str,
    pub(super) smallest: At<'a>,
    pub(super) at: At<'a>,
    pub(super) best_bytes_a_second: f64,
    /// Cost of a byte in the smallest IO over that in this one.
    pub(super) saving: Comparison,
}

fn bytes_a_second(at: &At<'_>) -> f64 {
    at.parameter / at.estimate.mean_ns * 1e9
}

pub(super) fn enough<'a>(scene: &Scene<'a>, curve: &'static str) -> Option<Enough<'a>> {
    let sizes = scene.curve("granularity", curve);
    let best_bytes_a_second = sizes.iter().map(bytes_a_second).fold(0.0, f64::max);
    let at = *sizes.iter().find(|at| bytes_a_second(at) >= ENOUGH * best_bytes_a_second)?;
    let smallest = *sizes.first()?;
    let times = at.parameter / smallest.parameter;
    let Comparison { value, ci_low, ci_high } = ratio(&smallest.estimate, &at.estimate).ok()?;
    let saving = Comparison { value: times * value, ci_low: times * ci_low, ci_high: times * ci_high };
    Some(Enough { curve, smallest, at, best_bytes_a_second, saving })
}

/// `64 KiB for random reads and random writes` for each size.
fn sizes(useful: &[&Enough<'_>]) -> String {
    let mut bytes: Vec<f64> = useful.iter().map(|of| of.at.parameter).collect();
    bytes.sort_by(f64::total_cmp);
    bytes.dedup();
    let names = |size: f64| -> Vec<&str> {
        let those = useful.iter().filter(|of| of.at.parameter == size);
        those.map(|of| words::pattern(of.curve)).collect()
    };
    let text = |size: &f64| format!("{} for {}", words::size(*size), words::list(&names(*size)));
    bytes.iter().map(text).collect::<Vec<_>>().join("; ")
}

fn evidence(of: &Enough<'_>) -> String {
    let best = words::throughput(of.best_bytes_a_second);
    format!("{}, {}, best {best}", words::point(&of.smallest), words::point(&of.at))
}

/// The smallest IO that suffers most.
fn worst(useful: &[&Enough<'_>]) -> String {
    let share = |of: &&&Enough<'_>| bytes_a_second(&of.smallest) / of.best_bytes_a_second;
    let Some(worst) = useful.iter().min_by(|a, b| share(a).total_cmp(&share(b))) else {
        return String::new();
    };
    let (size, of) = (words::size(worst.smallest.parameter), words::pattern(worst.curve));
    format!("{of} of {size} reach {}", words::percent(share(&worst)))
}

pub(super) fn hint(scene: &Scene<'_>) -> Option<Hint> {
    let found: Vec<_> = ["SR", "RR", "SW", "RW"].into_iter().filter_map(|name| enough(scene, name)).collect();
    let useful: Vec<_> = found.iter().filter(|of| is_more(&of.saving)).collect();
    if useful.is_empty() {
        let evidence: Vec<_> = found.iter().map(|of| words::point(&of.smallest)).collect();
        let is_sure = !found.is_empty() && found.iter().all(|of| of.saving.ci_high < 1.2);
        let text = "IO size has no effect on throughput.";
        let evidence = format!("{}; contradicts uFLIP hint 1", evidence.join(", "));
        return if is_sure { says(text.into(), evidence) } else { None };
    }
    let points: Vec<String> = useful.iter().map(|of| evidence(of)).collect();
    let near_32_kib = useful.iter().all(|of| (16384.0..=65536.0).contains(&of.at.parameter));
    let second = if near_32_kib { "confirms" } else { "contradicts" };
    says(
        format!(
            "Prefer large IOs: 90 % of the best throughput takes {}; {}.",
            sizes(&useful),
            worst(&useful)
        ),
        format!("{}; confirms uFLIP hint 1, {second} uFLIP hint 2 (32 KiB)", points.join("; ")),
    )
}
