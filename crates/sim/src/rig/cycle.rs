//! Costs that repeat with a period and whose mean is exactly the cost asked for.

use super::spec::Cycle;

/// A cycle and where in it the device is.
pub(super) struct Turn {
    cycle: Cycle,
    at: u32,
}

impl Turn {
    pub(super) fn new(cycle: Cycle) -> Turn {
        Turn { cycle, at: 0 }
    }

    /// The cost of the next IO whose mean cost is `mean_ns`.
    #[inline]
    pub(super) fn next(&mut self, mean_ns: u64) -> u64 {
        let at = self.at;
        self.at = (at + 1) % self.cycle.period;
        cost_at(&self.cycle, at, mean_ns)
    }
}

/// The cost at one place of the cycle. Summed over a whole cycle it is `period x mean_ns`.
fn cost_at(cycle: &Cycle, at: u32, mean_ns: u64) -> u64 {
    let period = cycle.period;
    if let Some(sawtooth) = cycle.sawtooth {
        // Symmetric about the middle, and rounding is too: the deviations cancel.
        let place = f64::from(2 * at as i32 - (period as i32 - 1)) / f64::from(period - 1);
        return mean_ns.saturating_add_signed((mean_ns as f64 * sawtooth.0 * place).round() as i64);
    }
    let dear = cycle.dear.unwrap_or(1);
    let cheap_ns = (mean_ns as f64 * cycle.cheap_factor.unwrap_or(1.0)).round() as u64;
    if at < period - dear {
        return cheap_ns;
    }
    let left_ns = u64::from(period) * mean_ns - u64::from(period - dear) * cheap_ns;
    let dear_ns = left_ns / u64::from(dear);
    // The last one bears what does not divide.
    if at == period - 1 { left_ns - u64::from(dear - 1) * dear_ns } else { dear_ns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::Share;

    fn sum(cycle: Cycle, mean_ns: u64) -> u64 {
        (0..cycle.period).map(|at| cost_at(&cycle, at, mean_ns)).sum()
    }

    #[test]
    fn the_mean_over_a_cycle_is_exact_whatever_its_shape() {
        for mean_ns in [1, 999, 1_234_567, 233_000_000] {
            for period in [2, 3, 40, 127] {
                let sawtooth = Cycle { period, dear: None, cheap_factor: None, sawtooth: Some(Share(0.3)) };
                assert_eq!(sum(sawtooth, mean_ns), mean_ns * u64::from(period));
                for dear in 1..period.min(5) {
                    let cycle = Cycle { period, dear: Some(dear), cheap_factor: Some(0.37), sawtooth: None };
                    assert_eq!(sum(cycle, mean_ns), mean_ns * u64::from(period), "{cycle:?}");
                }
            }
        }
    }
}
