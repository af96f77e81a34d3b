//! Every micro-benchmark as a chart: response time with its interval against what was varied.

use flashscope_analysis::{Finished, Point as Measured};

use super::hints::capital;
use super::summary::curve_of;
use super::{MicroDoc, Scene, characteristics, trace_id, words};
use crate::html::document::{Axis, Block, Chart, Look, Point, Scale, Section};

/// Where a micro-benchmark is shown.
pub(in super::super) fn chart_id(micro: &str) -> String {
    format!("chart-{micro}")
}

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let link = |experiment: &str| trace_of(experiment, scene);
    let charts = scene.beside.micros.iter().filter_map(|micro| chart(micro, &scene.points, &link));
    let table = characteristics::table(scene).map(Block::Table);
    Section::new("micro-benchmarks", "uFLIP", charts.map(Block::Chart).chain(table).collect())
}

/// The way to the IOs of an experiment.
type LinkOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// None if no point of it has a mean.
pub(crate) fn chart(micro: &MicroDoc, points: &[Measured<'_>], link: LinkOf<'_>) -> Option<Chart> {
    let of_micro = |point: &&Measured<'_>| point.experiment.micro == micro.name && point.estimate.is_some();
    let points: Vec<&Measured<'_>> = points.iter().filter(of_micro).collect();
    let places = Places::of(&points, micro)?;
    let mut names: Vec<&str> = Vec::new();
    for point in &points {
        if !names.contains(&places.curve(point)) {
            names.push(places.curve(point));
        }
    }
    let look = if micro.parameter == "none" { Look::Bars } else { Look::Line };
    let series = names.iter().map(|name| {
        let mut curve: Vec<Point> = points
            .iter()
            .filter(|point| places.curve(point) == *name)
            .filter_map(|p| places.point(p, link))
            .collect();
        curve.sort_by(|a, b| a.x.total_cmp(&b.x));
        curve_of(name, look, curve)
    });
    let (title, term) = words::micro(micro.name);
    Some(Chart {
        id: chart_id(micro.name),
        title,
        caption: caption(micro.doc),
        series: series.collect(),
        x: places.axis,
        y: y_axis(if micro.parameter == "none" { Scale::Linear } else { Scale::Log }),
        group: None,
        term: term.into(),
    })
}

pub(super) fn y_axis(scale: Scale) -> Axis {
    Axis::of("mean response time", "ns", scale)
}

/// A sentence.
fn caption(doc: &str) -> String {
    let end = if doc.ends_with(['?', '.']) { "" } else { "." };
    format!("{}{end} Bars: 95 % CI.", capital(doc))
}

/// Where points stand.
struct Places {
    axis: Axis,
    /// Of a category its values, in order.
    values: Vec<f64>,
    /// Of a parameter in the axis's unit.
    factor: f64,
    has_parameter: bool,
}

impl Places {
    /// None without a point.
    fn of(points: &[&Measured<'_>], micro: &MicroDoc) -> Option<Places> {
        if micro.parameter == "none" {
            let labels = points.iter().map(|point| name_of(point)).collect::<Vec<_>>();
            let axis = Axis::places("", labels);
            return (!points.is_empty()).then_some(Places {
                axis,
                values: vec![],
                factor: 1.0,
                has_parameter: false,
            });
        }
        let (name, unit) = micro.parameter.split_once(", ").unwrap_or((micro.parameter, ""));
        let (label, unit, factor) = match unit {
            "bytes" => (name, "bytes", 1.0),
            "ms" => (name, "ns", 1e6),
            "IOs" => (name, "IOs", 1.0),
            _ => (micro.parameter, "", 1.0),
        };
        let mut values: Vec<(f64, String)> =
            points.iter().map(|point| (point.experiment.parameter, point.experiment.label.clone())).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.dedup_by(|a, b| a.0 == b.0);
        let is_log = values.first()?.0 > 0.0 && values.len() > 1;
        let scale = match is_log {
            false => Scale::Category,
            true if unit == "ns" => Scale::Log,
            true => Scale::Log2,
        };
        let labels = if is_log { Vec::new() } else { values.iter().map(|value| value.1.clone()).collect() };
        let axis = Axis { labels, ..Axis::of(label, unit, scale) };
        Some(Places {
            axis,
            values: values.into_iter().map(|value| value.0).collect(),
            factor,
            has_parameter: true,
        })
    }

    fn curve<'a>(&self, point: &Measured<'a>) -> &'a str {
        if self.has_parameter { &point.experiment.curve } else { "mean" }
    }

    fn place(&self, point: &Measured<'_>) -> f64 {
        let parameter = point.experiment.parameter;
        if !self.has_parameter {
            let name = name_of(point);
            return self.axis.labels.iter().position(|label| *label == name).unwrap_or(0) as f64;
        }
        if self.axis.scale == Scale::Category {
            return self.values.iter().position(|value| *value == parameter).unwrap_or(0) as f64;
        }
        parameter * self.factor
    }

    fn point(&self, point: &Measured<'_>, link: LinkOf<'_>) -> Option<Point> {
        let estimate = point.estimate?;
        Some(Point {
            x: self.place(point),
            y: Some(estimate.mean_ns),
            interval: Some([estimate.ci_low_ns, estimate.ci_high_ns]),
            label: point.experiment.label.clone(),
            link: link(&point.experiment.id()),
        })
    }
}

/// What a bar is called.
fn name_of(point: &Measured<'_>) -> String {
    let experiment = point.experiment;
    if experiment.micro == "baseline" { words::curve(&experiment.curve) } else { experiment.label.clone() }
}

/// The first repeat of an experiment whose IOs were kept.
pub(super) fn trace_of(experiment: &str, scene: &Scene<'_>) -> Option<String> {
    let of = |done: &&&Finished| done.run.records.is_some() && done.experiment.id() == experiment;
    scene.runs.iter().find(of).map(|done| trace_id(done))
}
