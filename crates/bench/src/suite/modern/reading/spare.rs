//! Spare flash: random writes after a fill cost no copying until it is used up. What else makes writes slower
//! is excluded: cache and buffer by their size, spare flash that is not shared by a second run in part of the
//! space, a collector that copies before it must by a beginning that is as fast as a fill and level, and a
//! device that merges blocks by what a write costs behind the step.

use flashscope_analysis::reading::Series;
use flashscope_analysis::{Context, Reading, Run, levels, paces};
use flashscope_core::number::{self, percent, throughput};

use super::super::{EVERYWHERE, SPARE, UPPER_PART};
use super::buffer::{AT_ONCE, Buffer};
use super::cache::Cache;
use super::finding::{Between, Findings, Quantity};
use super::steps::{STEP, bytes_before, bytes_chart, costs, curve, gib, speed_between};
use super::{Points, at};

const OVER_PROVISIONING: Quantity =
    Quantity { name: "effective over-provisioning", id: "over-provisioning", unit: "%", micros: &[SPARE] };
const SPARE_FLASH: Quantity =
    Quantity { name: "spare flash", id: "spare-flash", unit: "GiB", micros: &[SPARE] };
/// Collecting costs at least so much more time for each byte.
const COLLECTING: f64 = 1.4;
/// No drive has less spare flash than this share of it; what looks like less is a log or a start-up.
const SPARE_MIN: f64 = 0.02;
/// Two sizes that differ by less are one.
const AGREED: f64 = 0.07;
/// Around the step, this share of what lies before it is looked at.
const NEAR: f64 = 0.1;
/// A page-mapped device that has a share of spare flash moves no more than the inverse of the share for each
/// page written, and reads it; one that merges blocks moves whole blocks.
const MOVED_MAX: f64 = 3.0;
/// The collector keeps some blocks for itself: up to about so many.
const RESERVED_BLOCKS: f64 = 4.0;
/// Half of them are at most this share of the spare flash, or its size is open.
const RESERVED_MAX: f64 = 0.08;
/// Less of the device than this leaves free space that counts as spare.
const WHOLE: f64 = 0.95;
/// Windows before the step at least.
const WINDOWS_MIN: usize = 12;
/// Windows that a burst of copying takes.
const BURST: usize = 8;
/// Writes up to this many times what the cache holds, and twice the buffer, may still be theirs.
const HELD: f64 = 1.05;
const NEVER: &str = "random writes never became slower: there is more spare flash than was written \
                     (spare_max), the link is slower than collecting, or pages are not mapped";
const BY_DEGREES: &str = "random writes become slower by degrees: the collector copies before it must";

/// The step of one run.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Bytes written before it, beyond what cache and buffer held.
    bytes: f64,
    /// Bytes of blocks that the collector keeps for itself, at most.
    reserved: f64,
}

/// What takes in writes before the spare flash does, and the time of a byte of a fill without it.
#[derive(Clone, Copy, Debug)]
struct Held {
    buffer: f64,
    cache: f64,
    fill_cost: Option<f64>,
}

/// Costs of a byte, averaged over some windows.
fn mean(costs: &[f64]) -> f64 {
    costs.iter().sum::<f64>() / costs.len().max(1) as f64
}

/// The step of a run to collecting, by a factor of `rise` or more, or why it is not one.
fn step(run: &Run, rise: f64, held: Held, span: f64) -> Result<Step, String> {
    let paces = paces(&run.windows);
    let costs = costs(&paces);
    // The windows in which the cache may end are neither.
    let Held { buffer, cache, fill_cost } = held;
    let until = HELD * cache + 2.0 * buffer;
    let begin = paces.partition_point(|pace| pace.bytes as f64 <= until) + usize::from(until > 0.0);
    let held = buffer + cache;
    let rest = costs.get(begin..).unwrap_or_default();
    let found = levels(rest, STEP);
    let [before, _, ..] = found[..] else { return Err(NEVER.into()) };
    if before.to < WINDOWS_MIN {
        return Err("random writes become slower too early to tell spare flash from a log".into());
    }
    let near = ((before.to as f64 * NEAR).ceil() as usize).max(BURST);
    let is_begin = |at: &usize| {
        let behind = &rest[*at..(*at + near).min(rest.len())];
        behind.len() == near && rest[*at] >= STEP * before.mean && mean(behind) >= rise * before.mean
    };
    let first = (before.to.saturating_sub(BURST)..(before.to + BURST).min(rest.len()))
        .find(is_begin)
        .ok_or(BY_DEGREES)?;
    let level = &rest[..first];
    let (early, late) = level.split_at(level.len() / 2);
    let is_level =
        mean(late) <= STEP * mean(early) && mean(&level[level.len() - near..]) <= STEP * mean(level);
    if !is_level {
        return Err(BY_DEGREES.into());
    }
    if fill_cost.is_none_or(|fill| STEP * mean(level) < fill) {
        return Err("random writes are faster than a fill: something else takes them in first".into());
    }
    if fill_cost.is_none_or(|fill| mean(level) > COLLECTING * fill) {
        return Err("random writes are slower than a fill from the beginning: pages are not mapped, or are \
                    copied from the beginning"
            .into());
    }
    let bytes = bytes_before(&paces, begin + first) - held;
    let ratio = mean(&rest[first..first + near]) / mean(level);
    if bytes < SPARE_MIN * span {
        return Err("random writes become slower too early to tell spare flash from a log".into());
    }
    if ratio > MOVED_MAX * span / bytes {
        return Err(
            "behind the step a write costs more than collecting pages would: blocks are merged".into()
        );
    }
    // The longest write waits for as many blocks as it takes to win one.
    let waits_ns = run.windows[begin + first..].iter().map(|window| window.max_ns).max().unwrap_or(0);
    let block = waits_ns as f64 / mean(level) / ratio;
    Ok(Step { bytes, reserved: RESERVED_BLOCKS * block })
}

fn size(points: &Points<'_>, context: &Context, known: (&Buffer, &Cache)) -> Result<Between, String> {
    let (everywhere, run) = at(points, SPARE, EVERYWHERE).ok_or("random writes did not come to their end")?;
    let span = everywhere.pattern.size.0 as f64;
    if span < WHOLE * context.target.size_bytes as f64 {
        return Err("only part of the device was written: its other free space would count as spare".into());
    }
    let (Some(buffer), Some(cache)) = (known.0.bytes, known.1.bytes) else {
        return Err("it is not known how much of the writes the write buffer and an SLC cache take".into());
    };
    if known.0.leaves_at_once {
        return Err(AT_ONCE.into());
    }
    let held = Held { buffer: buffer.value, cache, fill_cost: known.1.fill_cost };
    let Step { bytes: one, reserved } = step(run, COLLECTING, held, span)?;
    let spare = Between { value: one + reserved / 2.0, low: one, high: one + reserved };
    if reserved / 2.0 > RESERVED_MAX * spare.value {
        let [seen, block] = [one, reserved / RESERVED_BLOCKS].map(number::size);
        return Err(format!(
            "at least {seen}; about {block} are erased as one, and the collector keeps some of those"
        ));
    }
    let (_, part) =
        at(points, SPARE, UPPER_PART).ok_or("random writes to a part did not come to their end")?;
    // Fewer pages share the garbage there, and copying costs less.
    let other = step(part, STEP, held, span);
    let other = other.map_err(|why| format!("in {UPPER_PART} of the space, {why}"))?.bytes;
    if (one / other - 1.0).abs() > AGREED {
        let [one, other] = [one, other].map(number::size);
        return Err(format!(
            "{one} seem spare in all of the space, {other} in a part of it: it is not shared"
        ));
    }
    Ok(spare)
}

fn show(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Random writes of 64 KiB after a sequential fill and idle time.";
    let run = |label| Some((label, paces(&at(points, SPARE, label)?.1.windows)));
    let curves: Vec<Series> = [EVERYWHERE, UPPER_PART]
        .into_iter()
        .filter_map(run)
        .map(|(label, paces)| curve(&format!("random writes, {label}"), &paces))
        .collect();
    if !curves.is_empty() {
        reading.charts.push(bytes_chart("spare", "Over-provisioning", caption, curves));
    }
}

pub(super) fn read(
    points: &Points<'_>,
    context: &Context,
    known: (&Buffer, &Cache),
    reading: &mut Reading,
    found: &mut Findings,
) {
    if super::of(points, SPARE).next().is_none() {
        return;
    }
    show(points, reading);
    match size(points, context, known) {
        Ok(spare) => {
            // No surer than the cache that is taken away from it.
            let state = known.1.state;
            let span = at(points, SPARE, EVERYWHERE).map_or(f64::NAN, |(of, _)| of.pattern.size.0 as f64);
            let why = "so much can be written at random until pages must be copied, everywhere and in a part";
            found.found(points, SPARE_FLASH, state, spare.scaled(gib(1.0)), why);
            found.found(points, OVER_PROVISIONING, state, spare.scaled(100.0 / span), why);
            let text = format!(
                "Effective over-provisioning: {} of spare flash, {}.",
                number::size(spare.value),
                percent(spare.value / span)
            );
            reading.say_of(state, text, speeds(points, spare.value, known));
        }
        Err(why) => {
            found.unknown(points, SPARE_FLASH, &why);
            found.unknown(points, OVER_PROVISIONING, &why);
            reading.warn("Effective over-provisioning: unknown.", why);
        }
    }
}

/// How fast random writes are before spare flash is used up, and after.
fn speeds(points: &Points<'_>, spare: f64, (buffer, cache): (&Buffer, &Cache)) -> String {
    let Some((_, run)) = at(points, SPARE, EVERYWHERE) else { return String::new() };
    let paces = paces(&run.windows);
    let held = buffer.bytes.map_or(0.0, |held| held.value) + cache.bytes.unwrap_or(0.0);
    let border = paces.partition_point(|pace| (pace.bytes as f64) < held + spare).clamp(1, paces.len() - 1);
    let [before, after] = [(0, border), (border, paces.len())]
        .map(|(from, to)| throughput(1e6 * speed_between(&paces, from, to)));
    format!("{before} before garbage collection has to copy, {after} after; without cache and buffer")
}
