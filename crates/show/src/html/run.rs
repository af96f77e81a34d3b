//! The page of a characterisation, and of single measurements: what was measured on a device.

mod about;
pub(super) mod characteristics;
pub(crate) mod charts;
mod experiments;
mod hints;
mod measured;
mod performance;
mod responses;
mod suite;
pub(crate) mod summary;
mod traces;
mod words;

use super::document::{Document, Section};
use crate::view::OfSuite;
use flashscope_analysis::{Context, Finished, Indicators, Point, Remedy, Warning, indicators, points};
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

    fn document(&self, kind: &'static str, mut sections: Vec<Section>) -> Document {
        sections.retain(|section| !section.blocks.is_empty());
        Document::new(kind, &self.context.target.name, about::in_a_line(self), sections)
            .made_by(&self.stored.manifest.flashscope_version)
    }
}

/// What a characterisation says.
pub fn run_page(stored: &Stored, beside: &Beside<'_>) -> Document {
    let scene = Scene::new(stored, beside);
    if let Some(suite) = beside.suite {
        return suite_page(&scene, suite);
    }
    let sections = vec![
        summary::section(&scene),
        performance::section(&scene),
        hints::hints(&scene),
        charts::section(&scene),
        traces::section(&scene),
        experiments::section(&scene),
        about::section(&scene),
    ];
    scene.document("run", sections)
}

/// What another suite says.
fn suite_page(scene: &Scene<'_>, suite: OfSuite<'_>) -> Document {
    let sections = vec![
        suite::summary(scene, suite.reading),
        suite::results(suite.reading),
        traces::section(scene),
        experiments::section(scene),
        about::section(scene),
    ];
    let mut document = scene.document("run", sections);
    document.subtitle = format!("suite {} · {}", suite.name, document.subtitle);
    document
}

/// What single measurements say: one, or the sizes that were tried.
pub fn measure_page(stored: &Stored, beside: &Beside<'_>) -> Document {
    let scene = Scene::new(stored, beside);
    let sections = vec![
        measured::summary(&scene),
        measured::section(&scene),
        traces::section(&scene),
        experiments::section(&scene),
        about::section(&scene),
    ];
    scene.document("measure", sections)
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
        precision: None,
        preparation_errors: Default::default(),
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
