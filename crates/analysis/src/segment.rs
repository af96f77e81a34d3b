//! Level changes in a short sequence of cells, told apart from autocorrelated noise.
//!
//! For every number of changes the least-squares segmentation is found exactly (dynamic programming); the
//! number is then chosen by a Schwarz criterion on the *innovations* of a first-order autoregression
//! around the levels, so that a wandering series is not cut into pieces. Each change must then pass a
//! two-sample test with the variance and autocorrelation of its own two sides.

use crate::statistics::{StandardError, t_quantile};
use crate::transform::{lag_one, mean_of, variance_of};

/// Most changes that are looked for at once.
const CHANGES_MAX: usize = 12;
/// Changes that are added without success before giving up.
const PATIENCE: usize = 3;
/// Penalty per change in units of ln(cells); 1 would be Schwarz's for one parameter.
const PENALTY: f64 = 2.0;

/// Confidence of the test that each change must pass; high, because it is the best of many places.
const STEP_CONFIDENCE: f64 = 0.99999;
/// Sides with fewer cells have no variance of their own to speak of.
const SIDE_MIN: usize = 8;
/// Chance that a short stretch of the other side looks like a short side.
const CLUSTER_CHANCE_MAX: f64 = 0.02;

/// First cells of all segments but the first, ascending. Every segment has at least `cells_min` cells.
pub(crate) fn level_changes(cells: &[f64], cells_min: usize) -> Vec<usize> {
    let n = cells.len();
    let changes_max = CHANGES_MAX.min((n / cells_min.max(1)).saturating_sub(1));
    if changes_max == 0 || cells.iter().all(|v| *v == cells[0]) {
        return Vec::new();
    }
    let mut table = Table::new(cells, cells_min);
    let mut best = (f64::INFINITY, 0);
    for count in 0..=changes_max {
        let Some(changes) = table.changes(count) else { break };
        let penalty = PENALTY * count as f64 * (n as f64).ln();
        let score = n as f64 / 2.0 * innovation_variance(cells, &changes).ln() + penalty;
        if score < best.0 {
            best = (score, count);
        } else if count > best.1 + PATIENCE {
            break;
        }
    }
    let fewer = (0..=best.1).rev().filter_map(|count| table.changes(count));
    fewer.into_iter().find(|changes| are_certain(cells, changes)).unwrap_or_default()
}

/// True if every change passes the test against its two sides.
fn are_certain(cells: &[f64], changes: &[usize]) -> bool {
    let borders: Vec<usize> = [0].iter().chain(changes).chain([&cells.len()]).copied().collect();
    borders.windows(3).all(|w| step_certainty(&cells[w[0]..w[1]], &cells[w[1]..w[2]]) > 1.0)
}

/// Difference of the two levels over what chance reaches (Welch's test).
fn step_certainty(a: &[f64], b: &[f64]) -> f64 {
    if is_mere_cluster(a, b) || is_mere_cluster(b, a) {
        return 0.0;
    }
    let step = (mean_of(a) - mean_of(b)).abs();
    let (a, b) = (side(a, b), side(b, a));
    let (va, vb) = (a.0 * a.0, b.0 * b.0);
    let dof = (va + vb).powi(2) / (va * va / a.1 + vb * vb / b.1).max(f64::MIN_POSITIVE);
    step / (t_quantile(STEP_CONFIDENCE, dof.max(4.0)) * (va + vb).sqrt()).max(1e-9)
}

/// True if a short side may be a run of such cells as the other side has too: the chance that as many
/// neighbours are all beyond its least extreme cell, times the number of places.
fn is_mere_cluster(own: &[f64], other: &[f64]) -> bool {
    if own.len() >= SIDE_MIN || other.len() < 2 * SIDE_MIN {
        return false;
    }
    let sign = if mean_of(own) > mean_of(other) { 1.0 } else { -1.0 };
    let least = own.iter().map(|v| sign * v).fold(f64::INFINITY, f64::min);
    let beyond = other.iter().filter(|v| sign * **v >= least).count() as f64;
    let share = (beyond + 0.5) / (other.len() as f64 + 1.0);
    other.len() as f64 * share.powi(own.len() as i32) > CLUSTER_CHANCE_MAX
}

/// Standard error of a side's mean and its degrees of freedom; a short side borrows the other's variance.
fn side(own: &[f64], other: &[f64]) -> (f64, f64) {
    if own.len() >= SIDE_MIN {
        let error = StandardError::of(own);
        return (error.std_err, error.dof);
    }
    let variance = variance_of(own).max(variance_of(other));
    ((variance / own.len() as f64).sqrt(), (own.len().max(other.len()) - 1) as f64)
}

/// Variance that is left after the levels and a first-order autoregression, with a floor for exact data.
fn innovation_variance(cells: &[f64], changes: &[usize]) -> f64 {
    let mut residuals = Vec::with_capacity(cells.len());
    let borders: Vec<usize> = [0].iter().chain(changes).chain([&cells.len()]).copied().collect();
    for border in borders.windows(2) {
        let segment = &cells[border[0]..border[1]];
        let mean = segment.iter().sum::<f64>() / segment.len() as f64;
        residuals.extend(segment.iter().map(|v| v - mean));
    }
    let rho = lag_one(&residuals).clamp(0.0, 0.98);
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    square / cells.len() as f64 * (1.0 - rho * rho) + 1e-8
}

/// Least squared error of every prefix for every number of changes, and where the last change lies; filled
/// as it is asked for.
struct Table {
    cells_min: usize,
    errors: Vec<Vec<f64>>,
    least: Vec<Vec<f64>>,
    last: Vec<Vec<u16>>,
}

impl Table {
    fn new(cells: &[f64], cells_min: usize) -> Self {
        let errors = errors_by_end(cells);
        let first = errors.iter().enumerate();
        let first = first.map(|(to, row)| if to < cells_min { f64::INFINITY } else { row[0] }).collect();
        Self { cells_min, last: vec![vec![0; errors.len()]], least: vec![first], errors }
    }

    /// Allows one change more.
    fn extend(&mut self) {
        let (count, cells) = (self.least.len(), self.errors.len());
        let (mut least, mut last) = (vec![f64::INFINITY; cells], vec![0u16; cells]);
        let before = &self.least[count - 1];
        for to in (count + 1) * self.cells_min..cells {
            let range = count * self.cells_min..=to - self.cells_min;
            let totals = before[range.clone()].iter().zip(&self.errors[to][range.clone()]);
            for (from, (left, right)) in range.zip(totals) {
                if left + right < least[to] {
                    (least[to], last[to]) = (left + right, from as u16);
                }
            }
        }
        self.least.push(least);
        self.last.push(last);
    }

    /// The best places for this many changes; `None` if there is no room for them.
    fn changes(&mut self, count: usize) -> Option<Vec<usize>> {
        while self.least.len() <= count {
            self.extend();
        }
        let mut to = self.errors.len() - 1;
        self.least[count][to].is_finite().then(|| {
            let mut changes = Vec::with_capacity(count);
            for left in (1..=count).rev() {
                to = self.last[left][to] as usize;
                changes.push(to);
            }
            changes.reverse();
            changes
        })
    }
}

/// `[to][from]`: squared error of the cells in `from..to` around their mean.
fn errors_by_end(cells: &[f64]) -> Vec<Vec<f64>> {
    let prefix = prefix_sums(cells);
    let error = |from: usize, to: usize| {
        let (sum, square) = (prefix[to].0 - prefix[from].0, prefix[to].1 - prefix[from].1);
        (square - sum * sum / (to - from).max(1) as f64).max(0.0)
    };
    (0..=cells.len()).map(|to| (0..=to).map(|from| error(from, to)).collect()).collect()
}

fn prefix_sums(cells: &[f64]) -> Vec<(f64, f64)> {
    let mut sums = Vec::with_capacity(cells.len() + 1);
    let (mut sum, mut square) = (0.0, 0.0);
    sums.push((sum, square));
    for v in cells {
        sum += v;
        square += v * v;
        sums.push((sum, square));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways to put two changes, by brute force.
    #[test]
    fn the_table_finds_the_best_of_all_segmentations() {
        let cells: Vec<f64> =
            (0..24).map(|i| f64::from((i * 37 + 11) % 17) + f64::from(i / 9) * 4.0).collect();
        let error = |segment: &[f64]| {
            let mean = segment.iter().sum::<f64>() / segment.len() as f64;
            segment.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
        };
        let total = |a: usize, b: usize| error(&cells[..a]) + error(&cells[a..b]) + error(&cells[b..]);
        let pairs = (3..=18).flat_map(|a| (a + 3..=21).map(move |b| (a, b)));
        let (a, b) = pairs.min_by(|x, y| total(x.0, x.1).total_cmp(&total(y.0, y.1))).unwrap();
        assert_eq!(Table::new(&cells, 3).changes(2), Some(vec![a, b]));
    }
}
