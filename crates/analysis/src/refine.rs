//! Where exactly one regime ends and the next begins, IO by IO.
//!
//! Both sides get a density of their log response times, learnt a little away from the border; the running
//! side has one density per phase of its cycle. The border is where the likelihood of "the one before, the
//! other after" is greatest. Where cheap IOs fit both, the earliest border that is as likely is taken: a
//! cycle starts with its cheap IOs (uFLIP, figure 3).

use crate::transform::median_of;
use std::ops::Range;

/// A border with the range that the data allow, as positions in the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Border {
    pub(crate) at: usize,
    pub(crate) low: usize,
    pub(crate) high: usize,
}

/// Values that each density is learnt from, and cycles for the density of one phase.
const SAMPLE: usize = 128;
const CYCLES: usize = 24;
/// Share of outliers that either side may hold, and their density per unit of logarithm.
const OUTLIERS: f64 = 0.05;
const OUTLIER_DENSITY: f64 = 0.1;
/// Log-likelihood that counts as equal.
const AS_LIKELY: f64 = 3.0;
/// Cells wider than this are narrowed by least squares first.
const WINDOW_MAX: usize = 64;

/// The border near `about` (known to within `slack`) between the regimes that fill `span` on both sides.
/// `period` is the exact cycle of the second regime, 1 for none.
pub(crate) fn border(
    values: &[f32],
    span: Range<usize>,
    about: usize,
    slack: usize,
    period: usize,
) -> Border {
    let (about, slack) = narrowed(values, &span, about, slack, period);
    let reach = 2 * slack + period;
    let window = about.saturating_sub(reach).max(span.start)..(about + reach).min(span.end);
    let before = Density::of_any(&logs(values, before_range(&span, about, slack, window.start)));
    let after_from = if span.end - window.end >= 2 * period.max(4) { window.end } else { about };
    let after = Phased::of(values, after_from..span.end, period);
    let gains: Vec<f64> = window
        .clone()
        .map(|i| {
            let log = log_of(values[i]);
            after.log_density(i, log) - before.log_density(log)
        })
        .collect();
    choose(&gains, window.start, period > 1)
}

/// The IOs at the very start that contradict a cycle which otherwise fills the series: `None` if none do.
/// Small differences of likelihood are the noise of the densities and do not count.
pub(crate) fn odd_head(values: &[f32], period: usize) -> Option<Border> {
    let head = (3 * period).min(values.len() / 2);
    let after = Phased::of(values, head..values.len(), period);
    let gain = |i: usize| {
        let raw = after.gain(i, log_of(values[i]));
        raw.signum() * (raw.abs() - 1.0).max(0.0)
    };
    let gains: Vec<f64> = (0..head).map(gain).collect();
    let found = choose(&gains, 0, true);
    let lost: f64 = gains[..found.at].iter().sum();
    (found.at > 0 && lost < -2.0 * AS_LIKELY).then_some(found)
}

/// Learn the earlier regime clear of the border if it is long enough for that.
fn before_range(span: &Range<usize>, about: usize, slack: usize, window_from: usize) -> Range<usize> {
    let ends = [window_from, about.saturating_sub(slack), about];
    let end = ends.into_iter().find(|end| *end >= span.start + 12).unwrap_or(about.max(span.start + 1));
    end.saturating_sub(SAMPLE).max(span.start)..end
}

/// Splits a wide window at the least squared error of its logarithms, averaged over whole periods, until the
/// slack is a few IOs or two periods.
fn narrowed(
    values: &[f32],
    span: &Range<usize>,
    about: usize,
    slack: usize,
    period: usize,
) -> (usize, usize) {
    let (mut about, mut slack) = (about, slack);
    while slack > WINDOW_MAX.max(2 * period) {
        let step = (slack / 16).next_multiple_of(period);
        let from = about.saturating_sub(2 * slack).max(span.start);
        let to = (about + 2 * slack).min(span.end);
        let means: Vec<f64> = values[from..to]
            .chunks_exact(step)
            .map(|cell| cell.iter().map(|v| log_of(*v)).sum::<f64>() / step as f64)
            .collect();
        about = from + best_split(&means) * step;
        slack = (2 * step).min(slack / 2);
    }
    (about, slack)
}

fn best_split(cells: &[f64]) -> usize {
    let (n, total) = (cells.len() as f64, cells.iter().sum::<f64>());
    let mut sum = 0.0;
    let mut best = (0.0, 0);
    for (i, v) in cells.iter().enumerate().take(cells.len().saturating_sub(1)) {
        sum += v;
        let low = i as f64 + 1.0;
        let between = (sum / low - (total - sum) / (n - low)).powi(2) * low * (n - low);
        if between > best.0 {
            best = (between, i + 1);
        }
    }
    best.1
}

/// The border with the greatest suffix sum of gains, and all borders nearly as likely.
fn choose(gains: &[f64], offset: usize, earliest: bool) -> Border {
    let mut suffix = vec![0.0; gains.len() + 1];
    for i in (0..gains.len()).rev() {
        suffix[i] = suffix[i + 1] + gains[i];
    }
    let best = (0..suffix.len()).max_by(|&a, &b| suffix[a].total_cmp(&suffix[b])).unwrap_or(0);
    let likely = |i: &usize| suffix[*i] >= suffix[best] - AS_LIKELY;
    let low = (0..=best).find(likely).unwrap_or(best);
    let high = (best..suffix.len()).rev().find(likely).unwrap_or(best);
    Border { at: offset + if earliest { low } else { best }, low: offset + low, high: offset + high }
}

fn log_of(value: f32) -> f64 {
    f64::from(value).max(1.0).ln()
}

fn logs(values: &[f32], range: Range<usize>) -> Vec<f64> {
    values[range].iter().map(|v| log_of(*v)).collect()
}

/// Kernel density with a Laplace kernel, mixed with a few outliers. Over a sorted sample the kernels on
/// either side of a value are one running sum, so that a value costs two exponentials and a search.
struct Density {
    /// Sorted.
    sample: Vec<f64>,
    width: f64,
    /// Kernels of this value and those below it, and of this and those above, taken at it.
    below: Vec<f64>,
    above: Vec<f64>,
}

impl Density {
    /// Bandwidth from the distance to near neighbours, so that several modes stay apart.
    fn of_any(sample: &[f64]) -> Self {
        let mut sorted = sample.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let near = (sorted.len() as f64).sqrt().ceil() as usize;
        let gaps: Vec<f64> = sorted.windows(near + 1).map(|w| (w[near] - w[0]) / 2.0).collect();
        let weight = 1.0 / sorted.len().max(1) as f64;
        let weighted = sorted.into_iter().map(|value| (value, weight)).collect();
        Self::new(weighted, median_of(&gaps).max(0.005))
    }

    /// Of values with their weights, whose sum is 1.
    fn new(mut weighted: Vec<(f64, f64)>, width: f64) -> Self {
        weighted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let running = |sum: &mut (f64, f64), &(value, weight): &(f64, f64)| {
            let (last, kernels) = *sum;
            *sum = (value, weight + kernels * kernel((value - last) / width));
            Some(sum.1)
        };
        let below = weighted.iter().scan((0.0, 0.0), running).collect();
        let mut above: Vec<f64> = weighted.iter().rev().scan((0.0, 0.0), running).collect();
        above.reverse();
        Self { sample: weighted.into_iter().map(|(value, _)| value).collect(), width, below, above }
    }

    fn density(&self, log: f64) -> f64 {
        let right = self.sample.partition_point(|value| *value <= log);
        let at = |place: usize, sums: &[f64]| {
            let (value, sum) = (self.sample.get(place)?, sums.get(place)?);
            Some(sum * kernel((log - value) / self.width))
        };
        let left = right.checked_sub(1).and_then(|left| at(left, &self.below));
        (left.unwrap_or(0.0) + at(right, &self.above).unwrap_or(0.0)) / (2.0 * self.width)
    }

    fn log_density(&self, log: f64) -> f64 {
        ((1.0 - OUTLIERS) * self.density(log) + OUTLIERS * OUTLIER_DENSITY).ln()
    }
}

fn kernel(distance: f64) -> f64 {
    (-distance.abs()).exp()
}

/// One density per phase of a cycle; phases are positions modulo the period.
struct Phased {
    phases: Vec<Density>,
    /// Of any phase, each with the same weight.
    any: Density,
}

impl Phased {
    fn of(values: &[f32], range: Range<usize>, period: usize) -> Self {
        let end = range.end.min(range.start + if period > 1 { CYCLES * period } else { SAMPLE });
        if period <= 1 {
            let of_any = || Density::of_any(&logs(values, range.start..end));
            return Self { phases: vec![of_any()], any: of_any() };
        }
        let of_phase = |phase: usize| -> Vec<f64> {
            positions_of(range.start, end, period, phase).map(|i| log_of(values[i])).collect()
        };
        let samples: Vec<Vec<f64>> = (0..period).map(of_phase).collect();
        let off_middle = |sample: &Vec<f64>| {
            let middle = median_of(sample);
            sample.iter().map(|s| (s - middle).abs()).collect::<Vec<f64>>()
        };
        let noise = median_of(&samples.iter().flat_map(off_middle).collect::<Vec<f64>>());
        let width = noise.max(0.005);
        let weighted = |sample: &[f64], of: f64| -> Vec<(f64, f64)> {
            let weight = 1.0 / (of * sample.len().max(1) as f64);
            sample.iter().map(|value| (*value, weight)).collect()
        };
        let any = samples.iter().flat_map(|sample| weighted(sample, period as f64)).collect();
        let phases = samples.iter().map(|sample| Density::new(weighted(sample, 1.0), width));
        Self { phases: phases.collect(), any: Density::new(any, width) }
    }

    fn log_density(&self, position: usize, log: f64) -> f64 {
        self.phases[position % self.phases.len()].log_density(log)
    }

    /// Log-likelihood of the phase against no phase at all: any value of the cycle, or any value.
    fn gain(&self, position: usize, log: f64) -> f64 {
        self.log_density(position, log) - (0.5 * self.any.density(log) + 0.5 * OUTLIER_DENSITY).ln()
    }
}

/// Positions in `from..to` whose remainder by `period` is `phase`.
fn positions_of(from: usize, to: usize, period: usize, phase: usize) -> impl Iterator<Item = usize> {
    let first = from + (phase + period - from % period) % period;
    (first..to).step_by(period)
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn running_sums_give_the_density_of_the_definition() {
        let mut random = Random::new(7);
        let mut draw = || random.below(1_000_000) as f64 / 1e5;
        for count in [0, 1, 2, 100] {
            let weighted: Vec<(f64, f64)> = (0..count).map(|n| (draw(), 1.0 / (1 + n % 3) as f64)).collect();
            let width = 0.05 + draw() / 10.0;
            let density = Density::new(weighted.clone(), width);
            let own = weighted.iter().map(|(value, _)| *value);
            for log in (0..200).map(|n| f64::from(n) / 20.0).chain(own) {
                let defined: f64 = weighted
                    .iter()
                    .map(|(value, weight)| weight * (-(log - value).abs() / width).exp() / (2.0 * width))
                    .sum();
                let found = density.density(log);
                assert!((found - defined).abs() <= 1e-12 * (1.0 + defined), "{count}: {found}, {defined}");
            }
        }
    }
}
