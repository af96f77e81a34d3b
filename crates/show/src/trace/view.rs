//! A description of a trace as a person reads it: a table, facts in lines, and small curves.

use crate::{Style, columns, wrap};
use flashscope_core::number::{self, count, counted, digits, percent, size, span};
use flashscope_trace::stats::{Bin, DeviceSummary, Distribution, Rewrites, Summary};

/// Columns before the text of a fact or the marks of a curve.
const LABEL: usize = 13;
/// Columns behind the marks of a curve.
const CAPTION: usize = 24;
/// Columns of the table of operations with everything in it.
const OPERATIONS: usize = 96;
/// Devices that have a line of their own.
const DEVICES_MAX: usize = 12;

/// How a number is shown with its unit.
type Show<'a, T> = &'a dyn Fn(T) -> String;

/// The whole description.
pub fn view(trace: &str, summary: &Summary, style: Style) -> String {
    let mut out = head(trace, summary, style);
    out.push_str(&operations(summary, style));
    out.push('\n');
    for (label, text) in facts(summary) {
        out.push_str(&fact(label, &text, style));
    }
    out.push_str(&curves(summary, style));
    if summary.devices.len() > 1 {
        out.push_str(&devices(&summary.devices, style));
    }
    out
}

fn bold(text: &str, style: Style) -> String {
    if style.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.into() }
}

fn head(trace: &str, summary: &Summary, style: Style) -> String {
    let duration_ns = summary.times.duration_ns as f64;
    let rate = match duration_ns > 0.0 {
        true => format!(" in {}, {}/s", span(duration_ns), digits(rate(summary.requests, duration_ns))),
        false => String::new(),
    };
    let requests = format!("{}{rate}", counted(summary.requests, "request"));
    let devices = counted(summary.devices.len() as u64, "device");
    let text = format!("{trace} · {} · {requests} · {devices}", summary.format);
    let mut out: String =
        wrap(&text, style.width - 2).iter().map(|line| format!("  {}\n", bold(line, style))).collect();
    for mark in marks(summary) {
        for (i, line) in wrap(&mark, style.width - 4).iter().enumerate() {
            out.push_str(&format!("  {} {line}\n", if i == 0 { '!' } else { ' ' }));
        }
    }
    out.push('\n');
    out
}

/// What limits the description.
pub fn marks(summary: &Summary) -> Vec<String> {
    let mut marks = Vec::new();
    let mut mark = |applies: bool, text: String| {
        if applies {
            marks.push(text);
        }
    };
    mark(!summary.complete, "interrupted: only the first part of the trace".into());
    let doubts = summary.reading.iter().flat_map(|reading| &reading.doubts);
    doubts.for_each(|doubt| mark(true, format!("as read, {doubt}")));
    let bad = summary.bad_lines;
    mark(bad > 0, format!("{} skipped", counted(bad, "unreadable line")));
    let other = summary.other_lines;
    mark(other > 0, format!("{} without a request (comments, other events)", counted(other, "line")));
    let unsorted = summary.unsorted_requests;
    let earlier = counted(unsorted, "request");
    mark(unsorted > 0, format!("{earlier} out of time order, counted at the time of the request before"));
    let cut = summary.cut_requests;
    mark(
        cut > 0,
        format!("{} longer than 1 GiB: footprint and re-use cover its first GiB", counted(cut, "request")),
    );
    mark(
        summary.is_last_line_open,
        "the last line has no line end: if the file was truncated, its last request may be wrong".into(),
    );
    marks
}

fn rate(count: u64, ns: f64) -> f64 {
    count as f64 / ns * 1e9
}

/// A line for each kind of request.
fn operations(summary: &Summary, style: Style) -> String {
    let share = |count: u64| percent(count as f64 / summary.requests.max(1) as f64);
    let row = |name: &str, count: u64, bytes: Option<u64>, sizes: Option<&Distribution>, sequential: f64| {
        let mut cells = vec![name.to_string(), number::count(count), share(count)];
        cells.push(bytes.map_or(String::new(), |bytes| size(bytes as f64)));
        if let Some(sizes) = sizes {
            let [p50, p99, max] = [sizes.p50, sizes.p99, sizes.max].map(|bytes| size(bytes as f64));
            cells.extend([size(sizes.mean), p50, p99, max, percent(sequential)]);
        }
        cells
    };
    let sequential = summary.sequential;
    let (reads, writes) = (summary.sizes.read_bytes.as_ref(), summary.sizes.write_bytes.as_ref());
    let titles = ["", "requests", "share", "bytes", "mean", "p50", "p99", "max", "sequential"];
    let mut rows = [
        titles.map(String::from).to_vec(),
        row("reads", summary.reads, Some(summary.read_bytes), reads, sequential.read_sequential_share),
        row("writes", summary.writes, Some(summary.written_bytes), writes, sequential.write_sequential_share),
        row("flushes", summary.flushes, None, None, 0.0),
        row("trims", summary.trims, Some(summary.trimmed_bytes), None, 0.0),
    ];
    if style.width < OPERATIONS {
        // The median says more than the mean.
        rows.iter_mut().filter(|row| row.len() > 4).for_each(|row| drop(row.remove(4)));
    }
    table(&rows, style)
}

/// Rows of cells, the first column to the left, the others to the right; the first row is bold.
fn table(rows: &[Vec<String>], style: Style) -> String {
    let line = |(number, line): (usize, String)| {
        format!("  {}\n", if number == 0 { bold(&line, style) } else { line })
    };
    columns(rows, |column| column > 0).into_iter().enumerate().map(line).collect()
}

fn fact(label: &str, text: &str, style: Style) -> String {
    let lines = wrap(text, style.width - 2 - LABEL);
    let line = |(i, line): (usize, &String)| format!("  {:<LABEL$}{line}\n", if i == 0 { label } else { "" });
    lines.iter().enumerate().map(line).collect()
}

/// What a line of its own says, with its label.
pub fn facts(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut facts: Vec<_> = summary.reading.iter().map(|reading| ("read as", reading.to_string())).collect();
    facts.push(("footprint", footprint(summary)));
    if let Some(addresses) = summary.addresses {
        let [first, end] = [addresses.first_bytes, addresses.end_bytes].map(|bytes| size(bytes as f64));
        facts.push(("addresses", format!("from {first} to {end}")));
    }
    if let (Some(requests), Some(bytes)) = (&summary.run_requests, &summary.run_bytes) {
        let (one, many) = (summary.sequential.sequential_share, summary.sequential.streams_share);
        facts.push((
            "sequential",
            format!(
                "{} of reads and writes start where the previous one ended, {} where one of the last 16 \
                 ended; sequential runs: mean {} and {}, max {} and {}",
                percent(one),
                percent(many),
                counted_mean(requests.mean),
                size(bytes.mean),
                counted(requests.max, "request"),
                size(bytes.max as f64),
            ),
        ));
        let common = summary.sizes.common.iter().take(6);
        let common = common.map(|one| format!("{} {}", size(one.size_bytes as f64), percent(one.share)));
        facts.push(("sizes", common.collect::<Vec<_>>().join(" · ")));
        let aligned = summary
            .alignment
            .iter()
            .filter(|row| [9, 12, 13, 14, 16].contains(&row.block_bytes.trailing_zeros()));
        let aligned = aligned.map(|row| format!("{} {}", size(row.block_bytes as f64), percent(row.share)));
        facts.push(("aligned", aligned.collect::<Vec<_>>().join(" · ")));
    }
    facts.extend(arrivals(summary).map(|text| ("gaps", text)));
    for (label, latency) in
        [("read latency", &summary.read_latency_ns), ("write latency", &summary.write_latency_ns)]
    {
        facts.extend(latency.as_ref().map(|latency| (label, times(latency))));
    }
    if let Some(depth) = &summary.queue_depth {
        let mean = depth.mean.map_or(String::new(), |mean| format!("mean {} over time, ", digits(mean)));
        let most = if depth.is_max_capped { "at least " } else { "at most " };
        facts.push(("in flight", format!("{mean}{most}{}", count(depth.max))));
    }
    facts.extend(summary.rewrites.as_ref().map(|rewrites| ("rewrites", rewritten(rewrites))));
    facts
}

fn counted_mean(mean: f64) -> String {
    format!("{} requests", digits(mean))
}

fn footprint(summary: &Summary) -> String {
    let with_error = |bytes: u64, error: u64| match (bytes, error) {
        (0, _) | (_, 0) => size(bytes as f64),
        _ => format!("{} ± {}", size(bytes as f64), percent(error as f64 / bytes as f64)),
    };
    let all = with_error(summary.footprint_bytes, summary.footprint_error_bytes);
    let written = with_error(summary.write_footprint_bytes, summary.write_footprint_error_bytes);
    let how = match summary.footprint_sampled_one_in {
        1 => "counted".to_string(),
        one_in => format!("standard error; sample of one 64 KiB region in {}", count(one_in)),
    };
    let times = match summary.write_footprint_bytes {
        0 => String::new(),
        bytes => format!(", each byte {} times", digits(summary.written_bytes as f64 / bytes as f64)),
    };
    format!("{all} read or written, {written} written{times} ({how})")
}

fn arrivals(summary: &Summary) -> Option<String> {
    let arrivals = summary.inter_arrival.as_ref()?;
    let kind = match arrivals.variation? {
        variation if variation < 0.5 => "steady",
        variation if variation < 1.5 => "like a Poisson process",
        _ => "in bursts",
    };
    let peak = rate(summary.timeline.peak_requests, summary.timeline.peak_window_ns as f64);
    let pauses = match (arrivals.pauses, arrivals.paused_share) {
        (0, _) | (_, None) => String::new(),
        (pauses, Some(share)) => {
            let least = span(arrivals.pause_ns_min as f64);
            format!(
                "; {} of {least} or more make up {} of the time",
                counted(pauses, "pause"),
                percent(share)
            )
        }
    };
    Some(format!(
        "{}; {} of requests at the same time as the previous one; {kind} (coefficient of variation {}), at \
         most {}/s within {}{pauses}",
        times(&arrivals.gaps_ns),
        percent(arrivals.tied_share),
        digits(arrivals.variation?),
        digits(peak),
        span(summary.timeline.peak_window_ns as f64),
    ))
}

fn times(all: &Distribution) -> String {
    let [p50, p90, p99, max] = [all.p50, all.p90, all.p99, all.max].map(|ns| span(ns as f64));
    format!("mean {}, p50 {p50}, p90 {p90}, p99 {p99}, max {max}", span(all.mean))
}

fn rewritten(rewrites: &Rewrites) -> String {
    let of = match rewrites.sampled_one_in {
        1 => String::new(),
        one_in => format!(" (sample of one block in {})", count(one_in)),
    };
    let plus_minus = |error: Option<f64>, show: &dyn Fn(f64) -> String| match error {
        Some(0.0) => String::new(),
        Some(error) => format!(" ± {}", show(error)),
        None => " ± unknown".into(),
    };
    let share_error = plus_minus(rewrites.share_error, &percent);
    let share = format!("{}{share_error} of 4 KiB block writes are rewrites{of}", percent(rewrites.share));
    let (Some(bytes), Some(ns)) = (&rewrites.interval_bytes, &rewrites.interval_ns) else { return share };
    let errors = rewrites.interval_bytes_error;
    let within = |bytes: u64, error: Option<f64>, ns: u64| {
        format!("{}{} written and {}", size(bytes as f64), plus_minus(error, &size), span(ns as f64))
    };
    let median = within(bytes.p50, errors.map(|errors| errors.p50), ns.p50);
    let p90 = within(bytes.p90, errors.map(|errors| errors.p90), ns.p90);
    format!("{share}; median distance {median}, p90 {p90}")
}

/// Values over time, and histograms of sizes and gaps.
fn curves(summary: &Summary, style: Style) -> String {
    let timeline = &summary.timeline;
    let window_ns = timeline.window_ns as f64;
    let floats = |values: &[u64]| values.iter().map(|value| *value as f64).collect::<Vec<_>>();
    let mut out = String::new();
    if timeline.requests.len() > 1 {
        let windows = counted(timeline.requests.len() as u64, "step");
        out.push_str(&format!(
            "\n  {}\n",
            bold(&format!("over time, {windows} of {}", span(window_ns)), style)
        ));
        let bytes_rate = |most: f64| format!("{}/s", size(most / window_ns * 1e9));
        let bytes = |most: f64| size(most);
        let mut rows: Vec<(&str, Vec<f64>, Show<'_, f64>)> = Vec::new();
        let requests_rate = |most: f64| format!("{}/s", digits(most / window_ns * 1e9));
        rows.push(("requests", floats(&timeline.requests), &requests_rate));
        rows.push(("read", floats(&timeline.read_bytes), &bytes_rate));
        rows.push(("written", floats(&timeline.written_bytes), &bytes_rate));
        rows.push(("working set", floats(&summary.working_set.bytes), &bytes));
        rows.push(("footprint", floats(&timeline.footprint_bytes), &bytes));
        let depth = |most: f64| format!("{most:.0} in flight");
        if let Some(queue) = &summary.queue_depth {
            rows.push(("queue depth", floats(&queue.max_over_time), &depth));
        }
        for (label, values, caption) in rows {
            let most = values.iter().copied().fold(0.0, f64::max);
            if most > 0.0 {
                let marks = spark(&values, style.width - 2 - LABEL - CAPTION);
                out.push_str(&format!("  {label:<LABEL$}{marks}  most {}\n", caption(most)));
            }
        }
    }
    out + &spreads(summary, style)
}

fn spreads(summary: &Summary, style: Style) -> String {
    let mut out = format!("\n  {}\n", bold("histograms, power-of-two bins", style));
    let bytes = |bytes: u64| size(bytes as f64);
    let ns = |ns: u64| if ns == 0 { "0".into() } else { span(ns as f64) };
    let gaps = summary.inter_arrival.as_ref().map(|arrivals| &arrivals.gaps_ns);
    let rewrites = summary.rewrites.as_ref().and_then(|rewrites| rewrites.interval_bytes.as_ref());
    let rows: [(&str, Option<&Distribution>, Show<'_, u64>); 6] = [
        ("reads", summary.sizes.read_bytes.as_ref(), &bytes),
        ("writes", summary.sizes.write_bytes.as_ref(), &bytes),
        ("runs", summary.run_bytes.as_ref(), &bytes),
        ("gaps", gaps, &ns),
        ("rewrites", rewrites, &bytes),
        ("latencies", summary.write_latency_ns.as_ref().or(summary.read_latency_ns.as_ref()), &ns),
    ];
    for (label, all, show) in rows {
        let Some(all) = all else { continue };
        let counts: Vec<f64> = all.bins.iter().map(|bin: &Bin| bin.count as f64).collect();
        let (first, last) = (show(all.min), show(all.max));
        out.push_str(&format!("  {label:<LABEL$}{first} {} {last}\n", spark(&counts, style.width)));
    }
    out
}

/// Values from 0 to the most as a strip of at most `columns` marks; each is the most of its part.
fn spark(values: &[f64], columns: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let columns = columns.min(values.len());
    let most = values.iter().copied().fold(0.0, f64::max);
    let part = |i: usize| &values[i * values.len() / columns..(i + 1) * values.len() / columns];
    let bar = |i: usize| {
        let value = part(i).iter().copied().fold(0.0, f64::max);
        if value > 0.0 { BARS[((value / most * 8.0) as usize).min(7)] } else { ' ' }
    };
    (0..columns).map(bar).collect()
}

fn devices(all: &[DeviceSummary], style: Style) -> String {
    let mut sorted: Vec<&DeviceSummary> = all.iter().collect();
    sorted.sort_by_key(|device| std::cmp::Reverse(device.requests));
    let titles = ["device", "requests", "reads", "read", "written", "footprint", "end", "sequential"];
    let row = |device: &&DeviceSummary| {
        vec![
            device.name.chars().take(20).collect(),
            count(device.requests),
            percent(device.reads as f64 / device.requests.max(1) as f64),
            size(device.read_bytes as f64),
            size(device.written_bytes as f64),
            size(device.footprint_bytes as f64),
            device.addresses.map_or(String::new(), |addresses| size(addresses.end_bytes as f64)),
            percent(device.sequential.sequential_share),
        ]
    };
    let mut rows = vec![titles.map(String::from).to_vec()];
    rows.extend(sorted.iter().take(DEVICES_MAX).map(row));
    let mut out = format!("\n{}", table(&rows, style));
    if all.len() > DEVICES_MAX {
        out.push_str(&format!(
            "  and {} more in the JSON document\n",
            count((all.len() - DEVICES_MAX) as u64)
        ));
    }
    out
}
