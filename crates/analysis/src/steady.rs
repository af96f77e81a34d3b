//! The steady-state criterion of SNIA's Performance Test Specification (SSS PTS 2.0), as it is computed.
//!
//! It looks at a fixed window of rounds, so it is a test of levelness and no detector of a start-up: a cliff
//! behind the window stays unseen. [`crate::phases()`] looks at everything that came before.

use serde::Serialize;

/// Rounds of a measurement window.
pub const STEADY_ROUNDS: usize = 5;
/// The greatest spread in a window, as a share of its mean.
pub const STEADY_RANGE_MAX: f64 = 0.2;
/// The greatest rise or fall of the least-squares line over a window, as a share of its mean.
pub const STEADY_SLOPE_MAX: f64 = 0.1;

/// A window of rounds, looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SteadyWindow {
    /// Its last round, from 1.
    pub round: usize,
    /// Mean of the tracked variable.
    pub mean: f64,
    /// Greatest less least value, as a share of the mean.
    pub range: f64,
    /// What the least-squares line moves from the first round to the last, as a share of the mean.
    pub slope: f64,
}

impl SteadyWindow {
    /// Whether both conditions hold.
    pub fn is_steady(&self) -> bool {
        self.range <= STEADY_RANGE_MAX && self.slope.abs() <= STEADY_SLOPE_MAX
    }
}

/// The window that ends with the last of these rounds; none where there are fewer than five, or they have no
/// mean.
pub fn steady_window(rounds: &[f64]) -> Option<SteadyWindow> {
    let first = rounds.len().checked_sub(STEADY_ROUNDS)?;
    let window = &rounds[first..];
    let count = window.len() as f64;
    let mean = window.iter().sum::<f64>() / count;
    let most = window.iter().copied().fold(f64::MIN, f64::max);
    let least = window.iter().copied().fold(f64::MAX, f64::min);
    let middle = (count - 1.0) / 2.0;
    let [mut rise, mut run] = [0.0, 0.0];
    for (at, value) in window.iter().enumerate() {
        let x = at as f64 - middle;
        rise += x * (value - mean);
        run += x * x;
    }
    let slope = rise / run * (count - 1.0);
    (mean > 0.0).then(|| SteadyWindow {
        round: rounds.len(),
        mean,
        range: (most - least) / mean,
        slope: slope / mean,
    })
}

/// The first window that is steady.
pub fn first_steady(rounds: &[f64]) -> Option<SteadyWindow> {
    (STEADY_ROUNDS..=rounds.len())
        .filter_map(|end| steady_window(&rounds[..end]))
        .find(SteadyWindow::is_steady)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conditions_are_computed_as_the_specification_says() {
        // A line from 95 to 105: the range and the slope are both 10 % of the mean.
        let line = steady_window(&[95.0, 97.5, 100.0, 102.5, 105.0]).expect("five rounds");
        assert!((line.mean - 100.0).abs() < 1e-9 && (line.range - 0.1).abs() < 1e-9);
        assert!((line.slope - 0.1).abs() < 1e-9 && line.is_steady(), "{line:?}");
        // A little steeper: the range would do, the slope does not.
        let steep = steady_window(&[94.0, 97.0, 100.0, 103.0, 106.0]).expect("five rounds");
        assert!(!steep.is_steady() && steep.range < STEADY_RANGE_MAX, "{steep:?}");
        // Up and down by 11 %: no slope, too wide.
        let wide = steady_window(&[111.0, 89.0, 100.0, 89.0, 111.0]).expect("five rounds");
        assert!(!wide.is_steady() && wide.slope.abs() < 1e-9, "{wide:?}");
        assert_eq!(steady_window(&[1.0; 4]), None);
        assert_eq!(steady_window(&[0.0; 5]), None);
    }

    #[test]
    fn the_first_steady_window_ends_five_rounds_behind_a_cliff() {
        let rounds = [900.0, 880.0, 300.0, 301.0, 299.0, 300.0, 300.0, 300.0];
        let found = first_steady(&rounds).expect("steady at last");
        assert_eq!((found.round, found.mean), (7, 300.0));
        // A cliff behind the window stays unseen: what the module says.
        assert_eq!(first_steady(&[900.0, 900.0, 900.0, 900.0, 900.0, 300.0]).map(|w| w.round), Some(5));
    }
}
