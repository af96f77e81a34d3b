//! What is inside: the depth that fills the device, its write buffer, its cache, its spare flash.

use flashscope_analysis::reading::{Axis, Cell, Chart, Series, Table};
use flashscope_analysis::{Context, Level, Reading, Run, levels, paces};
use flashscope_core::Bytes;
use flashscope_core::number::{self, iops, percent, throughput};

use super::super::super::read::{mean_ms, speed};
use super::super::{BUFFER_READ, DEPTH, FILL_RUN, SPARE};
use super::steps::{
    FastBeginning, STEP, bytes_before, bytes_chart, costs, curve, fast_beginning, gib, rise, speed_between,
};
use super::{Found, Points, last_run, of};

/// The last doubling of the queue brings less than this once the device is full.
const FULL: f64 = 1.1;
/// A read-back from a buffer is at least so much faster than one from flash. Flash in SLC mode is not.
const BUFFERED: f64 = 2.0;
/// Two sizes of a buffer that differ by less are one.
const AGREED: f64 = 0.25;
/// Collecting costs at least so much more time for each byte.
const COLLECTING: f64 = 1.5;
/// No drive has less spare flash than this share of it; what looks like less is a log or a start-up.
const SPARE_MIN: f64 = 0.02;

/// IOs a second by depth; where the two straight lines of an idle and of a full device meet: as many IOs as
/// the full device serves in the time that one takes alone (the knee of asymptotic bounds).
pub(super) fn depth(points: &Points<'_>, reading: &mut Reading, found: &mut Found) {
    let mut rates: Vec<(f64, f64)> = of(points, DEPTH)
        .filter_map(|point| Some((point.experiment.parameter, speed(last_run(point)?)?.iops)))
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(1.0, alone)) = rates.first() else { return };
    let caption = "Random reads of the smallest requested size.";
    let mut table =
        Table::new("depth", "Queue depth", caption, ["in flight", "IOPS, IO/s", "mean, ms", "p99, ms"]);
    for point in of(points, DEPTH) {
        let p99 = last_run(point).and_then(|run| run.outcome.quantiles).map(|found| found.p99_ns / 1e6);
        let rate = last_run(point).and_then(speed).map(|speed| speed.iops);
        let label = Cell::words(&point.experiment.label);
        table.add([label, Cell::number(rate), mean_ms(point), Cell::number(p99)]);
    }
    reading.tables.push(table);
    let axes = [Axis::log("in flight", ""), Axis::linear("rate", "IO/s")];
    let curve = Series::line("random reads", rates.iter().copied());
    reading.charts.push(Chart::new("depth", "Queue depth", caption, axes, vec![curve]));
    let [.., (shallow, before), (deep, last)] = rates[..] else { return };
    if last > FULL * before {
        let text =
            format!("No queue-depth knee up to {deep:.0} IOs in flight: {}, still growing.", iops(last));
        reading.say(text, format!("{} with {shallow:.0} in flight", iops(before)));
        return;
    }
    // The time of an IO falls towards that of the bottleneck as 1 / depth.
    let bottleneck = (deep / last - shallow / before) / (deep - shallow);
    let most = if bottleneck > 0.0 { (1.0 / bottleneck).max(last) } else { last };
    let knee = most / alone;
    if knee < STEP {
        reading.say(
            "No gain from more than one random read in flight.",
            format!("{} with one, {} with {deep:.0} in flight", iops(alone), iops(last)),
        );
        return;
    }
    found.add("queue-depth knee", knee, "IOs in flight");
    let enough = rates.iter().find(|(_, rate)| *rate >= 0.9 * most);
    let enough = enough.map_or(String::new(), |(depth, _)| format!(", 90 % of it with {depth:.0}"));
    reading.say(
        format!("Queue-depth knee: {knee:.0} random reads in flight."),
        format!("{} with one, at most {}{enough}", iops(alone), iops(most)),
    );
}

/// Time for each IO of the windows of a run.
fn times(run: &Run) -> Vec<f64> {
    run.windows.iter().filter_map(|window| window.mean_ns()).collect()
}

/// Of so many bytes written, how many were read back fast, by amount. The buffer's size is seen best in the
/// smallest amount of which a part is slow.
pub(super) fn buffer(points: &Points<'_>, reading: &mut Reading, found: &mut Found) -> Option<f64> {
    let mut amounts: Vec<(f64, Vec<f64>)> = of(points, BUFFER_READ)
        .filter_map(|point| Some((point.experiment.parameter, times(last_run(point)?))))
        .filter(|(_, times)| !times.is_empty())
        .collect();
    amounts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let largest = amounts.last()?.0;
    let caption =
        "Single reads far apart, in the order of the writes. The write buffer holds the youngest writes.";
    let columns = ["written", "fast reads, MiB", "oldest, ms", "youngest, ms"];
    let mut table = Table::new("buffer", "Write buffer", caption, columns);
    let mut sizes = Vec::new();
    for (written, times) in &amounts {
        let levels = levels(times, STEP);
        let (oldest, youngest) = (levels.first()?.mean, levels.last()?.mean);
        let fast = fast_end(&levels).map(|from| written * (1.0 - from as f64 / times.len() as f64));
        sizes.push(fast);
        table.add([
            Cell::words(Bytes(*written as u64).to_string()),
            Cell::number(fast.map(mib)),
            Cell::number(oldest / 1e6),
            Cell::number(youngest / 1e6),
        ]);
    }
    let size = agreed(&sizes);
    reading.tables.push(table);
    match size {
        Some(size) => {
            found.add("write buffer", mib(size), "MiB");
            reading.say(
                format!("Write buffer: {}.", number::size(size)),
                "the last writes of this size are read back faster than flash",
            );
        }
        None if sizes.iter().any(Option::is_some) => reading.say(
            "Write buffer: size not determined.",
            "some of the last writes are read back fast, but the amount varies",
        ),
        None => reading.say(
            "Write buffer: not detected.",
            format!("the last writes are read back as fast as earlier ones, up to {}", number::size(largest)),
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

fn mib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

/// A fast beginning that is longer than the write buffer is a cache in flash.
pub(super) fn fill(
    points: &Points<'_>,
    buffer: f64,
    reading: &mut Reading,
    found: &mut Found,
) -> Option<f64> {
    let paces = paces(&last_run(of(points, FILL_RUN).next()?)?.windows);
    let caption = "Sequential fill after idle time.";
    reading.charts.push(bytes_chart("fill", "Fill", caption, vec![curve("sequential writes", &paces)]));
    let Some(FastBeginning { bytes, fast_mb_s, slow_mb_s }) = fast_beginning(&paces, buffer) else {
        reading.say(
            "SLC cache: not detected.",
            "it may be faster than the link or the writer, hardly larger than the write buffer, larger than \
             the span, or never drained",
        );
        return None;
    };
    found.add("SLC cache", gib(bytes), "GiB");
    reading.say(
        format!("SLC cache: the first {} of a fill are fast.", number::size(bytes)),
        format!("{} before, {} after", throughput(fast_mb_s * 1e6), throughput(slow_mb_s * 1e6)),
    );
    Some(bytes)
}

/// Random writes after a fill cost no copying until the spare flash is used up; of them, cache and buffer
/// hold the first.
pub(super) fn spare(
    points: &Points<'_>,
    context: &Context,
    held: f64,
    reading: &mut Reading,
    found: &mut Found,
) {
    let Some((point, run)) = of(points, SPARE).find_map(|point| Some((point, last_run(point)?))) else {
        return;
    };
    let paces = paces(&run.windows);
    let caption = "Random writes of 64 KiB after a sequential fill and idle time.";
    reading.charts.push(bytes_chart(
        "spare",
        "Over-provisioning",
        caption,
        vec![curve("random writes", &paces)],
    ));
    let costs = costs(&paces);
    let levels = levels(&costs, STEP);
    let dearer = |pair: &&[Level]| pair[1].mean / pair[0].mean;
    let span = point.experiment.pattern.size.0 as f64;
    let is_beyond = |pair: &&[Level]| {
        let border = pair[1].from;
        let is_collecting = dearer(pair) >= COLLECTING && rise(&costs, border) >= COLLECTING;
        is_collecting && bytes_before(&paces, border) > held + SPARE_MIN * span
    };
    let cliff = levels.windows(2).filter(is_beyond).max_by(|a, b| dearer(a).total_cmp(&dearer(b)));
    let Some([_, after]) = cliff else {
        reading.say(
            "Over-provisioning: not detected.",
            "random writes never became much slower: there is more spare flash than was written (increase \
             spare_max), garbage collection keeps up, or the device does not map pages",
        );
        return;
    };
    let border = after.from;
    let bytes = bytes_before(&paces, border) - held;
    let share = bytes / span;
    let evidence = format!(
        "{} before garbage collection has to copy, {} after{}",
        throughput(speed_between(&paces, 0, border) * 1e6),
        throughput(speed_between(&paces, border, paces.len()) * 1e6),
        if held > 0.0 { "; cache and buffer are subtracted" } else { "; includes a cache, if there is one" }
    );
    if span < 0.95 * context.target.size_bytes as f64 {
        let text = "Only part of the device was written: its other free space counts as spare here.";
        reading.warn(
            text,
            format!("{} of {}", number::size(span), number::size(context.target.size_bytes as f64)),
        );
    }
    found.add("spare flash", gib(bytes), "GiB");
    found.add("over-provisioning", 100.0 * share, "%");
    reading.say(
        format!("Over-provisioning: {} of spare flash, {}.", number::size(bytes), percent(share)),
        evidence,
    );
}
