//! What readings have in common: the speed of runs, with its spread over repeats.

use flashscope_analysis::reading::{self, Cell, Series};
use flashscope_analysis::{Estimate, Point, Run, chance};

/// Bytes and IOs a second, from the first submission to the last completion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed {
    pub mb_per_s: f64,
    pub iops: f64,
}

/// None where no time passed.
pub(super) fn speed(run: &Run) -> Option<Speed> {
    let seconds = run.elapsed_ns as f64 / 1e9;
    let bytes = (run.read_bytes + run.written_bytes) as f64;
    (seconds > 0.0).then(|| Speed { mb_per_s: bytes / 1e6 / seconds, iops: run.ios as f64 / seconds })
}

/// Megabytes a second over the repeats of an experiment.
pub(super) fn mb_per_s(point: &Point<'_>) -> Vec<f64> {
    point.runs.iter().filter_map(|run| speed(run)).map(|speed| speed.mb_per_s).collect()
}

/// The experiment of that group and curve at that label.
pub(super) fn find<'a, 'b>(
    points: &'b [Point<'a>],
    micro: &str,
    curve: &str,
    label: &str,
) -> Option<&'b Point<'a>> {
    points.iter().find(|point| {
        let experiment = point.experiment;
        experiment.micro == micro && experiment.curve == curve && experiment.label == label
    })
}

/// Places as curves by their names, in the order in which they come.
pub(super) fn curves(places: impl Iterator<Item = (String, (f64, f64))>) -> Vec<Series> {
    let mut curves: Vec<Series> = Vec::new();
    for (name, place) in places {
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(reading::Point::at(place.0, place.1)),
            None => curves.push(Series::line(name, [place])),
        }
    }
    curves
}

/// The mean response time of an experiment in milliseconds, as it was estimated.
pub(super) fn mean_ms(point: &Point<'_>) -> Cell {
    match point.estimate {
        Some(mean) => Cell::between(mean.mean_ns / 1e6, (mean.ci_low_ns / 1e6, mean.ci_high_ns / 1e6)),
        None => Cell::default(),
    }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Of as many questions as a suite asks of one kind, no more than this share is answered wrongly by chance.
pub(super) const FALSE_MAX: f64 = 0.05;
/// Fewer values have no spread.
const VALUES_MIN: usize = 3;

/// How alike neighbours in a series are: 0 to 0.99.
fn likeness(values: &[f64]) -> f64 {
    let middle = mean(values).unwrap_or(0.0);
    let off: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let square: f64 = off.iter().map(|off| off * off).sum();
    let beside: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if square > 0.0 { (beside / square).clamp(0.0, 0.99) } else { 0.0 }
}

/// The mean of a series with its error, if neighbours are as alike as that (first-order autoregression); none
/// if so few values, or so alike, say nothing of their spread.
fn level(values: &[f64], likeness: f64) -> Option<Estimate> {
    let (count, middle) = (values.len() as f64, mean(values)?);
    let independent = count * (1.0 - likeness) / (1.0 + likeness);
    if values.len() < VALUES_MIN || independent < 2.0 {
        return None;
    }
    let square: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    let variance = square / (count - count / independent).max(1.0);
    Some(Estimate {
        mean_ns: middle,
        ci_low_ns: middle,
        ci_high_ns: middle,
        confidence: 0.0,
        std_err_ns: (variance / independent).sqrt(),
        dof: independent - 1.0,
        ios: values.len() as u64,
        ios_ignored: 0,
        batches: values.len() as u64,
    })
}

/// Whether the levels of two series differ by more than chance explains, if this is one of so many questions.
/// What has too few values for a spread is not told apart. The longer one shows how alike neighbours are.
pub(super) fn are_apart(a: &[f64], b: &[f64], questions: usize) -> bool {
    let likeness = likeness(if a.len() > b.len() { a } else { b });
    let chance = level(a, likeness).zip(level(b, likeness)).map_or(1.0, |(a, b)| chance(&a, &b));
    chance * questions as f64 <= FALSE_MAX
}
