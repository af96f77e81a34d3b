//! The first screen: headline numbers, the distribution of the response times behind them, and beside it what
//! to do and what to beware of.

use flashscope_analysis::{Histogram, Indicator};
use flashscope_core::number::{among, counted, digits, iops, list, size, span};

use super::{Scene, about, hints, words};
use crate::headline::{FOUR, Headline, SHOWN, headlines};
use crate::html::document::{Axis, Block, Chart, Look, Point as Place, Section, Series, Tile};

/// Points of a distribution for each tenth of what is left.
const PER_DECADE: f64 = 50.0;

/// The colour of one of the four on the whole page.
fn colour(term: &str) -> Option<u8> {
    const COLOURS: [u8; 4] = [0, 2, 3, 1];
    FOUR.iter().position(|(_, own)| *own == term).map(|place| COLOURS[place])
}

/// A curve of one of the four, or of a mix of them.
pub(super) fn curve_of(term: &str, look: Look, points: Vec<Place>) -> Series {
    let name = words::curve(term);
    let term = if name == term { "" } else { term };
    let series = Series::new(name, look, points).known_as(term);
    Series { colour: colour(term), ..series }
}

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let four = headlines(&scene.context, &scene.stored.finished, Some(&scene.stored.path));
    let mut blocks =
        vec![Block::items(about::alerts(scene)), Block::Tiles { tiles: four.iter().map(tile).collect() }];
    blocks.extend(latency(&four));
    blocks.push(Block::listed("Recommendations", hints::advice(scene)));
    blocks.push(Block::listed("Caveats", hints::doubts(scene)));
    Section::summary(blocks)
}

fn tile(one: &Headline<'_>) -> Tile {
    let experiment = one.point.experiment;
    let [value, unit, detail] = one.point.iops().map_or_else(Default::default, |rate| {
        let [ios, mb_s] = [rates(rate, 1.0), rates(rate, one.io_bytes() / 1e6)];
        if experiment.pattern.rw.is_random() {
            [number_of(&iops(rate.value)), "IOPS".into(), beside(format!("{} MB/s", mb_s.0), &ios.1)]
        } else {
            [mb_s.0, "MB/s".into(), beside(iops(rate.value).replace("IO/s", "IOPS"), &mb_s.1)]
        }
    });
    let rounds = counted(u64::from(one.point.rounds()), "round");
    let ios = one.latencies.ios();
    Tile {
        name: words::curve(&experiment.curve),
        term: format!("{}: {}", experiment.curve, experiment.pattern),
        colour: colour(&experiment.curve).unwrap_or_default(),
        state: Some(one.state),
        value,
        unit,
        detail,
        rows: percentile_rows(&SHOWN, |percent| one.percentile_ns(percent)),
        note: if ios == 0 { rounds } else { format!("{}, {rounds}", counted(ios, "IO")) },
    }
}

/// The rows of a tile: percentiles that have ten IOs beyond them.
pub(crate) fn percentile_rows(shown: &[f64], told_ns: impl Fn(f64) -> Option<f64>) -> Vec<[String; 2]> {
    let row = |percent: &f64| [format!("p{percent}"), told_ns(*percent).map_or("–".into(), span)];
    shown.iter().map(row).collect()
}

/// A rate in another unit, and its interval.
fn rates(rate: Indicator, scale: f64) -> (String, String) {
    let interval = among(rate.value * scale, (rate.ci_low * scale, rate.ci_high * scale), "").interval;
    (digits(rate.value * scale), interval)
}

/// `2,500 IO/s` without its unit.
pub(crate) fn number_of(rate: &str) -> String {
    rate.trim_end_matches("IO/s").trim_end().into()
}

fn beside(other: String, interval: &str) -> String {
    if interval.is_empty() { other } else { format!("{other} · 95 % CI {interval}") }
}

/// The distribution of the response times of the four.
fn latency(four: &[Headline<'_>]) -> Option<Block> {
    let series = four.iter().filter_map(|one| {
        Some(curve_of(&one.point.experiment.curve, Look::Steps, cumulative(&one.latencies)?))
    });
    let mut sizes: Vec<String> = four.iter().map(|one| size(one.io_bytes())).collect();
    sizes.dedup();
    let of = format!("{}, one at a time, warm-up excluded", list(&sizes));
    distribution(&of, series.collect()).map(Block::Chart)
}

/// Response times over their percentiles.
pub(crate) fn distribution(of: &str, series: Vec<Series>) -> Option<Chart> {
    let caption = format!(
        "Share of IOs done within a time: {of}. Percentiles with fewer than ten IOs beyond \
         them are not drawn."
    );
    let axes = [Axis::log("response time", "ns"), Axis::percentiles()];
    Chart::new("chart-latency", "Latency", caption, axes, series).if_any()
}

/// One curve of it; none of too few IOs.
pub(crate) fn cumulative(all: &Histogram) -> Option<Vec<Place>> {
    let places = all.cumulative(PER_DECADE).into_iter();
    let points: Vec<Place> = places.map(|(ns, share)| Place::at(ns, share * 100.0)).collect();
    (points.len() > 1).then_some(points)
}
