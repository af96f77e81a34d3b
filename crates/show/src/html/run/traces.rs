//! Every IO of every run, with what was found in it.

use flashscope_analysis::{Finished, Stop};

use super::Scene;
use crate::html::dense::{Marks, Trace};
use crate::html::document::{Block, Section};
use crate::view::measure::{period, startup};
use flashscope_core::number::{counted, percent, span};

/// More traces than these make a page unwieldy; beyond, only the first repeat of each experiment is shown.
const TRACES_MAX: usize = 1500;

/// Where every IO of a run is shown.
pub(super) fn trace_id(done: &Finished) -> String {
    trace_id_of(&done.experiment.id(), done.repeat)
}

/// The same for an experiment's id.
pub(in super::super) fn trace_id_of(experiment: &str, repeat: u32) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("trace-{}-{repeat}", experiment.chars().map(plain).collect::<String>())
}

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let has_ios = |done: &&&Finished| done.run.records.is_some();
    let mut runs: Vec<&Finished> = scene.runs.iter().filter(has_ios).copied().collect();
    let mut blocks = Vec::new();
    if runs.len() > TRACES_MAX {
        let all = runs.len();
        runs.retain(|done| done.repeat == 0);
        runs.truncate(TRACES_MAX);
        let shown = runs.len();
        blocks.push(Block::text(format!(
            "{shown} of {all} runs are shown; the others are in the folder's ios/."
        )));
    }
    let repeats = scene.runs.iter().map(|done| done.repeat + 1).max().unwrap_or(1);
    blocks.extend(runs.into_iter().filter_map(|done| trace(done, repeats)).map(Block::Trace));
    Section::new("traces", "Every IO", blocks)
}

fn trace(done: &Finished, repeats: u32) -> Option<Trace> {
    let file = done.run.records.clone()?;
    let id = done.experiment.id();
    let title = if repeats > 1 { format!("{id}, repeat {}", done.repeat + 1) } else { id };
    let trace = Trace::unread(trace_id(done), title, file);
    Some(Trace { ios: done.run.ios, caption: caption(done), marks: marks(done), ..trace })
}

/// What was found, in a line.
fn caption(done: &Finished) -> String {
    let outcome = &done.run.outcome;
    let mean = outcome.estimate.map_or("too short for a mean".into(), |estimate| {
        format!("mean {} ± {}", span(estimate.mean_ns), percent(estimate.relative_half_width()))
    });
    let early = match outcome.stopped_because {
        Stop::Interrupted => "; interrupted",
        Stop::Failed => "; an IO failed",
        Stop::Ended => "; ended by another job",
        _ => "",
    };
    let (startup, period) = (startup(&outcome.phases), period(&outcome.phases));
    let ios = counted(done.run.ios, "IO");
    format!("{}; {ios}, warm-up: {startup}, period: {period}, {mean}{early}.", done.experiment.pattern)
}

fn marks(done: &Finished) -> Marks {
    let outcome = &done.run.outcome;
    let phases = &outcome.phases;
    Marks {
        startup_ios: phases.startup_ios,
        startup_range_ios: [phases.startup_ios_low, phases.startup_ios_high],
        regimes: phases.regimes.iter().map(|regime| (regime.from_ios, regime.mean_ns)).collect(),
        period_ios: phases.period.map(|period| period.ios),
        mean_ns: outcome.estimate.map(|of| [of.mean_ns, of.ci_low_ns, of.ci_high_ns]),
    }
}
