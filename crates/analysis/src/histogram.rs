//! A log-linear histogram of response times: fixed size, one increment per IO.

/// Buckets per octave; a bucket is at most 1/64 of its value wide, its middle off by at most 0.8 %.
const SUB: u64 = 64;
const SUB_BITS: u32 = SUB.trailing_zeros();
/// Values from 2^44 ns (4.9 hours) share the last bucket.
const MAX_BITS: u32 = 44;
const BUCKETS: usize = ((MAX_BITS - SUB_BITS + 1) as usize) * SUB as usize;

/// Counts of response times, with the exact extremes.
#[derive(Debug, Clone)]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
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
        Self { counts: Box::new([0; BUCKETS]), min_ns: u64::MAX, max_ns: 0 }
    }

    /// Counts one response time.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.counts[bucket_of(value_ns)] += 1;
        self.min_ns = self.min_ns.min(value_ns);
        self.max_ns = self.max_ns.max(value_ns);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(mine, theirs)| *mine += theirs);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Response times counted.
    pub fn ios(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The longest, exactly.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Nearest-rank quantile, as the middle of its bucket.
    pub fn quantile_ns(&self, share: f64) -> f64 {
        let ios = self.ios();
        let rank = ((share * ios as f64).ceil() as u64).clamp(1, ios.max(1));
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle_of(index).clamp(self.min_ns as f64, self.max_ns as f64);
            }
        }
        self.max_ns as f64
    }

    /// Standard deviation, with every value at the middle of its bucket.
    pub(crate) fn stddev_ns(&self) -> f64 {
        let ios = self.ios() as f64;
        let sum_of = |term: &dyn Fn(f64) -> f64| -> f64 {
            let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counted.map(|(index, count)| *count as f64 * term(middle_of(index))).sum()
        };
        let mean = sum_of(&|v| v) / ios.max(1.0);
        (sum_of(&|v| (v - mean).powi(2)) / (ios - 1.0).max(1.0)).sqrt()
    }
}

/// Values below 64 have a bucket each; above, the six bits after the leading one choose it.
#[inline]
fn bucket_of(value_ns: u64) -> usize {
    let capped = value_ns.min((1 << MAX_BITS) - 1);
    if capped < SUB {
        return capped as usize;
    }
    let shift = 63 - capped.leading_zeros() - SUB_BITS;
    ((u64::from(shift) + 1) * SUB + ((capped >> shift) - SUB)) as usize
}

fn middle_of(bucket: usize) -> f64 {
    let bucket = bucket as u64;
    if bucket < SUB {
        return bucket as f64;
    }
    let shift = bucket / SUB - 1;
    let low = (bucket % SUB + SUB) << shift;
    low as f64 + ((1u64 << shift) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_within_a_hundredth_of_its_buckets_middle() {
        let mut value = 1u64;
        while value < 1 << 43 {
            for near in [value - 1, value, value + 1, value + value / 3] {
                let middle = middle_of(bucket_of(near));
                assert!((middle - near as f64).abs() <= near as f64 / 100.0, "{near} falls in {middle}");
            }
            value *= 2;
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
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
