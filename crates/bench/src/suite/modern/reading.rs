//! From windows and rates to what is inside: steps of a fill, fast read-backs, the depth that fills a device.

use flashscope_analysis::reading::{Axis, Cell, Chart, Curve, Table};
use flashscope_analysis::{Context, Finished, Level, Pace, Point, Reading, Run, levels, paces, points};
use flashscope_core::Bytes;

use super::super::read::{mean_ms, speed};
use super::{BUFFER_READ, DEPTH, FILL, FLUSH, IDLE, SPARE, TAIL, TRIM, TRIM_EFFECT};

type Points<'a> = [Point<'a>];

/// Two speeds that differ by less are one.
const STEP: f64 = 1.15;
/// A read-back from a buffer is at least so much faster than one from flash. Flash in SLC mode is not.
const BUFFERED: f64 = 2.0;
/// A run that never slows down was fast as a whole if it beats the slowest by this.
const ALL_FAST: f64 = 1.3;
/// Two sizes of a buffer that differ by less are one.
const AGREED: f64 = 0.25;
/// Collecting costs at least so much more time for each byte.
const COLLECTING: f64 = 1.5;
/// The last doubling of the queue brings less than this once the device is full.
const FULL: f64 = 1.1;

/// What was found, to be shown together.
struct Found {
    table: Table,
}

impl Found {
    fn new() -> Found {
        let caption = "What the parts of the suite have in common: one number for each thing inside.";
        Found { table: Table::new("found", "Inside", caption, &["quantity", "value", "unit"]) }
    }

    fn add(&mut self, quantity: &str, value: f64, unit: &str) {
        self.table.rows.push(vec![Cell::words(quantity), Cell::number(Some(value)), Cell::words(unit)]);
    }
}

pub(super) fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let (mut reading, mut found) = (Reading::default(), Found::new());
    depth(&points, &mut reading, &mut found);
    let buffer = buffer(&points, &mut reading, &mut found);
    let cache = fill(&points, buffer, &mut reading, &mut found);
    let held = cache.unwrap_or(0.0) + buffer.unwrap_or(0.0);
    spare(&points, context, held, &mut reading, &mut found);
    tail(&points, &mut reading);
    flush(&points, &mut reading);
    trim(&points, &mut reading);
    idle(&points, &mut reading);
    if !found.table.rows.is_empty() {
        reading.tables.insert(0, found.table);
    }
    reading
}

fn of<'a, 'b>(points: &'b Points<'a>, micro: &'b str) -> impl Iterator<Item = &'b Point<'a>> {
    points.iter().filter(move |point| point.experiment.micro == micro)
}

fn last_run<'a>(point: &Point<'a>) -> Option<&'a Run> {
    point.runs.last().copied()
}

fn gib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 30)
}

fn mib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

/// IOs a second by depth; where the two straight lines of an idle and of a full device meet: as many IOs as
/// the full device serves in the time that one takes alone (the knee of asymptotic bounds).
fn depth(points: &Points<'_>, reading: &mut Reading, found: &mut Found) {
    let mut rates: Vec<(f64, f64)> = of(points, DEPTH)
        .filter_map(|point| Some((point.experiment.parameter, speed(last_run(point)?)?.iops)))
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(1.0, alone)) = rates.first() else { return };
    let caption = "Random reads of the smallest size asked for, by IOs in flight.";
    let mut table =
        Table::new("depth", "Queue depth", caption, &["in flight", "rate, IO/s", "mean, ms", "p99, ms"]);
    for point in of(points, DEPTH) {
        let p99 = last_run(point).and_then(|run| run.outcome.quantiles).map(|found| found.p99_ns / 1e6);
        let rate = last_run(point).and_then(speed).map(|speed| speed.iops);
        let label = Cell::words(&point.experiment.label);
        table.rows.push(vec![label, Cell::number(rate), mean_ms(point), Cell::number(p99)]);
    }
    reading.tables.push(table);
    reading.charts.push(Chart {
        id: "depth".into(),
        title: "Queue depth".into(),
        caption: caption.into(),
        x: Axis::log("in flight", ""),
        y: Axis::linear("rate", "IO/s"),
        series: vec![Curve { name: "random reads".into(), points: rates.clone() }],
    });
    let [.., (shallow, before), (deep, last)] = rates[..] else { return };
    if last > FULL * before {
        let text = format!("No knee up to {deep:.0} IOs in flight: {last:.0} IO/s, and still growing.");
        reading.say(text, format!("{before:.0} IO/s with {shallow:.0} in flight"));
        return;
    }
    // The time of an IO falls towards that of the bottleneck as 1 / depth.
    let bottleneck = (deep / last - shallow / before) / (deep - shallow);
    let most = if bottleneck > 0.0 { (1.0 / bottleneck).max(last) } else { last };
    let knee = most / alone;
    found.add("queue-depth knee", knee, "IOs in flight");
    let enough = rates.iter().find(|(_, rate)| *rate >= 0.9 * most);
    let enough = enough.map_or(String::new(), |(depth, _)| format!("; 90 % of it with {depth:.0}"));
    reading.say(
        format!("The queue-depth knee is at {knee:.0} random reads in flight."),
        format!("{alone:.0} IO/s alone, at most {most:.0}{enough}"),
    );
}

/// Time for each IO of the windows of a run.
fn times(run: &Run) -> Vec<f64> {
    run.windows.iter().filter_map(|window| window.mean_ns()).collect()
}

/// Time for each byte of the windows of a run, in ns.
fn costs(paces: &[Pace]) -> Vec<f64> {
    let cost = |pace: &Pace| if pace.mb_per_s > 0.0 { 1e3 / pace.mb_per_s } else { 0.0 };
    paces.iter().map(cost).collect()
}

/// Of so many bytes written, how many were read back fast, by amount. The buffer's size is seen best in the
/// smallest amount of which a part is slow.
fn buffer(points: &Points<'_>, reading: &mut Reading, found: &mut Found) -> Option<f64> {
    let mut amounts: Vec<(f64, Vec<f64>)> = of(points, BUFFER_READ)
        .filter_map(|point| Some((point.experiment.parameter, times(last_run(point)?))))
        .filter(|(_, times)| !times.is_empty())
        .collect();
    amounts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let largest = amounts.last()?.0;
    let caption = "Read back in the order in which it was written, single reads far apart. What is still \
                   in the buffer is what was written last.";
    let columns = ["written", "of it fast, MiB", "oldest, ms", "youngest, ms"];
    let mut table = Table::new("buffer", "Write buffer", caption, &columns);
    let mut sizes = Vec::new();
    for (written, times) in &amounts {
        let levels = levels(times, STEP);
        let (oldest, youngest) = (levels.first()?.mean, levels.last()?.mean);
        let fast = fast_end(&levels).map(|from| written * (1.0 - from as f64 / times.len() as f64));
        sizes.push(fast);
        table.rows.push(vec![
            Cell::words(Bytes(*written as u64).to_string()),
            Cell::number(fast.map(mib)),
            Cell::number(Some(oldest / 1e6)),
            Cell::number(Some(youngest / 1e6)),
        ]);
    }
    let size = agreed(&sizes);
    reading.tables.push(table);
    match size {
        Some(size) => {
            found.add("write buffer", mib(size), "MiB");
            reading.say(
                format!("The write buffer holds {:.1} MiB.", mib(size)),
                "so much of what was written last is read back faster than flash can",
            );
        }
        None => reading.say(
            "No write buffer was seen.",
            format!(
                "what was written last is read back as fast as what was written before, up to {}",
                Bytes(largest as u64)
            ),
        ),
    }
    size
}

/// The first size that is seen, if the next larger amount shows it too: a reader that was held up for a
/// moment makes fast and slow parts as well, once.
fn agreed(sizes: &[Option<f64>]) -> Option<f64> {
    let first = sizes.iter().position(|size| size.is_some())?;
    let size = sizes[first]?;
    match sizes.get(first + 1) {
        None => Some(size),
        Some(next) => next.filter(|next| (next / size - 1.0).abs() <= AGREED).map(|_| size),
    }
}

/// Where the fast levels at the end of a read-back begin.
fn fast_end(levels: &[Level]) -> Option<usize> {
    let youngest = levels.last()?.mean;
    let slow = levels.iter().rposition(|level| level.mean >= BUFFERED * youngest)?;
    Some(levels[slow].to)
}

/// Whether everything from a border on costs more than everything before it, by this factor: the one step of
/// a series, and not a stretch of it.
fn is_lasting(costs: &[f64], border: usize, factor: f64) -> bool {
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len().max(1) as f64;
    mean(&costs[border..]) >= factor * mean(&costs[..border])
}

/// Bytes up to the beginning of a window.
fn bytes_before(paces: &[Pace], window: usize) -> f64 {
    window.checked_sub(1).map_or(0.0, |before| paces[before].bytes as f64)
}

/// A step within so many times the write buffer is that of the buffer.
const BUFFER_SHARE: f64 = 4.0;

fn megabytes_a_second(level: &Level) -> f64 {
    1e3 / level.mean
}

fn curve(name: &str, paces: &[Pace]) -> Curve {
    // A pixel or two for each point are enough.
    let step = paces.len().div_ceil(1024).max(1);
    let thinned = paces.chunks(step).filter_map(|some| some.last());
    let mut begin = (0.0, 0u64);
    let points = thinned.filter_map(|pace| {
        let (seconds, bytes) = (pace.end_s - begin.0, pace.bytes - begin.1);
        // What completes at one moment belongs to the next.
        (seconds > 0.0).then(|| {
            begin = (pace.end_s, pace.bytes);
            (gib(pace.bytes as f64), bytes as f64 / 1e6 / seconds)
        })
    });
    Curve { name: name.into(), points: points.collect() }
}

fn bytes_chart(id: &str, title: &str, caption: &str, series: Vec<Curve>) -> Chart {
    let (x, y) = (Axis::linear("written", "GiB"), Axis::linear("speed", "MB/s"));
    Chart { id: id.into(), title: title.into(), caption: caption.into(), x, y, series }
}

/// The first level of a fill: bytes at that speed, the speed, and the speed at the end.
fn first_level(paces: &[Pace]) -> Option<(f64, f64, f64)> {
    let costs = costs(paces);
    let levels = levels(&costs, STEP);
    let [first, second, ..] = levels[..] else { return None };
    let last = levels.last()?;
    (second.mean > first.mean && is_lasting(&costs, second.from, STEP))
        .then(|| (bytes_before(paces, second.from), megabytes_a_second(&first), megabytes_a_second(last)))
}

/// A fast beginning that is longer than the write buffer is a cache in flash.
fn fill(points: &Points<'_>, buffer: Option<f64>, reading: &mut Reading, found: &mut Found) -> Option<f64> {
    let paces = paces(&last_run(of(points, FILL).next()?)?.windows);
    let caption = "Everything written once in order, from a rested device.";
    reading.charts.push(bytes_chart("fill", "Fill", caption, vec![curve("sequential writes", &paces)]));
    let levels = levels(&costs(&paces), STEP);
    let of_buffer = BUFFER_SHARE * buffer.unwrap_or(0.0);
    let is_end =
        |pair: &&[Level]| pair[1].mean > pair[0].mean && bytes_before(&paces, pair[1].from) > of_buffer;
    let Some([fast, slow]) = levels.windows(2).find(is_end) else {
        let text = "A fill shows no cache in SLC mode.";
        reading.say(text, "one may be faster than the link or the writer, or larger than the span");
        return None;
    };
    let bytes = bytes_before(&paces, slow.from);
    let evidence =
        format!("{:.0} MB/s before, {:.0} MB/s after", megabytes_a_second(fast), megabytes_a_second(slow));
    found.add("SLC cache", gib(bytes), "GiB");
    reading
        .say(format!("The first {:.2} GiB of a fill are fast: a cache in SLC mode.", gib(bytes)), evidence);
    Some(bytes)
}

/// Random writes after a fill cost no copying until the spare flash is used up; of them, cache and buffer
/// hold the first.
fn spare(
    points: &Points<'_>,
    context: &Context,
    held: f64,
    reading: &mut Reading,
    found: &mut Found,
) -> Option<()> {
    let point = of(points, SPARE).next()?;
    let paces = paces(&last_run(point)?.windows);
    let caption = "Random writes of 64 KiB to a device that was written in order and left alone.";
    reading.charts.push(bytes_chart("spare", "Spare flash", caption, vec![curve("random writes", &paces)]));
    let costs = costs(&paces);
    let levels = levels(&costs, STEP);
    let dearer = |pair: &&[Level]| pair[1].mean / pair[0].mean;
    let is_beyond = |pair: &&[Level]| {
        let border = pair[1].from;
        bytes_before(&paces, border) > 1.05 * held && is_lasting(&costs, border, COLLECTING)
    };
    let cliff = levels.windows(2).filter(is_beyond).max_by(|a, b| dearer(a).total_cmp(&dearer(b)));
    let Some([before, after]) = cliff.filter(|pair| dearer(pair) >= COLLECTING) else {
        reading.say(
            "The spare flash was not found.",
            "random writes never became much dearer: more is spare than that, or the collector keeps up",
        );
        return None;
    };
    let span = point.experiment.pattern.size.0 as f64;
    let bytes = (bytes_before(&paces, after.from) - held).max(0.0);
    let share = 100.0 * bytes / span;
    let evidence = format!(
        "{:.0} MB/s before the collector must copy, {:.0} MB/s after{}",
        megabytes_a_second(before),
        megabytes_a_second(after),
        if held > 0.0 { "; what cache and buffer hold is taken off" } else { "" }
    );
    if span < 0.95 * context.target.size_bytes as f64 {
        let text = "Only a part of the device was written: what else is free on it counts as spare here.";
        reading.warn(text, format!("{} of {}", Bytes(span as u64), Bytes(context.target.size_bytes)));
    }
    found.add("spare flash", gib(bytes), "GiB");
    found.add("over-provisioning", share, "%");
    reading.say(
        format!("{:.2} GiB of flash are spare: over-provisioning of {share:.1} %.", gib(bytes)),
        evidence,
    );
    Some(())
}

fn tail(points: &Points<'_>, reading: &mut Reading) {
    let caption = "Single random reads while random writes come at a set rate.";
    let columns = ["writes asked", "writes, MB/s", "reads, IO/s", "median, ms", "p99, ms", "longest, ms"];
    let mut table = Table::new("tail", "Reads under writes", caption, &columns);
    let mut p99s: Vec<(f64, f64)> = Vec::new();
    for point in of(points, TAIL) {
        let Some(run) = last_run(point) else { continue };
        let seconds = run.elapsed_ns as f64 / 1e9;
        let quantile = |of: fn(&flashscope_analysis::Quantiles) -> f64| {
            Cell::number(run.outcome.quantiles.as_ref().map(|found| of(found) / 1e6))
        };
        p99s.extend(run.outcome.quantiles.map(|found| (point.experiment.parameter, found.p99_ns / 1e6)));
        table.rows.push(vec![
            Cell::words(&point.experiment.label),
            Cell::number(Some(run.written_bytes as f64 / 1e6 / seconds)),
            Cell::number(Some(run.ios as f64 / seconds)),
            quantile(|found| found.p50_ns),
            quantile(|found| found.p99_ns),
            quantile(|found| found.max_ns),
        ]);
    }
    if table.rows.is_empty() {
        return;
    }
    reading.tables.push(table);
    if let [(0.0, alone), .., (rate, loaded)] = p99s[..] {
        reading.say(
            format!(
                "Under {rate} MB/s of writes, one read in a hundred takes {:.1} times as long as alone.",
                loaded / alone
            ),
            format!("99th percentile {loaded:.3} ms, {alone:.3} ms without writes"),
        );
    }
}

/// What a flush adds to the writes before it.
fn flush(points: &Points<'_>, reading: &mut Reading) {
    let time_ms = |point: &Point<'_>| {
        let run = last_run(point)?;
        (run.ios > 0).then(|| run.elapsed_ns as f64 / 1e6 / run.ios as f64)
    };
    let plain = of(points, FLUSH).find(|point| point.experiment.parameter == 0.0).and_then(time_ms);
    let Some(plain) = plain else { return };
    let caption = "Single random writes with a flush command after every so many.";
    let mut table = Table::new("flush", "Flush", caption, &["flush after", "writes, IO/s", "a flush, ms"]);
    let mut dearest: Option<(f64, f64)> = None;
    for point in of(points, FLUSH) {
        let (every, Some(time)) = (point.experiment.parameter, time_ms(point)) else { continue };
        let group = time * (every + 1.0);
        let cost = (every > 0.0).then(|| (group - every * plain).max(0.0));
        let rate = if every > 0.0 { 1e3 * every / group } else { 1e3 / time };
        table.rows.push(vec![
            Cell::words(&point.experiment.label),
            Cell::number(Some(rate)),
            Cell::number(cost),
        ]);
        dearest = dearest.or(cost.map(|cost| (every, cost)));
    }
    reading.tables.push(table);
    if let Some((_, cost)) = dearest {
        reading.say(
            format!("A flush after every write costs {cost:.3} ms."),
            format!("{plain:.3} ms for a write without"),
        );
    }
}

fn trim(points: &Points<'_>, reading: &mut Reading) {
    let mut table =
        Table::new("trim", "Discards", "Discards in order, one at a time.", &["size", "mean, ms"]);
    table.rows.extend(of(points, TRIM).map(|point| {
        let run = last_run(point);
        let mean = run.filter(|run| run.ios > 0).map(|run| run.elapsed_ns as f64 / 1e6 / run.ios as f64);
        vec![Cell::words(&point.experiment.label), Cell::number(mean)]
    }));
    if !table.rows.is_empty() {
        reading.tables.push(table);
    }
    let rate = |label: &str| {
        let point = of(points, TRIM_EFFECT).find(|point| point.experiment.label == label);
        point.and_then(last_run).and_then(speed).map(|speed| speed.iops)
    };
    if let Some((before, after)) = rate("before").zip(rate("after")) {
        let gain = after / before;
        let text = match gain {
            same if (1.0 / STEP..STEP).contains(&same) => "Discarding everything changes nothing.".into(),
            _ => format!(
                "Random writes to a device of which everything was discarded are {gain:.2} times as fast."
            ),
        };
        reading.say(text, format!("{before:.0} IO/s used, {after:.0} IO/s discarded and rested"));
    }
}

/// What one idle time gave back.
struct Recovered<'a> {
    label: &'a str,
    paces: Vec<Pace>,
    /// Bytes that are fast again; all of them, if the speed never fell.
    bytes: f64,
    fast_mb_s: f64,
}

/// Bytes that are fast again, by idle time.
fn recovered<'a>(points: &'a Points<'_>) -> Vec<Recovered<'a>> {
    let runs: Vec<(&str, Vec<Pace>)> = of(points, IDLE)
        .filter_map(|point| Some((point.experiment.label.as_str(), paces(&last_run(point)?.windows))))
        .collect();
    let mean = |paces: &[Pace]| paces.last().map_or(0.0, |end| end.bytes as f64 / 1e6 / end.end_s);
    let last = |paces: &[Pace]| first_level(paces).map_or_else(|| mean(paces), |(_, _, slow)| slow);
    let slowest = runs.iter().map(|(_, paces)| last(paces)).fold(f64::INFINITY, f64::min);
    let recovered = |(label, paces): (&'a str, Vec<Pace>)| {
        let (bytes, fast_mb_s) = match first_level(&paces) {
            Some((bytes, fast, _)) => (bytes, fast),
            None if mean(&paces) >= ALL_FAST * slowest => (bytes_before(&paces, paces.len()), mean(&paces)),
            None => (0.0, mean(&paces)),
        };
        Recovered { label, paces, bytes, fast_mb_s }
    };
    runs.into_iter().map(recovered).collect()
}

fn idle(points: &Points<'_>, reading: &mut Reading) {
    let caption = "A cache that was filled is left alone, and filled again.";
    let mut table = Table::new("idle", "Idle recovery", caption, &["idle", "fast again, GiB", "speed, MB/s"]);
    let all = recovered(points);
    let number = |value: f64| Cell::number(Some(value));
    let row =
        |one: &Recovered<'_>| vec![Cell::words(one.label), number(gib(one.bytes)), number(one.fast_mb_s)];
    table.rows = all.iter().map(row).collect();
    let Some(most) = all.iter().map(|one| one.bytes).reduce(f64::max) else { return };
    reading.tables.push(table);
    let series = all.iter().map(|one| curve(&format!("after {}", one.label), &one.paces)).collect();
    reading.charts.push(bytes_chart("idle", "Idle recovery", caption, series));
    match all.iter().find(|one| one.bytes > 0.95 * most && most > 0.0) {
        Some(one) => {
            let text = format!("After {} of idle time {:.2} GiB are fast again.", one.label, gib(one.bytes));
            reading.say(text, "longer ones give back no more");
        }
        None => reading
            .say("Idle time gives nothing back.", "after each, the first writes are as fast as the others"),
    }
}
