//! How numbers of any size are distributed, in 15 KiB: 32 bins for each power of two.

use flashscope_core::histogram::{self, bins};

use super::summary::{Bin, Distribution};

/// Counts of numbers, with their exact mean and ends.
#[derive(Clone)]
pub(super) struct Histogram {
    counts: histogram::Histogram<5, { bins(5, 64) }>,
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: Default::default(), count: 0, sum: 0, least: u64::MAX, most: 0 }
    }
}

impl Histogram {
    #[inline]
    pub(super) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// As `count` times the same value.
    #[inline]
    pub(super) fn add_many(&mut self, value: u64, count: u64) {
        self.counts.add(value, count);
        self.count += count;
        self.sum += u128::from(value) * u128::from(count);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// None if it is empty.
    pub(super) fn distribution(&self) -> Option<Distribution> {
        (self.count > 0).then(|| Distribution {
            count: self.count,
            mean: self.sum as f64 / self.count as f64,
            min: self.least,
            p10: self.quantile(0.1),
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
            max: self.most,
            bins: self.octaves(),
        })
    }

    /// The lower end of the bin that holds it.
    fn quantile(&self, share: f64) -> u64 {
        let rank = ((share * self.count as f64).ceil() as u64).max(1);
        let lower_end = self.counts.bin_of_rank(rank).map_or(self.most, |(first, _)| first);
        lower_end.clamp(self.least, self.most)
    }

    /// One bin for each power of two, from the first that is not empty to the last.
    fn octaves(&self) -> Vec<Bin> {
        let ends = |octave: usize| match octave {
            0 => (0, 1),
            _ => (1 << (octave - 1), 1u64.checked_shl(octave as u32).unwrap_or(u64::MAX)),
        };
        let octave = |value: u64| (64 - value.leading_zeros()) as usize;
        let mut counts = [0; 65];
        for (first, _, count) in self.counts.iter() {
            counts[octave(first)] += count;
        }
        let all = octave(self.least)..=octave(self.most);
        all.map(|octave| Bin { from: ends(octave).0, to: ends(octave).1, count: counts[octave] }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut histogram = Histogram::default();
        let values: Vec<u64> = (1..=1000).map(|i| i * 1000).collect();
        values.iter().for_each(|value| histogram.add(*value));
        let all = histogram.distribution().unwrap();
        assert_eq!((all.count, all.min, all.max, all.mean), (1000, 1000, 1_000_000, 500_500.0));
        for (found, sorted) in
            [(all.p10, 100_000), (all.p50, 500_000), (all.p90, 900_000), (all.p99, 990_000)]
        {
            assert!(found <= sorted && sorted - found <= found / 32, "{found} for {sorted}");
        }
        assert_eq!(all.bins.iter().map(|bin| bin.count).sum::<u64>(), 1000);
        assert_eq!(all.bins[0], Bin { from: 512, to: 1024, count: 1 });
        assert_eq!(all.bins[1], Bin { from: 1024, to: 2048, count: 1 });
    }
}
