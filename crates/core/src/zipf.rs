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

    #[test]
    fn ranks_follow_the_closed_form() {
        for theta in [0.5, 0.99, 1.0, 1.2, 2.0] {
            let (count, draws) = (100u64, 200_000);
            let zipf = Zipf::new(count, theta);
            let mut random = Random::new(11);
            let mut hits = vec![0u32; count as usize];
            for _ in 0..draws {
                hits[zipf.draw(&mut random) as usize] += 1;
            }
            let norm: f64 = (1..=count).map(|k| (k as f64).powf(-theta)).sum();
            for rank in [0usize, 1, 9, 49] {
                let expected = draws as f64 * ((rank + 1) as f64).powf(-theta) / norm;
                let error = (f64::from(hits[rank]) - expected).abs();
                assert!(
                    error < 5.0 * expected.sqrt() + 1.0,
                    "theta {theta} rank {rank}: {} {expected}",
                    hits[rank]
                );
            }
        }
    }
}
