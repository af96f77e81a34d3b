//! Randomness of response times, without any function whose last bit differs between machines.

use flashscope_core::seed::Random;

use super::spec;

/// One over the standard deviation of the sum of four uniform draws from `0..65536`.
const SCALE: f64 = 1.0 / 37_837.227_237_206_48_f64;

pub(super) struct Noise {
    random: Random,
    spread: f64,
    correlation: f64,
    /// Weight of the fresh part, so that the variance stays one: `sqrt(1 - correlation^2)`.
    freshness: f64,
    /// The last IO's noise, in standard deviations.
    level: f64,
    spikes: Option<spec::Spikes>,
}

impl Noise {
    pub(super) fn new(spec: &spec::Noise, seed: u64) -> Noise {
        Noise {
            random: Random::new(seed),
            spread: spec.spread.0,
            correlation: spec.correlation,
            freshness: (1.0 - spec.correlation * spec.correlation).sqrt(),
            level: 0.0,
            spikes: spec.spikes,
        }
    }

    /// The cost with noise: the mean is the cost itself, and spikes come on top.
    #[inline]
    pub(super) fn apply(&mut self, cost_ns: u64) -> u64 {
        let mut noisy_ns = cost_ns;
        if self.spread > 0.0 {
            self.level = self.correlation * self.level + self.freshness * self.draw();
            // Bounded on both sides alike, so that the mean stays.
            let deviation = (self.spread * self.level).clamp(-0.99, 0.99);
            noisy_ns = (cost_ns as f64 * (1.0 + deviation) + 0.5) as u64;
        }
        match self.spikes {
            Some(spikes) if self.random.below(spikes.one_in) == 0 => noisy_ns + spikes.cost.0,
            _ => noisy_ns,
        }
    }

    /// A draw with mean exactly 0 and variance 1, within 3.5 of 0: four 16-bit uniforms, summed.
    #[inline]
    fn draw(&mut self) -> f64 {
        let bits = self.random.next_u64();
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
        (sum as i64 - 2 * 65_535) as f64 * SCALE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::{Nanos, Share};

    /// Mean, standard deviation and lag-1 correlation of the noise of an IO of 1 ms.
    fn moments(spec: spec::Noise, seed: u64) -> (f64, f64, f64) {
        const IOS: usize = 200_000;
        let mut noise = Noise::new(&spec, seed);
        let xs: Vec<f64> = (0..IOS).map(|_| noise.apply(1_000_000) as f64 / 1e6 - 1.0).collect();
        let mean = xs.iter().sum::<f64>() / IOS as f64;
        let variance = xs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / IOS as f64;
        let lag = xs.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / IOS as f64;
        (mean, variance.sqrt(), lag / variance)
    }

    #[test]
    fn noise_has_the_spread_and_correlation_asked_for_and_no_mean() {
        for correlation in [0.0, 0.8] {
            let spec = spec::Noise { spread: Share(0.05), correlation, spikes: None };
            let (mean, spread, lag) = moments(spec, 11);
            // Five standard errors of a mean with that correlation.
            let bound = 5.0 * 0.05 * ((1.0 + correlation) / (1.0 - correlation) / 200_000.0_f64).sqrt();
            assert!(mean.abs() < bound, "seed 11: mean {mean} beyond {bound}");
            assert!((spread - 0.05).abs() < 0.001, "seed 11: spread {spread}");
            assert!((lag - correlation).abs() < 0.02, "seed 11: lag {lag}");
        }
    }

    #[test]
    fn spikes_raise_the_mean_by_their_share() {
        let spikes = spec::Spikes { one_in: 100, cost: Nanos::from_ms(10) };
        let (mean, ..) = moments(spec::Noise { spikes: Some(spikes), ..spec::Noise::default() }, 5);
        assert!((mean - 0.1).abs() < 0.012, "seed 5: {mean}");
    }

    #[test]
    fn no_noise_changes_nothing() {
        let mut noise = Noise::new(&spec::Noise::default(), 1);
        assert!([1, 77, 1_000_003].into_iter().all(|cost| noise.apply(cost) == cost));
    }
}
