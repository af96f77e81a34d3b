//! The page of a characterisation, and of single measurements: what was measured on a device.

mod about;
pub(super) mod characteristics;
pub(crate) mod charts;
mod experiments;
mod hints;
mod measured;
mod suite;
mod traces;

use flashscope_analysis::{Context, Finished, Indicators, Point, Remedy, Warning, indicators, points};
use flashscope_core::total;

use super::document::{Document, Section};
use crate::view::OfSuite;
use crate::view::state_words;
use flashscope_core::number::{counted, size};
use flashscope_store::Stored;

pub(super) use characteristics::{CHARACTERISTICS, Characteristic};
pub(super) use charts::chart_id;
pub use measured::is_measure;
use traces::trace_id;
pub(super) use traces::trace_id_of;

/// A micro-benchmark as whoever runs it describes it.
#[derive(Debug, Clone, Copy)]
pub struct MicroDoc {
    /// Its name in results.
    pub name: &'static str,
    /// What it asks.
    pub doc: &'static str,
    /// The parameter that varies, with its unit: `IOSize, bytes`; `none` if nothing does.
    pub parameter: &'static str,
}

/// A device whose key characteristics are known.
#[derive(Debug, Clone)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// What was published of it.
    pub indicators: Indicators,
}

/// What is said of a result, and is not in its folder.
#[derive(Debug, Clone)]
pub struct Beside<'a> {
    /// All micro-benchmarks, in the order in which they are explained.
    pub micros: &'a [MicroDoc],
    /// Devices to set this one beside.
    pub known: &'a [Known],
    /// The command that finishes the run.
    pub resume: &'a str,
    /// A remedy in words, with that command.
    pub remedy: fn(&Remedy, &str) -> String,
    /// What of the folder is damaged.
    pub damage: &'a [Warning],
    /// What another suite than uFLIP says.
    pub suite: Option<OfSuite<'a>>,
}

/// Everything that is shown, found once.
struct Scene<'a> {
    stored: &'a Stored,
    beside: &'a Beside<'a>,
    context: Context,
    points: Vec<Point<'a>>,
    indicators: Indicators,
    /// What is to be shown one by one: each repeat of each experiment once.
    runs: Vec<&'a Finished>,
}

impl<'a> Scene<'a> {
    fn new(stored: &'a Stored, beside: &'a Beside<'a>) -> Scene<'a> {
        let points = points(&stored.finished);
        let indicators = indicators(&points);
        Scene { stored, beside, context: context(stored), points, indicators, runs: runs(stored) }
    }

    fn document(&self, kind: &'static str, sections: Vec<Section>) -> Document {
        let manifest = &self.stored.manifest;
        let ios = total(self.runs.iter().map(|done| done.run.ios));
        let date = manifest.created.get(..10).unwrap_or_default().to_string();
        let size = if self.context.target.size_bytes == 0 {
            String::new()
        } else {
            size(self.context.target.size_bytes as f64)
        };
        let state = state_words(&self.context.state);
        let parts = [size, state, date, counted(ios, "IO")].into_iter().filter(|part| !part.is_empty());
        let subtitle = parts.collect::<Vec<_>>().join(" · ");
        Document::new(kind, &self.context.target.name, subtitle, sections)
            .made_by(&manifest.flashscope_version)
    }
}

/// What a characterisation says.
pub fn run_page(stored: &Stored, beside: &Beside<'_>) -> Document {
    let scene = Scene::new(stored, beside);
    if let Some(suite) = beside.suite {
        return suite_page(&scene, suite);
    }
    let mut sections = vec![
        hints::advice(&scene),
        about::device(&scene),
        characteristics::section(&scene),
        hints::hints(&scene),
        hints::doubts(&scene),
        charts::section(&scene),
        traces::section(&scene),
        experiments::section(&scene),
        about::method(),
    ];
    if !about::is_whole(&scene) {
        // What is wrong with the answers comes before them.
        sections.swap(0, 1);
    }
    let has_blocks = |section: &Section| !section.blocks.is_empty();
    scene.document("run", sections.into_iter().filter(has_blocks).collect())
}

/// What another suite says.
fn suite_page(scene: &Scene<'_>, suite: OfSuite<'_>) -> Document {
    let mut sections = vec![
        suite::sentences(suite.reading),
        about::device(scene),
        suite::results(suite.reading),
        hints::doubts(scene),
        traces::section(scene),
        experiments::section(scene),
    ];
    if !about::is_whole(scene) {
        sections.swap(0, 1);
    }
    sections.retain(|section| !section.blocks.is_empty());
    let mut document = scene.document("run", sections);
    document.subtitle = format!("suite {} · {}", suite.name, document.subtitle);
    document
}

/// What single measurements say: one, or the sizes that were tried.
pub fn measure_page(stored: &Stored, beside: &Beside<'_>) -> Document {
    let scene = Scene::new(stored, beside);
    let sections = vec![
        measured::section(&scene),
        hints::doubts(&scene),
        traces::section(&scene),
        about::device(&scene),
        experiments::section(&scene),
        about::method(),
    ];
    let has_blocks = |section: &Section| !section.blocks.is_empty();
    scene.document("measure", sections.into_iter().filter(has_blocks).collect())
}

/// What is known of the whole run; of one that was killed at once what was known before it.
fn context(stored: &Stored) -> Context {
    stored.context.clone().unwrap_or_else(|| Context {
        target: stored.manifest.target.clone(),
        state: stored.manifest.state.clone(),
        generator_iops_max: None,
        interference: None,
        complete: false,
        physical_block_bytes: None,
    })
}

/// The runs that count, baselines first: of one that was done again the later.
fn runs(stored: &Stored) -> Vec<&Finished> {
    let mut latest = std::collections::BTreeMap::new();
    for (place, done) in stored.finished.iter().enumerate() {
        latest.insert((done.experiment.id(), done.repeat), place);
    }
    let mut places: Vec<usize> = latest.into_values().collect();
    places.sort_unstable();
    let mut runs: Vec<&Finished> = places.into_iter().map(|place| &stored.finished[place]).collect();
    runs.sort_by_key(|done| done.experiment.micro != "baseline");
    runs
}
