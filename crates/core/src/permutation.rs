//! A random permutation of `0..n` in constant memory: a Feistel network with cycle walking (Black and
//! Rogaway 2002, "Ciphers with arbitrary finite domains").
//!
//! Paper 000, appendix A draws addresses from such a permutation, "so addresses are not repeated".

use crate::seed::{derive, mix};

/// Rounds of the network; four make it look random (Luby and Rackoff 1988), six leave a margin.
const ROUNDS: usize = 6;

/// A bijection of `0..len` onto itself, chosen by a seed.
#[derive(Clone, Debug)]
pub struct Permutation {
    len: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of `0..len` that `seed` chooses. `len` must not be zero.
    pub fn new(len: u64, seed: u64) -> Permutation {
        assert!(len > 0, "a permutation of nothing");
        let bits = u64::BITS - (len - 1).leading_zeros();
        let half_bits = bits.div_ceil(2).max(1);
        let keys = std::array::from_fn(|round| derive(seed, round as u64));
        Permutation { len, half_bits, keys }
    }

    /// How many values it permutes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Never: a permutation of nothing is refused.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where `index` goes. Walks the cycle until it is back inside; less than four steps on average.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        assert!(index < self.len, "place {index} of a permutation of {}", self.len);
        let mut value = self.encrypt(index);
        while value >= self.len {
            value = self.encrypt(value);
        }
        value
    }

    #[inline]
    fn encrypt(&self, value: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_exactly_once() {
        for len in [1, 2, 3, 5, 64, 100, 1023, 4097] {
            let permutation = Permutation::new(len, 42);
            let mut seen = vec![false; len as usize];
            for index in 0..len {
                let value = permutation.at(index) as usize;
                assert!(!std::mem::replace(&mut seen[value], true), "{value} twice among {len}");
            }
        }
    }

    #[test]
    fn seeds_give_different_orders() {
        let order = |seed| (0..32).map(|i| Permutation::new(32, seed).at(i)).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn neighbours_are_not_kept_together() {
        let permutation = Permutation::new(1 << 20, 3);
        let close =
            (0..100_000u64).filter(|&i| permutation.at(i).abs_diff(permutation.at(i + 1)) < 1 << 10).count();
        // Two uniform values of 2^20 lie within 2^10 of each other with probability 1/512.
        assert!((140..260).contains(&close), "{close} close pairs, 195 expected");
    }
}
