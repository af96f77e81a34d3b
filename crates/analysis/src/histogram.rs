//! A log-linear histogram of response times: fixed size, one increment per IO.

use flashscope_core::histogram::{self, bins};

/// Response times that are longer than a quantile, at least, for it to be reported.
pub const BEYOND_MIN: u64 = 10;

/// Counts of response times, with the exact extremes. A bin is at most 1/64 of its value wide, its middle off
/// by at most 0.8 %; values from 2^44 ns (4.9 hours) share the last bin.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: histogram::Histogram<6, { bins(6, 44) }>,
    pub(crate) min_ns: u64,
    pub(crate) max_ns: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Nothing counted.
    pub fn new() -> Self {
        Self { counts: Default::default(), min_ns: u64::MAX, max_ns: 0 }
    }

    /// Counts one response time.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.counts.add(value_ns, 1);
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Response times counted.
    pub fn ios(&self) -> u64 {
        self.counts.count()
    }

    /// The longest, exactly.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Nearest-rank quantile, as the middle of its bin.
    pub fn quantile_ns(&self, share: f64) -> f64 {
        let ios = self.ios();
        let rank = ((share * ios as f64).ceil() as u64).clamp(1, ios.max(1));
        self.of_rank_ns(rank)
    }

    /// The same quantile where at least [`BEYOND_MIN`] response times are longer; none where too few tell it.
    pub fn quantile_told_ns(&self, share: f64) -> Option<f64> {
        let beyond = (1.0 - share) * self.ios() as f64;
        // A share such as 0.999 is not exact.
        (beyond + 1e-6 >= BEYOND_MIN as f64).then(|| self.quantile_ns(share))
    }

    /// The cumulative distribution, as far as quantiles are known: response times in ns with the share that
    /// takes no longer, about `per_decade` of them for each tenth of what is left.
    pub fn cumulative(&self, per_decade: f64) -> Vec<(f64, f64)> {
        let ios = self.ios();
        let (mut places, mut done, mut last) = (Vec::new(), 0, 0.0);
        for (first, end, count) in self.counts.iter().filter(|(.., count)| *count > 0) {
            if done == 0 {
                places.push((self.min_ns as f64, 0.0));
            }
            done += count;
            if ios - done < BEYOND_MIN {
                break;
            }
            let share = done as f64 / ios as f64;
            let nines = -(1.0 - share).log10();
            if nines - last >= 1.0 / per_decade {
                places.push((middle((first, end)).clamp(self.min_ns as f64, self.max_ns as f64), share));
                last = nines;
            }
        }
        let told = 1.0 - BEYOND_MIN as f64 / ios.max(1) as f64;
        if told > 0.0 {
            places.push((self.quantile_ns(told), told));
        }
        places
    }

    /// The middle of the bin of a nearest rank, from 1 on.
    pub(crate) fn of_rank_ns(&self, rank: u64) -> f64 {
        let bin = self.counts.bin_of_rank(rank);
        bin.map_or(self.max_ns as f64, |bin| middle(bin).clamp(self.min_ns as f64, self.max_ns as f64))
    }

    /// Response times no longer than this, to the bin.
    pub(crate) fn ios_within(&self, value_ns: f64) -> u64 {
        self.counts.iter().take_while(|bin| bin.0 as f64 <= value_ns).map(|bin| bin.2).sum()
    }

    /// Everything that several counted.
    pub(crate) fn sum_of(parts: &[Histogram]) -> Histogram {
        let mut sum = Histogram::new();
        parts.iter().for_each(|part| sum.add(part));
        sum
    }

    /// Standard deviation, with every value at the middle of its bin.
    pub(crate) fn stddev_ns(&self) -> f64 {
        let ios = self.ios() as f64;
        let sum_of = |term: &dyn Fn(f64) -> f64| -> f64 {
            let counted = self.counts.iter().filter(|(.., count)| *count > 0);
            counted.map(|(first, last, count)| count as f64 * term(middle((first, last)))).sum()
        };
        let mean = sum_of(&|v| v) / ios.max(1.0);
        (sum_of(&|v| (v - mean).powi(2)) / (ios - 1.0).max(1.0)).sqrt()
    }
}

fn middle((first, last): (u64, u64)) -> f64 {
    first as f64 + (last - first) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_value_is_found_to_a_hundredth() {
        let mut value = 1u64;
        while value < 1 << 43 {
            for near in [value - 1, value, value + 1, value + value / 3] {
                let mut histogram = Histogram::new();
                // Ends that do not clamp it.
                [0, near, u64::MAX].into_iter().for_each(|value| histogram.record(value));
                let middle = histogram.quantile_ns(0.5);
                assert!((middle - near as f64).abs() <= near as f64 / 100.0, "{near} falls in {middle}");
            }
            value *= 2;
        }
    }

    #[test]
    fn a_distribution_is_told_as_far_as_ten_lie_beyond() {
        let mut histogram = Histogram::new();
        (0..10_000u64).for_each(|i| histogram.record(1_000_000 + (i * 7919) % 10_000 * 100));
        assert!(histogram.quantile_told_ns(0.999).is_some() && histogram.quantile_told_ns(0.9999).is_none());
        let curve = histogram.cumulative(50.0);
        assert_eq!((curve[0].1, curve[curve.len() - 1].1), (0.0, 0.999));
        for (ns, share) in curve {
            let exact = 1e6 + share * 1e6;
            assert!((ns / exact - 1.0).abs() < 0.02, "{share} takes {ns}, {exact} by definition");
        }
        assert!(Histogram::new().cumulative(50.0).is_empty());
    }

    #[test]
    fn the_standard_deviation_is_that_of_a_sample() {
        let mut histogram = Histogram::new();
        [100_000, 300_000].into_iter().for_each(|v| histogram.record(v));
        // The squares of 100,000 twice, over one degree of freedom.
        let exact = 2e10_f64.sqrt();
        assert!((histogram.stddev_ns() / exact - 1.0).abs() < 0.01, "{}", histogram.stddev_ns());
    }

    #[test]
    fn quantiles_agree_with_sorting() {
        let mut histogram = Histogram::new();
        let values: Vec<u64> = (0..10_000u64).map(|i| 1000 + (i * 7919) % 10_007).collect();
        values.iter().for_each(|&v| histogram.record(v));
        let mut sorted = values;
        sorted.sort_unstable();
        for share in [0.01, 0.5, 0.99, 0.999] {
            let exact = sorted[(share * 10_000.0) as usize - 1] as f64;
            let got = histogram.quantile_ns(share);
            assert!((got / exact - 1.0).abs() < 0.01, "{share}: {got} against {exact}");
        }
    }
}
