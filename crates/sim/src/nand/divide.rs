//! Division by a number that is known once and used a billion times.

use serde::{Deserialize, Serialize};

/// Divides any `u32` by a fixed `u32`, exactly, by one multiplication.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Divisor {
    divisor: u32,
    /// 2^64 / divisor, rounded up. Exact for every `u32` dividend (Lemire, Kaser, Kurz 2019, section 3).
    reciprocal: u64,
}

impl Divisor {
    /// # Panics
    /// If `divisor` is zero.
    pub fn new(divisor: u32) -> Divisor {
        assert!(divisor > 0, "nothing can be divided by zero");
        // Division by one would need 2^64 itself: it is asked for by name.
        Divisor { divisor, reciprocal: (u64::MAX / u64::from(divisor)).wrapping_add(1) }
    }

    /// `number / divisor`.
    #[inline]
    pub fn quotient(self, number: u32) -> u32 {
        if self.divisor == 1 {
            return number;
        }
        ((u128::from(self.reciprocal) * u128::from(number)) >> 64) as u32
    }

    /// `number % divisor`.
    #[inline]
    pub fn remainder(self, number: u32) -> u32 {
        number - self.quotient(number) * self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    #[test]
    fn it_is_division() {
        let mut random = Random::new(7);
        for divisor in [1, 2, 3, 5, 64, 127, 128, 2304, 65_537, u32::MAX - 1, u32::MAX] {
            let fixed = Divisor::new(divisor);
            let edges = [0, 1, divisor - 1, divisor, divisor.saturating_add(1), u32::MAX - 1, u32::MAX];
            for number in edges.into_iter().chain((0..10_000).map(|_| random.next_u64() as u32)) {
                assert_eq!(fixed.quotient(number), number / divisor, "{number} / {divisor}");
                assert_eq!(fixed.remainder(number), number % divisor, "{number} % {divisor}");
            }
        }
    }
}
