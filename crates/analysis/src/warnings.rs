//! The registry of warnings: what was seen that weakens a result, and what to do about it.
//!
//! Each looks at one thing and is one function and one line. A warning never changes a number.

mod runs;

use crate::findings::{Indicators, Warning};
use crate::hints::words;
use crate::indicators::curve::baseline;
use crate::indicators::{areas, unmeasured};
use crate::io_errors::IoErrors;
use crate::lingering::Lingering;
use crate::remedy::Remedy;
use crate::result::{Context, Point};

/// In the order in which they are shown: the gravest first.
const WARNINGS: &[fn(&Scene<'_>) -> Option<Warning>] = &[
    incomplete,
    failed_ios,
    preparation_errors,
    runs::cut_by_bytes,
    not_measured,
    runs::without_mean,
    runs::held_up,
    runs::disturbed,
    runs::not_stationary,
    runs::not_precise,
    runs::disagreeing,
    state_unknown,
    lingering,
    generator_near,
    part_of_target,
    locality_without_limit,
];

/// Share of what flashscope itself could do from which its own cost is part of what was measured.
const GENERATOR_SHARE_MAX: f64 = 0.25;
/// A smaller part of the target than this is not the target.
const TARGET_SHARE_MIN: f64 = 0.9;

struct Scene<'a> {
    context: &'a Context,
    indicators: &'a Indicators,
    points: &'a [Point<'a>],
}

/// What was seen and what to do, the gravest first. None of it is an error.
pub fn warnings(context: &Context, indicators: &Indicators, points: &[Point<'_>]) -> Vec<Warning> {
    let scene = Scene { context, indicators, points };
    WARNINGS.iter().filter_map(|warning| warning(&scene)).collect()
}

/// The same for a suite, whose runs are as long as it says and whose reading says what they mean.
pub fn suite_warnings(context: &Context, points: &[Point<'_>]) -> Vec<Warning> {
    let scene = Scene { context, indicators: &Indicators::default(), points };
    let of_suites =
        [incomplete, failed_ios, preparation_errors, runs::cut_by_bytes, runs::disturbed, generator_near];
    of_suites.iter().filter_map(|warning| warning(&scene)).collect()
}

fn says(seen: impl Into<String>, remedy: impl Into<Remedy>) -> Option<Warning> {
    Some(Warning { seen: seen.into(), remedy: remedy.into() })
}

fn incomplete(scene: &Scene<'_>) -> Option<Warning> {
    let runs: usize = scene.points.iter().map(|point| point.runs.len()).sum();
    if scene.context.complete {
        return None;
    }
    let runs = words::counted(runs as u64, "finished run");
    says(format!("Incomplete: only {runs}."), Remedy::Resume)
}

/// What to do about IOs that failed.
const OF_ERRORS: &str = "See `dmesg` and the drive's SMART log: a drive that fails is also slow where it \
                         does not fail. Measure a part that works.";

fn failed_ios(scene: &Scene<'_>) -> Option<Warning> {
    let errors = |point: &Point<'_>| {
        let mut all = IoErrors::default();
        point.runs.iter().for_each(|run| all.append(&run.errors));
        all
    };
    let failed: Vec<(String, IoErrors)> = scene
        .points
        .iter()
        .map(|point| (point.experiment.id(), errors(point)))
        .filter(|(_, errors)| !errors.is_empty())
        .collect();
    let first = failed.iter().find_map(|(_, errors)| errors.first.first())?;
    let ids: Vec<String> =
        failed.iter().map(|(id, errors)| format!("{id} ({})", words::digits(errors.count as f64))).collect();
    let count = failed.iter().map(|(_, errors)| errors.count).sum();
    says(
        format!(
            "{} failed and {} no response time: {}; the first: {first}. Runs with errors do not count beside \
             others of the same experiment.",
            words::counted(count, "IO"),
            if count == 1 { "has" } else { "have" },
            words::some(&ids),
        ),
        OF_ERRORS,
    )
}

fn preparation_errors(scene: &Scene<'_>) -> Option<Warning> {
    let errors = &scene.context.preparation_errors;
    let first = errors.first.first()?;
    let ios = words::counted(errors.count, "IO");
    says(format!("{ios} failed while the device was prepared; the first: {first}."), OF_ERRORS)
}

/// Indicators that are blank for lack of a mean, which says nothing of an effect. Only of micro-benchmarks of
/// which something ran: the others were not asked for, or are still to come.
fn not_measured(scene: &Scene<'_>) -> Option<Warning> {
    let is_asked = |micro: &str| scene.points.iter().any(|point| point.experiment.micro == micro);
    let mut missing = unmeasured(scene.points);
    missing.retain(|need| is_asked(need.micro));
    if missing.is_empty() {
        return None;
    }
    let mut indicators: Vec<&str> =
        missing.iter().flat_map(|need| need.indicators).map(|key| named(key)).collect();
    indicators.dedup();
    let curves: Vec<String> =
        missing.iter().map(|need| format!("{}/{}", need.micro, need.curves[0])).collect();
    let wrote = scene.points.iter().any(|point| point.experiment.pattern.writes());
    let mut micros: Vec<&str> = missing.iter().map(|need| need.micro).collect();
    micros.dedup();
    let remedy = match (scene.context.complete, wrote) {
        (false, _) => Remedy::Resume,
        (true, false) => Remedy::AllowWrites,
        (true, true) => Remedy::Measure(micros.into_iter().map(String::from).collect()),
    };
    says(
        format!(
            "Not measured, so a blank does not mean no effect: {} (no mean of {}).",
            indicators.join(", "),
            curves.join(", ")
        ),
        remedy,
    )
}

/// An indicator's key as a person calls it: the heading of its column.
fn named(key: &str) -> &str {
    match key {
        "sr_ms" => "seq read",
        "rr_ms" => "rand read",
        "sw_ms" => "seq write",
        "rw_ms" => "rand write",
        "pause_ms" => "effective pause",
        "locality_mib" | "locality_factor" => "random writes within",
        "partitions" | "partitions_factor" => "write streams",
        "reverse_factor" => "descending addresses",
        "in_place_factor" => "rewrite of one address",
        "large_increment_factor" => "strided writes",
        "granularity_bytes" => "granularity",
        "alignment_bytes" | "alignment_factor" => "alignment",
        other => other,
    }
}

fn state_unknown(scene: &Scene<'_>) -> Option<Warning> {
    let wrote = scene.points.iter().any(|point| point.experiment.pattern.writes());
    if !scene.context.state.contains("as-is") {
        return None;
    }
    let of = if wrote { "Writes" } else { "Reads" };
    says(
        format!("No preconditioning: the initial state of the device is unknown, and {of} depend on it."),
        Remedy::EnforceState,
    )
}

fn lingering(scene: &Scene<'_>) -> Option<Warning> {
    let interference = scene.context.interference?;
    let of = |seen: &Lingering| {
        let (ios, time) = (words::counted(seen.affected_ios, "IO"), words::span(seen.affected_ns));
        format!("{ios} ({time})")
    };
    let pause = words::span(interference.pause_ns as f64);
    if let Some(left) = interference.after_pause.filter(|left| left.affected_ios > 0) {
        return says(
            format!("Reads were still slower for {} after random writes and a pause of {pause}.", of(&left)),
            Remedy::LongerPauses,
        );
    }
    let seen = interference.lingering.filter(|lingering| !lingering.ended)?;
    says(
        format!(
            "Reads were still slower {} after random writes, when the measurement of it ended.",
            of(&seen)
        ),
        format!(
            "The pause of {pause} between runs may be too short, so runs may affect each other; let the \
             device idle, and run again with more repeats.",
        ),
    )
}

fn generator_near(scene: &Scene<'_>) -> Option<Warning> {
    let iops_max = scene.context.generator_iops_max.filter(|iops| *iops > 0.0)?;
    let fastest = scene.points.iter().filter_map(|point| Some((point, iops(point)?)));
    let (point, iops) = fastest.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if iops <= GENERATOR_SHARE_MAX * iops_max {
        return None;
    }
    let share = words::percent(iops / iops_max);
    says(
        format!(
            "{} ran at {share} of the harness limit of {} IO/s: its response time includes harness overhead.",
            point.experiment.id(),
            words::digits(iops_max)
        ),
        "Take the shortest times as upper bounds; measure on a faster or less busy machine.",
    )
}

/// IOs a second of each thread, with all in flight that may be (Little 1961), pauses included.
fn iops(point: &Point<'_>) -> Option<f64> {
    let pattern = &point.experiment.pattern;
    let flying = f64::from(pattern.numjobs) * f64::from(pattern.iodepth);
    let pause_ns = pattern.thinktime.0 as f64 / pattern.thinktime_blocks.max(1) as f64;
    let mean_ns = point.estimate?.mean_ns + pause_ns;
    let threads = f64::from(point.runs.iter().filter_map(|run| run.threads).max().unwrap_or(1));
    (pattern.rate_iops.is_none() && mean_ns > 0.0).then(|| flying * 1e9 / mean_ns / threads)
}

fn part_of_target(scene: &Scene<'_>) -> Option<Warning> {
    let whole = scene.context.target.size_bytes;
    let end = scene.points.iter().map(|point| point.experiment.pattern.end_bytes()).max()?;
    let start = scene.points.iter().map(|point| point.experiment.pattern.offset.0).min()?;
    let part = end.saturating_sub(start);
    if part as f64 >= TARGET_SHARE_MIN * whole as f64 {
        return None;
    }
    let sizes = [part, whole].map(|bytes| words::size(bytes as f64));
    says(
        format!(
            "Only {} of {} were used: a small working set favours caches and garbage collection.",
            sizes[0], sizes[1]
        ),
        Remedy::MoreOfTarget,
    )
}

/// The area ends only where the locality micro-benchmark does.
fn locality_without_limit(scene: &Scene<'_>) -> Option<Warning> {
    let largest = areas(scene.points).last().copied()?;
    let rw = baseline(scene.points, "RW")?;
    let sw = baseline(scene.points, "SW")?;
    let is_cheap = largest.estimate.mean_ns <= rw.mean_ns / 2.0;
    if scene.indicators.locality_mib.is_some() || rw.mean_ns < 2.0 * sw.mean_ns || !is_cheap {
        return None;
    }
    let size = words::size(largest.parameter);
    says(
        format!("Random writes are fast within {size}, the largest area tried: locality limit not found."),
        Remedy::LargerAreas,
    )
}
