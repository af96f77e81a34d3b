//! What was varied in a sweep against what it gave: one chart for each number that matters.

use crate::html::document::{Axis as ChartAxis, Block, Chart, Look, Point, Scale, Series};

use super::picture::{Axis, varies, words};
use flashscope_lab::sweep::{Entry, SimReport};

/// A chart of more curves is divided into small ones, of at most so many facets.
const CURVES_MAX: usize = 8;
const FACETS_MAX: usize = 12;
/// The largest value over the smallest from which small ones have logarithmic axes.
const FAR_APART: f64 = 30.0;
/// What small ones are drawn of.
const MULTIPLES: [&str; 2] = ["throughput", "p99"];

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
    if whole.len() < 2 {
        return Vec::new();
    }
    let labels: Vec<&str> = whole.iter().map(|report| report.label.as_str()).collect();
    let axis = Axis::among(&labels);
    let all = ground(axis, &whole);
    if all.curves.len() <= CURVES_MAX {
        return MEASURES.iter().filter_map(|measure| all.chart(measure)).map(Block::Chart).collect();
    }
    let facets = facets(axis, whole);
    let measures = MULTIPLES.iter().flat_map(|id| MEASURES.iter().filter(move |measure| measure.id == *id));
    measures.flat_map(|measure| multiples(measure, axis, &facets)).collect()
}

fn ground<'a>(axis: Option<Axis>, whole: &[&'a SimReport]) -> Ground<'a> {
    let labels: Vec<&str> = whole.iter().map(|report| report.label.as_str()).collect();
    match axis {
        Some(axis) => over_numbers(axis, whole, &labels),
        None => over_names(whole, &labels),
    }
}

/// Designs that have some values in common: those values, and the designs.
type Facet<'a> = (Vec<String>, Vec<&'a SimReport>);

/// Splits by one list after the other, that of the fewest values first, until each has few curves.
fn facets(axis: Option<Axis>, whole: Vec<&SimReport>) -> Vec<Facet<'_>> {
    let mut facets: Vec<Facet<'_>> = vec![(Vec::new(), whole)];
    loop {
        let is_full = |(_, part): &Facet<'_>| ground(axis, part).curves.len() > CURVES_MAX;
        let Some((_, part)) = facets.iter().find(|facet| is_full(facet)) else { return facets };
        let mut lists = lists(part);
        lists.retain(|(key, values)| values.len() > 1 && !axis.is_some_and(|axis| axis.is(key)));
        let Some((key, values)) = lists.into_iter().min_by_key(|(_, values)| values.len()) else {
            return facets;
        };
        if facets.len() * values.len() > FACETS_MAX {
            return facets;
        }
        let (key, values) = (key.to_string(), values.iter().map(ToString::to_string).collect::<Vec<_>>());
        facets = facets.iter().flat_map(|facet| split(facet, &key, &values)).collect();
    }
}

fn split<'a>((name, part): &Facet<'a>, key: &str, values: &[String]) -> Vec<Facet<'a>> {
    let of = |value: &String| {
        let has = |report: &&&SimReport| words(&report.label).any(|(own, text)| own == key && text == value);
        let name = name.iter().cloned().chain([format!("{key}={value}")]).collect();
        (name, part.iter().filter(has).copied().collect::<Vec<_>>())
    };
    values.iter().map(of).filter(|(_, part)| part.len() > 1).collect()
}

/// A small chart of each facet, all with the same ends.
fn multiples(measure: &Measure, axis: Option<Axis>, facets: &[Facet<'_>]) -> Vec<Block> {
    let all = facets.iter().flat_map(|(_, part)| part).filter_map(|report| (measure.value)(report));
    let ends = [f64::INFINITY, 0.0];
    let [low, high] = all.fold(ends, |[low, high], value| [low.min(value), high.max(value)]);
    // From 0, so that heights compare; far apart, by equal factors.
    let is_log = low > 0.0 && high > FAR_APART * low;
    let scale = if is_log { Scale::Log } else { Scale::Linear };
    let range = Some(if is_log { [low, high] } else { [0.0, high] });
    let chart = |(number, (name, part)): (usize, &Facet<'_>)| {
        let chart = ground(axis, part).chart(measure)?;
        let title = name.join(", ");
        let id = format!("{}-{number}", chart.id);
        let (caption, y) = (String::new(), ChartAxis { range, scale, ..chart.y.clone() });
        Some(Block::Chart(Chart { id, title, caption, y, ..chart }))
    };
    let heading = Block::text(format!("{}. {}", measure.title, measure.caption));
    std::iter::once(heading).chain(facets.iter().enumerate().filter_map(chart)).collect()
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
    let (key, values) = lists(whole).into_iter().max_by_key(|(_, values)| values.len()).unwrap_or_default();
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

/// What varies, each with its values.
fn lists<'a>(whole: &[&'a SimReport]) -> Vec<(&'a str, Vec<&'a str>)> {
    let labels: Vec<&str> = whole.iter().map(|report| report.label.as_str()).collect();
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, value) in labels.iter().flat_map(|label| words(label)).filter(|(key, _)| varies(&labels, key)) {
        match lists.iter_mut().find(|(name, _)| *name == key) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => lists.push((key, vec![value])),
        }
    }
    lists
}
