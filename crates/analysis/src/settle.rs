//! A start-up of many small steps: none is a change of level of its own, all together are in the mean.
//!
//! After Heidelberger and Welch (1983): the second half of what was accepted says what the level is and how
//! much it varies by chance; whatever precedes it is dropped from the front until no stretch that begins
//! there is off that level by more than chance explains.

use crate::phases::{Phases, Regime};
use crate::series::Series;
use crate::statistics::{StandardError, t_quantile};
use crate::transform::{despiked_logs, mean_of, variance_of};

/// Cells that the accepted phase is divided into.
const CELLS_MAX: usize = 1024;
const CELLS_MIN: usize = 48;
/// IOs of a cell, and of a stretch that may be off the level: means of fewer are not normal.
const CELL_IOS_MIN: u64 = 16;
const STRETCH_IOS_MIN: u64 = 128;
/// Confidence with which a stretch must be off the level; as high as that of a change of level.
const CONFIDENCE: f64 = 0.99999;
/// So far in its tails the t distribution of fewer degrees of freedom excludes nothing at all.
const DOF_MIN: f64 = 10.0;

/// The phases with the moving head of the running phase counted as start-up. A head within `tolerance` of the
/// level is left out of the mean and is no regime; one that moves to the middle is left to the trend.
pub(crate) fn settled(found: Phases, series: &Series, resolution: f64, tolerance: f64) -> Phases {
    let cells = Cells::of(series, &found);
    let head = cells.head(resolution);
    if head == 0 {
        return found;
    }
    let logs = cells.log_means();
    let moved = (mean_of(&logs[..head]) - mean_of(&logs[head..])).abs();
    let has_settled = head <= cells.means.len() * 3 / 8;
    match (moved > tolerance, has_settled) {
        (true, _) => cells.with_regime(found, series, head),
        (false, true) => Phases { startup_ios_high: cells.begin_ios(head), ..found },
        (false, false) => found,
    }
}

/// Means of equal stretches of whole periods, back from the end of the series.
struct Cells {
    means: Vec<f64>,
    /// IOs of a cell, and before the first.
    ios: u64,
    from_ios: u64,
}

impl Cells {
    fn of(series: &Series, phases: &Phases) -> Cells {
        let (bins, unit) = (series.bins(), series.bin_ios());
        let from = (phases.startup_ios_high.div_ceil(unit) as usize).min(bins.len());
        let accepted = &bins[from..];
        let cycle = (phases.cycle_ios() as f64 / unit as f64).round().max(1.0) as usize;
        let least = (CELL_IOS_MIN.div_ceil(unit) as usize).max(accepted.len().div_ceil(CELLS_MAX));
        let size = cycle * least.div_ceil(cycle);
        let rest = accepted.len() % size;
        let mean = |cell: &[f32]| cell.iter().map(|v| f64::from(*v)).sum::<f64>() / size as f64;
        Cells {
            means: accepted[rest..].chunks_exact(size).map(mean).collect(),
            ios: size as u64 * unit,
            from_ios: (from + rest) as u64 * unit,
        }
    }

    fn begin_ios(&self, cell: usize) -> u64 {
        self.from_ios + cell as u64 * self.ios
    }

    fn log_means(&self) -> Vec<f64> {
        self.means.iter().map(|mean| mean.max(1.0).ln()).collect()
    }

    /// Cells before the first from which on everything is on the level of the second half; half of all if
    /// nothing before that is.
    fn head(&self, resolution: f64) -> usize {
        if self.means.len() < CELLS_MIN {
            return 0;
        }
        let logs = despiked_logs(&self.means);
        let half = logs.len() / 2;
        let level = Level::of(&logs[half..]);
        let sums: Vec<f64> = [0.0].into_iter().chain(logs.iter().scan(0.0, running_sum)).collect();
        let stretch_min = STRETCH_IOS_MIN.div_ceil(self.ios) as usize;
        let lengths = |from: usize| {
            let doubled = std::iter::successors(Some(stretch_min), |cells| Some(2 * cells));
            doubled.take_while(move |cells| from + cells <= half)
        };
        let is_off = |from: usize, cells: usize| {
            let mean = (sums[from + cells] - sums[from]) / cells as f64;
            (mean - level.mean).abs() > level.chance(cells).max(resolution)
        };
        (0..half).find(|from| !lengths(*from).any(|cells| is_off(*from, cells))).unwrap_or(half)
    }

    /// The head becomes the end of the start-up, and what follows a regime of its own.
    fn with_regime(&self, mut found: Phases, series: &Series, head: usize) -> Phases {
        let from_ios = self.begin_ios(head);
        let from_bytes = series.bytes_at(from_ios);
        if let Some(moving) = found.regimes.last_mut() {
            moving.mean_ns = mean_of(&self.means[..head]);
        }
        found.regimes.push(Regime { from_ios, from_bytes, mean_ns: mean_of(&self.means[head..]) });
        Phases {
            startup_ios: from_ios,
            startup_ios_low: from_ios,
            startup_ios_high: from_ios,
            startup_bytes: from_bytes,
            ..found
        }
    }
}

fn running_sum(sum: &mut f64, value: &f64) -> Option<f64> {
    *sum += value;
    Some(*sum)
}

/// What the second half says.
struct Level {
    mean: f64,
    /// Variance of its mean.
    of_mean: f64,
    /// Variance that a cell adds to a mean of many.
    of_cell: f64,
    quantile: f64,
}

impl Level {
    fn of(cells: &[f64]) -> Level {
        let error = StandardError::of_two_levels(cells);
        let of_mean = error.std_err.powi(2);
        Level {
            mean: mean_of(cells),
            of_mean,
            // Cells that take turns even out over many, and not over a few.
            of_cell: (of_mean * cells.len() as f64).max(variance_of(cells)),
            quantile: t_quantile(CONFIDENCE, error.dof.max(DOF_MIN)),
        }
    }

    /// How far chance takes the mean of so many cells off the level.
    fn chance(&self, cells: usize) -> f64 {
        self.quantile * (self.of_cell / cells as f64 + self.of_mean).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Options, phases};
    use flashscope_core::seed::Random;

    /// A sum of twelve uniform draws, mean 0 and variance 1.
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    fn settled_of(ios: u64, mut draw: impl FnMut(u64) -> f64) -> (Phases, Phases) {
        let mut series = Series::new();
        (0..ios).for_each(|io| series.push((draw(io) * 1e5) as u64, 4096));
        let before = phases(&series, &Options::default());
        (before.clone(), settled(before, &series, 0.001, 0.025))
    }

    /// Forty steps of 2 %, each of 1,000 IOs, in noise of 10 %.
    #[test]
    fn a_staircase_is_start_up_up_to_its_last_steps() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let (_, found) = settled_of(200_000, |io| {
                (1.0 + 0.02 * (io / 1000).min(40) as f64) * (1.0 + 0.1 * normal(&mut random))
            });
            let from_ios = found.startup_ios_high;
            assert!((34_000..50_000).contains(&from_ios), "seed {seed}: {found:?}");
        }
    }

    /// Of 400 runs without a start-up, how many get one: 0.99 is the correlation of neighbours.
    #[test]
    fn level_noise_has_no_start_up() {
        for correlation in [0.0, 0.9, 0.99] {
            let moved = (0..400).filter(|seed| {
                let mut random = Random::new(1_000 + seed);
                let mut level = normal(&mut random);
                let (before, found) = settled_of(30_000, |_| {
                    level = correlation * level
                        + (1.0f64 - correlation * correlation).sqrt() * normal(&mut random);
                    1.0 + 0.2 * level.clamp(-4.0, 4.0)
                });
                found.startup_ios_high > before.startup_ios_high
            });
            let moved = moved.count();
            assert!(moved <= 4, "correlation {correlation}: {moved} of 400, seeds 1000 to 1399");
        }
    }
}
