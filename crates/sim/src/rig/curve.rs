//! Cost as a function of the size of an IO: straight lines through given points.

use serde::{Deserialize, Serialize};

use flashscope_core::{Bytes, Nanos};

/// Points `(size, cost)` in rising order of size. Between two points the cost lies on the line through them,
/// below the first it is the first one's, beyond the last the last line goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(pub Vec<(Bytes, Nanos)>);

impl Curve {
    /// The cost of an IO of this size, in whole nanoseconds.
    pub fn at(&self, length_bytes: u64) -> u64 {
        let points = &self.0;
        let above = points.partition_point(|(size, _)| size.0 <= length_bytes);
        if above == 0 || points.len() == 1 {
            return points[0].1.0;
        }
        let right = above.min(points.len() - 1);
        let ((x0, y0), (x1, y1)) = (points[right - 1], points[right]);
        let share = (length_bytes - x0.0) as f64 / (x1.0 - x0.0) as f64;
        let cost = y0.0 as f64 + share * (y1.0 as f64 - y0.0 as f64);
        cost.round().max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, u64)]) -> Curve {
        Curve(points.iter().map(|&(size, cost)| (Bytes(size), Nanos(cost))).collect())
    }

    #[test]
    fn a_curve_passes_through_its_points_and_goes_on_in_straight_lines() {
        let curve = curve(&[(1024, 500), (2048, 700), (4096, 600), (8192, 1000)]);
        let at = [512, 1024, 1536, 2048, 3072, 4096, 8192, 16384].map(|size| curve.at(size));
        assert_eq!(at, [500, 500, 600, 700, 650, 600, 1000, 1800]);
    }

    #[test]
    fn one_point_is_a_constant() {
        assert_eq!([512, 32768, 1 << 20].map(|size| curve(&[(32768, 7)]).at(size)), [7, 7, 7]);
    }
}
