//! Zipf-distributed ranks in constant memory.

use crate::seed::Random;

/// Draws ranks `0..n` with probability proportional to `(rank + 1)^-theta` by rejection-inversion
/// (Hörmann and Derflinger 1996, "Rejection-inversion to generate variates from monotone discrete
/// distributions"). Uses `libm`, so a seed gives the same ranks on every machine.
#[derive(Clone, Debug)]
pub struct Zipf {
    count: f64,
    theta: f64,
    integral_low: f64,
    integral_high: f64,
}

impl Zipf {
    /// Ranks below `count` (at least 1) with exponent `theta` (above 0).
    pub fn new(count: u64, theta: f64) -> Zipf {
        assert!(count > 0 && theta > 0.0);
        let mut zipf = Zipf { count: count as f64, theta, integral_low: 0.0, integral_high: 0.0 };
        zipf.integral_low = zipf.integral(1.5) - 1.0;
        zipf.integral_high = zipf.integral(zipf.count + 0.5);
        zipf
    }

    /// The integral of x^-theta, up to a constant.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let t = (1.0 - self.theta) * log;
        if t.abs() < 1e-8 { log * (1.0 + t / 2.0) } else { libm::expm1(t) / (1.0 - self.theta) }
    }

    fn inverse_integral(&self, y: f64) -> f64 {
        let t = (y * (1.0 - self.theta)).max(-1.0);
        if t.abs() < 1e-8 {
            libm::exp(y * (1.0 - t / 2.0))
        } else {
            libm::exp(libm::log1p(t) / (1.0 - self.theta))
        }
    }

    /// The next rank.
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.integral_high + random.unit() * (self.integral_low - self.integral_high);
            let x = self.inverse_integral(u);
            let k = libm::floor(x + 0.5).clamp(1.0, self.count);
            if u >= self.integral(k + 0.5) - libm::exp(-self.theta * libm::log(k)) {
                return k as u64 - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THETAS: [f64; 5] = [0.5, 0.99, 1.0, 1.2, 2.0];
    const COUNT: u64 = 100;

    /// The sum of the weights `k^-theta`.
    fn weights(theta: f64) -> f64 {
        (1..=COUNT).map(|k| (k as f64).powf(-theta)).sum()
    }

    /// Chi-squared over all ranks, at five standard deviations: 4 % more of one frequent rank are seen.
    #[test]
    fn ranks_follow_the_closed_form() {
        for theta in THETAS {
            let draws = 500_000;
            let (zipf, mut random) = (Zipf::new(COUNT, theta), Random::new(11));
            let mut hits = vec![0u32; COUNT as usize];
            for _ in 0..draws {
                hits[zipf.draw(&mut random) as usize] += 1;
            }
            let expected = |k: u64| f64::from(draws) * (k as f64).powf(-theta) / weights(theta);
            let distance = |(k, hits): (u64, &u32)| (f64::from(*hits) - expected(k)).powi(2) / expected(k);
            let distance: f64 = (1..).zip(&hits).map(distance).sum();
            let freedom = (COUNT - 1) as f64;
            assert!(distance < freedom + 5.0 * (2.0 * freedom).sqrt(), "theta {theta}: chi^2 {distance}");
        }
    }

    /// The share of draws that are accepted is the sum of the weights over the area they are drawn from. A
    /// wrong bound may leave the ranks as they should be, and only fewer.
    #[test]
    fn as_many_draws_are_rejected_as_the_area_says() {
        for theta in THETAS {
            let ranks = 100_000;
            let (zipf, mut random) = (Zipf::new(COUNT, theta), Random::new(5));
            for _ in 0..ranks {
                zipf.draw(&mut random);
            }
            let (mut beside, mut draws) = (Random::new(5), 0);
            let next = random.next_u64();
            while beside.next_u64() != next {
                draws += 1;
            }
            let share = weights(theta) / (zipf.integral_high - zipf.integral_low);
            let error = (share * (1.0 - share) / f64::from(ranks)).sqrt();
            let seen = f64::from(ranks) / f64::from(draws);
            assert!((seen - share).abs() < 5.0 * error + 1e-9, "theta {theta}: {seen} of {share}");
        }
    }
}
