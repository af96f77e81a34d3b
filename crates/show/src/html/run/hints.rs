//! Findings, recommendations and caveats.

use flashscope_analysis::{Advice, Finished, Hint, Support, Warning};

use super::charts::chart_id;
use super::{Scene, trace_id, words};
use crate::html::document::{Block, Item, Link, Section};
use crate::view::why;
use flashscope_analysis::reading::Tone;

pub(super) fn hints(scene: &Scene<'_>) -> Section {
    let hints = flashscope_analysis::hints(&scene.context, &scene.indicators, &scene.points);
    let mut blocks = vec![Block::items(hints.iter().map(|hint| item(hint, scene)).collect())];
    blocks.extend(why::not_512(&scene.stored.finished).map(Block::text));
    Section::new("hints", "Findings", blocks)
}

/// The questions that every device has an answer to; left out if none of them was looked at.
pub(super) fn advice(scene: &Scene<'_>) -> Vec<Item> {
    let advice = flashscope_analysis::advice(&scene.context, &scene.indicators, &scene.points);
    let is_measured = advice.iter().any(|advice| !advice.experiments.is_empty());
    if is_measured { advice.iter().map(|advice| answer(advice, scene)).collect() } else { Vec::new() }
}

fn answer(advice: &Advice, scene: &Scene<'_>) -> Item {
    let text = format!("{}: {}", capital(advice.question), advice.answer);
    let mut micros: Vec<&str> = advice.experiments.iter().filter_map(|id| id.split('/').next()).collect();
    micros.dedup();
    let links = micros.into_iter().filter_map(|name| link(name, scene)).collect();
    Item { links, ..told(advice.state, text, &advice.because) }
}

fn item(hint: &Hint, scene: &Scene<'_>) -> Item {
    let links = hint.seen_in.iter().filter_map(|name| link(name, scene)).collect();
    Item { links, ..told(hint.state, hint.text.clone(), &hint.evidence) }
}

/// Only what is supported is something to use.
fn told(state: Support, text: String, because: &str) -> Item {
    let tone = if state == Support::Supported { Tone::Good } else { Tone::Plain };
    Item { tone, ..Item::good(text, because) }.weighed(state)
}

/// With a capital letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A name is that of a micro-benchmark or the id of an experiment.
fn link(name: &str, scene: &Scene<'_>) -> Option<Link> {
    let is_micro = scene.beside.micros.iter().any(|micro| micro.name == name);
    if is_micro {
        return Some(Link::to(chart_id(name), format!("{} chart", words::micro(name).0)));
    }
    let of = |done: &&&Finished| done.experiment.id() == name && done.run.records.is_some();
    let done = scene.runs.iter().find(of)?;
    Some(Link::to(trace_id(done), format!("every IO of {name}")))
}

/// What weakens the result.
pub(super) fn doubts(scene: &Scene<'_>) -> Vec<Item> {
    let mut warnings = Vec::new();
    if !scene.runs.is_empty() && !super::measured::is_measure(scene.stored) {
        warnings = match scene.beside.suite {
            Some(_) => flashscope_analysis::suite_warnings(&scene.context, &scene.points),
            None => flashscope_analysis::warnings(&scene.context, &scene.indicators, &scene.points),
        };
    }
    warnings.iter().chain(&scene.stored.warnings).map(|warning| doubt(warning, scene)).collect()
}

/// The first clause says what was seen; where it was, and what to do, is its detail.
fn doubt(warning: &Warning, scene: &Scene<'_>) -> Item {
    let remedy = (scene.beside.remedy)(&warning.remedy, scene.beside.resume);
    let clause = warning.seen.split_once(": ").filter(|(first, _)| first.contains(' '));
    match clause {
        Some((first, rest)) => Item::alert(format!("{first}."), format!("{} {remedy}", capital(rest))),
        None => Item::alert(warning.seen.clone(), remedy),
    }
}
