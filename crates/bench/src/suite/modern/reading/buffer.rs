//! The write buffer: the most that can be written into an empty one and still be read back, all of it, from
//! memory. That holds whatever leaves the buffer first. What memory and what flash takes is measured beside
//! it: data that a flush makes slower to read were in the buffer.

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Experiment, Finished, Point, Reading, Run, Support, points};
use flashscope_core::Bytes;
use flashscope_core::number;

use super::super::super::read::{mean, median};
use super::super::{BUFFER_READ, BUFFER_TIMES, READ_AGAIN, READ_BUFFERED, READ_FLUSHED, STRIDE, WRITTEN};
use super::finding::{Between, Findings, Quantity};
use super::{Points, at, last_run, of, times};

const BUFFER: Quantity =
    Quantity { name: "write buffer", id: "write-buffer", unit: "MiB", micros: &[BUFFER_TIMES, BUFFER_READ] };
/// A read from memory is at least so much faster than one from flash, or the two are not told apart.
const BUFFERED: f64 = 1.5;
/// Two times that differ by less are one.
const SAME: f64 = 1.25;
/// A write that takes so many times as long as a read from flash waits for the flash.
const WAITS: f64 = 1.5;
/// Of reads that are all fast, so many may be slow by chance.
const STRAY: f64 = 0.02;
/// The ends between which the size lies are this near to each other, at most.
const NEAR: f64 = 1.12;

/// What is known of the write buffer.
#[derive(Debug)]
pub(super) struct Buffer {
    /// Bytes that it holds, 0 where there is no sign of one, or the ends between which they lie; none if
    /// unknown.
    pub bytes: Option<Between>,
    /// What reads and writes of a few pages take.
    pub takes: Option<Takes>,
    /// It lost much of what it held at once, and may have written other data with it.
    pub leaves_at_once: bool,
}

/// Why what reaches the flash is not known, where it leaves the buffer at once.
pub(super) const AT_ONCE: &str = "the write buffer writes back much of what it holds at once, perhaps with \
                                  what lies between: more than was written may reach the flash";

/// What a few small IOs take, in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    /// A write into an empty buffer.
    pub write: f64,
    /// The shortest of them.
    write_min: f64,
    /// A read of what was just written.
    pub read: f64,
    /// The same after a flush.
    pub flushed: f64,
    /// Once more after that.
    again: f64,
}

impl Takes {
    fn of(points: &Points<'_>) -> Option<Takes> {
        let each = |label| Some(times(at(points, BUFFER_TIMES, label)?.1)).filter(|all| !all.is_empty());
        Some(Takes {
            // Some writes only fill a register: all of them together show what the flash takes.
            write: mean(&each(WRITTEN)?)?,
            write_min: each(WRITTEN)?.into_iter().fold(f64::INFINITY, f64::min),
            read: median(&each(READ_BUFFERED)?)?,
            flushed: median(&each(READ_FLUSHED)?)?,
            again: median(&each(READ_AGAIN)?)?,
        })
    }

    /// Between a read from memory and one from flash; none where the two are not told apart.
    pub fn memory_below(&self) -> Option<f64> {
        (self.flushed >= BUFFERED * self.read).then(|| (self.flushed * self.read).sqrt())
    }

    /// Whether writes are answered as fast as memory would.
    pub fn writes_like_memory(&self) -> bool {
        self.write <= SAME * self.read
    }

    /// Why reads after a write say nothing of the buffer's size, if they do not.
    fn objection(&self) -> Option<&'static str> {
        if self.memory_below().is_none() {
            return Some(
                "a flush does not make the last writes slower to read: there is no buffer, a flush does not \
                 empty it, or it serves no reads",
            );
        }
        if self.again * SAME < self.flushed {
            return Some("reads are cached too: what is fast may have been read before");
        }
        let is_flash = !self.writes_like_memory();
        is_flash.then_some("writes take longer than reads of them: what is fast may be flash in SLC mode")
    }

    /// Every write waits for the flash, and reading what was just written does too, as reading anything else.
    fn shows_nothing(&self, points: &Points<'_>) -> bool {
        let is_flash = |time: f64| (1.0 / SAME..SAME).contains(&(time / self.flushed));
        let largest =
            of(points, BUFFER_READ).max_by(|a, b| a.experiment.parameter.total_cmp(&b.experiment.parameter));
        let old = largest.and_then(last_run).and_then(|run| median(&times(run)));
        is_flash(self.read) && old.is_some_and(is_flash) && self.write_min >= WAITS * self.flushed
    }
}

/// How much of an amount came fast.
struct Amount {
    written: f64,
    fast: f64,
}

impl Amount {
    fn of(written: f64, run: &Run, memory_below: f64) -> Amount {
        let times = times(run);
        let slow = times.iter().filter(|time| **time > memory_below).count() as f64;
        Amount { written, fast: 1.0 - slow / times.len().max(1) as f64 }
    }

    fn is_all_fast(&self) -> bool {
        self.fast >= 1.0 - STRAY
    }
}

fn amounts(points: &[Point<'_>], memory_below: f64) -> Vec<Amount> {
    let amount =
        |point: &Point<'_>| Some(Amount::of(point.experiment.parameter, last_run(point)?, memory_below));
    let mut all: Vec<Amount> = of(points, BUFFER_READ).filter_map(amount).collect();
    all.sort_by(|a, b| a.written.total_cmp(&b.written));
    all
}

/// The most that came all fast, and the least that did not.
fn bracket(amounts: &[Amount]) -> (Option<&Amount>, Option<&Amount>) {
    (amounts.iter().rfind(|amount| amount.is_all_fast()), amounts.iter().find(|amount| !amount.is_all_fast()))
}

/// Whether an amount may lie between those two, so that it is worth writing; not before they are near.
pub(in super::super) fn is_between(finished: &[Finished], next: &Experiment) -> bool {
    let points = points(finished);
    let Some(takes) = Takes::of(&points) else { return true };
    let (None, Some(memory_below)) = (takes.objection(), takes.memory_below()) else { return false };
    let amounts = amounts(&points, memory_below);
    let (low, high) = bracket(&amounts);
    let (low, high) = (low.map_or(0.0, |low| low.written), high.map_or(f64::INFINITY, |high| high.written));
    low < next.parameter && next.parameter < high && high > NEAR * low
}

/// A size that is not known, and what is known of it.
struct Open {
    at_most: Option<f64>,
    why: String,
}

impl From<String> for Open {
    fn from(why: String) -> Open {
        Open { at_most: None, why }
    }
}

/// The size, or why it is unknown.
fn size(amounts: &[Amount]) -> Result<Between, Open> {
    let (low, high) = bracket(amounts);
    let Some(high) = high else {
        let most = low.map_or(0.0, |low| low.written);
        return Err(format!("at least {}, the most that was written (buffer_max)", number::size(most)).into());
    };
    let Some(low) = low else {
        let why = format!("less than {}", number::size(high.written));
        return Err(Open { at_most: Some(high.written), why });
    };
    if low.written > high.written {
        let (low, high) = (number::size(low.written), number::size(high.written));
        return Err(format!("all of {low} was read back fast, but not all of {high}").into());
    }
    let is_more = |amount: &&Amount| amount.fast * amount.written > high.written;
    if let Some(more) = amounts.iter().find(is_more) {
        let (fast, high) = (number::size(more.fast * more.written), number::size(high.written));
        return Err(format!("{fast} were read back fast, but not all of {high}").into());
    }
    if high.written > NEAR * low.written {
        let (low, high) = (number::size(low.written), number::size(high.written));
        return Err(format!("between {low} and {high}").into());
    }
    // Where the oldest leave first, what is left of the larger amount is the size itself.
    let left = high.fast * high.written;
    let is_inside = left >= low.written;
    let value = if is_inside { left } else { (low.written * high.written).sqrt() };
    Ok(Between { value, low: low.written, high: high.written })
}

/// Whether the amounts that the buffer did not hold show it losing much at once: of the first such one less
/// than half of what it held is left, or, of a buffer that is small, not the same of each.
fn leaves_at_once(amounts: &[Amount]) -> bool {
    let left = |amount: &Amount| amount.fast * amount.written;
    let larger: Vec<f64> = amounts.iter().filter(|amount| !amount.is_all_fast()).map(left).collect();
    let Some(first) = larger.first() else { return false };
    match bracket(amounts).0 {
        Some(low) => *first < low.written / 2.0,
        None => larger.iter().any(|other| (other - first).abs() > 1.5 * STRIDE as f64),
    }
}

fn mib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

fn show(amounts: &[Amount], reading: &mut Reading) {
    let caption = "Single reads far apart of what was written into an empty buffer.";
    let mut table = Table::new("buffer", "Write buffer", caption, ["written", "fast reads, MiB"]);
    for Amount { written, fast } in amounts {
        table.add([Cell::words(Bytes(*written as u64).to_string()), Cell::number(mib(written * fast))]);
    }
    reading.tables.push(table);
}

pub(super) fn read(points: &Points<'_>, reading: &mut Reading, found: &mut Findings) -> Buffer {
    let Some(takes) = Takes::of(points) else {
        return Buffer { bytes: None, takes: None, leaves_at_once: false };
    };
    let mut buffer = Buffer { bytes: None, takes: Some(takes), leaves_at_once: false };
    let evidence = {
        let us = |ns: f64| number::in_unit(ns / 1e6, "ms");
        let [write, read, flushed] = [takes.write, takes.read, takes.flushed].map(us);
        format!("a write takes {write}, reading it {read}, after a flush {flushed}")
    };
    if takes.shows_nothing(points) {
        let why =
            "no sign of one: writes wait for the flash; one that is full and never emptied would not show";
        found.unknown(points, BUFFER, why);
        reading.warn("Write buffer: size unknown.", format!("{why}; {evidence}"));
        return Buffer { bytes: Some(Between::NOTHING), ..buffer };
    }
    let size = match (takes.objection(), takes.memory_below()) {
        (None, Some(memory_below)) => {
            let amounts = amounts(points, memory_below);
            show(&amounts, reading);
            buffer.leaves_at_once = leaves_at_once(&amounts);
            size(&amounts)
        }
        (objection, _) => Err(objection.unwrap_or_default().to_string().into()),
    };
    match size {
        Ok(size) => {
            let why = "as much as can be written and read back from memory, all of it";
            found.found(points, BUFFER, Support::Supported, size.scaled(mib(1.0)), why);
            let text = format!("Write buffer: {}.", number::size(size.value));
            reading.say_of(Support::Supported, text, evidence);
            Buffer { bytes: Some(size), ..buffer }
        }
        Err(Open { at_most, why }) => {
            found.unknown(points, BUFFER, &why);
            reading.warn("Write buffer: size unknown.", format!("{why}; {evidence}"));
            Buffer { bytes: at_most.map(|high| Between { value: high / 2.0, low: 0.0, high }), ..buffer }
        }
    }
}
