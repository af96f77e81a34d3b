//! What the inside of a device did, as charts below the trace of its IOs.

use std::path::Path;

use crate::html::document::{Axis, Block, Chart, Document, Heat, Item, Look, Point, Series};
use flashscope_analysis::Warning;
use flashscope_core::number::{count, counted, digits, size};
use flashscope_sim::nand::Cause;
use flashscope_sim::ssd::inside::{Inside, WearMap};

use flashscope_lab::inside::{file_of, kept};

/// More traces than this have the main curves alone.
const FULL_MAX: usize = 8;
/// So many traces of a document have what happened inside below them, so that the page stays small.
const INSIDE_MAX: usize = 128;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All there is, for a few experiments on a page.
    Full,
    /// The main curves, coarser, for hundreds of experiments.
    Few,
}

impl Detail {
    /// Points of a curve, about.
    fn points(self) -> u64 {
        if self == Detail::Full { 160 } else { 40 }
    }
}

/// The charts of what a simulated SSD did inside while it served the IOs of `records`, a file of `folder`.
/// None if that is not kept. Their `id`s begin with `group`, and they share its axis of time.
pub fn inside_blocks(folder: &Path, records: &str, group: &str, detail: Detail) -> Vec<Block> {
    match kept(folder, &file_of(records)) {
        Ok(Some(inside)) => blocks(&inside, group, detail),
        Ok(None) => Vec::new(),
        Err(error) => vec![Block::items(vec![Item::alert(error.message(), "")])],
    }
}

/// What happened inside and cannot be read, of the traces of a document.
pub fn damage(document: &Document, folder: &Path) -> Vec<Warning> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let files = blocks.filter_map(|block| match block {
        Block::Trace(trace) => Some(file_of(&trace.file)),
        _ => None,
    });
    let torn = files.filter_map(|file| kept(folder, &file).err());
    torn.map(|error| Warning {
        seen: error.message(),
        remedy: "everything else is shown; measure again to see the device's internals".into(),
    })
    .collect()
}

/// Adds what the device did inside below each trace of a document that says of its IOs alone.
pub fn with_inside(mut document: Document, folder: &Path) -> Document {
    let is_trace = |block: &&Block| matches!(block, Block::Trace(_));
    let traces = document.sections.iter().flat_map(|section| &section.blocks).filter(is_trace).count();
    let detail = if traces > FULL_MAX { Detail::Few } else { Detail::Full };
    let (mut left, mut more) = (INSIDE_MAX, false);
    for section in &mut document.sections {
        let below = |mut block: Block| {
            let mut inside = Vec::new();
            if let Block::Trace(trace) = &mut block {
                inside = inside_blocks(folder, &trace.file, &trace.id, detail);
                if left == 0 {
                    more |= !inside.is_empty();
                    inside.clear();
                }
                if !inside.is_empty() {
                    trace.group = Some(trace.id.clone());
                    left -= 1;
                }
            }
            std::iter::once(block).chain(inside)
        };
        section.blocks = std::mem::take(&mut section.blocks).into_iter().flat_map(below).collect();
        if std::mem::take(&mut more) {
            section.blocks.push(Block::text(format!(
                "Device internals are shown for {INSIDE_MAX} experiments; the others are in the folder's \
                 inside/."
            )));
        }
    }
    document
}

fn blocks(inside: &Inside, group: &str, detail: Detail) -> Vec<Block> {
    let view = View { inside, group, spans: spans(&inside.column("time_ns"), detail.points()) };
    let mut charts = vec![view.programs(), view.amplification()];
    if detail == Detail::Full {
        charts.push(view.reads());
    }
    charts.extend([view.erases(), view.buffer()]);
    let free = inside.column("free_blocks");
    if detail == Detail::Full || free.iter().any(|blocks| *blocks != free[0]) {
        charts.push(view.free());
    }
    let wear = (detail == Detail::Full).then(|| Block::Heat(wear(&inside.wear, group)));
    charts.into_iter().flatten().map(Block::Chart).chain(wear).collect()
}

/// A stretch between two samples: the number of the first and of the last, and their times.
struct Span {
    from: usize,
    to: usize,
    begin_ns: u64,
    end_ns: u64,
}

/// Stretches of about equal length, `count` and at most twice as many. Where no sample was taken for long,
/// that is a stretch of its own: nothing happened there that is spread over its neighbours.
fn spans(times_ns: &[u64], count: u64) -> Vec<Span> {
    let least = (times_ns.last().copied().unwrap_or(0) / count).max(1);
    let span = |from: usize, to: usize| Span { from, to, begin_ns: times_ns[from], end_ns: times_ns[to] };
    let (mut spans, mut from) = (Vec::new(), 0);
    if times_ns.last().is_none_or(|end| *end == 0) {
        return spans;
    }
    for i in 1..times_ns.len() {
        if times_ns[i] - times_ns[i - 1] >= least && times_ns[i - 1] > times_ns[from] {
            spans.push(span(from, i - 1));
            from = i - 1;
        }
        if times_ns[i] - times_ns[from] >= least {
            spans.push(span(from, i));
            from = i;
        }
    }
    let end = times_ns.len() - 1;
    match spans.last_mut() {
        // What is left over goes with its neighbour, unless that is a gap between two samples.
        Some(last) if last.to - last.from > 1 => *last = span(last.from, end),
        _ if times_ns[end] > times_ns[from] => spans.push(span(from, end)),
        Some(last) => *last = span(last.from, end),
        None => {}
    }
    spans
}

struct View<'a> {
    inside: &'a Inside,
    group: &'a str,
    spans: Vec<Span>,
}

impl View<'_> {
    /// Steps of a value for each stretch; none without a stretch.
    fn steps(&self, name: &str, look: Look, value: impl Fn(&Span) -> Option<f64>) -> Option<Series> {
        let point = |at_ns: u64, value: Option<f64>| Point::at(at_ns as f64, value.map(rounded));
        let mut points: Vec<Point> =
            self.spans.iter().map(|span| point(span.begin_ns, value(span))).collect();
        let last = self.spans.last()?;
        points.push(point(last.end_ns, value(last)));
        Some(Series::new(name, look, points))
    }

    /// How often the counts of a column went up, a second.
    fn rate(&self, name: &str, columns: &[&str], look: Look) -> Option<Series> {
        let columns: Vec<Vec<u64>> = columns.iter().map(|column| self.inside.column(column)).collect();
        self.steps(name, look, |span| {
            let count: u64 =
                columns.iter().map(|column| column[span.to].saturating_sub(column[span.from])).sum();
            Some(count as f64 / (span.end_ns - span.begin_ns) as f64 * 1e9)
        })
    }

    /// By cause, above one another: those that read or programmed anything, so that colours mean the same in
    /// both charts.
    fn by_cause(&self, what: &str) -> Vec<Series> {
        let column = |what: &str, cause: Cause| format!("{what}_{}", cause.name());
        let happened = |name: String| self.inside.samples.contains_key(&name);
        let is_there =
            |cause: &Cause| happened(column("reads", *cause)) || happened(column("programs", *cause));
        if !Cause::ALL.iter().any(|cause| happened(column(what, *cause))) {
            return Vec::new();
        }
        let causes = Cause::ALL.into_iter().filter(is_there);
        causes.filter_map(|cause| self.rate(words(cause), &[&column(what, cause)], Look::Stacked)).collect()
    }

    fn chart(
        &self,
        what: &str,
        title: &str,
        caption: String,
        y: (&str, &str),
        series: Vec<Series>,
    ) -> Option<Chart> {
        let id = format!("{}-{what}", self.group);
        Chart::new(id, title, caption, [Axis::linear("time", "ns"), Axis::linear(y.0, y.1)], series)
            .in_group(self.group)
            .if_any()
    }

    fn programs(&self) -> Option<Chart> {
        let caption = "Everything above the host's pages is internal work of the device.";
        let series = self.by_cause("programs");
        self.chart(
            "programs",
            "Inside: pages programmed",
            caption.into(),
            ("pages programmed", "pages/s"),
            series,
        )
    }

    fn reads(&self) -> Option<Chart> {
        let caption = "Everything above the host's pages is read for copies or mapping.";
        let series = self.by_cause("reads");
        self.chart("reads", "Inside: pages read", caption.into(), ("pages read", "pages/s"), series)
    }

    fn amplification(&self) -> Option<Chart> {
        let written = self.inside.column("host_written_bytes");
        let programs: Vec<Vec<u64>> = Cause::ALL
            .iter()
            .map(|cause| self.inside.column(&format!("programs_{}", cause.name())))
            .collect();
        let page_bytes = f64::from(self.inside.page_bytes);
        let series = self.steps("write amplification", Look::Steps, |span| {
            let pages: u64 =
                programs.iter().map(|column| column[span.to].saturating_sub(column[span.from])).sum();
            let bytes = written[span.to].saturating_sub(written[span.from]);
            (bytes > 0).then(|| pages as f64 * page_bytes / bytes as f64)
        });
        let caption = "Bytes programmed for each byte written by the host in the same time. 1: no internal \
            work. A write buffer lowers it while filling, and raises it while draining.";
        let y = ("bytes programmed for each byte written", "");
        self.chart(
            "amplification",
            "Inside: write amplification",
            caption.into(),
            y,
            Vec::from_iter(series.filter(is_something)),
        )
    }

    fn erases(&self) -> Option<Chart> {
        let causes: Vec<String> = Cause::ALL.iter().map(|cause| format!("erases_{}", cause.name())).collect();
        let causes: Vec<&str> = causes.iter().map(String::as_str).collect();
        let all = [
            self.rate("block erases", &causes, Look::Steps),
            self.rate("switch merges", &["merges_switch"], Look::Steps),
            self.rate("partial merges", &["merges_partial"], Look::Steps),
            self.rate("full merges", &["merges_full"], Look::Steps),
        ];
        let series: Vec<Series> = all.into_iter().flatten().filter(is_something).collect();
        let caption = match series.len() {
            0 | 1 => "Each erase blocks its die for milliseconds, and wears the block.",
            _ => {
                "A switch merge needs one erase; a partial merge also copies the rest of a block; a full \
                 merge copies the whole block."
            }
        };
        self.chart("erases", "Inside: erases and merges", caption.into(), ("each second", "/s"), series)
    }

    fn buffer(&self) -> Option<Chart> {
        let (pages, page_bytes) = (self.inside.buffer_pages, f64::from(self.inside.page_bytes));
        let dirty = self.inside.column("buffer_dirty_pages");
        let most =
            |span: &Span| dirty[span.from..=span.to].iter().max().map(|pages| *pages as f64 * page_bytes);
        let series = self.steps("dirty data", Look::Steps, most);
        let caption = format!(
            "Data written by the host and not yet in flash. Buffer size: {}.",
            size(f64::from(pages) * page_bytes)
        );
        self.chart(
            "buffer",
            "Inside: write buffer",
            caption,
            ("in the buffer", "bytes"),
            Vec::from_iter(series.filter(is_something)),
        )
    }

    fn free(&self) -> Option<Chart> {
        let free = self.inside.column("free_blocks");
        let least = |span: &Span| free[span.from..=span.to].iter().min().map(|blocks| *blocks as f64);
        let series = self.steps("free blocks", Look::Steps, least);
        let caption = format!(
            "Erased blocks, of {} in total. When they run low, the device must reclaim space before it can \
             write.",
            counted(u64::from(self.inside.wear.blocks), "block")
        );
        self.chart(
            "free",
            "Inside: free blocks",
            caption,
            ("free blocks", "blocks"),
            Vec::from_iter(series.filter(is_something)),
        )
    }
}

fn is_something(series: &Series) -> bool {
    series.points.iter().any(|point| point.y.is_some_and(|y| y > 0.0))
}

/// Four digits, so that a page with many curves stays small.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let factor = 10f64.powf(3.0 - value.abs().log10().floor());
    if factor >= 1.0 { (value * factor).round() / factor } else { value.round() }
}

fn words(cause: Cause) -> &'static str {
    match cause {
        Cause::Host => "for the host",
        Cause::Gc => "garbage collection",
        Cause::Merge => "merges",
        Cause::Padding => "padding of buffer flushes",
        Cause::Map => "mapping pages",
        Cause::Wear => "wear levelling",
    }
}

/// One row for each set of dies, or the blocks of the only one row by row.
fn wear(map: &WearMap, group: &str) -> Heat {
    let each = map.mean.len() / map.die_sets as usize;
    let columns = if map.die_sets > 1 { each } else { (each as f64).sqrt().ceil() as usize };
    let rows = map.mean.len().div_ceil(columns.max(1));
    let wide = columns as f64 * f64::from(map.blocks_per_cell);
    let (x, y, height) = match map.die_sets {
        1 => ("block, counted from the left edge", "blocks before the row", rows as f64 * wide),
        _ => ("block of the set of dies", "set of dies", rows as f64),
    };
    let mut values: Vec<Option<f64>> = map.mean.iter().copied().map(Some).collect();
    values.resize(columns * rows, None);
    Heat {
        id: format!("{group}-wear"),
        title: "Inside: wear".into(),
        caption: wear_words(map),
        x: Axis::linear(x, "blocks"),
        y: Axis::linear(y, if map.die_sets > 1 { "" } else { "blocks" }),
        x_range: [0.0, wide],
        y_range: [0.0, height],
        columns: columns as u32,
        value: "erases".into(),
        values,
        group: None,
    }
}

fn wear_words(map: &WearMap) -> String {
    let cells = || map.mean.iter().copied();
    let least = map.min.iter().min().map_or(cells().fold(f64::INFINITY, f64::min), |min| f64::from(*min));
    let most = map.max.iter().max().map_or(cells().fold(0.0, f64::max), |max| f64::from(*max));
    let [least, most] = [least, most].map(|erases| count(erases.round() as u64));
    let cell = match map.blocks_per_cell {
        1 => "one block".into(),
        blocks => format!("the mean of {}", counted(u64::from(blocks), "block")),
    };
    let mean = cells().sum::<f64>() / map.mean.len().max(1) as f64;
    format!(
        "Erases of each block over the device's life, including the first fill: {least} to {most}, mean {}. \
         Each cell is {cell}.",
        digits(mean)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_all_time_once_and_an_idle_one_stands_alone() {
        for count in [1, 7, 160] {
            let mut times: Vec<u64> = (0..500).map(|i| i * 10).collect();
            times.extend((0..300).map(|i| 1_000_000 + i * 10));
            let spans = spans(&times, count);
            assert_eq!((spans[0].begin_ns, spans.last().unwrap().end_ns), (0, *times.last().unwrap()));
            assert!(
                spans.windows(2).all(|pair| pair[0].to == pair[1].from && pair[0].end_ns == pair[1].begin_ns)
            );
            assert!(spans.len() as u64 <= 2 * count + 1, "{} of {count}", spans.len());
            let is_idle = |span: &&Span| span.end_ns - span.begin_ns > 900_000;
            if count > 1 {
                let idle: Vec<&Span> = spans.iter().filter(is_idle).collect();
                assert_eq!((idle.len(), idle[0].begin_ns, idle[0].end_ns), (1, 4990, 1_000_000));
            }
        }
        assert!(spans(&[0], 10).is_empty() && spans(&[0, 0], 10).is_empty(), "no time passed");
        assert_eq!(spans(&[0, 3], 10).len(), 1);
        let both_at_once = spans(&[0, 0, 500, 1000], 10);
        assert!(both_at_once.iter().all(|span| span.end_ns > span.begin_ns) && both_at_once[0].from == 0);
    }

    #[test]
    fn four_digits_stay() {
        assert_eq!(
            [0.0, 1.23456, 987_654.3, 0.000_123_456].map(rounded),
            [0.0, 1.235, 987_654.0, 0.000_123_5]
        );
    }
}
