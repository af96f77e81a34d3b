//! Percentiles of response times with intervals that assume no distribution.
//!
//! The interval of a percentile lies between two order statistics (Clopper and Pearson's limits of a share,
//! 1934, read off the sorted response times). Neighbouring IOs are alike, so the number of IOs is divided by
//! how much more the share below the percentile varies between stretches of the run than independent IOs
//! would make it. Where the IOs above it lie in a few stretches, that variation is not known either: then
//! neighbours are taken to be at least as alike as at the next lower percentile. A percentile that so few IOs
//! cannot bound from above is left out.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF};

use crate::histogram::Histogram;
use crate::phases::Phases;
use crate::series::Series;
use crate::statistics::{StandardError, t_quantile, variance_ratio_max};

/// The percentiles that are looked for.
pub const PERCENTILES: [f64; 6] = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99];

/// One percentile of the response times of one kind of IO, with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Percentile {
    /// Which one, in percent: 99.9.
    pub percent: f64,
    /// The response time that this share of the IOs does not exceed (nearest rank).
    pub value_ns: f64,
    /// Lower end of its interval, a response time that was seen.
    pub ci_low_ns: f64,
    /// Upper end of its interval, a response time that was seen.
    pub ci_high_ns: f64,
}

/// Stretches of the run that are compared to see how alike neighbours are, and fewest IOs of one.
const STRETCHES: usize = 64;
const STRETCH_IOS_MIN: usize = 4;
/// Share of the stretches that must hold an IO above a percentile, for their variation to say how alike
/// neighbours are there.
const STRETCHES_ABOVE_MIN: f64 = 0.5;

/// Percentiles of the running phase, as far as its IOs allow; none of an empty one. Exact for up
/// to 2^20 IOs, within 0.8 % beyond.
pub fn percentiles(series: &Series, phases: &Phases, confidence: f64) -> Vec<Percentile> {
    percentiles_from(series, phases.startup_ios_high, confidence)
}

/// The same from IO `from_ios` on.
pub fn percentiles_from(series: &Series, from_ios: u64, confidence: f64) -> Vec<Percentile> {
    let stretches = match series.histograms_from(from_ios) {
        Some(histograms) if series.bin_ios() > 1 => Stretches::Counted(histograms),
        _ => Stretches::of_values(series.raw_tail(from_ios, usize::MAX)),
    };
    let mut of_lower = 1.0;
    let of = |percent| {
        let value_ns = stretches.of_share(percent / 100.0)?;
        let alike = stretches.alike(value_ns, confidence, of_lower);
        of_lower = alike.least;
        stretches.percentile(percent, value_ns, alike.ios, confidence)
    };
    let mut found: Vec<Percentile> = PERCENTILES.into_iter().filter_map(of).collect();
    in_order(&mut found);
    found
}

/// A percentile is no less than a lower one: no interval is narrower at an end than another says it may be.
fn in_order(found: &mut [Percentile]) {
    for n in 1..found.len() {
        found[n].ci_high_ns = found[n].ci_high_ns.max(found[n - 1].ci_high_ns);
    }
    for n in (1..found.len()).rev() {
        found[n - 1].ci_low_ns = found[n - 1].ci_low_ns.min(found[n].ci_low_ns);
    }
}

/// The response times of the running phase: sorted as a whole, and in stretches in the order of time.
enum Stretches<'a> {
    Values { sorted: Vec<f64>, stretches: Vec<Vec<f64>> },
    Counted(&'a [Histogram]),
}

impl Stretches<'_> {
    fn of_values(values: Vec<f64>) -> Self {
        let size = (values.len() / STRETCHES).max(STRETCH_IOS_MIN);
        let sort = |mut part: Vec<f64>| {
            part.sort_unstable_by(f64::total_cmp);
            part
        };
        let stretches = values[values.len() % size..].chunks_exact(size).map(|part| sort(part.to_vec()));
        Stretches::Values { stretches: stretches.collect(), sorted: sort(values) }
    }

    fn ios(&self) -> u64 {
        match self {
            Stretches::Values { sorted, .. } => sorted.len() as u64,
            Stretches::Counted(histograms) => histograms.iter().map(Histogram::ios).sum(),
        }
    }

    /// The response time of a nearest rank, from 1.
    fn of_rank(&self, rank: u64) -> f64 {
        match self {
            Stretches::Values { sorted, .. } => sorted[rank as usize - 1],
            Stretches::Counted(histograms) => Histogram::sum_of(histograms).of_rank_ns(rank),
        }
    }

    /// Share of the IOs of each stretch that take no longer than `value_ns`.
    fn shares_within(&self, value_ns: f64) -> Vec<f64> {
        match self {
            Stretches::Values { stretches, .. } => stretches
                .iter()
                .map(|part| part.partition_point(|v| *v <= value_ns) as f64 / part.len() as f64)
                .collect(),
            Stretches::Counted(histograms) => {
                let filled = histograms.iter().filter(|part| part.ios() > 0);
                filled.map(|part| part.ios_within(value_ns) as f64 / part.ios() as f64).collect()
            }
        }
    }

    fn rank(&self, share: f64) -> u64 {
        let ios = self.ios();
        ((share * ios as f64).ceil() as u64).clamp(1, ios)
    }

    /// The response time that this share of the IOs does not exceed; none without IOs.
    fn of_share(&self, share: f64) -> Option<f64> {
        (self.ios() > 0).then(|| self.of_rank(self.rank(share)))
    }

    fn percentile(&self, percent: f64, value_ns: f64, alike: f64, confidence: f64) -> Option<Percentile> {
        let independent = (self.ios() as f64 / alike).max(1.0);
        let (low, high) = limits(percent / 100.0, independent, confidence)?;
        Some(Percentile {
            percent,
            value_ns,
            ci_low_ns: self.of_share(low)?.min(value_ns),
            // The true value is below the next IO above that share.
            ci_high_ns: self.of_share(high + 1.0 / independent)?.max(value_ns),
        })
    }

    /// How alike neighbours are where the percentile is `value_ns`. `of_lower` is that of the next lower one.
    fn alike(&self, value_ns: f64, confidence: f64, of_lower: f64) -> Alike {
        let shares = self.shares_within(value_ns);
        let above = shares.iter().filter(|share| **share < 1.0).count();
        let own = Alike::of(&shares, self.ios(), confidence);
        if above as f64 >= STRETCHES_ABOVE_MIN * shares.len() as f64 {
            return own;
        }
        Alike { ios: own.ios.max(of_lower), least: own.least.max(of_lower) }
    }
}

/// How many IOs tell as much as one independent one about a share of them.
#[derive(Clone, Copy)]
struct Alike {
    /// As estimated; at least 1.
    ios: f64,
    /// The same, or 1 where chance alone may have made the difference.
    least: f64,
}

impl Alike {
    /// How much more the mean of these shares varies than that of so many independent IOs would.
    fn of(shares: &[f64], ios: u64, confidence: f64) -> Alike {
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        let of_independent = mean * (1.0 - mean) / ios as f64;
        if shares.len() < 2 || of_independent <= 0.0 {
            return Alike { ios: 1.0, least: 1.0 };
        }
        let error = StandardError::of_two_levels(shares);
        let ratio = error.std_err.powi(2) / of_independent;
        if ratio <= 1.0 {
            return Alike { ios: 1.0, least: 1.0 };
        }
        // Few stretches say little about how alike they are.
        let unsure = t_quantile(confidence, error.dof) / t_quantile(confidence, 1e6);
        let ios = ratio * unsure.powi(2);
        Alike { ios, least: if ratio > variance_ratio_max(error.dof, 1e6) { ios } else { 1.0 } }
    }
}

/// Between which shares of the sorted response times the true percentile lies; none where even the longest of
/// so many may be below it.
fn limits(share: f64, independent: f64, confidence: f64) -> Option<(f64, f64)> {
    let alpha = 1.0 - confidence;
    if share.powf(independent) > alpha / 2.0 {
        return None;
    }
    let within = share * independent;
    let beta = |a: f64, b: f64, at: f64| Beta::new(a, b).ok().map(|beta| beta.inverse_cdf(at));
    let low = beta(within, independent - within + 1.0, alpha / 2.0)?;
    let high = beta(within + 1.0, independent - within, 1.0 - alpha / 2.0)?;
    Some((low, high))
}

#[cfg(test)]
#[allow(clippy::print_stdout)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    fn series_of(values: impl Iterator<Item = f64>) -> Series {
        let mut series = Series::new();
        values.for_each(|value| series.push(value as u64, 0));
        series
    }

    /// Of 400 seeds, how many intervals hold the percentile, worked out from the distribution.
    fn held(percent: f64, truth_ns: f64, mut draw: impl FnMut(&mut Random) -> f64, ios: usize) -> (u32, u32) {
        let (mut held, mut told) = (0, 0);
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let series = series_of((0..ios).map(|_| draw(&mut random)));
            let found = percentiles_from(&series, 0, 0.95);
            if let Some(one) = found.iter().find(|one| one.percent == percent) {
                told += 1;
                held += u32::from((one.ci_low_ns..=one.ci_high_ns).contains(&truth_ns));
            }
        }
        (held, told)
    }

    #[test]
    fn intervals_of_percentiles_are_in_order() {
        let of = |percent: f64, value_ns: f64, (ci_low_ns, ci_high_ns): (f64, f64)| Percentile {
            percent,
            value_ns,
            ci_low_ns,
            ci_high_ns,
        };
        let mut found = [of(50.0, 180.0, (148.0, 6520.0)), of(99.0, 795.0, (100.0, 2980.0))];
        in_order(&mut found);
        assert_eq!(found.map(|one| (one.ci_low_ns, one.ci_high_ns)), [(100.0, 6520.0), (100.0, 6520.0)]);
    }

    #[test]
    fn intervals_of_independent_ios_hold_the_percentile() {
        // Exponential, mean 1 ms: the percentile is -ln(1 - share).
        for (percent, ios) in [(50.0, 500), (99.0, 4_000), (99.9, 40_000)] {
            let truth_ns = -(1.0f64 - percent / 100.0).ln() * 1e6;
            let (held, told) = held(percent, truth_ns, |random| -(1.0 - random.unit()).ln() * 1e6, ios);
            assert!(told >= 360, "p{percent}: told in {told} of 400");
            assert!(held * 100 >= 93 * told, "p{percent}: {held} of {told} hold, seeds 0 to 399");
        }
    }

    /// An autoregression of 0.9 behind a normal score: twenty IOs tell as much as one.
    #[test]
    fn intervals_of_alike_neighbours_hold_the_percentile() {
        for percent in [50.0, 90.0, 99.0] {
            let (mut held, mut told) = (0, 0);
            for seed in 0..400 {
                let mut random = Random::new(1_000 + seed);
                let mut score = normal(&mut random);
                let values = (0..20_000).map(|_| {
                    score = wander(0.9, score, &mut random);
                    1e6 * (0.5 * score).exp()
                });
                let series = series_of(values);
                // The percentiles of a standard normal.
                let score_at = [(50.0, 0.0), (90.0, 1.281_552), (99.0, 2.326_348)];
                let at = score_at.iter().find(|at| at.0 == percent).expect("listed").1;
                let truth_ns = 1e6 * (0.5f64 * at).exp();
                if let Some(one) = percentiles_from(&series, 0, 0.95).iter().find(|p| p.percent == percent) {
                    told += 1;
                    held += u32::from((one.ci_low_ns..=one.ci_high_ns).contains(&truth_ns));
                }
            }
            assert!(told >= 380 && held * 100 >= 92 * told, "p{percent}: {held} of {told} hold");
        }
    }

    /// A standard normal draw.
    fn normal(random: &mut Random) -> f64 {
        let (a, b) = (1.0 - random.unit(), random.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }

    /// The next value of an autoregression of mean 0 and variance 1.
    fn wander(correlation: f64, last: f64, random: &mut Random) -> f64 {
        correlation * last + (1.0 - correlation * correlation).sqrt() * normal(random)
    }

    /// An autoregression of 0.99: 200 IOs tell as much as one, and the few excursions above a high percentile
    /// say little of how many others may have been expected.
    #[test]
    fn a_percentile_that_few_excursions_tell_is_right_or_left_out() {
        // The percentiles of a standard normal, by definition.
        let truths =
            [(50.0, 0.0), (90.0, 1.281_552), (95.0, 1.644_854), (99.0, 2.326_348), (99.9, 3.090_232)];
        for ios in [3_000, 12_000, 62_000] {
            let seeds = 2_000..2_200;
            let mut scores = truths.map(|_| (0u32, 0u32));
            for seed in seeds.clone() {
                let mut random = Random::new(seed);
                let mut score = normal(&mut random);
                let series = series_of((0..ios).map(|_| {
                    score = wander(0.99, score, &mut random);
                    1e6 * (0.5 * score).exp()
                }));
                for one in percentiles_from(&series, 0, 0.95) {
                    let Some(at) = truths.iter().position(|truth| truth.0 == one.percent) else { continue };
                    let truth_ns = 1e6 * f64::exp(0.5 * truths[at].1);
                    scores[at].0 += u32::from((one.ci_low_ns..=one.ci_high_ns).contains(&truth_ns));
                    scores[at].1 += 1;
                }
            }
            for ((percent, _), (held, told)) in truths.iter().zip(scores) {
                let case = format!("p{percent} of {ios} IOs: {held} of {told} hold, seeds {seeds:?}");
                // Two in a hundred beside the five, and what chance adds where few are reported.
                assert!(f64::from(told - held) <= 0.07 * f64::from(told) + 2.0, "{case}");
                println!("{case}");
            }
            assert!(scores[0].1 > 100, "the median is reported: {scores:?}");
        }
    }

    /// A median that wanders takes nothing from a tail of IOs that are slow by chance.
    #[test]
    fn an_independent_tail_is_told_beside_a_median_that_wanders() {
        let told = (0..40).filter(|seed| {
            let mut random = Random::new(3_000 + seed);
            let mut score = 0.0;
            let series = series_of((0..60_000).map(|_| {
                score = wander(0.999, score, &mut random);
                let slow = if random.unit() < 0.01 { 10.0 + random.unit() } else { 0.0 };
                1e6 * (1.0 + 0.02 * score + slow)
            }));
            let found = percentiles_from(&series, 0, 0.95);
            // Nine tenths of the slow ones are below it.
            found.iter().any(|one| one.percent == 99.9 && (one.ci_low_ns..=one.ci_high_ns).contains(&11.9e6))
        });
        let told = told.count();
        assert!(told >= 36, "{told} of 40, seeds 3000 to 3039");
    }

    #[test]
    fn what_so_few_ios_cannot_tell_is_left_out() {
        let told = |ios: u64| -> Vec<f64> {
            let series = series_of((0..ios).map(|i| (1_000_000 + (i * 7_919) % 10_007) as f64));
            percentiles_from(&series, 0, 0.95).iter().map(|one| one.percent).collect()
        };
        assert!(told(3).is_empty() && told(0).is_empty());
        assert_eq!(told(100), [50.0, 90.0, 95.0]);
        // 0.99^n falls below 0.025 at 368.
        assert_eq!(told(366), [50.0, 90.0, 95.0]);
        assert!(told(500).contains(&99.0) && !told(500).contains(&99.9));
        assert!(told(40_000).contains(&99.99));
    }

    #[test]
    fn long_series_agree_with_short_ones_within_a_bin() {
        let value = |i: u64| 1_000_000.0 + ((i * 7_919) % 100_003) as f64 * 100.0;
        let short: Vec<_> = percentiles_from(&series_of((0..1_000_000).map(value)), 0, 0.95);
        let long: Vec<_> = percentiles_from(&series_of((0..3_000_000).map(value)), 0, 0.95);
        assert_eq!((short.len(), long.len()), (6, 6));
        for (a, b) in short.iter().zip(&long) {
            assert!((a.value_ns / b.value_ns - 1.0).abs() < 0.02, "{a:?} {b:?}");
        }
    }
}
