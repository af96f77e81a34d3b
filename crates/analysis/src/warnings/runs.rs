//! Warnings about single runs: not level, not precise, not alike.

use super::{Scene, says};
use crate::compare::difference;
use crate::estimate::Estimate;
use crate::findings::Warning;
use crate::hints::words;
use crate::judge::{Stop, Why};
use crate::remedy::Remedy;
use crate::result::{Point, Run};

/// Means of repeats that differ by less than this share do not matter.
const DISAGREEMENT_MIN: f64 = 0.1;

/// The ids of points with a run of which `is_bad` holds, and the first such run.
fn bad_runs<'a>(scene: &Scene<'a>, is_bad: fn(&Run) -> bool) -> Option<(String, usize, &'a Run)> {
    let bad = |point: &Point<'a>| point.runs.iter().copied().filter(|run| is_bad(run)).collect::<Vec<_>>();
    let all: Vec<(String, Vec<&'a Run>)> =
        scene.points.iter().map(|point| (point.experiment.id(), bad(point))).collect();
    let runs: Vec<&'a Run> = all.iter().flat_map(|(_, runs)| runs.iter().copied()).collect();
    let ids: Vec<String> = all.into_iter().filter(|(_, runs)| !runs.is_empty()).map(|(id, _)| id).collect();
    runs.first().map(|first| (words::some(&ids), runs.len(), *first))
}

/// The limit that ended a run.
fn remedy(run: &Run) -> Remedy {
    Remedy::Limit(run.outcome.stopped_because)
}

fn wants(run: &Run) -> String {
    run.outcome.missing.map_or_else(|| "no more is known".into(), |why| why.to_string())
}

/// Runs that the write budget ended.
pub(super) fn cut_by_bytes(scene: &Scene<'_>) -> Option<Warning> {
    let (ids, count, first) = bad_runs(scene, |run| run.outcome.stopped_because == Stop::Bytes)?;
    let runs = words::counted(count as u64, "run");
    says(format!("{runs} reached the share of the write budget: {ids}."), remedy(first))
}

pub(super) fn without_mean(scene: &Scene<'_>) -> Option<Warning> {
    let (ids, count, first) = bad_runs(scene, |run| run.outcome.estimate.is_none())?;
    let runs = words::counted(count as u64, "run");
    says(format!("Ignored: {runs} that ended too early for a mean: {ids}."), remedy(first))
}

/// Runs during which the measuring process itself stood still.
pub(super) fn held_up(scene: &Scene<'_>) -> Option<Warning> {
    let (ids, count, _) = bad_runs(scene, Run::is_held_up)?;
    let left_out = left_out(scene, Run::is_held_up);
    let runs = words::counted(count as u64, "run");
    let counts = match left_out {
        0 => "Their means hold it.".into(),
        _ if left_out == count => {
            "They are ignored, because other runs of the same experiments are valid.".into()
        }
        _ => format!(
            "{left_out} of them are ignored, because other runs are valid; the means of the others hold it."
        ),
    };
    says(
        format!(
            "During {runs} the measuring process did not run for more than 5 % of the mean: {ids}. {counts}"
        ),
        Remedy::Other("Measure again on a machine that does nothing else.".into()),
    )
}

/// Runs that did not have the machine or the disk to themselves.
pub(super) fn disturbed(scene: &Scene<'_>) -> Option<Warning> {
    let (ids, count, _) = bad_runs(scene, Run::is_disturbed)?;
    let all = scene.points.iter().flat_map(|point| &point.runs).filter_map(|run| run.disturbance);
    let most = all.flat_map(|of| of.excesses()).max_by(|a, b| a.1.total_cmp(&b.1));
    let most = most.map_or(String::new(), |(by, share)| by.took(share));
    let counts = match left_out(scene, Run::is_disturbed) {
        0 => "What rests on them is weak evidence.".into(),
        out if out == count => {
            "They are ignored, because other runs of the same experiments are valid.".into()
        }
        out => format!("{out} of them are ignored, because other runs are valid; the rest is weak evidence."),
    };
    let runs = words::counted(count as u64, "run");
    says(
        format!("Not alone on machine and disk during {runs}: {ids}; at most {most}. {counts}"),
        Remedy::Other("Stop other programs, lift the quota, and run again.".into()),
    )
}

/// Bad runs that stand beside sound ones.
fn left_out(scene: &Scene<'_>, is_bad: impl Fn(&Run) -> bool) -> usize {
    let beside_sound = scene.points.iter().filter(|point| point.left_out > 0);
    beside_sound.flat_map(|point| &point.runs).filter(|run| is_bad(run)).count()
}

pub(super) fn not_stationary(scene: &Scene<'_>) -> Option<Warning> {
    let is_bad = |run: &Run| run.outcome.estimate.is_some() && !run.outcome.stationary;
    let (ids, count, first) = bad_runs(scene, is_bad)?;
    let left_out = left_out(scene, is_bad);
    let (runs, why, counts) = (words::counted(count as u64, "run"), wants(first), counting(count, left_out));
    says(
        format!("{runs} ended before a steady state was established: {ids}; the first: {why}. {counts}"),
        remedy(first),
    )
}

/// What became of `count` runs that were not level, of which `left_out` stood beside sound ones.
fn counting(count: usize, left_out: usize) -> String {
    let because = "because other runs of the same experiment are valid";
    match (count, left_out) {
        (1, 0) => "Its mean may include the warm-up.".into(),
        (_, 0) => "Their means may include the warm-up.".into(),
        (1, 1) => format!("It is ignored, {because}."),
        (_, 1) => {
            format!("1 of them is ignored, {because}; the means of the others may include the warm-up.")
        }
        _ if count == left_out => format!("They are ignored, {because}."),
        _ => format!(
            "{left_out} of them are ignored, {because}; the means of the others may include the warm-up."
        ),
    }
}

/// Of rounds the mean over all of them has to be precise; of a run for which nothing was asked, its own.
pub(super) fn not_precise(scene: &Scene<'_>) -> Option<Warning> {
    let Some(precision) = scene.context.precision else { return not_precise_alone(scene) };
    let width = |point: &Point<'_>| point.estimate.map(|mean| mean.relative_half_width());
    let wide =
        scene.points.iter().filter_map(|point| Some((point, width(point).filter(|w| *w > precision)?)));
    let wide: Vec<_> = wide.collect();
    let (worst, width) = wide.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let ids: Vec<String> = wide.iter().map(|(point, _)| point.experiment.id()).collect();
    let (all, limit) = (words::counted(wide.len() as u64, "experiment"), words::percent(precision));
    let because =
        worst.runs.iter().map(|run| run.outcome.stopped_because).find(|stop| *stop != Stop::Precision);
    says(
        format!(
            "{all} did not reach ± {limit} over all rounds: {}; the widest, {}, has ± {}.",
            words::some(&ids),
            worst.experiment.id(),
            words::percent(*width)
        ),
        Remedy::Limit(because.unwrap_or(Stop::Runtime)),
    )
}

fn not_precise_alone(scene: &Scene<'_>) -> Option<Warning> {
    let is_bad = |run: &Run| {
        let is_wide = matches!(run.outcome.missing, Some(Why::Wide { .. }));
        is_wide && run.outcome.estimate.is_some()
    };
    let (ids, count, first) = bad_runs(scene, is_bad)?;
    let (runs, why) = (words::counted(count as u64, "run"), wants(first));
    says(format!("{runs} did not reach the target precision: {ids}; the first: {why}."), remedy(first))
}

/// The two runs of a point that differ most, if surely and by enough to matter.
fn disagreement(point: &Point<'_>) -> Option<(Estimate, Estimate)> {
    let means = || point.runs.iter().filter_map(|run| run.outcome.estimate);
    let low = means().min_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns))?;
    let high = means().max_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns))?;
    let gap = difference(&high, &low).ok()?;
    let is_apart = high.ci_low_ns > low.ci_high_ns && gap.value > DISAGREEMENT_MIN * low.mean_ns;
    is_apart.then_some((low, high))
}

pub(super) fn disagreeing(scene: &Scene<'_>) -> Option<Warning> {
    let found: Vec<_> = scene.points.iter().filter_map(|point| Some((point, disagreement(point)?))).collect();
    let (first, (low, high)) = found.first()?;
    let ids: Vec<String> = found.iter().map(|(point, _)| point.experiment.id()).collect();
    says(
        format!(
            "Repeats of {} differ significantly: {}; {} gave {} and {}.",
            words::counted(found.len() as u64, "experiment"),
            words::some(&ids),
            first.experiment.id(),
            words::mean(low),
            words::mean(high)
        ),
        "The device's state, its temperature or other load changed between the runs. Stop other load, \
         precondition, and run again.",
    )
}
