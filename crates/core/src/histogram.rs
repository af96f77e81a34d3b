//! Counts of numbers of any size in a fixed number of bins: so many for each power of two.

/// Counts in bins. Each power of two has `2^SUB_BITS` of them, so that a bin is at most `2^-SUB_BITS` of its
/// lower end wide; numbers below `2^(SUB_BITS + 1)` have bins of their own. What the last of the `BINS` bins
/// does not reach counts in it: see [`bins()`].
#[derive(Clone, Debug)]
pub struct Histogram<const SUB_BITS: u32, const BINS: usize> {
    counts: Box<[u64; BINS]>,
}

/// How many bins reach up to `2^bits`.
pub const fn bins(sub_bits: u32, bits: u32) -> usize {
    ((bits - sub_bits + 1) as usize) << sub_bits
}

impl<const SUB_BITS: u32, const BINS: usize> Default for Histogram<SUB_BITS, BINS> {
    fn default() -> Self {
        Histogram { counts: Box::new([0; BINS]) }
    }
}

impl<const SUB_BITS: u32, const BINS: usize> Histogram<SUB_BITS, BINS> {
    const SUB: u64 = 1 << SUB_BITS;
    /// The largest number with a bin.
    const MOST: u64 = {
        let bits = (BINS >> SUB_BITS) as u32 + SUB_BITS - 1;
        u64::MAX >> (64 - bits)
    };

    /// Counts a value so many times.
    #[inline]
    pub fn add(&mut self, value: u64, times: u64) {
        self.counts[Self::bin(value)] += times;
    }

    /// What another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Everything counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All bins upwards: first and last value, and count.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts.iter().enumerate().map(|(bin, count)| {
            let (first, width) = Self::ends(bin as u64);
            (first, first + (width - 1), *count)
        })
    }

    /// First and last value of the bin that holds the value of this rank, from 1 on; none behind the last.
    pub fn bin_of_rank(&self, rank: u64) -> Option<(u64, u64)> {
        let mut below = 0;
        let reached = |count: &u64| {
            below += count;
            below >= rank
        };
        let bin = self.counts.iter().position(reached)?;
        let (first, width) = Self::ends(bin as u64);
        Some((first, first + (width - 1)))
    }

    #[inline]
    fn bin(value: u64) -> usize {
        let value = value.min(Self::MOST);
        if value < Self::SUB {
            return value as usize;
        }
        let shift = 63 - value.leading_zeros() - SUB_BITS;
        (u64::from(shift) * Self::SUB + (value >> shift)) as usize
    }

    /// First value and width.
    fn ends(bin: u64) -> (u64, u64) {
        if bin < Self::SUB {
            return (bin, 1);
        }
        let shift = bin / Self::SUB - 1;
        ((bin % Self::SUB + Self::SUB) << shift, 1 << shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Fine = Histogram<6, { bins(6, 44) }>;
    type Whole = Histogram<5, { bins(5, 64) }>;

    fn near_powers() -> impl Iterator<Item = u64> {
        (0..2000).chain((0..64).flat_map(|bit| {
            let power = 1u64 << bit;
            [power - 1, power, power + power / 3, power + (power - 1)]
        }))
    }

    /// Every bin begins where the one before it ended.
    fn check<const SUB_BITS: u32, const BINS: usize>(last: u64) {
        let histogram = Histogram::<SUB_BITS, BINS>::default();
        let mut expected = 0;
        for (first, end, _) in histogram.iter() {
            assert_eq!(first, expected);
            assert!((end - first) << SUB_BITS <= first, "{first} to {end} is wide");
            expected = end.wrapping_add(1);
        }
        assert_eq!(expected.wrapping_sub(1), last);
    }

    #[test]
    fn bins_follow_each_other_and_none_is_wide() {
        check::<6, { bins(6, 44) }>((1 << 44) - 1);
        check::<5, { bins(5, 64) }>(u64::MAX);
    }

    #[test]
    fn every_value_lies_in_its_bin_and_what_is_too_large_in_the_last() {
        for value in near_powers() {
            let (mut fine, mut whole) = (Fine::default(), Whole::default());
            fine.add(value, 1);
            whole.add(value, 2);
            let (first, last) = whole.bin_of_rank(2).expect("it is counted");
            assert!((first..=last).contains(&value), "{value} in {first} to {last}");
            assert_eq!((whole.bin_of_rank(3), whole.count()), (None, 2));
            let capped = value.min((1 << 44) - 1);
            let (first, last) = fine.bin_of_rank(1).expect("it is counted");
            assert!((first..=last).contains(&capped), "{value} in {first} to {last}");
        }
    }

    #[test]
    fn ranks_are_those_of_the_sorted_values() {
        let mut all = Fine::default();
        let mut values: Vec<u64> = (0..10_000u64).map(|i| 1000 + (i * 7919) % 10_007).collect();
        let mut odd = Fine::default();
        for value in &values {
            if value % 2 == 0 { all.add(*value, 1) } else { odd.add(*value, 1) }
        }
        all.merge(&odd);
        values.sort_unstable();
        for rank in [1, 17, 5_000, 9_999, 10_000] {
            let (first, last) = all.bin_of_rank(rank).expect("so many are counted");
            assert!((first..=last).contains(&values[rank as usize - 1]), "rank {rank}");
        }
    }
}
