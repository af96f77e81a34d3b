//! The tables of the specification, the criterion as it was computed, and our own phases beside it.

use flashscope_analysis::reading::{Axis, Cell, Chart, Column, Series, Table};
use flashscope_analysis::{
    Context, Finished, Pace, Point, Reading, Run, STEADY_RANGE_MAX, STEADY_ROUNDS, STEADY_SLOPE_MAX,
    SteadyWindow, first_steady, paces, points, steady_window,
};
use flashscope_core::Bytes;
use flashscope_core::number::{self, digits, in_unit, percent};

use super::super::read::{are_apart, mean, speed};
use super::{
    HIR, IDLES, IOPS, LATENCY, LATENCY_MIXES, MIXES, SIZES, THROUGHPUT, THROUGHPUT_SIZES, WSAT, XSR, cell,
};

type Points<'a> = [Point<'a>];

pub(super) fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut reading = Reading::default();
    verdicts(&points, context.complete, &mut reading);
    iops(&points, &mut reading);
    throughput(&points, &mut reading);
    latency(&points, &mut reading);
    saturation(&points, &mut reading);
    idle_recovery(&points, &mut reading);
    cross_stimulus(&points, &mut reading);
    reading
}

/// The last run of each round of a curve, in order.
fn rounds<'a>(points: &Points<'a>, micro: &str, curve: &str) -> Vec<&'a Run> {
    let of = |point: &&Point<'a>| point.experiment.micro == micro && point.experiment.curve == curve;
    let mut rounds: Vec<&Point<'a>> = points.iter().filter(of).collect();
    rounds.sort_by(|a, b| a.experiment.parameter.total_cmp(&b.experiment.parameter));
    rounds.into_iter().filter_map(|point| point.runs.last().copied()).collect()
}

fn rates(runs: &[&Run]) -> Vec<f64> {
    runs.iter().filter_map(|run| speed(run)).map(|speed| speed.iops).collect()
}

/// The measurement window: the last rounds of a curve.
fn window<'a, 'b>(runs: &'b [&'a Run]) -> &'b [&'a Run] {
    &runs[runs.len().saturating_sub(STEADY_ROUNDS)..]
}

/// What is tracked, by test; the curve is that of the largest write where several are.
fn tracked(points: &Points<'_>) -> Vec<(&'static str, String, Vec<f64>, Vec<bool>)> {
    let least = |micro: &str| {
        let sizes = points.iter().filter(|p| p.experiment.micro == micro).map(|p| p.experiment.pattern.bs.0);
        sizes.filter(|bs| *bs >= super::TRACKED).min().unwrap_or(super::TRACKED)
    };
    let mut curves = vec![("IOPS", IOPS, cell("0/100", least(IOPS)))];
    curves.extend(THROUGHPUT_SIZES.map(|bs| ("throughput", THROUGHPUT, cell("SW", bs))));
    curves.push(("latency", LATENCY, cell("0/100", least(LATENCY))));
    curves.push(("host idle", HIR, "to steady state".into()));
    let mut all: Vec<_> = curves
        .into_iter()
        .map(|(test, micro, curve)| {
            let mut runs = rounds(points, micro, &curve);
            // A round that was cut short is none.
            runs.retain(|run| !run.outcome.stopped_because.is_early());
            let level = runs.iter().map(|run| run.outcome.stationary).collect();
            (test, curve, rates(&runs), level)
        })
        .filter(|(_, _, rates, _)| !rates.is_empty())
        .collect();
    if let Some(run) = rounds(points, WSAT, "0/100").last() {
        let rates = paces(&run.windows).iter().map(|pace| pace.iops).collect();
        all.push(("write saturation", "windows".into(), rates, vec![run.outcome.stationary]));
    }
    all
}

/// The criterion, number by number.
fn verdicts(points: &Points<'_>, complete: bool, reading: &mut Reading) {
    let caption = "Criterion over 5 rounds: (max - min) / mean at most 20 %, and the least-squares line \
        changes by at most 10 % of the mean. Level runs: runs that reached a steady state by flashscope's \
        own phase detection.";
    let columns =
        ["test", "tracked", "rounds", "mean, IO/s", "range, %", "slope, %", "PTS", "in round", "level runs"];
    let mut table = Table::new("steady", "Steady state", caption, columns);
    let (mut never, mut few) = (Vec::new(), Vec::new());
    for (test, curve, rates, level) in tracked(points) {
        let first = first_steady(&rates);
        // A saturation is seen as a whole: where it first was steady. The others end there.
        let shown = first.or_else(|| steady_window(&rates));
        let percent =
            |of: fn(&SteadyWindow) -> f64| Cell::number(shown.as_ref().map(|window| 100.0 * of(window)));
        let levels = &level[level.len().saturating_sub(STEADY_ROUNDS)..];
        let is_judged = rates.len() >= STEADY_ROUNDS;
        match first {
            Some(_) => {}
            None if is_judged => never.push(test),
            None => few.push(test),
        }
        let verdict = match first {
            Some(_) => "steady".into(),
            None if is_judged => "not reached".into(),
            None => not_judged(rates.len()),
        };
        table.add([
            Cell::words(test),
            Cell::words(curve),
            Cell::words(rates.len().to_string()),
            Cell::number(shown.map(|window| window.mean)),
            percent(|window| window.range),
            percent(|window| window.slope),
            Cell::words(verdict),
            first.map_or(Cell::default(), |window| Cell::words(window.round.to_string())),
            Cell::words(format!("{} of {}", levels.iter().filter(|level| **level).count(), levels.len())),
        ]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    judge(&never, &few, complete, reading);
}

/// What the criterion says of all tests.
fn judge(never: &[&str], few: &[&str], complete: bool, reading: &mut Reading) {
    let formula = format!(
        "range at most {}, slope at most {} of the mean over {STEADY_ROUNDS} rounds",
        percent(STEADY_RANGE_MAX),
        percent(STEADY_SLOPE_MAX)
    );
    if !few.is_empty() {
        let text = format!("No verdict with fewer than {STEADY_ROUNDS} rounds: {}.", few.join(", "));
        reading.warn(text, "the run ended early; resume it");
    }
    match never {
        [] if few.is_empty() => {
            let which = if complete { "Every test" } else { "Every finished test" };
            reading.say(format!("{which} reached the specification's steady state."), formula);
        }
        [] => {}
        _ => reading.warn(format!("Steady state not reached in: {}.", never.join(", ")), formula),
    }
}

/// Of fewer rounds than a measurement window has.
fn not_judged(rounds: usize) -> String {
    format!("no verdict: {rounds} of at least {STEADY_ROUNDS} rounds")
}

/// Mean IOPS of the measurement window, mixes by sizes.
fn iops(points: &Points<'_>, reading: &mut Reading) {
    let found = |mix: &str, bs: u64| rates(window(&rounds(points, IOPS, &cell(mix, bs))));
    let mixes: Vec<&str> =
        MIXES.into_iter().filter(|mix| SIZES.iter().any(|bs| !found(mix, *bs).is_empty())).collect();
    if mixes.is_empty() {
        return;
    }
    let headings = mixes.iter().map(|mix| format!("{mix}, IO/s").as_str().into());
    let columns = [Column::words("block")].into_iter().chain(headings);
    let caption = "Random IOs, reads/writes; means over the measurement window.";
    let mut table = Table::new("iops", "IOPS", caption, columns);
    for bs in SIZES.into_iter().filter(|bs| mixes.iter().any(|mix| !found(mix, *bs).is_empty())) {
        let cells = mixes.iter().map(|mix| Cell::mean(&found(mix, bs)));
        table.add([Cell::words(Bytes(bs).to_string())].into_iter().chain(cells));
    }
    reading.tables.push(table);
}

fn throughput(points: &Points<'_>, reading: &mut Reading) {
    let found = |rw: &str, bs: u64| -> Vec<f64> {
        let runs = rounds(points, THROUGHPUT, &cell(rw, bs));
        window(&runs).iter().filter_map(|run| speed(run)).map(|speed| speed.mb_per_s).collect()
    };
    let caption = "Sequential IOs; means over the measurement window.";
    let mut table = Table::new("throughput", "Throughput", caption, ["block", "reads, MB/s", "writes, MB/s"]);
    for bs in THROUGHPUT_SIZES {
        let (reads, writes) = (found("SR", bs), found("SW", bs));
        if !reads.is_empty() || !writes.is_empty() {
            table.add([Cell::words(Bytes(bs).to_string()), Cell::mean(&reads), Cell::mean(&writes)]);
        }
    }
    if !table.rows.is_empty() {
        reading.tables.push(table);
    }
}

fn latency(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Single random IOs; mean and maximum over the measurement window.";
    let columns = ["block", "reads/writes", "mean, ms", "max, ms"];
    let mut table = Table::new("latency", "Latency", caption, columns);
    for bs in SIZES {
        for mix in LATENCY_MIXES {
            let runs = rounds(points, LATENCY, &cell(mix, bs));
            let window = window(&runs);
            let means: Vec<f64> = window
                .iter()
                .filter(|run| run.ios > 0)
                .map(|run| run.elapsed_ns as f64 / run.ios as f64 / 1e6)
                .collect();
            let longest =
                window.iter().filter_map(|run| run.outcome.quantiles).map(|found| found.max_ns / 1e6);
            let longest = longest.reduce(f64::max);
            if !means.is_empty() {
                let name = Cell::words(Bytes(bs).to_string());
                table.add([name, Cell::words(mix), Cell::mean(&means), Cell::number(longest)]);
            }
        }
    }
    if !table.rows.is_empty() {
        reading.tables.push(table);
    }
}

fn chart(id: &str, title: &str, x: Axis, series: Vec<Series>) -> Chart {
    Chart::new(id, title, "", [x, Axis::linear("rate", "IO/s")], series)
}

/// Write saturation: rate against capacities written, the criterion's verdict and ours.
fn saturation(points: &Points<'_>, reading: &mut Reading) {
    let of = |point: &&Point<'_>| point.experiment.micro == WSAT;
    let Some(point) = points.iter().find(of) else { return };
    let Some(run) = point.runs.last() else { return };
    let capacity = point.experiment.pattern.size.0 as f64;
    let paces = paces(&run.windows);
    let curve = |pace: &Pace| (pace.bytes as f64 / capacity, pace.iops);
    let x = Axis::linear("device capacities written", "");
    let series = vec![Series::line("random writes", paces.iter().map(curve))];
    reading.charts.push(chart("wsat", "Write saturation", x, series));
    let rates: Vec<f64> = paces.iter().map(|pace| pace.iops).collect();
    let first = first_steady(&rates);
    let pts = first.map(|found| paces[found.round - 1].bytes as f64 / capacity);
    if let Some((first, last)) = first.zip(steady_window(&rates))
        && (last.mean / first.mean - 1.0).abs() > STEADY_RANGE_MAX
    {
        reading.warn(
            format!(
                "IOPS at the specification's steady state: {}; at the end: {}.",
                number::iops(first.mean),
                number::iops(last.mean)
            ),
            "first five rounds within the criterion, and last five windows",
        );
    }
    let phases = &run.outcome.phases;
    let ours = digits(phases.startup_bytes as f64 / capacity);
    let level = if run.outcome.stationary { "constant from then on" } else { "not constant until the end" };
    let pts = match pts {
        Some(at) => format!("steady state after {} capacities written", digits(at)),
        None if rates.len() < STEADY_ROUNDS => not_judged(rates.len()),
        None => "steady state not reached".into(),
    };
    reading.say(
        format!(
            "Write saturation: by the specification {pts}; by phase detection the warm-up ends after {ours}, \
             {level}."
        ),
        "the specification uses five windows, phase detection the whole run; if they differ, the fixed \
         window missed a slow change, or the warm-up was longer than the run",
    );
}

/// Host idle recovery: what idle time gives back.
fn idle_recovery(points: &Points<'_>, reading: &mut Reading) {
    let usual = rates(window(&rounds(points, HIR, "to steady state")));
    let Some(steady) = mean(&usual) else { return };
    let caption = "Random 4 KiB writes in bursts of 5/60 of a round, with idle time between bursts.";
    let columns = ["idle time, rounds", "bursts, IO/s", "ratio to steady, x", "after, IO/s"];
    let mut table = Table::new("hir", "Host idle recovery", caption, columns);
    let mut best: Option<(f64, &str)> = None;
    for (_, name) in IDLES {
        let bursts = rates(&rounds(points, HIR, &format!("burst after idle {name}")));
        let after = rates(&rounds(points, HIR, &format!("without idle, after {name}")));
        let beside: Vec<f64> = bursts.iter().map(|rate| rate / steady).collect();
        let is_best = |share: &f64| best.is_none_or(|(most, _)| *share > most);
        let is_apart = are_apart(&bursts, &usual, IDLES.len());
        if let Some(share) = mean(&beside).filter(|share| is_apart && is_best(share)) {
            best = Some((share, name));
        }
        table.add([Cell::words(name), Cell::mean(&bursts), Cell::mean(&beside), Cell::mean(&after)]);
    }
    reading.tables.push(table);
    let text = match best {
        Some((most, name)) if most > 1.1 => format!(
            "Idle time helps: bursts after {name} of a round are {} times faster than in steady state.",
            digits(most)
        ),
        _ => "Idle time does not help: bursts are not faster than in steady state.".into(),
    };
    reading.say(text, format!("{} in steady state", number::iops(steady)));
}

/// Cross stimulus recovery: sequential writes before and after random ones.
fn cross_stimulus(points: &Points<'_>, reading: &mut Reading) {
    let of = |point: &&Point<'_>| point.experiment.micro == XSR;
    let mut begin_s = 0.0;
    let mut series = Vec::new();
    let mut speeds: Vec<(f64, Vec<f64>, Vec<Pace>)> = Vec::new();
    for point in points.iter().filter(of) {
        let Some(run) = point.runs.last() else { continue };
        let paces = paces(&run.windows);
        let curve = paces.iter().map(|pace| (begin_s + pace.end_s, pace.mb_per_s));
        series.push(Series::line(&point.experiment.curve, curve));
        begin_s += run.elapsed_ns as f64 / 1e9;
        let late: Vec<f64> = paces.iter().skip(paces.len() / 2).map(|pace| pace.mb_per_s).collect();
        speeds.push((mean(&late).unwrap_or(0.0), late, paces));
    }
    let [(before, usual, _), (random, ..), (_, _, after)] = &speeds[..] else { return };
    let mut one = chart("xsr", "Cross stimulus recovery", Axis::linear("time", "s"), series);
    one.y = Axis::linear("throughput", "MB/s");
    reading.charts.push(one);
    // What was as slow before the random writes is no trace of them.
    let slowest = usual.iter().copied().fold(0.9 * before, f64::min);
    let back = after.iter().position(|pace| pace.mb_per_s >= slowest);
    let text = match back {
        Some(0) => "Sequential writes recover immediately after random writes.".into(),
        Some(at) => format!(
            "Sequential writes recover to 90 % of their throughput {} after the random writes.",
            in_unit(after[at - 1].end_s, "s")
        ),
        None => {
            "Sequential writes do not recover to 90 % of their throughput after the random writes.".into()
        }
    };
    let [before, random] = [*before, *random].map(|mb_per_s| number::throughput(mb_per_s * 1e6));
    reading.say(text, format!("sequential before {before}, random {random}"));
}
