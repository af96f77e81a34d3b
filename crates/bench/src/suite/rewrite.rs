//! The rewrite penalty (paper 003): response times of a fresh and of a used device, and what HD Tach shows
//! beside them: sequential reads across the addresses, random access, read-ahead, each with its share of a
//! processor, over three runs.

use flashscope_analysis::reading::{Axis, Cell, Chart, Curve, Table};
use flashscope_analysis::{Context, Cut, Finished, Point, Reading, Run, paces, points};
use flashscope_core::{Bytes, Location, Pattern, Rw};

use super::program::{Act, Asked, FILL, Probe};
use super::read::{mb_per_s, mean};
use super::{Program, Setting, Suite};
use crate::error::BenchError;
use crate::step::{Length, Preparation};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: "rewrite",
    doc: "response times fresh and used, the penalty; reads across the device, access, read-ahead, CPU",
    source: "Rizvi, Chung: Understanding of Rewrite Penalty (paper 003)",
    settings: &[
        Setting { name: "ios", default: "4096", quick: "1024", help: "IOs of each response time" },
        Setting {
            name: "capacities",
            default: "1",
            quick: "1",
            help: "device capacities of random writes that make it used",
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

fn program(asked: &Asked<'_>) -> Result<Vec<Act>, BenchError> {
    let (ios, capacities) = (asked.count("ios", 16..=1 << 24)?, asked.count("capacities", 1..=1000)?);
    let bs = asked.frame.bs;
    let timed = |micro: &str, rw: Rw| {
        let pattern = if rw.is_random() { asked.permuted(rw, bs) } else { asked.baseline(rw, bs) };
        Probe::new(micro, rw.short_name(), pattern, Length::Ios(ios)).windows(Cut::Ios(ios), 2)
    };
    let mut acts = vec![Act::Prepare(FILL)];
    acts.extend(hd_tach(asked, ios));
    // What was discarded is not read from flash: reads are fresh as they were written in order.
    for rw in [Rw::RandRead, Rw::Read] {
        acts.push(timed(IN_ORDER, rw).repeated(asked.repeats).act());
    }
    let fresh = if asked.can_trim { DISCARDED } else { IN_ORDER };
    for rw in [Rw::RandWrite, Rw::Write] {
        acts.push(Act::Prepare(asked.fresh()));
        acts.push(timed(fresh, rw).afresh(asked.repeats).act());
    }
    let length = Length::Bytes(capacities * asked.whole(bs).0);
    let pattern = Box::new(asked.baseline(Rw::RandWrite, bs));
    acts.extend([FILL, Preparation::Burst { pattern, length }].map(Act::Prepare));
    // Sequential writes last: they put in order what the others find.
    for rw in [Rw::RandRead, Rw::Read, Rw::RandWrite, Rw::Write] {
        acts.push(timed(USED, rw).repeated(asked.repeats).act());
    }
    Ok(acts)
}

fn hd_tach(asked: &Asked<'_>, ios: u64) -> Vec<Act> {
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
    penalty(&points, &mut reading);
    throughput(&points, context, &mut reading);
    across(&points, &mut reading);
    reading
}

/// Mean response time of each run, in milliseconds.
fn times(point: &Point<'_>) -> Vec<f64> {
    let time = |run: &&Run| {
        let (sum, ios) = run.windows.iter().fold((0, 0), |(sum, ios), w| (sum + w.sum_ns, ios + w.ios));
        (ios > 0).then(|| sum as f64 / ios as f64 / 1e6)
    };
    point.runs.iter().filter_map(time).collect()
}

fn of<'a, 'b>(points: &'b [Point<'a>], micro: &str, rw: Rw) -> Option<&'b Point<'a>> {
    points.iter().find(|p| p.experiment.micro == micro && p.experiment.curve == rw.short_name())
}

/// Figure 1.
fn penalty(points: &[Point<'_>], reading: &mut Reading) {
    let columns = ["pattern", "fresh by", "fresh, ms", "used, ms", "longer by, %", "performance lost, %"];
    let caption = "Mean response times of the first writes and reads (figure 1). Longer by: used beside \
    fresh. \
                   Performance lost: what of the fresh device's IOs a second the used one does not reach.";
    let mut table = Table::new("penalty", "The rewrite penalty", caption, &columns);
    for rw in [Rw::RandWrite, Rw::Write, Rw::RandRead, Rw::Read] {
        let fresh =
            [DISCARDED, IN_ORDER].iter().find_map(|micro| of(points, micro, rw).map(|p| (micro, times(p))));
        let used = of(points, USED, rw).map(times).unwrap_or_default();
        let Some((by, fresh)) = fresh else { continue };
        let both = mean(&fresh).zip(mean(&used));
        table.rows.push(vec![
            Cell::words(rw.short_name()),
            Cell::words(if *by == DISCARDED { "discarded" } else { "written in order" }),
            Cell::mean(&fresh),
            Cell::mean(&used),
            Cell::number(both.map(|(fresh, used)| 100.0 * (used / fresh - 1.0))),
            Cell::number(both.map(|(fresh, used)| 100.0 * (1.0 - fresh / used))),
        ]);
        if let Some((fresh, used)) = both.filter(|_| rw == Rw::RandWrite) {
            let text = match used / fresh {
                same if (0.9..1.1).contains(&same) => "Use does not slow down random writes.".into(),
                less if less < 1.0 => {
                    format!("Random writes of the used device take {:.0} % less.", 100.0 * (1.0 - less))
                }
                more => {
                    format!("Random writes of the used device take {:.0} % longer.", 100.0 * (more - 1.0))
                }
            };
            reading.say(
                text,
                format!("{fresh:.3} ms fresh, {used:.3} ms used; the paper's drives: 93 % overall"),
            );
        }
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    let (text, why) = match of(points, DISCARDED, Rw::RandWrite) {
        Some(_) => {
            ("Fresh writes found everything discarded.", "before each of them the whole span was trimmed")
        }
        None => (
            "Fresh means written once in order here, not new.",
            "the target takes no discards; a drive that was full before may still collect what that left",
        ),
    };
    reading.say(text, why);
}

/// Figure 2: HD Tach's four numbers.
fn throughput(points: &[Point<'_>], context: &Context, reading: &mut Reading) {
    let columns = ["measure", "speed, MB/s", "time, ms", "processor, %"];
    let caption = "Read speed over the whole device, time of a random read of the smallest size, reads \
    of one place \
                   again and again (read-ahead), as HD Tach shows them (figure 2).";
    let mut table = Table::new("hd-tach", "Reads", caption, &columns);
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
        let time = if micro == ACCESS { Cell::mean(&times(point)) } else { Cell::Empty };
        table.rows.push(vec![Cell::words(name), Cell::mean(&mb_per_s(point)), time, Cell::mean(&shares)]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    if context.target.virtual_time {
        reading
            .say("No share of a processor is shown: the target's time is its own, not this machine's.", "");
    } else {
        let why =
            "time that this program's processors worked, over the time of the run; 100 % is one of them";
        reading.say("The share of a processor is this program's, all of its threads.", why);
    }
}

/// The read speed against the address.
fn across(points: &[Point<'_>], reading: &mut Reading) {
    let Some(point) = points.iter().find(|p| p.experiment.micro == ACROSS) else { return };
    let size = point.experiment.pattern.size.0 as f64;
    let curves = point.runs.iter().enumerate().map(|(repeat, run)| {
        let whole = run.read_bytes.max(1) as f64;
        let place = |bytes: u64| bytes as f64 / whole * size;
        let points = paces(&run.windows).iter().map(|pace| (place(pace.bytes), pace.mb_per_s)).collect();
        Curve { name: format!("run {}", repeat + 1), points }
    });
    reading.charts.push(Chart {
        id: "read-across".into(),
        title: "Read speed across the addresses".into(),
        caption: "HD Tach's curve.".into(),
        x: Axis::linear("address", "bytes"),
        y: Axis::linear("speed", "MB/s"),
        series: curves.collect(),
    });
}
