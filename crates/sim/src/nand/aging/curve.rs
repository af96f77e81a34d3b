//! A table between whose points straight lines are drawn.

use serde::{Deserialize, Serialize};

/// Values at ascending points; beyond them the last value holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Curve {
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// `values` at the points `at`, or the only value for all; `otherwise` without values.
    pub(super) fn new(at: &[f64], values: &[f64], otherwise: f64) -> Curve {
        let points = match values {
            [] => vec![(0.0, otherwise)],
            [only] => vec![(0.0, *only)],
            _ => at.iter().copied().zip(values.iter().copied()).collect(),
        };
        Curve { points }
    }

    pub(super) fn is_flat(&self) -> bool {
        self.points.iter().all(|(_, value)| *value == self.points[0].1)
    }

    pub(super) fn at(&self, x: f64) -> f64 {
        between(self.points.len(), |i| self.points[i].0, |i| self.points[i].1, x)
    }
}

/// The value at `x` of a table of `count` points, at least one: ascending, and with a value each.
pub(super) fn between(
    count: usize,
    point: impl Fn(usize) -> f64,
    value: impl Fn(usize) -> f64,
    x: f64,
) -> f64 {
    match (0..count).find(|i| point(*i) > x) {
        Some(0) => value(0),
        None => value(count - 1),
        Some(after) => {
            let (x0, x1, y0, y1) = (point(after - 1), point(after), value(after - 1), value(after));
            y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_from_point_to_point_and_the_ends_hold() {
        let curve = Curve::new(&[100.0, 200.0, 400.0], &[1.0, 2.0, 1.0], 9.0);
        for (x, y) in [(0.0, 1.0), (100.0, 1.0), (150.0, 1.5), (200.0, 2.0), (250.0, 1.75), (999.0, 1.0)] {
            assert_eq!(curve.at(x), y, "at {x}");
        }
        assert_eq!(Curve::new(&[], &[], 1.0).at(5.0), 1.0);
        assert_eq!(Curve::new(&[7.0], &[3.0], 1.0).at(5.0), 3.0);
    }
}
