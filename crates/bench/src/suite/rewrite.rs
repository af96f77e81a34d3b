//! The rewrite penalty (paper 003): response times of a fresh and of a used device, and what HD Tach shows
//! beside them: sequential reads across the addresses, random access, read-ahead, each with its share of a
//! processor, over three runs.

use std::borrow::Cow;

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{
    Comparison, Context, Cut, Estimate, Finished, Point, Reading, Run, chance, difference, paces, points,
    pool, ratio,
};
use flashscope_core::number::{percent, span};
use flashscope_core::{Bytes, Location, Pattern, Rw};

use super::program::{Act, FILL, Parameters, Probe};
use super::read::{FALSE_MAX, mb_per_s};
use super::{Program, Setting, Suite};
use crate::error::BenchError;
use crate::step::{Length, Preparation};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("rewrite"),
    doc: "response times fresh and used (rewrite penalty); read speed across the device, access time, \
        read-ahead, CPU",
    source: "Rizvi, Chung: Understanding of Rewrite Penalty (paper 003)",
    settings: &[
        Setting { name: "ios", default: "4096", quick: "1024", help: "IOs for each response time" },
        Setting {
            name: "capacities",
            default: "1",
            quick: "1",
            help: "random writes before the used state, in device capacities",
        },
    ],
    parts: &[],
    bs: Some(Bytes(4 << 10)),
    repeats: 3,
    program: Program::Acts(program),
    reading,
};

const DISCARDED: &str = "fresh-discarded";
const IN_ORDER: &str = "fresh-in-order";
const USED: &str = "used";
/// Of a device that may not be written: it is neither.
const AS_FOUND: &str = "as-found";
const ACROSS: &str = "read-across";
const ACCESS: &str = "random-access";
const BURST: &str = "read-ahead";

/// A sequential read, and how much of the device is read in all.
const ACROSS_BS: u64 = 1 << 20;
const ACROSS_BYTES: u64 = 4 << 30;
/// Points of the curve.
const ZONES: u64 = 64;
/// Reads of one place.
const BURST_BS: u64 = 64 << 10;

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let (ios, capacities) = (asked.count("ios", 16..=1 << 24)?, asked.count("capacities", 1..=1000)?);
    let bs = asked.frame.bs;
    let timed = |micro: &str, rw: Rw| {
        let pattern = if rw.is_random() { asked.permuted(rw, bs) } else { asked.baseline(rw, bs) };
        Probe::new(micro, rw.short_name(), pattern, Length::Ios(ios)).windows(Cut::Ios(ios), 2)
    };
    let mut acts = vec![Act::Prepare(FILL)];
    acts.extend(hd_tach(asked, ios));
    if !asked.write {
        let found = |rw| timed(AS_FOUND, rw).repeated(asked.repeats).act();
        return Ok(acts.into_iter().chain([Rw::RandRead, Rw::Read].map(found)).collect());
    }
    // What was discarded is not read from flash: reads are fresh as they were written in order.
    for rw in [Rw::RandRead, Rw::Read] {
        acts.push(timed(IN_ORDER, rw).repeated(asked.repeats).act());
    }
    let fresh = if asked.can_trim { DISCARDED } else { IN_ORDER };
    for rw in [Rw::RandWrite, Rw::Write] {
        acts.push(Act::Prepare(asked.fresh()));
        acts.push(timed(fresh, rw).afresh(asked.repeats).act());
    }
    let length = Length::Bytes(capacities.saturating_mul(asked.whole(bs).0));
    let pattern = Box::new(asked.baseline(Rw::RandWrite, bs));
    acts.extend([FILL, Preparation::Burst { pattern, length }].map(Act::Prepare));
    // Sequential writes last: they put in order what the others find.
    for rw in [Rw::RandRead, Rw::Read, Rw::RandWrite, Rw::Write] {
        acts.push(timed(USED, rw).repeated(asked.repeats).act());
    }
    Ok(acts)
}

fn hd_tach(asked: &Parameters<'_>, ios: u64) -> Vec<Act> {
    let bs = ACROSS_BS.min(asked.frame.span.0 / ZONES / 4096 * 4096).max(asked.frame.bs.0);
    let across = asked.baseline(Rw::Read, Bytes(bs));
    let slots = across.size.0 / bs;
    let every = slots.div_ceil((ACROSS_BYTES / bs).max(1)).max(1);
    let location = match every {
        1 => Location::Sequential,
        _ => Location::RegularGaps { gap: Bytes((every - 1) * bs) },
    };
    let reads = slots.div_ceil(every);
    let across = Probe::new(ACROSS, "SR", Pattern { location, ..across }, Length::Ios(reads));
    let sector = Bytes(asked.frame.sector.0.max(512));
    let access = Probe::new(ACCESS, "RR", asked.baseline(Rw::RandRead, sector), Length::Ios(ios));
    let burst = asked.baseline(Rw::Read, Bytes(BURST_BS.max(asked.frame.sector.0)));
    let burst = Pattern { location: Location::Ordered { stride: 0 }, ..burst };
    let burst = Probe::new(BURST, "SR", burst, Length::Ios(ios));
    [
        across.windows(Cut::Ios((reads / ZONES).max(1)), 2 * ZONES as usize + 2),
        access.windows(Cut::Ios(ios), 2),
        burst,
    ]
    .map(|probe| probe.repeated(asked.repeats).act())
    .into()
}

fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut reading = Reading::default();
    as_found(&points, &mut reading);
    penalty(&points, &mut reading);
    throughput(&points, context, &mut reading);
    across(&points, &mut reading);
    reading
}

/// Mean response time of a run, in nanoseconds: of all its IOs, for it is the first ones that matter.
fn time_ns(run: &Run) -> Option<f64> {
    let (sum, ios) = run.windows.iter().fold((0, 0), |(sum, ios), w| (sum + w.sum_ns, ios + w.ios));
    (ios > 0).then(|| sum as f64 / ios as f64)
}

/// Mean response time of each run, in milliseconds.
fn times(point: &Point<'_>) -> Vec<f64> {
    point.runs.iter().filter_map(|run| Some(time_ns(run)? / 1e6)).collect()
}

/// The mean over the runs with its interval, which has the errors of their own estimates and those between
/// runs. None of a single run that was too short for one.
fn pooled(point: &Point<'_>) -> Option<Estimate> {
    let of = |run: &&Run| Some(Estimate { mean_ns: time_ns(run)?, ..run.outcome.estimate? });
    let known: Vec<Estimate> = point.runs.iter().filter_map(of).collect();
    pool(&known).ok()
}

fn of<'a, 'b>(points: &'b [Point<'a>], micro: &str, rw: Rw) -> Option<&'b Point<'a>> {
    points.iter().find(|p| p.experiment.micro == micro && p.experiment.curve == rw.short_name())
}

/// What is compared, fresh and used.
const PATTERNS: [Rw; 4] = [Rw::RandWrite, Rw::Write, Rw::RandRead, Rw::Read];

/// A pattern before and after use.
struct Pair<'a> {
    rw: Rw,
    by: &'static str,
    points: [Option<&'a Point<'a>>; 2],
}

impl Pair<'_> {
    fn means(&self) -> [Option<Estimate>; 2] {
        self.points.map(|point| point.and_then(pooled))
    }

    /// Used over fresh, and fresh over used; none where one is not significantly above 0.
    fn ratios(&self) -> [Option<Comparison>; 2] {
        let [Some(fresh), Some(used)] = self.means() else { return [None, None] };
        [ratio(&used, &fresh).ok(), ratio(&fresh, &used).ok()]
    }

    /// Whether the difference is significant; None without intervals.
    fn is_apart(&self) -> Option<bool> {
        let [Some(fresh), Some(used)] = self.means() else { return None };
        let is_apart = match self.ratios()[0] {
            Some(ratio) => ratio.excludes(1.0),
            None => difference(&used, &fresh).ok()?.excludes(0.0),
        };
        Some(is_apart && chance(&used, &fresh) * PATTERNS.len() as f64 <= FALSE_MAX)
    }

    fn row(&self) -> Vec<Cell> {
        let [longer, lost] = self.ratios();
        let longer = longer.map(|by| percents(by, |ratio| 100.0 * (ratio - 1.0)));
        let lost = lost.map(|by| percents(by, |ratio| 100.0 * (1.0 - ratio)));
        // What cannot be told from 0 divides nothing.
        let has_both = self.points.iter().all(Option::is_some);
        let unknown = || if has_both { Cell::words("not known") } else { Cell::default() };
        let [fresh, used] = self.points.map(|point| point.map_or(Cell::default(), mean_cell));
        let by = if self.by == DISCARDED { "discarded" } else { "written in order" };
        vec![
            Cell::words(self.rw.short_name()),
            Cell::words(by),
            fresh,
            used,
            longer.unwrap_or_else(unknown),
            lost.unwrap_or_else(unknown),
        ]
    }
}

/// A ratio and its ends as per cents.
fn percents(by: Comparison, percent: fn(f64) -> f64) -> Cell {
    let (one, other) = (percent(by.ci_low), percent(by.ci_high));
    Cell::between(percent(by.value), (one.min(other), one.max(other)))
}

fn mean_cell(point: &Point<'_>) -> Cell {
    match pooled(point) {
        Some(mean) => Cell::between(mean.mean_ns / 1e6, (mean.ci_low_ns / 1e6, mean.ci_high_ns / 1e6)),
        None => Cell::mean(&times(point)),
    }
}

/// In words.
fn name(rw: Rw) -> &'static str {
    match rw {
        Rw::RandWrite => "random writes",
        Rw::Write => "sequential writes",
        Rw::RandRead => "random reads",
        _ => "sequential reads",
    }
}

/// Reads of a device that was not written: nothing of it is fresh or used.
fn as_found(points: &[Point<'_>], reading: &mut Reading) {
    let caption = "Mean response times of reads.";
    let mut table = Table::new("as-found", "Reads, device as it is", caption, ["pattern", "mean, ms"]);
    for rw in [Rw::RandRead, Rw::Read] {
        if let Some(point) = of(points, AS_FOUND, rw) {
            table.add([Cell::words(rw.short_name()), mean_cell(point)]);
        }
    }
    if !table.rows.is_empty() {
        reading.tables.push(table);
        reading.warn(
            "No rewrite penalty: nothing was written. Reads are of the device as it is.",
            "if writing is allowed, reads and writes are measured before and after random writes of the \
             whole device",
        );
    }
}

/// Figure 1.
fn penalty(points: &[Point<'_>], reading: &mut Reading) {
    let columns = ["pattern", "fresh state", "fresh, ms", "used, ms", "increase, %", "IOPS lost, %"];
    let caption = "Mean response times, fresh and used (figure 1). Increase: of the response time, used over \
        fresh. IOPS lost: the share of the fresh IOPS that the used device does not reach.";
    let table = Table::new("penalty", "Rewrite penalty", caption, columns);
    let pair = |rw: Rw| {
        let fresh = |by: &&'static str| Some((*by, of(points, by, rw)?));
        let (by, fresh) = [DISCARDED, IN_ORDER].iter().find_map(fresh)?;
        Some(Pair { rw, by, points: [Some(fresh), of(points, USED, rw)] })
    };
    let pairs: Vec<Pair<'_>> = PATTERNS.into_iter().filter_map(pair).collect();
    if pairs.is_empty() {
        return;
    }
    about_random_writes(&pairs, reading);
    about_no_difference(&pairs, reading);
    reading.tables.push(table.with_rows(pairs.iter().map(Pair::row)));
    about_fresh(points, reading);
}

/// The penalty of random writes, where one is seen.
fn about_random_writes(pairs: &[Pair<'_>], reading: &mut Reading) {
    let Some(pair) = pairs.iter().find(|pair| pair.rw == Rw::RandWrite) else { return };
    let ([Some(fresh), Some(used)], Some(true)) = (pair.means(), pair.is_apart()) else { return };
    let text = match used.mean_ns / fresh.mean_ns {
        same if (0.9..1.1).contains(&same) => "Random writes are hardly slower in the used state.".into(),
        less if less < 1.0 => {
            format!("Random writes take {} less time in the used state.", percent(1.0 - less))
        }
        more => format!("Random writes take {} longer in the used state.", percent(more - 1.0)),
    };
    let [fresh, used] = [fresh, used].map(|mean| span(mean.mean_ns));
    reading.say(text, format!("{fresh} fresh, {used} used; the paper's drives: 93 % overall"));
}

fn about_no_difference(pairs: &[Pair<'_>], reading: &mut Reading) {
    let of = |is: Option<bool>| {
        let names = pairs.iter().filter(|pair| pair.points[1].is_some() && pair.is_apart() == is);
        names.map(|pair| name(pair.rw)).collect::<Vec<_>>().join(", ")
    };
    let (alike, unknown) = (of(Some(false)), of(None));
    if !alike.is_empty() {
        reading.say(
            format!("No significant difference between fresh and used in {alike}."),
            "differences no larger than chance explains in four comparisons; more repeats tell smaller ones",
        );
    }
    if !unknown.is_empty() {
        let text = format!("No verdict on {unknown}: the runs have no confidence interval.");
        reading.warn(text, "they are too short for one; increase the setting ios");
    }
}

/// What fresh means here.
fn about_fresh(points: &[Point<'_>], reading: &mut Reading) {
    let (text, why) = match of(points, DISCARDED, Rw::RandWrite) {
        Some(_) => ("Fresh state: everything was discarded.", "the whole span was trimmed before each"),
        None => (
            "Fresh state: after a sequential fill, not a new device.",
            "the target does not support discards; a drive that was full before may still have garbage to \
             collect",
        ),
    };
    reading.say(text, why);
}

/// Figure 2: HD Tach's four numbers.
fn throughput(points: &[Point<'_>], context: &Context, reading: &mut Reading) {
    let columns = ["measure", "throughput, MB/s", "time, ms", "CPU, %"];
    let caption = "Sequential read throughput of the whole device, random access time of the smallest size, \
        and repeated reads of one place (read-ahead), as in HD Tach (figure 2).";
    let mut table = Table::new("hd-tach", "Reads", caption, columns);
    let names = [
        ("sequential read", ACROSS, "SR"),
        ("random access", ACCESS, "RR"),
        ("read-ahead burst", BURST, "SR"),
    ];
    for (name, micro, curve) in names {
        let Some(point) = points.iter().find(|p| p.experiment.micro == micro && p.experiment.curve == curve)
        else {
            continue;
        };
        let share = |run: &&Run| Some(100.0 * run.cpu_ns? as f64 / run.elapsed_ns.max(1) as f64);
        let shares: Vec<f64> = point.runs.iter().filter_map(share).collect();
        let time = if micro == ACCESS { Cell::mean(&times(point)) } else { Cell::default() };
        table.add([Cell::words(name), Cell::mean(&mb_per_s(point)), time, Cell::mean(&shares)]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    if context.target.virtual_time {
        reading.say("No CPU share: the target runs in virtual time.", "");
    } else {
        let why = "CPU time of this program over the time of the run; 100 % is one CPU";
        reading.say("The CPU share includes all threads of this program.", why);
    }
}

/// The read speed against the address.
fn across(points: &[Point<'_>], reading: &mut Reading) {
    let Some(point) = points.iter().find(|p| p.experiment.micro == ACROSS) else { return };
    let size = point.experiment.pattern.size.0 as f64;
    let curves = point.runs.iter().enumerate().map(|(repeat, run)| {
        let whole = run.read_bytes.max(1) as f64;
        let place = |bytes: u64| bytes as f64 / whole * size;
        let paces = paces(&run.windows);
        let places = paces.iter().map(|pace| (place(pace.bytes), pace.mb_per_s));
        Series::line(format!("run {}", repeat + 1), places)
    });
    let axes = [Axis::linear("address", "bytes"), Axis::linear("throughput", "MB/s")];
    let title = "Read throughput against address";
    reading.charts.push(Chart::new("read-across", title, "As HD Tach's curve.", axes, curves.collect()));
}
