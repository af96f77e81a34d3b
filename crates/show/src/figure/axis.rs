//! An axis of chosen values: a parameter of a benchmark or a setting of a sweep.

use super::svg::Scale;

/// The values of the parameter, in order, with their labels.
pub(super) struct Axis {
    values: Vec<(f64, String)>,
    is_log: bool,
}

impl Axis {
    /// One that holds these values and their labels, in any order; none without a value.
    pub(super) fn of(mut values: Vec<(f64, String)>) -> Option<Axis> {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        values.dedup_by(|a, b| a.0 == b.0);
        let is_log = values.first()?.0 > 0.0 && values.len() > 2;
        Some(Axis { values, is_log })
    }

    pub(super) fn place(&self, parameter: f64) -> f64 {
        if self.is_log {
            return parameter.log2();
        }
        self.values.iter().position(|value| value.0 == parameter).unwrap_or(0) as f64
    }

    pub(super) fn scale(&self) -> Scale {
        let first = self.values.first().map_or(0.0, |value| self.place(value.0));
        let last = self.values.last().map_or(1.0, |value| self.place(value.0));
        let room = ((last - first) * 0.04).max(0.3);
        Scale { low: first - room, high: last + room, is_log: false }
    }

    /// Every label, or as many at equal steps as there is room for.
    pub(super) fn labels(&self, labels_max: usize) -> Vec<(f64, String)> {
        let step = self.values.len().div_ceil(labels_max).max(1);
        self.values.iter().step_by(step).map(|(value, label)| (self.place(*value), label.clone())).collect()
    }
}
