//! Findings, recommendations and caveats.

use flashscope_analysis::{Advice, Finished, Hint, Warning};

use super::charts::chart_id;
use super::{Scene, trace_id};
use crate::html::document::{Block, Item, Link, Section};
use crate::view::why;

pub(super) fn hints(scene: &Scene<'_>) -> Section {
    let hints = flashscope_analysis::hints(&scene.context, &scene.indicators, &scene.points);
    let items: Vec<Item> = hints.iter().map(|hint| item(hint, scene)).collect();
    let mut blocks = Vec::new();
    if !items.is_empty() {
        blocks.push(Block::Items { items });
    }
    blocks.extend(why::not_512(&scene.stored.finished).map(Block::text));
    Section::new("hints", "Findings", blocks)
}

/// The questions that every device has an answer to; left out if none of them was looked at.
pub(super) fn advice(scene: &Scene<'_>) -> Section {
    let advice = flashscope_analysis::advice(&scene.context, &scene.indicators, &scene.points);
    let is_measured = advice.iter().any(|advice| !advice.experiments.is_empty());
    let items = advice.iter().map(|advice| answer(advice, scene)).collect();
    let blocks = if is_measured { vec![Block::Items { items }] } else { Vec::new() };
    Section::new("advice", "Recommendations", blocks)
}

fn answer(advice: &Advice, scene: &Scene<'_>) -> Item {
    let text = format!("{}: {}", advice.question, advice.answer);
    let mut micros: Vec<&str> = advice.experiments.iter().filter_map(|id| id.split('/').next()).collect();
    micros.dedup();
    let names = micros.into_iter().chain(advice.experiments.iter().map(String::as_str));
    let links = names.filter_map(|name| link(name, scene)).collect();
    Item { links, ..Item::good(text, &advice.because) }
}

fn item(hint: &Hint, scene: &Scene<'_>) -> Item {
    let links = hint.seen_in.iter().filter_map(|name| link(name, scene)).collect();
    Item { links, ..Item::good(&hint.text, &hint.evidence) }
}

/// A name is that of a micro-benchmark or the id of an experiment.
fn link(name: &str, scene: &Scene<'_>) -> Option<Link> {
    let is_micro = scene.beside.micros.iter().any(|micro| micro.name == name);
    if is_micro {
        return Some(Link::to(chart_id(name), name));
    }
    let of = |done: &&&Finished| done.experiment.id() == name && done.run.records.is_some();
    let done = scene.runs.iter().find(of)?;
    Some(Link::to(trace_id(done), format!("every IO of {name}")))
}

pub(super) fn doubts(scene: &Scene<'_>) -> Section {
    let mut warnings = Vec::new();
    if !scene.runs.is_empty() && !super::measured::is_measure(scene.stored) {
        warnings = match scene.beside.suite {
            Some(_) => flashscope_analysis::suite_warnings(&scene.context, &scene.points),
            None => flashscope_analysis::warnings(&scene.context, &scene.indicators, &scene.points),
        };
    }
    let mut items: Vec<Item> =
        warnings.iter().chain(&scene.stored.warnings).map(|warning| doubt(warning, scene)).collect();
    if super::measured::is_measure(scene.stored) {
        let missing = scene.runs.iter().filter_map(|done| Some((done, done.run.outcome.missing?)));
        let text = |id: String, why| format!("{id}: not reached: {why}");
        items.extend(missing.map(|(done, why)| Item::alert(text(done.experiment.id(), why), "")));
    }
    let blocks = if items.is_empty() { Vec::new() } else { vec![Block::Items { items }] };
    Section::new("doubts", "Caveats", blocks)
}

fn doubt(warning: &Warning, scene: &Scene<'_>) -> Item {
    let remedy = (scene.beside.remedy)(&warning.remedy, scene.beside.resume);
    Item::alert(warning.seen.clone(), remedy)
}
