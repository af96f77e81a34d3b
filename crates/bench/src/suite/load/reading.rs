//! Percentiles over load, and the load at which the tail leaves its place.

use flashscope_analysis::reading::{Axis, Cell, Chart, Look, Point as Place, Series, Table};
use flashscope_analysis::{
    Conclusion, Context, Effect, Evidence, Finished, Indicator, Knee, Loaded, Percentile, Point, ROUNDS_MIN,
    Reading, Run, Support, geometric_mean, knee, points,
};
use flashscope_core::number::{digits, factor, plain, span};
use flashscope_core::{Op, Time};

use super::super::read::speed;
use super::{LOAD, MAXIMUM};
use crate::measure::is_overloaded;
use crate::offered::maximum;

/// The knee is where the tail takes so many times as long as at the lowest load.
const FACTOR: f64 = 2.0;
/// The tail that it is looked for in.
const TAIL: f64 = 99.0;
/// What is shown of each load.
const SHOWN: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

pub(super) fn reading(_: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut reading = Reading::default();
    let mut curves: Vec<Curve<'_, '_>> = Vec::new();
    for point in points.iter().filter(|point| point.experiment.micro == LOAD) {
        match curves.iter_mut().find(|curve| curve.name == point.experiment.curve) {
            Some(curve) => curve.loads.push(point),
            None => curves.push(Curve { name: &point.experiment.curve, loads: vec![point] }),
        }
    }
    curves.iter_mut().for_each(Curve::sort);
    maxima(&points, &mut reading);
    for curve in &curves {
        curve.say_knee(&mut reading);
    }
    for curve in &curves {
        curve.say_cost(&curves, &mut reading);
        reading.tables.push(curve.table());
        reading.charts.push(curve.chart());
    }
    reading
}

/// The fastest closed loops.
fn maxima(points: &[Point<'_>], reading: &mut Reading) {
    let caption = "Closed loop, queue depth doubled until throughput grows by less than 2.5 %. Loads are \
        shares of this.";
    let columns = ["IOs", "IOPS, IO/s", "throughput, MB/s", "queue depth"];
    let mut table = Table::new("maximum", "Maximum throughput", caption, columns);
    for (curve, name) in [("RR", "random reads"), ("RW", "random writes")] {
        let Some((most, depth)) = maximum(points, MAXIMUM, curve) else { continue };
        let is_of = |point: &&Point<'_>| point.experiment.micro == MAXIMUM && point.experiment.curve == curve;
        let bs = points.iter().find(is_of).map_or(0, |point| point.experiment.pattern.bs.0);
        let mb_s = most * bs as f64 / 1e6;
        table.add([Cell::words(name), Cell::number(most), Cell::number(mb_s), Cell::count(depth as u64)]);
    }
    if !table.rows.is_empty() {
        reading.tables.push(table);
    }
}

/// One kind of IO at its loads.
struct Curve<'a, 'p> {
    /// As in its experiments.
    name: &'a str,
    /// By load.
    loads: Vec<&'a Point<'p>>,
}

impl<'a, 'p> Curve<'a, 'p> {
    fn sort(&mut self) {
        self.loads.sort_by(|a, b| a.experiment.parameter.total_cmp(&b.experiment.parameter));
    }

    /// For a person.
    fn title(&self) -> String {
        self.name.replace("RR", "random reads").replace("RW", "random writes").replace('%', " %")
    }

    /// For links and programs.
    fn id(&self) -> String {
        let id = self.name.to_lowercase().replace([' ', '.'], "-").replace('%', "");
        format!("load-{id}")
    }

    fn capitalised(&self) -> String {
        let title = self.title();
        title[..1].to_uppercase() + &title[1..]
    }

    fn ids(&self) -> Vec<String> {
        self.loads.iter().map(|point| point.experiment.id()).collect()
    }

    fn say_knee(&self, reading: &mut Reading) {
        let [lowest, others @ ..] = &self.loads[..] else { return };
        if others.is_empty() {
            return;
        }
        let has_level = |point: &&&Point<'_>| grows(point) > 0 || point.experiment.parameter < 100.0;
        let loads: Vec<Loaded> = others.iter().filter(has_level).map(|point| loaded(lowest, point)).collect();
        let (from, title) = (lowest.experiment.parameter, self.capitalised());
        let within = format!("p99 stays within {FACTOR} times its value at {from} % load");
        let (claim, state, at) = match knee(from, &loads, FACTOR) {
            Knee::At { load, state } => {
                let ends = format!("between {} and {} %", load.ci_low, load.ci_high);
                (format!("{title}: {within} up to {:.0} % load ({ends}).", load.value), state, Some(load))
            }
            Knee::Beyond { load, state } => {
                (format!("{title}: no knee up to {load} % load: {within}."), state, None)
            }
            Knee::Unknown => {
                let untold = format!("where p99 exceeds {FACTOR} times its value at {from} % load");
                (format!("{title}: knee unknown; intervals do not tell {untold}."), Support::Unknown, None)
            }
        };
        let name = format!("load/{}/knee", self.name);
        reading.conclude(Conclusion::of(name, claim, state, at, "%", self.ids()), self.evidence(lowest));
    }

    fn evidence(&self, lowest: &Point<'_>) -> String {
        let tail = over_rounds(lowest, TAIL).map_or("unknown".into(), |tail| span(tail.value));
        // A queue that grows has no level.
        let level = self.loads.iter().rfind(|point| queue(point).is_empty());
        let last = level.and_then(|point| Some((point, over_rounds(point, TAIL)?)));
        let last = last.map_or(String::new(), |(point, tail)| {
            format!(", {} at {} %", span(tail.value), point.experiment.parameter)
        });
        let rounds = self.loads.iter().map(|point| point.runs.len()).min().unwrap_or(0);
        let rounds = if rounds == 1 { "1 round".into() } else { format!("{rounds} rounds") };
        format!("p99 {tail} at {} %{last}; {rounds}", lowest.experiment.parameter)
    }

    /// What writes beside reads cost them at the lowest load.
    fn say_cost(&self, curves: &[Curve<'_, '_>], reading: &mut Reading) {
        let Some((alone, _)) = self.name.split_once(" beside ") else { return };
        let Some(alone) = curves.iter().find(|curve| curve.name == alone) else { return };
        let [Some(without), Some(with)] = [alone, self].map(|curve| curve.loads.first().copied()) else {
            return;
        };
        if without.experiment.parameter != with.experiment.parameter {
            return;
        }
        let of = loaded(without, with);
        let evidence = Evidence { rounds: of.rounds, is_sound: of.is_sound, ..Evidence::of_ratio(of.ratio) };
        let Some(ratio) = of.ratio else { return };
        let (effect, state) = evidence.weigh();
        let (title, at) = (self.capitalised(), with.experiment.parameter);
        let claim = match effect {
            Effect::Present => format!("{title}: p99 is {} times that of reads alone", digits(ratio.value)),
            Effect::Absent => format!("{title}: p99 is that of reads alone"),
            Effect::Undecided => format!("{title}: unknown whether p99 is that of reads alone"),
        };
        let claim = format!("{claim}, at {at} % load.");
        let detail = format!("between {} and {}", factor(ratio.ci_low), factor(ratio.ci_high));
        let name = format!("load/{}/cost", self.name);
        let runs = [without, with].map(|point| point.experiment.id()).into();
        reading.conclude(Conclusion::of(name, claim, state, Some(ratio), "x", runs), detail);
    }

    fn table(&self) -> Table {
        let caption = "Open loop, Poisson arrivals; response times from arrival to completion. Geometric \
            means over the rounds with Student's 95 % CI; of a single round, its own interval.";
        let columns =
            ["load, %", "served, IO/s", "p50, ms", "p90, ms", "p99, ms", "p99.9, ms", "p99.99, ms", "queue"];
        let title = format!("Latency under load: {}", self.title());
        let rows = self.loads.iter().map(|point| row(point)).collect::<Vec<_>>();
        Table::new(self.id(), title, caption, columns).with_rows(rows)
    }

    fn chart(&self) -> Chart {
        let steady: Vec<_> = self.loads.iter().filter(|point| queue(point).is_empty()).collect();
        let left_out = self.loads.len() - steady.len();
        let note = match left_out {
            0 => "",
            _ => " Loads without a steady state are left out: their response times grow with the run.",
        };
        let curve = |percent: f64| {
            let places = steady.iter().filter_map(|point| {
                let found = over_rounds(point, percent)?;
                let interval = Some([found.ci_low / 1e6, found.ci_high / 1e6]);
                let place = Place::at(point.experiment.parameter, found.value / 1e6);
                Some(Place { interval, ..place.called(&point.experiment.label) })
            });
            Series::new(format!("p{percent}"), Look::Line, places)
        };
        let axes = [Axis::linear("load", "%"), Axis::log("response time", "ms")];
        let series = SHOWN.map(curve).into_iter().filter(|series| !series.points.is_empty()).collect();
        let title = format!("Latency under load: {}", self.title());
        let caption = format!("Arrivals in % of the maximum throughput.{note}");
        Chart::new(self.id(), title, caption, axes, series)
    }
}

fn row(point: &Point<'_>) -> Vec<Cell> {
    let percent = point.experiment.parameter;
    let served: Vec<f64> = point.runs.iter().filter_map(|run| speed(run)).map(|speed| speed.iops).collect();
    let tail = |percent: f64| match over_rounds(point, percent).filter(|_| grows(point) == 0) {
        Some(found) => Cell::between(found.value / 1e6, (found.ci_low / 1e6, found.ci_high / 1e6)),
        None => Cell::default(),
    };
    let load = [Cell::shown(plain(percent), percent), Cell::mean(&served)];
    let tails = SHOWN.map(tail);
    let queue = match queue(point) {
        // Where as much comes as can be served, waits go with each other for as long as anyone looks.
        unknown if unknown.is_empty() && tails.iter().all(Cell::is_empty) => {
            "too short for an interval".into()
        }
        known => known,
    };
    load.into_iter().chain(tails).chain([Cell::words(queue)]).collect()
}

/// Runs in which more arrived than was served.
fn grows(point: &Point<'_>) -> usize {
    let pattern = &point.experiment.pattern;
    let grows = |run: &&&Run| is_overloaded(pattern, run.ios, Time(run.elapsed_ns));
    point.runs.iter().filter(grows).count()
}

/// Why the queue has no level, if it has none: more arrives than is served, or as much as can be.
fn queue(point: &Point<'_>) -> String {
    match grows(point) {
        0 if point.experiment.parameter < 100.0 => String::new(),
        0 => "no steady state".into(),
        grows => format!("grows in {grows} of {} rounds", point.runs.len()),
    }
}

/// A percentile of the IOs that are measured; those of a load beside them are not.
fn percentile(run: &Run, op: Op, percent: f64) -> Option<Percentile> {
    let of_kind = run.kinds.iter().find(|kind| kind.op == op)?;
    of_kind.percentiles.iter().find(|found| found.percent == percent).copied()
}

/// Of the rounds that have IOs enough for it.
fn percentiles(point: &Point<'_>, percent: f64) -> Vec<Percentile> {
    let op = point.experiment.pattern.rw.op();
    point.runs.iter().filter_map(|run| percentile(run, op, percent)).collect()
}

/// In ns: over the rounds, or of a single one with its own interval.
fn over_rounds(point: &Point<'_>, percent: f64) -> Option<Indicator> {
    if percent == TAIL && point.runs.len() > 1 {
        return geometric_mean(&point.runs.iter().filter_map(|run| tail_ns(run)).collect::<Vec<_>>());
    }
    let found = percentiles(point, percent);
    match found[..] {
        [] => None,
        [one] => Some(Indicator { value: one.value_ns, ci_low: one.ci_low_ns, ci_high: one.ci_high_ns }),
        // Those that have it may be those with the shorter waits.
        _ if found.len() < point.runs.len() => None,
        _ => geometric_mean(&found.iter().map(|one| one.value_ns).collect::<Vec<_>>()),
    }
}

/// The tail of a run, whose interval is that over the rounds: of a full device a single run often has none,
/// because its IOs wait in the same few queues.
fn tail_ns(run: &Run) -> Option<f64> {
    run.outcome.quantiles.map(|found| found.p99_ns)
}

/// The tail over that of another load, round by round: what drifts from one round to the next is in both. It
/// rests on the rounds that may be believed where there are enough of them.
fn loaded(lowest: &Point<'_>, point: &Point<'_>) -> Loaded {
    let load = point.experiment.parameter;
    let grows = !point.runs.is_empty() && grows(point) == point.runs.len();
    let pairs: Vec<_> = lowest.runs.iter().zip(&point.runs).collect();
    let is_sound = |pair: &&(&&Run, &&Run)| is_believed(lowest, pair.0) && is_believed(point, pair.1);
    let sound: Vec<_> = pairs.iter().filter(is_sound).copied().collect();
    if let [_] = pairs[..] {
        return Loaded {
            load,
            ratio: of_one_round(lowest, point),
            grows,
            rounds: 1,
            is_sound: sound.len() == 1,
        };
    }
    let is_sound = sound.len() >= ROUNDS_MIN as usize;
    let counting = if is_sound { sound } else { pairs };
    let ratios: Vec<f64> =
        counting.iter().filter_map(|(below, above)| Some(tail_ns(above)? / tail_ns(below)?)).collect();
    Loaded { load, ratio: geometric_mean(&ratios), grows, rounds: ratios.len() as u32, is_sound }
}

/// Between the ends of both intervals.
fn of_one_round(lowest: &Point<'_>, point: &Point<'_>) -> Option<Indicator> {
    let [below, above] = [over_rounds(lowest, TAIL)?, over_rounds(point, TAIL)?];
    (below.ci_low > 0.0).then(|| Indicator {
        value: above.value / below.value,
        ci_low: above.ci_low / below.ci_high,
        ci_high: above.ci_high / below.ci_low,
    })
}

/// A queue that grows has no level, and that is what it shows.
fn is_believed(point: &Point<'_>, run: &Run) -> bool {
    let came_to_its_end =
        !run.outcome.stopped_because.is_early() && run.errors.is_empty() && !run.is_disturbed();
    let grows = is_overloaded(&point.experiment.pattern, run.ios, Time(run.elapsed_ns));
    run.is_sound() || (came_to_its_end && grows)
}
