//! The cache in flash of one bit a cell. Two kinds of evidence: how long a fill from a rested device stays
//! fast, and how much of what it wrote is faster to read than the rest. A write buffer, a throttled link or
//! free blocks that ran out make the one, memory makes the other; only such flash makes both, at one place.

use flashscope_analysis::{Level, Pace, Reading, Support, levels, paces};
use flashscope_core::number::{self, throughput};

use super::super::super::read::{median, speed};
use super::super::{FILL_READ, FILL_RUN, FILL_SPEED, RESTS};
use super::buffer::{AT_ONCE, Buffer};
use super::finding::{Between, Findings, Quantity};
use super::steps::{STEP, bytes_before, bytes_chart, costs, curve, gib, speed_between};
use super::{Points, at, times};

const CACHE: Quantity =
    Quantity { name: "SLC cache", id: "slc-cache", unit: "GiB", micros: &[FILL_RUN, FILL_READ, FILL_SPEED] };
/// Two sizes that differ by less are one.
const AGREED: f64 = 0.08;
/// What a longer rest brought back differs from what a short one did by no more than this: in an empty cache
/// both are the same, in one that is still being emptied seldom.
const RECOVERED: f64 = 0.015;
/// Fewer reads of a kind have no size.
const READS_MIN: usize = 16;
/// Neighbours of a read on either side that show whether it is a stray.
const NEIGHBOURS: usize = 2;
/// Reads from memory take less than flash by this at least, where the two were not measured apart.
const MEMORY: f64 = 1.3;
/// Windows in which what is in flight, and the registers of the flash, are filled.
const MOMENT: usize = 4;
/// A buffer takes in no more than this times its size at the speed of the link: the rest leaves it meanwhile.
const FILLED: f64 = 2.0;
/// A fill is slower by this than reads in order where flash limits it and not the link.
const LINK: f64 = 1.25;

const BOTH: &str = "so much of a fill is faster to write, and faster to read";
const READS: &str =
    "so much of a fill is faster to read, but not to write: the link or the host may be the limit";

/// What is known of the cache.
#[derive(Debug)]
pub(super) struct Cache {
    /// Bytes that it holds: 0 where there is no sign of one; none if unknown.
    pub bytes: Option<f64>,
    /// How sure that is.
    pub state: Support,
    /// Time of a byte of most of a fill, in ns.
    pub fill_cost: Option<f64>,
}

/// Where the fast reads of a fill lie.
enum FastReads {
    Nowhere,
    /// So many bytes from the beginning on.
    First(f64),
    Elsewhere,
}

impl FastReads {
    /// Reads from memory are left out: what the buffer holds says nothing of flash.
    fn of(points: &Points<'_>, label: &str, buffer: &Buffer) -> Option<FastReads> {
        let (experiment, run) = at(points, FILL_READ, label)?;
        let times = times(run);
        let stride = experiment.pattern.size.0 as f64 / times.len().max(1) as f64;
        let memory_below = buffer.takes.and_then(|takes| takes.memory_below()).unwrap_or(0.0);
        let flash: Vec<f64> = times.into_iter().filter(|time| *time > memory_below).collect();
        let levels = levels(&without_strays(&flash), STEP);
        let first = levels.first()?;
        let may_be_memory = levels.iter().any(|level| may_be_memory(level.mean, buffer));
        let is_slow = |level: &Level| level.mean >= STEP * first.mean;
        Some(match levels.iter().position(is_slow) {
            None if levels.len() == 1 => FastReads::Nowhere,
            Some(slow)
                if levels[slow..].iter().all(is_slow)
                    && !may_be_memory
                    && are_apart(&flash, levels[slow].from) =>
            {
                let reads = levels[slow].from;
                if reads < READS_MIN { FastReads::Elsewhere } else { FastReads::First(reads as f64 * stride) }
            }
            _ => FastReads::Elsewhere,
        })
    }
}

/// The middle one of each few neighbours: what one read waits for is no level.
fn without_strays(times: &[f64]) -> Vec<f64> {
    let middle = |at: usize| {
        let (from, to) = (at.saturating_sub(NEIGHBOURS), (at + NEIGHBOURS + 1).min(times.len()));
        median(&times[from..to]).unwrap_or(times[at])
    };
    (0..times.len()).map(middle).collect()
}

/// Whether nearly all reads from there on take longer than nearly all before: what the device does beside
/// them holds up some of either.
fn are_apart(times: &[f64], from: usize) -> bool {
    let sorted = |some: &[f64]| {
        let mut some = some.to_vec();
        some.sort_by(f64::total_cmp);
        some
    };
    let (fast, slow) = (sorted(&times[..from]), sorted(&times[from..]));
    fast[fast.len() * 9 / 10] * STEP <= slow[slow.len() / 10]
}

/// Whether reads of that time may have come from a buffer of which too little is known.
fn may_be_memory(time: f64, buffer: &Buffer) -> bool {
    let is_known =
        |takes: &super::buffer::Takes| takes.memory_below().is_some() || !takes.writes_like_memory();
    match &buffer.takes {
        Some(takes) => !is_known(takes) && time < MEMORY * takes.read,
        None => true,
    }
}

/// Bytes at which a fill becomes slower, at each such place.
fn slowdowns(paces: &[Pace]) -> Vec<f64> {
    let levels = levels(&costs(paces), STEP);
    let slower = levels.windows(2).filter(|pair| pair[1].mean > pair[0].mean);
    slower.map(|pair| bytes_before(paces, pair[1].from)).collect()
}

/// Whether a fill has one speed, once the buffer is full.
fn is_one_speed(paces: &[Pace], buffer: &Buffer) -> bool {
    let held = buffer.bytes.map_or(0.0, |held| held.high);
    let filled =
        paces.partition_point(|pace| pace.bytes as f64 <= FILLED * held).max(MOMENT).min(paces.len());
    levels(&costs(paces)[filled..], STEP).len() <= 1
}

/// The size of the cache, 0 and unknown if there is no sign of one; or why it is unknown.
fn size(points: &Points<'_>, buffer: &Buffer, fill: &[Pace]) -> Result<(Between, Support), String> {
    let [(short, _), (rested, _)] = RESTS;
    let reads = |label| FastReads::of(points, label, buffer).ok_or("the fill was not read back");
    let (before, after) = (reads(short)?, reads(rested)?);
    let bytes = match (before, after) {
        (FastReads::Nowhere, FastReads::Nowhere) => return none(points, buffer, fill),
        (FastReads::First(before), FastReads::First(after)) => {
            if (after - before).abs() > RECOVERED * after {
                let [before, after] = [before, after].map(number::size);
                return Err(format!(
                    "a longer rest may bring back more: {before} were fast after the short one, {after} \
                     after the long one"
                ));
            }
            after
        }
        _ => {
            let why = "what is faster to read is not what a fill wrote first: the cache was not empty, is \
                       emptied while it is filled, or is none";
            return Err(why.into());
        }
    };
    if buffer.leaves_at_once {
        return Err(AT_ONCE.into());
    }
    // What the buffer took in did not reach the flash; an unknown one may have been full or empty.
    let (least, most) = match buffer.bytes {
        Some(held) => ((1.0 - AGREED) * bytes + held.low, (1.0 + AGREED) * bytes + held.high),
        None => ((1.0 - AGREED / 2.0) * bytes, (1.0 + AGREED) * bytes),
    };
    let at = slowdowns(fill).into_iter().find(|at| (least..=most).contains(at));
    match (at, buffer.bytes) {
        (Some(at), held) => {
            let other = at - held.map_or(0.0, |held| held.value);
            Ok((Between { value: bytes, low: bytes.min(other), high: bytes.max(other) }, Support::Supported))
        }
        (None, Some(_)) => Ok((Between { value: bytes, low: bytes, high: bytes }, Support::Weak)),
        (None, None) => Err(format!(
            "the first {} of a fill are faster to read, but writes do not become slower there, and the write \
             buffer is unknown",
            number::size(bytes)
        )),
    }
}

/// All of a fill is as fast to read. There is no sign of a cache if flash is what limits the fill, all along.
fn none(points: &Points<'_>, buffer: &Buffer, fill: &[Pace]) -> Result<(Between, Support), String> {
    let written = speed_between(fill, 0, fill.len());
    let read = super::of(points, FILL_SPEED).next().and_then(super::last_run).and_then(speed);
    let is_flash = read.is_some_and(|read| read.mb_per_s >= LINK * written);
    match (is_flash, is_one_speed(fill, buffer)) {
        (true, true) => Ok((Between::NOTHING, Support::Unknown)),
        (false, true) => {
            Err("a fill has one speed, which may be that of the link, and is read back at one".into())
        }
        (_, false) => {
            Err("the speed of a fill changes, but all of it is read back at one: free blocks, or a \
                           cache that is emptied at once"
                .into())
        }
    }
}

pub(super) fn read(
    points: &Points<'_>,
    buffer: &Buffer,
    reading: &mut Reading,
    found: &mut Findings,
) -> Cache {
    let [.., (rested, _)] = RESTS;
    let Some((_, run)) = at(points, FILL_RUN, rested) else {
        return Cache { bytes: None, state: Support::Unknown, fill_cost: None };
    };
    let paces = paces(&run.windows);
    let caption = "Sequential fill after idle time.";
    reading.charts.push(bytes_chart("fill", "Fill", caption, vec![curve("sequential writes", &paces)]));
    let levels = levels(&costs(&paces), STEP);
    let fill_cost = levels.iter().max_by_key(|level| level.to - level.from).map(|level| level.mean);
    match size(points, buffer, &paces) {
        Ok((_, Support::Unknown)) => {
            let why = "no sign of one: all of a fill is as fast to write and to read, and flash is the \
                       limit; one that is emptied at once would not show";
            found.unknown(points, CACHE, why);
            reading.warn("SLC cache: unknown.", why);
            Cache { bytes: Some(0.0), state: Support::Weak, fill_cost }
        }
        Ok((size, state)) => {
            let why = if state == Support::Supported { BOTH } else { READS };
            found.found(points, CACHE, state, size.scaled(gib(1.0)), why);
            let border =
                paces.partition_point(|pace| (pace.bytes as f64) < size.high).clamp(1, paces.len() - 1);
            let [fast, slow] = [(0, border), (border, paces.len())]
                .map(|(from, to)| throughput(1e6 * speed_between(&paces, from, to)));
            let text = format!("SLC cache: {}.", number::size(size.value));
            reading.say_of(state, text, format!("{why}: {fast} before, {slow} after"));
            Cache { bytes: Some(size.value), state, fill_cost }
        }
        Err(why) => {
            found.unknown(points, CACHE, &why);
            reading.warn("SLC cache: unknown.", why);
            Cache { bytes: None, state: Support::Unknown, fill_cost }
        }
    }
}
