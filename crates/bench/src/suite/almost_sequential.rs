//! Almost-sequential writes (paper 004): six orders of the same chunks, written until the device's capacity
//! has been written several times, beside what three cost models would have said.
//!
//! The paper's three patterns and its repeated permutation, and two more that repeat nothing.

mod models;

use std::borrow::Cow;

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{Context, Cut, Finished, Pace, Point, Reading, paces, points};
use flashscope_core::number::{digits, factor};
use flashscope_core::{Bytes, Location, Pattern, Rw};

use super::program::{Act, FILL, Parameters, Probe};
use super::read::mean;
use super::{Program, Setting, Suite};
use crate::error::{BenchError, SuiteError};
use crate::step::Length;
use models::Models;

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("almost-sequential"),
    doc: "throughput of six write orders of the same chunks, against capacities written",
    source: "Katriel: almost-sequential writes on an Intel X25-M (paper 004)",
    settings: &[Setting {
        name: "passes",
        default: "4",
        quick: "3",
        help: "device capacities written in each order",
    }],
    parts: &[],
    bs: Some(Bytes(64 << 10)),
    repeats: 1,
    program: Program::Acts(program),
    reading,
};

const MICRO: &str = "almost-sequential";
const CALIBRATION: &str = "calibration";
const SEQUENTIAL: &str = "sequential";
const REGULAR: &str = "regular gaps";
const RANDOM_GAPS: &str = "random gaps";
const REPEATED: &str = "repeated permutation";
const FRESH: &str = "fresh permutation";
const UNIFORM: &str = "uniform random";

/// The six, in the order in which a table shows them.
const ORDERS: [&str; 6] = [SEQUENTIAL, REGULAR, RANDOM_GAPS, REPEATED, FRESH, UNIFORM];

/// IOs from which the affine model gets its two numbers.
const CALIBRATION_IOS: u64 = 512;
/// A larger IO beside the chunk, for the same.
const CALIBRATION_FACTOR: u64 = 8;
/// Windows in each capacity.
const WINDOWS: u64 = 16;

fn location(order: &str, gap: Bytes) -> Location {
    match order {
        REGULAR => Location::RegularGaps { gap },
        RANDOM_GAPS => Location::RandomGaps { gap },
        REPEATED => Location::RepeatedPermutation,
        FRESH => Location::Permutation,
        UNIFORM => Location::Random,
        _ => Location::Sequential,
    }
}

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    if !asked.write {
        return Err(SuiteError::OnlyWrites { except: Some("calibration") }.into());
    }
    let bs = asked.frame.bs;
    let passes = asked.count("passes", 2..=1000)?;
    let size = asked.whole(bs).0;
    let mut acts = vec![Act::Prepare(FILL)];
    for rw in [Rw::RandRead, Rw::RandWrite] {
        for bs in [bs, Bytes(bs.0 * CALIBRATION_FACTOR)] {
            let length = Length::Ios(CALIBRATION_IOS);
            acts.push(Probe::new(CALIBRATION, rw.short_name(), asked.baseline(rw, bs), length).act());
        }
    }
    for order in ORDERS {
        let location = location(order, bs);
        let rw = if matches!(
            location,
            Location::Sequential | Location::RegularGaps { .. } | Location::RandomGaps { .. }
        ) {
            Rw::Write
        } else {
            Rw::RandWrite
        };
        let pattern = Pattern { location, ..asked.baseline(rw, bs) };
        let windows = Cut::Bytes((size / WINDOWS).max(bs.0));
        acts.push(Act::Prepare(asked.fresh()));
        let probe = Probe::new(MICRO, order, pattern, Length::Bytes(passes.saturating_mul(size)));
        acts.push(probe.windows(windows, (passes * WINDOWS + 2) as usize).afresh(asked.repeats).act());
    }
    Ok(acts)
}

/// One order as it went.
struct Order<'a> {
    name: &'a str,
    chunk: Bytes,
    capacity_bytes: f64,
    /// Windows of each repeat.
    runs: Vec<Vec<Pace>>,
}

impl<'a> Order<'a> {
    fn of(point: &Point<'a>) -> Order<'a> {
        let pattern = &point.experiment.pattern;
        Order {
            name: &point.experiment.curve,
            chunk: pattern.bs,
            capacity_bytes: pattern.size.0 as f64,
            runs: point.runs.iter().map(|run| paces(&run.windows)).filter(|run| !run.is_empty()).collect(),
        }
    }

    fn written(&self, pace: &Pace) -> f64 {
        pace.bytes as f64 / self.capacity_bytes
    }

    /// Speed of each repeat between two shares of the capacity that were written.
    fn between(&self, from: f64, to: f64) -> Vec<f64> {
        // A window ends with the IO that fills it: a chunk more than its share.
        let slack = 0.5 / WINDOWS as f64;
        let of = |run: &Vec<Pace>| {
            let at = |share: f64| run.iter().take_while(|pace| self.written(pace) < share + slack).last();
            let (begin, end) = (at(from).map_or((0.0, 0), |p| (p.end_s, p.bytes)), at(to)?);
            let seconds = end.end_s - begin.0;
            (seconds > 0.0).then(|| (end.bytes - begin.1) as f64 / 1e6 / seconds)
        };
        self.runs.iter().filter_map(of).collect()
    }

    fn capacities(&self) -> f64 {
        let ends = self.runs.iter().filter_map(|run| run.last());
        ends.map(|pace| self.written(pace)).fold(0.0, f64::max)
    }

    fn first(&self) -> Vec<f64> {
        self.between(0.0, 1.0)
    }

    fn last(&self) -> Vec<f64> {
        let end = self.capacities().floor();
        if end < 2.0 { Vec::new() } else { self.between(end - 1.0, end) }
    }

    /// Where the speed first fell below this share of its first windows' and never came back on average.
    fn cliff(&self, share: f64) -> Option<f64> {
        let run = self.runs.first()?;
        let quarter = (WINDOWS / 4) as usize;
        let first = mean(&run.get(..quarter)?.iter().map(|pace| pace.mb_per_s).collect::<Vec<_>>())?;
        let place =
            run.windows(quarter).position(|some| some.iter().all(|pace| pace.mb_per_s < share * first))?;
        Some(place.checked_sub(1).map_or(0.0, |before| self.written(&run[before])))
    }
}

/// A speed below this share of another is a difference.
const LIKE: f64 = 0.8;

fn reading(_: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let orders: Vec<Order<'_>> = ORDERS
        .iter()
        .filter_map(|name| points.iter().find(|p| p.experiment.micro == MICRO && p.experiment.curve == *name))
        .map(Order::of)
        .collect();
    let mut reading = Reading::default();
    let Some(chunk) = orders.first().map(|order| order.chunk) else { return reading };
    let models = Models::of(&points, chunk);
    about_collector(&orders, &mut reading);
    reading.tables.push(table(&orders, &models));
    reading.charts.push(chart(&orders));
    match &models {
        Some(models) => {
            reading.say(models.words(), "from two sizes of random reads and writes, after a sequential fill")
        }
        None => reading.warn(
            "The cost models have no parameters",
            "larger IOs were not slower than small ones, or the calibration was not run",
        ),
    }
    reading
}

fn table(orders: &[Order<'_>], models: &Option<Models>) -> Table {
    let mut table = Table::new(
        "orders",
        "Six orders of the same chunks",
        "Ratio to sequential: measured in the last capacity written. The models' columns are their \
         predictions of that ratio.",
        [
            "order",
            "first capacity, MB/s",
            "last capacity, MB/s",
            "ratio to sequential, x",
            "DAM, x",
            "affine, x",
            "B_R and B_W, x",
        ],
    );
    let sequential = orders.iter().find(|order| order.name == SEQUENTIAL);
    let base = sequential.and_then(|order| mean(&order.last()));
    for order in orders {
        let ratio = |value: f64| base.map(|base| value / base);
        let said = models.as_ref().map(|models| models.beside_sequential(order.name));
        let [dam, affine, split] = [0, 1, 2].map(|i| Cell::number(said.and_then(|said| said[i])));
        let last = order.last();
        let beside: Vec<f64> = last.iter().filter_map(|value| ratio(*value)).collect();
        let name = Cell::words(order.name);
        table.add([
            name,
            Cell::mean(&order.first()),
            Cell::mean(&last),
            Cell::mean(&beside),
            dam,
            affine,
            split,
        ]);
    }
    table
}

fn chart(orders: &[Order<'_>]) -> Chart {
    let curve = |order: &Order<'_>| {
        let run = order.runs.first().map_or(&[][..], |run| &run[..]);
        Series::line(order.name, run.iter().map(|pace| (order.written(pace), pace.mb_per_s)))
    };
    Chart::new(
        "speed-against-capacity",
        "Throughput against device capacities written",
        "As in paper 004's figures; first repeat of each order.",
        [Axis::linear("device capacities written", ""), Axis::linear("throughput", "MB/s")],
        orders.iter().map(curve).collect(),
    )
}

/// Reclamation costs more than half.
const MILD: f64 = 0.5;

/// Whether no two of them differ.
fn is_alike(shares: &[f64]) -> bool {
    let most = shares.iter().copied().fold(0.0, f64::max);
    shares.iter().all(|share| *share >= LIKE * most)
}

/// What the order of the six says about reclamation.
fn about_collector(orders: &[Order<'_>], reading: &mut Reading) {
    let last =
        |name: &str| orders.iter().find(|order| order.name == name).and_then(|order| mean(&order.last()));
    let Some(sequential) = last(SEQUENTIAL) else { return };
    let beside = |name: &str| last(name).map(|speed| speed / sequential);
    let [Some(regular), Some(gaps), Some(repeated), Some(fresh), Some(uniform)] =
        [REGULAR, RANDOM_GAPS, REPEATED, FRESH, UNIFORM].map(beside)
    else {
        return;
    };
    let text = if [regular, gaps, repeated, fresh, uniform].iter().all(|share| *share >= LIKE) {
        "All six orders have the same throughput: no garbage collection was detected. The device has enough \
         spare space, or does not collect during writes."
    } else if uniform >= MILD && is_alike(&[regular, gaps, repeated, fresh, uniform]) {
        "The five other orders are equally fast and little slower than sequential: the difference is the \
         cost of a new address. No effect of garbage collection was detected."
    } else if regular >= LIKE && repeated >= LIKE && gaps < LIKE {
        "Repeated orders are as fast as sequential, changing orders are not: the device maps chunks \
         log-structured, and its collector keeps the data it moves separate. Rewrite data in the order in \
         which it was written before."
    } else if repeated < LIKE
        && fresh < LIKE
        && (repeated / fresh - 1.0).abs() < 1.0 - LIKE
        && regular >= LIKE
    {
        "Repeated and fresh permutations are equally slow, and gaps have no effect: the device maps areas \
         larger than the chunk by address, and copies the rest of a partly written area. Only sequential \
         order helps."
    } else if repeated < LIKE && fresh < LIKE && regular < LIKE && (repeated / fresh - 1.0).abs() < 1.0 - LIKE
    {
        "All orders but sequential are slow, repeated or not: the unwritten rest of an area is copied when \
         the area is rewritten. Only complete areas in order help."
    } else if gaps > regular && regular > repeated {
        "Random gaps are faster than regular ones, and a repeated permutation is slowest: the collector \
         takes blocks in turn (FIFO) and moves their valid pages."
    } else if repeated < LIKE && repeated > fresh {
        "A repeated permutation is faster than a fresh one, but slower than sequential: collected data are \
         mixed with new writes, and the order is partly lost."
    } else {
        "The ranking of the six orders fits no simple collector; see the curves."
    };
    let evidence = format!(
        "ratio to sequential in the last capacity: regular gaps {}, random gaps {}, repeated permutation {}, \
         fresh permutation {}, uniform random {}",
        factor(regular),
        factor(gaps),
        factor(repeated),
        factor(fresh),
        factor(uniform)
    );
    reading.say(text, evidence);
    let cliff = orders.iter().find(|order| order.name == RANDOM_GAPS).and_then(|order| order.cliff(LIKE));
    if let Some(at) = cliff {
        let evidence = "four windows in a row below 80 % of the first four";
        reading.say(
            format!("Throughput of random gaps drops after {} device capacities.", digits(at)),
            evidence,
        );
    }
}
