//! From windows and rates to what they mean. A quantity is stated where two kinds of evidence agree, and what
//! else could look like it is excluded; where not, it is unknown, with the reason and without a number.

mod buffer;
mod cache;
mod costs;
mod depth;
mod finding;
mod spare;
mod steps;

use flashscope_analysis::{Context, Experiment, Finished, Point, Reading, Run, points};

pub(super) use buffer::is_between;

type Points<'a> = [Point<'a>];

pub(super) fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let (mut reading, mut found) = (Reading::default(), finding::Findings::default());
    depth::read(&points, &mut reading, &mut found);
    let buffer = buffer::read(&points, &mut reading, &mut found);
    let cache = cache::read(&points, &buffer, &mut reading, &mut found);
    spare::read(&points, context, (&buffer, &cache), &mut reading, &mut found);
    costs::tail(&points, &mut reading);
    costs::flush(&points, &mut reading);
    costs::trim(&points, &mut reading);
    costs::idle(&points, (&buffer, &cache), &mut reading);
    found.show(&mut reading);
    reading
}

fn of<'a, 'b>(points: &'b Points<'a>, micro: &'b str) -> impl Iterator<Item = &'b Point<'a>> {
    points.iter().filter(move |point| point.experiment.micro == micro)
}

/// The last run that came to its own end without a failed IO: half of one says nothing of the whole, and a
/// worn-out device nothing of its sizes.
fn last_run<'a>(point: &Point<'a>) -> Option<&'a Run> {
    let is_whole = |run: &&&Run| !run.outcome.stopped_because.is_early() && run.errors.is_empty();
    point.runs.iter().rev().find(is_whole).copied()
}

/// The experiment of that group at that label, with its run.
fn at<'a>(points: &Points<'a>, micro: &str, label: &str) -> Option<(&'a Experiment, &'a Run)> {
    let point = of(points, micro).find(|point| point.experiment.label == label)?;
    Some((point.experiment, last_run(point)?))
}

/// Mean time of the IOs of each window of a run, in ns.
fn times(run: &Run) -> Vec<f64> {
    run.windows.iter().filter_map(|window| window.mean_ns()).collect()
}
