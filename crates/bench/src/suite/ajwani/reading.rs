//! What paper 000's tables and figures would show of this device.

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{
    Context, Estimate, Finished, Point, Reading, Run, chance, discoveries, points, ratio,
};
use flashscope_core::number::{digits, exact_size, factor, percent, plain, span};
use flashscope_core::{Bytes, Rw};

use super::super::read::{FALSE_MAX, curves, find, mb_per_s, mean, median};
use super::{
    AFTER_BURST, ALIGNED, BS_MIN, ENDURANCE, LARGE_BS, LONG, MISALIGNED, PHASE_IOS, PHASES, REWRITE,
    STEADY_IOS,
};
use crate::self_scaling::GAIN_MIN;

type Points<'a> = [Point<'a>];

pub(super) fn reading(_: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut reading = Reading::default();
    row_of_table_3_1(&points, &mut reading);
    aligned(&points, &mut reading);
    after_bursts(&points, &mut reading);
    rewrites(&points, &mut reading);
    misaligned(&points, &mut reading);
    long_series(&points, &mut reading);
    endurance(&points, &mut reading);
    reading
}

/// The experiments of a group, in order.
fn of<'b, 'a>(points: &'b Points<'a>, micro: &'b str) -> impl Iterator<Item = &'b Point<'a>> {
    points.iter().filter(move |point| point.experiment.micro == micro)
}

/// The values of something in a group, each once and in order.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    values.for_each(|value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
    });
    seen
}

fn aligned_at<'b, 'a>(points: &'b Points<'a>, rw: Rw, bs: Bytes) -> Option<&'b Point<'a>> {
    find(points, ALIGNED, rw.short_name(), &bs.to_string())
}

fn steady(points: &Points<'_>, rw: Rw, bs: Bytes) -> Vec<f64> {
    aligned_at(points, rw, bs).map_or(Vec::new(), mb_per_s)
}

/// The speed of an experiment, if each of its runs has the IOs that a conclusion needs.
fn sure(point: &Point<'_>) -> Option<f64> {
    let is_enough = point.runs.iter().all(|run| run.ios >= STEADY_IOS);
    mean(&mb_per_s(point)).filter(|_| is_enough)
}

fn sure_steady(points: &Points<'_>, rw: Rw, bs: Bytes) -> Option<f64> {
    sure(aligned_at(points, rw, bs)?)
}

/// Table 3.1's row: 512 B, or the least that the device takes, and 2 MB.
fn row_of_table_3_1(points: &Points<'_>, reading: &mut Reading) {
    let sizes = distinct(of(points, ALIGNED).map(|point| point.experiment.pattern.bs));
    let Some(least) = sizes.first().copied() else { return };
    let caption = "The paper's row in MB/s (10^6 bytes); means of the runs.";
    let columns = ["IO size", "seq read, MB/s", "rand read, MB/s", "seq write, MB/s", "rand write, MB/s"];
    let mut table = Table::new("table-3-1", "The row of table 3.1", caption, columns);
    for bs in [least, Bytes(LARGE_BS)].into_iter().filter(|bs| sizes.contains(bs)) {
        let cells = Rw::ALL.map(|rw| Cell::mean(&steady(points, rw, bs)));
        table.add([Cell::words(bs.to_string())].into_iter().chain(cells));
    }
    reading.tables.push(table);
    let small = |rw| sure_steady(points, rw, least);
    if let Some((sequential, random)) = small(Rw::Write).zip(small(Rw::RandWrite)) {
        let large = sure_steady(points, Rw::Write, Bytes(LARGE_BS));
        let beside = large
            .map_or(String::new(), |large| format!(", {} times lower than at 2 MiB", digits(large / random)));
        let (factor, smallest) = (sequential / random, exact_size(least.0));
        let text = if factor > 1.25 {
            format!(
                "Throughput of random writes of {smallest} is {} times lower than of sequential \
                 ones{beside}.",
                digits(factor)
            )
        } else {
            format!("Throughput of random writes of {smallest} is not lower than of sequential ones{beside}.")
        };
        reading.say(text, "the paper: at least 10 times, and at least 100 times, on most devices");
    }
    if least.0 > BS_MIN {
        reading.warn(
            format!("The device supports no IO below {}: the row is for that size.", exact_size(least.0)),
            "",
        );
    }
}

/// Figure 3.1 and the self-scaling limits.
fn aligned(points: &Points<'_>, reading: &mut Reading) {
    let sizes = distinct(of(points, ALIGNED).map(|point| point.experiment.pattern.bs));
    if sizes.is_empty() {
        return;
    }
    let columns = ["IO size", "seq read, MB/s", "rand read, MB/s", "seq write, MB/s", "rand write, MB/s"];
    let caption = "Steady, aligned patterns (figure 3.1).";
    let mut table = Table::new("aligned", "Throughput against IO size", caption, columns);
    for bs in &sizes {
        let cells = Rw::ALL.map(|rw| Cell::mean(&steady(points, rw, *bs)));
        table.add([Cell::words(bs.to_string())].into_iter().chain(cells));
    }
    reading.tables.push(table);
    let curves = Rw::ALL.map(|rw| {
        let points = sizes.iter().filter_map(|bs| Some((bs.0 as f64, mean(&steady(points, rw, *bs))?)));
        Series::line(rw.short_name(), points)
    });
    let limit = |rw: Rw| {
        let of_size = |bs: &Bytes| aligned_at(points, rw, *bs).filter(|point| sure(point).is_some());
        let of_size = sizes.iter().filter_map(|bs| Some((bs.0, of_size(bs)?.estimate?)));
        Some(format!("{} {}", rw.short_name(), Bytes(limit(&of_size.collect::<Vec<_>>())?)))
    };
    let limits: Vec<String> = Rw::ALL.into_iter().filter_map(limit).collect();
    let (x, y) = (Axis::log("IO size", "bytes"), Axis::log("throughput", "MB/s"));
    let title = "Throughput against IO size";
    reading.charts.push(Chart::new("figure-3-1", title, caption, [x, y], curves.to_vec()));
    if !limits.is_empty() {
        let text = format!("Throughput saturates at an IO size of: {}.", limits.join(", "));
        reading.say(text, "the first size whose doubling gains less than 2.5 % (self-scaling)");
    }
    let unsure = points.iter().filter(|point| [ALIGNED, MISALIGNED].contains(&&*point.experiment.micro));
    let unsure = distinct(unsure.filter(|p| sure(p).is_none()).map(|p| p.experiment.pattern.bs.to_string()));
    if !unsure.is_empty() {
        let text = format!("No conclusion from some runs of {}: too few IOs.", unsure.join(", "));
        reading
            .warn(text, format!("fewer than {STEADY_IOS}: interrupted, or measured by an earlier version"));
    }
}

/// The first of the sizes in bytes after which doubling brings less than 2.5 %, by the upper end of its
/// interval; none if it always brings more, or if that is unknown.
fn limit(curve: &[(u64, Estimate)]) -> Option<u64> {
    let sure = |mean: Estimate| Estimate { confidence: 1.0 - FALSE_MAX / QUESTIONS, ..mean };
    let gain_max = |pair: &[(u64, Estimate)]| {
        let [(small, of_small), (large, of_large)] = pair else { unreachable!("two sizes") };
        let times = ratio(&sure(*of_large), &sure(*of_small)).ok()?;
        let growth = *large as f64 / *small as f64;
        (times.ci_low > 0.0).then(|| (growth / times.ci_low).powf(1.0 / growth.log2()) - 1.0)
    };
    curve.windows(2).find(|pair| gain_max(pair).is_some_and(|gain| gain < GAIN_MIN)).map(|pair| pair[0].0)
}

/// What the phases after a burst show.
struct Recovery {
    /// Median of the phases, MB/s.
    median: f64,
    /// Until a phase reaches 60 % of it.
    recovery_s: f64,
}

/// Fewer phases than this have no median: a third of the paper's.
const PHASES_MIN: usize = 10;
/// Share of the median at which the paper calls a device recovered.
const RECOVERED: f64 = 0.6;

/// Some of the IOs of a run.
struct Phase {
    /// When it ended, in seconds from the start of the run.
    end_s: f64,
    mb_per_s: f64,
}

/// The phases of a run. One of too few writes to have a speed is longer: it goes on with the next. Writes
/// come one after the other, so their times are the time that they took, wherever a phase begins.
fn phases(run: &Run) -> Vec<Phase> {
    let mut phases = Vec::new();
    let (mut ios, mut bytes, mut sum_ns) = (0, 0, 0);
    for window in &run.windows {
        (ios, bytes, sum_ns) = (ios + window.ios, bytes + window.bytes, sum_ns + window.sum_ns);
        if ios >= PHASE_IOS && sum_ns > 0 {
            let end_s = window.end_ns as f64 / 1e9;
            phases.push(Phase { end_s, mb_per_s: bytes as f64 * 1e3 / sum_ns as f64 });
            (ios, bytes, sum_ns) = (0, 0, 0);
        }
    }
    phases
}

fn recovery(point: &Point<'_>) -> Option<Recovery> {
    let phases = phases(point.runs.last()?);
    if phases.len() < PHASES_MIN {
        return None;
    }
    let median = median(&phases.iter().map(|phase| phase.mb_per_s).collect::<Vec<_>>())?;
    let back = phases.iter().position(|phase| phase.mb_per_s >= RECOVERED * median)?;
    let recovery_s = back.checked_sub(1).map_or(0.0, |before| phases[before].end_s);
    Some(Recovery { median, recovery_s })
}

/// A speed beside the steady, aligned one of the same size.
struct Ratio<'a> {
    curve: &'a str,
    bs: Bytes,
    beside: f64,
    /// How probable it is without any difference between the two.
    chance: f64,
}

fn series(ratios: &[Ratio<'_>]) -> Vec<Series> {
    curves(ratios.iter().map(|ratio| (ratio.curve.into(), (ratio.bs.0 as f64, ratio.beside))))
}

/// Kinds of questions: saturation, bursts, whole rewrites, misalignment, age.
const QUESTIONS: f64 = 5.0;
/// The highest ratio that is reported as slower.
const SLOWER: f64 = 0.9;

/// The lowest of the ratios that are lower than chance explains: of many without an effect one is low.
fn slower<'b, 'a>(ratios: &'b [Ratio<'a>]) -> Option<&'b Ratio<'a>> {
    let chances: Vec<f64> = ratios.iter().map(|ratio| ratio.chance).collect();
    let found = ratios.iter().zip(discoveries(&chances, FALSE_MAX / QUESTIONS));
    let found = found.filter(|(ratio, is_found)| *is_found && ratio.beside < SLOWER);
    found.map(|(ratio, _)| ratio).min_by(|a, b| a.beside.total_cmp(&b.beside))
}

fn lowest(ratios: &[Ratio<'_>]) -> String {
    let least = ratios.iter().map(|ratio| ratio.beside).fold(f64::INFINITY, f64::min);
    format!("lowest ratio of all {}: {}", ratios.len(), factor(least))
}

/// How probable it is that so many of values that are as often above a border as below it are below.
fn chance_below(values: impl Iterator<Item = f64>, border: f64) -> f64 {
    let (mut all, mut below) = (0u32, 0u32);
    for value in values {
        all += 1;
        below += u32::from(value < border);
    }
    // Binomial coefficients over 2^n, from the last on.
    let mut term = 0.5f64.powi(all.min(1_000) as i32);
    let mut sum = 0.0;
    for others in 0..=all - below {
        sum += term;
        term *= f64::from(all - others) / f64::from(others + 1);
    }
    sum.min(1.0)
}

/// Figures 3.3 and C.1 to C.3.
fn after_bursts(points: &Points<'_>, reading: &mut Reading) {
    let curves = distinct(of(points, AFTER_BURST).map(|point| point.experiment.curve.as_str()));
    if curves.is_empty() {
        return;
    }
    let caption = "Sequential writes in 30 phases after a burst of random writes: median throughput, its \
        ratio to the steady throughput of the same size, and the time until a phase reaches 60 % of that \
        median (figures 3.3 and C.1).";
    let columns = ["burst", "IO size", "steady, MB/s", "median, MB/s", "ratio to steady, x", "recovery, s"];
    let mut table = Table::new("after-bursts", "After a burst of random writes", caption, columns);
    let mut ratios = Vec::new();
    for point in of(points, AFTER_BURST) {
        let (bs, curve) = (point.experiment.pattern.bs, &point.experiment.curve);
        let found = recovery(point);
        let steady = sure_steady(points, Rw::Write, bs);
        let beside = found.as_ref().zip(steady).map(|(found, steady)| found.median / steady);
        // The phases beside the slowest of the steady runs.
        let slowest = self::steady(points, Rw::Write, bs).into_iter().fold(f64::INFINITY, f64::min);
        let speeds = point.runs.last().map_or(Vec::new(), |run| phases(run));
        let by_phases = chance_below(speeds.iter().map(|phase| phase.mb_per_s), slowest);
        // Neighbouring phases are alike: their number alone says too much.
        let usual = aligned_at(points, Rw::Write, bs).and_then(|point| point.estimate);
        let by_means = point.estimate.zip(usual).map_or(1.0, |(mean, usual)| chance(&mean, &usual));
        let chance = by_phases.max(by_means);
        table.add([
            Cell::words(&**curve),
            Cell::words(bs.to_string()),
            Cell::number(steady),
            Cell::number(found.as_ref().map(|found| found.median)),
            Cell::number(beside),
            Cell::number(found.as_ref().map(|found| found.recovery_s)),
        ]);
        ratios.extend(beside.map(|beside| Ratio { curve, bs, beside, chance }));
    }
    let (x, y) = (Axis::log("IO size", "bytes"), Axis::linear("median / steady", "x"));
    let title = format!("After a burst, relative to steady{}", phase_words(points));
    reading.charts.push(Chart::new("figure-3-3", title, caption, [x, y], series(&ratios)));
    reading.charts.extend(timeline(points));
    reading.tables.push(table);
    match slower(&ratios) {
        Some(Ratio { curve, bs, beside: least, .. }) => reading.say(
            format!("Random writes slow down subsequent sequential writes: to {} at worst.", percent(*least)),
            format!(
                "ratio of the phases' median to the steady throughput: {} at {bs} after {curve}",
                factor(*least)
            ),
        ),
        None if !ratios.is_empty() => reading.say(
            "Bursts of random writes do not slow down subsequent sequential writes.",
            format!("phases' median beside the steady throughput; {}", lowest(&ratios)),
        ),
        None => {}
    }
}

/// How long the phases were: as long as those of the quickest run that was not cut short. Those of a slow
/// one go on until they have their writes.
fn phase_words(points: &Points<'_>) -> String {
    let runs = of(points, AFTER_BURST).flat_map(|point| &point.runs);
    let whole = runs.filter(|run| !run.outcome.stopped_because.is_early()).map(|run| run.elapsed_ns);
    let words = |all_ns: u64| {
        let time = span((all_ns / PHASES) as f64);
        format!(": {PHASES} phases of {time}")
    };
    whole.min().map_or(String::new(), words)
}

/// Figure C.3: the phases one by one, at the size nearest to 32 KiB.
fn timeline(points: &Points<'_>) -> Option<Chart> {
    let sizes = distinct(of(points, AFTER_BURST).map(|point| point.experiment.pattern.bs.0));
    let near = sizes.into_iter().min_by_key(|bs| bs.abs_diff(32 << 10))?;
    let curves = of(points, AFTER_BURST).filter(|point| point.experiment.pattern.bs.0 == near).map(|point| {
        let phases = point.runs.last().map_or(Vec::new(), |run| phases(run));
        Series::line(&point.experiment.curve, phases.iter().map(|phase| (phase.end_s, phase.mb_per_s)))
    });
    let title = format!("Recovery of sequential writes of {}", Bytes(near));
    let (x, y) = (Axis::linear("time after the burst", "s"), Axis::linear("throughput", "MB/s"));
    Some(Chart::new("figure-c-3", title, "Figure C.3.", [x, y], curves.collect()))
}

/// Figure C.4.
fn rewrites(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Sequential rewrite of the whole device after random writes of 2 KiB of the given duration \
        (figure C.4).";
    let columns = ["after", "time, s", "ratio to no writes, x"];
    let mut table = Table::new("full-rewrite", "Time to rewrite the whole device", caption, columns);
    let times =
        |point: &Point<'_>| point.runs.iter().map(|run| run.elapsed_ns as f64 / 1e9).collect::<Vec<_>>();
    let unwritten = find(points, REWRITE, "SW", "nothing");
    let plain = unwritten.and_then(|point| mean(&times(point)));
    let usual = unwritten.and_then(|point| point.estimate);
    let mut ratios = Vec::new();
    for point in of(points, REWRITE) {
        let time = times(point);
        let beside = mean(&time).zip(plain).map(|(time, plain)| time / plain);
        let chance = point.estimate.zip(usual).map_or(1.0, |(mean, usual)| chance(&mean, &usual));
        ratios.push((beside.unwrap_or(0.0), chance));
        table.add([Cell::words(&*point.experiment.label), Cell::mean(&time), Cell::number(beside)]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    let chances: Vec<f64> = ratios.iter().map(|ratio| ratio.1).collect();
    let found =
        ratios.iter().zip(discoveries(&chances, FALSE_MAX / QUESTIONS)).filter(|(_, is_found)| *is_found);
    let worst = found.map(|(ratio, _)| ratio.0).fold(0.0, f64::max);
    if worst > 1.1 {
        let worst = digits(worst);
        let text = format!(
            "After random writes, a sequential rewrite of the whole device takes up to {worst} times as long."
        );
        reading.say(text, "the paper's Kingston DT Elite: a factor of 8");
    }
}

/// Figure 3.4a.
fn misaligned(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Random writes at this offset from alignment, compared with aligned ones (figure 3.4a).";
    let columns = ["offset", "IO size", "throughput, MB/s", "ratio to aligned, x"];
    let mut table = Table::new("misaligned", "Misaligned random writes", caption, columns);
    let mut ratios = Vec::new();
    for point in of(points, MISALIGNED) {
        let (bs, shift) = (point.experiment.pattern.bs, &point.experiment.curve);
        let speeds = mb_per_s(point);
        let aligned = sure_steady(points, Rw::RandWrite, bs);
        let beside = sure(point).zip(aligned).map(|(speed, aligned)| speed / aligned);
        let steady = aligned_at(points, Rw::RandWrite, bs).and_then(|point| point.estimate);
        let chance = point.estimate.zip(steady).map_or(1.0, |(mean, steady)| chance(&mean, &steady));
        table.add([
            Cell::words(&**shift),
            Cell::words(bs.to_string()),
            Cell::mean(&speeds),
            Cell::number(beside),
        ]);
        ratios.extend(beside.map(|beside| Ratio { curve: shift, bs, beside, chance }));
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    let (x, y) = (Axis::log("IO size", "bytes"), Axis::linear("misaligned / aligned", "x"));
    let title = "Misaligned relative to aligned random writes";
    reading.charts.push(Chart::new("figure-3-4a", title, caption, [x, y], series(&ratios)));
    match slower(&ratios) {
        Some(Ratio { curve, bs, beside: least, .. }) => reading.say(
            format!("Misaligned random writes reach at worst {} of the aligned throughput.", percent(*least)),
            format!("{} at {bs}, offset {curve}", factor(*least)),
        ),
        None if !ratios.is_empty() => {
            reading.say("Misalignment does not slow down random writes.", lowest(&ratios));
        }
        None => {}
    }
}

/// A window of the long series is a spike from so many times the median on.
const SPIKE: f64 = 3.0;

/// Figure 3.2.
fn long_series(points: &Points<'_>, reading: &mut Reading) {
    let Some(run) = of(points, LONG).find_map(|point| point.runs.last()) else { return };
    let mut written = 0;
    let times: Vec<(f64, f64)> = run
        .windows
        .iter()
        .map(|window| {
            written += window.ios;
            (written as f64, window.sum_ns as f64 / window.ios.max(1) as f64 / 1e6)
        })
        .collect();
    let Some(usual) = median(&times.iter().map(|time| time.1).collect::<Vec<_>>()) else { return };
    let spikes = spikes(&times, usual);
    let caption = "Mean time of the writes in each window of 50 (figure 3.2).";
    let (x, y) = (Axis::linear("random writes", "IOs"), Axis::log("mean time of a write", "ms"));
    let title = "A long series of random writes";
    reading.charts.push(Chart::new("figure-3-2", title, caption, [x, y], vec![Series::line("RW", times)]));
    let text = match spikes[..] {
        [] => "A long series of random writes shows no spikes.".into(),
        [only] => format!("A long series of random writes shows one spike, after {} writes.", plain(only)),
        [first, ..] => {
            let gaps: Vec<f64> = spikes.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let gap = median(&gaps).unwrap_or(0.0);
            format!(
                "A long series of random writes shows {} spikes: the first after {} writes, then one every \
                 {}.",
                spikes.len(),
                plain(first),
                plain(gap.round())
            )
        }
    };
    reading
        .say(text, "windows of 50 writes with at least three times the median; the paper: 3,000, then 2,000");
}

/// Writes before each spike begins.
fn spikes(times: &[(f64, f64)], usual: f64) -> Vec<f64> {
    let is_spike = |at: usize| times[at].1 >= SPIKE * usual;
    let begins = |at: &usize| is_spike(*at) && (*at == 0 || !is_spike(at - 1));
    (0..times.len())
        .filter(begins)
        .map(|at| at.checked_sub(1).map_or(0.0, |before| times[before].0))
        .collect()
}

/// Figure 3.4b.
fn endurance(points: &Points<'_>, reading: &mut Reading) {
    let place = |point: &Point<'_>| {
        Some((point.experiment.curve.clone(), (point.experiment.parameter, sure(point)?)))
    };
    let series = curves(of(points, ENDURANCE).filter_map(place));
    let change = |curve: &Series| Some(curve.points.last()?.y? / curve.points.first()?.y?);
    let changes = series.iter().filter(|curve| curve.points.len() > 1).filter_map(change);
    if let Some(least) = changes.min_by(f64::total_cmp) {
        let text = if least < 0.9 {
            format!("Throughput falls with age: to {} at worst.", percent(least))
        } else {
            "Throughput does not fall with age.".into()
        };
        let least = factor(least);
        reading.say(
            text,
            format!("ratio of the last measurement to the first, lowest of all patterns: {least}"),
        );
    }
    if !series.is_empty() {
        let (x, y) = (Axis::linear("sequential fills", ""), Axis::log("throughput", "MB/s"));
        let caption = "Figure 3.4b.";
        reading.charts.push(Chart::new("figure-3-4b", "Throughput against age", caption, [x, y], series));
    }
}
