//! Larger IOs, and which size is enough (hints 1 and 2).

use super::throughput::ENOUGH;
use super::{Scene, is_more, says, words};
use crate::compare::{Comparison, ratio};
use crate::findings::Hint;
use crate::indicators::curve::At;

/// The size from which on an IO of one kind is large enough, as well as the intervals tell it.
pub(super) struct Enough<'a> {
    pub(super) curve: &'static str,
    pub(super) smallest: At<'a>,
    /// The first size that may reach [`ENOUGH`] of the best throughput.
    pub(super) from: At<'a>,
    /// The first that surely does.
    pub(super) at: At<'a>,
    pub(super) best_bytes_a_second: f64,
    /// The largest that was tried.
    pub(super) largest: At<'a>,
    /// Throughput surely grew to the last: larger IOs may be faster still.
    pub(super) is_growing: bool,
    /// Cost of a byte in the smallest IO over that in this one.
    pub(super) saving: Comparison,
}

fn bytes_a_second(at: &At<'_>) -> f64 {
    at.parameter / at.estimate.mean_ns * 1e9
}

pub(super) fn enough<'a>(scene: &Scene<'a>, curve: &'static str) -> Option<Enough<'a>> {
    let sizes = scene.curve("granularity", curve);
    let best = *sizes.iter().max_by(|a, b| bytes_a_second(a).total_cmp(&bytes_a_second(b)))?;
    let best_bytes_a_second = bytes_a_second(&best);
    let from = *sizes.iter().find(|at| share_of(&best, at).is_some_and(|(_, high)| high >= ENOUGH))?;
    let is_sure = |at: &&At<'_>| share_of(&best, at).is_some_and(|(low, _)| low >= ENOUGH);
    let at = sizes.iter().find(is_sure).copied().unwrap_or(best);
    let (smallest, largest) = (*sizes.first()?, *sizes.last()?);
    let is_growing = sizes.iter().rev().nth(1).is_some_and(|before| grows(before, &largest));
    let times = at.parameter / smallest.parameter;
    let Comparison { value, ci_low, ci_high } = ratio(&smallest.estimate, &at.estimate).ok()?;
    let saving = Comparison { value: times * value, ci_low: times * ci_low, ci_high: times * ci_high };
    Some(Enough { curve, smallest, from, at, best_bytes_a_second, largest, is_growing, saving })
}

/// Throughput at one size over the best, from and to: the best is that share of itself.
fn share_of(best: &At<'_>, at: &At<'_>) -> Option<(f64, f64)> {
    if at.parameter == best.parameter {
        return Some((1.0, 1.0));
    }
    let times = at.parameter / best.parameter;
    let Comparison { ci_low, ci_high, .. } = ratio(&best.estimate, &at.estimate).ok()?;
    Some((times * ci_low, times * ci_high))
}

impl Enough<'_> {
    /// `128 KiB`, or `64 KiB to 128 KiB`.
    pub(super) fn size(&self) -> String {
        let (from, to) = (words::size(self.from.parameter), words::size(self.at.parameter));
        if from == to { to } else { format!("{from} to {to}") }
    }

    /// Whether the size may lie in these bounds.
    fn may_be_in(&self, low: f64, high: f64) -> bool {
        self.from.parameter <= high && low <= self.at.parameter
    }
}

/// Surely, and by more for each doubling than that at which the search for a size stops.
fn grows(before: &At<'_>, last: &At<'_>) -> bool {
    let doublings = (last.parameter / before.parameter).log2();
    let gain = |times: f64| (last.parameter / before.parameter * times).log2() / doublings;
    ratio(&before.estimate, &last.estimate).is_ok_and(|times| gain(times.ci_low) > 1.025f64.log2())
}

/// `64 KiB for random reads and random writes` for each size.
fn sizes(useful: &[&Enough<'_>]) -> String {
    let ends = |of: &&&Enough<'_>| (of.at.parameter as u64, of.from.parameter as u64);
    let mut sorted: Vec<_> = useful.iter().collect();
    sorted.sort_by_key(ends);
    let same = sorted.chunk_by(|a, b| ends(a) == ends(b)).map(|those| {
        let names: Vec<&str> = those.iter().map(|of| words::pattern(of.curve)).collect();
        format!("{} for {}", those[0].size(), words::list(&names))
    });
    same.collect::<Vec<_>>().join("; ")
}

fn evidence(of: &Enough<'_>) -> String {
    let best = words::throughput(of.best_bytes_a_second);
    let growing = if of.is_growing { ", still growing" } else { "" };
    format!("{}, {}, best {best}{growing}", words::point(&of.smallest), words::point(&of.at))
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
    let near_32_kib = useful.iter().all(|of| of.may_be_in(16384.0, 65536.0));
    let second = if near_32_kib { "confirms" } else { "contradicts" };
    let largest = useful.iter().map(|of| of.largest.parameter).fold(0.0, f64::max);
    says(
        format!(
            "Prefer large IOs: 90 % of the best throughput up to {} takes {}; {}.",
            words::size(largest),
            sizes(&useful),
            worst(&useful)
        ),
        format!("{}; confirms uFLIP hint 1, {second} uFLIP hint 2 (32 KiB)", points.join("; ")),
    )
}
