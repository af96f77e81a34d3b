//! What was varied in a sweep against what it gave: one chart for each number that matters.

use crate::html::document::{Axis as ChartAxis, Block, Chart, Look, Point, Scale, Series};

use super::picture::{Axis, varies, words};
use flashscope_lab::sweep::{Entry, SimReport};

/// What is compared: `id`, title, caption, name and unit of the axis, and the value.
struct Measure {
    id: &'static str,
    title: &'static str,
    caption: &'static str,
    axis: (&'static str, &'static str),
    value: fn(&SimReport) -> Option<f64>,
}

const MEASURES: [Measure; 5] = [
    Measure {
        id: "throughput",
        title: "Throughput",
        caption: "Host throughput in MB/s (10^6) of simulated time. Higher is better.",
        axis: ("throughput", "MB/s"),
        value: |report| report.throughput_mb_s,
    },
    Measure {
        id: "amplification",
        title: "Write amplification",
        caption: "Bytes programmed for each byte that the host wrote. Lower is better.",
        axis: ("bytes programmed for each byte written", ""),
        value: |report| report.device.write_amplification,
    },
    Measure {
        id: "erases",
        title: "Block erases",
        caption: "Erases wear the flash. Lower is better.",
        axis: ("block erases", ""),
        value: |report| Some(report.device.block_erases as f64),
    },
    Measure {
        id: "response",
        title: "Mean response time",
        caption: "Mean response time of an IO. Lower is better.",
        axis: ("response time", "ns"),
        value: |report| report.response_us.map(|us| us.mean * 1e3),
    },
    Measure {
        id: "p99",
        title: "99th percentile of the response time",
        caption: "1 % of IOs take longer. Lower is better.",
        axis: ("response time", "ns"),
        value: |report| report.response_us.map(|us| us.p99 * 1e3),
    },
];

/// Charts of all that came to an end; none without two such devices.
pub fn charts(entries: &[Entry]) -> Vec<Block> {
    let whole: Vec<&SimReport> =
        entries.iter().filter(|entry| entry.is_complete()).filter_map(Entry::report).collect();
    let labels: Vec<&str> = whole.iter().map(|report| report.label.as_str()).collect();
    if whole.len() < 2 {
        return Vec::new();
    }
    let ground = match Axis::among(&labels) {
        Some(axis) => over_numbers(axis, &whole, &labels),
        None => over_names(&whole, &labels),
    };
    MEASURES.iter().filter_map(|measure| ground.chart(measure)).map(Block::Chart).collect()
}

/// Where each device stands: the axis, and the curves with the places on it of their devices.
struct Ground<'a> {
    axis: ChartAxis,
    look: Look,
    curves: Vec<(String, Vec<Place<'a>>)>,
}

struct Place<'a> {
    x: f64,
    label: String,
    report: &'a SimReport,
}

impl<'a> Ground<'a> {
    fn add(&mut self, curve: String, place: Place<'a>) {
        match self.curves.iter_mut().find(|(name, _)| *name == curve) {
            Some((_, places)) => places.push(place),
            None => self.curves.push((curve, vec![place])),
        }
    }

    fn chart(&self, measure: &Measure) -> Option<Chart> {
        let series = self.curves.iter().filter_map(|(name, places)| {
            let mut points: Vec<Point> = places
                .iter()
                .filter_map(|place| {
                    let y = Some((measure.value)(place.report)?);
                    Some(Point { x: place.x, y, label: place.label.clone(), ..Point::default() })
                })
                .collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            (!points.is_empty()).then(|| Series::new(name, self.look, points))
        });
        let series: Vec<Series> = series.collect();
        Chart::new(
            format!("sweep-{}", measure.id),
            measure.title,
            measure.caption,
            [self.axis.clone(), ChartAxis::linear(measure.axis.0, measure.axis.1)],
            series,
        )
        .if_any()
    }
}

/// Over the list of numbers that varies.
fn over_numbers<'a>(axis: Axis, whole: &[&'a SimReport], labels: &[&str]) -> Ground<'a> {
    let (unit, scale, factor) =
        if axis.is_share() { ("%", Scale::Linear, 100.0) } else { ("bytes", Scale::Log, 1.0) };
    let axis_of = ChartAxis::of(axis.name(), unit, scale);
    let mut ground = Ground { axis: axis_of, look: Look::Line, curves: Vec::new() };
    for report in whole {
        for (x, label) in axis.places(report, labels) {
            ground.add(axis.curve(report, labels), Place { x: x * factor, label, report });
        }
    }
    ground
}

/// Over the names of the list with the most values; the other lists are the curves.
fn over_names<'a>(whole: &[&'a SimReport], labels: &[&str]) -> Ground<'a> {
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, value) in labels.iter().flat_map(|label| words(label)).filter(|(key, _)| varies(labels, key)) {
        match lists.iter_mut().find(|(name, _)| *name == key) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => lists.push((key, vec![value])),
        }
    }
    let (key, values) = lists.into_iter().max_by_key(|(_, values)| values.len()).unwrap_or_default();
    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
    let mut ground = Ground { axis: ChartAxis::places(key, names), look: Look::Bars, curves: Vec::new() };
    for report in whole {
        let own = words(&report.label).find(|(name, _)| *name == key).map(|(_, value)| value);
        let Some(place) = values.iter().position(|value| Some(*value) == own) else { continue };
        let rest = words(&report.label).filter(|(name, _)| *name != key && varies(labels, name));
        let rest = rest.map(|(_, value)| value).collect::<Vec<_>>().join(" ");
        let curve = if rest.is_empty() { format!("sim:{}", report.profile) } else { rest };
        ground.add(curve, Place { x: place as f64, label: values[place].to_string(), report });
    }
    ground
}
