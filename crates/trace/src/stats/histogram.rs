//! How numbers of any size are distributed, in 15 KiB: 32 bins for each power of two.

use super::summary::{Bin, Distribution};

const SUB_BITS: u32 = 5;
const SUB: u64 = 1 << SUB_BITS;
const BINS: usize = (64 - SUB_BITS as usize + 1) << SUB_BITS;

/// Counts of numbers in bins that are at most 1/32 wider than their lower end; numbers below 64, and others
/// of at most 6 significant bits, are lower ends.
#[derive(Clone)]
pub(super) struct Histogram {
    bins: Vec<u64>,
    count: u64,
    sum: u128,
    least: u64,
    most: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { bins: vec![0; BINS], count: 0, sum: 0, least: u64::MAX, most: 0 }
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
        self.bins[bin(value)] += count;
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
        let mut below = 0;
        let reached = |count: &u64| {
            below += count;
            below >= rank
        };
        let at = self.bins.iter().position(reached).unwrap_or(BINS - 1);
        lower_end(at).clamp(self.least, self.most)
    }

    /// One bin for each power of two, from the first that is not empty to the last.
    fn octaves(&self) -> Vec<Bin> {
        let ends = |octave: usize| match octave {
            0 => (0, 1),
            _ => (1 << (octave - 1), 1u64.checked_shl(octave as u32).unwrap_or(u64::MAX)),
        };
        let octave = |value: u64| (64 - value.leading_zeros()) as usize;
        let mut counts = [0; 65];
        for (at, count) in self.bins.iter().enumerate() {
            counts[octave(lower_end(at))] += count;
        }
        let all = octave(self.least)..=octave(self.most);
        all.map(|octave| Bin { from: ends(octave).0, to: ends(octave).1, count: counts[octave] }).collect()
    }
}

#[inline]
fn bin(value: u64) -> usize {
    if value < SUB {
        return value as usize;
    }
    let exponent = 63 - value.leading_zeros();
    let steps = u64::from(exponent - SUB_BITS + 1) << SUB_BITS;
    (steps + ((value >> (exponent - SUB_BITS)) & (SUB - 1))) as usize
}

fn lower_end(bin: usize) -> u64 {
    let bin = bin as u64;
    if bin < SUB {
        return bin;
    }
    let exponent = (bin >> SUB_BITS) - 1;
    (SUB + (bin & (SUB - 1))) << exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bin_and_no_bin_is_wide() {
        let values = (0..2000).chain((0..64).flat_map(|bit| {
            let power = 1u64 << bit;
            [power.wrapping_sub(1), power, power + power / 3, power + (power - 1)]
        }));
        for value in values {
            let low = lower_end(bin(value));
            assert!(low <= value && value - low <= low / 32, "{value} in the bin from {low}");
            assert_eq!(bin(low), bin(value));
        }
        assert_eq!(bin(u64::MAX), BINS - 1);
    }

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
