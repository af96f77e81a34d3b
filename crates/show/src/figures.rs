//! The pictures in a result folder: response times of the baselines, and a curve for each micro-benchmark.

use std::path::Path;

use crate::html::MicroDoc;
use crate::html::run::charts::chart;
use crate::{chart_figure, response_figure};
use flashscope_analysis::{Finished, points};
use flashscope_bench::Micros;
use flashscope_lab::Result;
use flashscope_store::{Responses, ResultFile, ResultFolder};

/// Columns of a picture; more IOs share one.
const BINS_MAX: u64 = 2_000;

/// A run's response times from its stored IOs, or nothing where these could not be kept.
pub fn responses(folder: &Path, finished: &Finished) -> Option<Responses> {
    let file = ResultFile::new(folder, finished.run.records.as_ref()?);
    Responses::read(&file, BINS_MAX).ok()
}

/// Draws all pictures of a run.
pub fn draw(folder: &ResultFolder, target: &str, finished: &[Finished]) -> Result<()> {
    let baselines = finished.iter().filter(|done| done.experiment.micro == "baseline" && done.repeat == 0);
    for baseline in baselines {
        let Some(responses) = responses(folder.path(), baseline) else { continue };
        let curve = &baseline.experiment.curve;
        let title = format!("{target}: every {curve} of {}", baseline.experiment.label);
        let startup_ios = baseline.run.outcome.phases.startup_ios;
        folder.write_text(
            &format!("baseline-{curve}.svg"),
            &response_figure(&title, &responses, startup_ios),
        )?;
    }
    let points = points(finished);
    for micro in Micros::builtin().iter().filter(|micro| micro.parameter != "none") {
        let doc = MicroDoc { name: micro.name, doc: micro.doc, parameter: micro.parameter };
        let chart = chart(&doc, &points, &|_| None);
        let title = format!("{target}: {}", micro.doc);
        if let Some(picture) = chart.and_then(|chart| chart_figure(&title, &chart)) {
            folder.write_text(&format!("{}.svg", micro.name), &picture)?;
        }
    }
    Ok(())
}
