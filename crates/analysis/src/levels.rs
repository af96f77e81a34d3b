//! Where a long series steps from one level to another: what a fill shows of caches and reserves.
//!
//! Unlike [`crate::phases`], which asks when a mean may be trusted, this asks where things happened, in a
//! series of thousands of windows with few levels. The series is cut where two means explain it best, then
//! its parts, as long as the two sides differ by more than a factor and by more than their noise.

/// A stretch of a series around one mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Its first value.
    pub from: usize,
    /// One past its last value.
    pub to: usize,
    /// The mean of its values.
    pub mean: f64,
}

/// Standard errors by which two levels must differ: more than usual, for the place was chosen because they
/// differ there.
const CERTAIN: f64 = 5.0;

/// Neighbouring values that are averaged where single ones show no step: what comes in bursts, a block at a
/// time, is even over several of them.
const WIDTHS: [usize; 3] = [1, 4, 16];
/// Fewer averages say nothing of their spread.
const AVERAGES_MIN: usize = 32;

/// The levels of a series, in order; neighbours differ by `factor_min` or more, either way, before those
/// between two cuts that turned out alike were joined. One of all values where there is no step; none of an
/// empty series.
pub fn levels(values: &[f64], factor_min: f64) -> Vec<Level> {
    let mut found = Vec::new();
    for width in WIDTHS {
        if width > 1 && (found.len() > 1 || values.len() / width < AVERAGES_MIN) {
            break;
        }
        let averages = values.chunks(width).map(|some| some.iter().sum::<f64>() / some.len() as f64);
        found = levels_of(&averages.collect::<Vec<_>>(), factor_min);
        for level in &mut found {
            (level.from, level.to) = (level.from * width, (level.to * width).min(values.len()));
        }
    }
    found
}

fn levels_of(values: &[f64], factor_min: f64) -> Vec<Level> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut borders = vec![0];
    let sums = Sums::of(values);
    split(&sums, (0, values.len()), factor_min, &mut borders);
    borders.push(values.len());
    borders.sort_unstable();
    let levels = borders.windows(2).map(|pair| {
        let mean = sums.mean(pair[0], pair[1]);
        Level { from: pair[0], to: pair[1], mean }
    });
    merged(levels, &sums, factor_min)
}

fn split(sums: &Sums, (from, to): (usize, usize), factor_min: f64, borders: &mut Vec<usize>) {
    let Some(at) = sums.best_split(from, to) else { return };
    if !differ(sums.mean(from, at), sums.mean(at, to), factor_min) || sums.certainty(from, at, to) < CERTAIN {
        return;
    }
    borders.push(at);
    split(sums, (from, at), factor_min, borders);
    split(sums, (at, to), factor_min, borders);
}

fn differ(a: f64, b: f64, factor: f64) -> bool {
    a.max(b) >= factor * a.min(b)
}

/// What a cut within a cut leaves too alike becomes one level.
fn merged(levels: impl Iterator<Item = Level>, sums: &Sums, factor_min: f64) -> Vec<Level> {
    let mut kept: Vec<Level> = Vec::new();
    for level in levels {
        match kept.last_mut() {
            Some(last) if !differ(last.mean, level.mean, factor_min) => {
                *last = Level { to: level.to, mean: sums.mean(last.from, level.to), ..*last };
            }
            _ => kept.push(level),
        }
    }
    kept
}

/// Sums of all beginnings of a series, and of its squares.
struct Sums {
    plain: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn of(values: &[f64]) -> Sums {
        let sums = |of: fn(f64) -> f64| {
            let mut sum = 0.0;
            let next = |value: &f64| {
                sum += of(*value);
                sum
            };
            std::iter::once(0.0).chain(values.iter().map(next)).collect()
        };
        Sums { plain: sums(|value| value), squares: sums(|value| value * value) }
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.plain[to] - self.plain[from]) / (to - from) as f64
    }

    /// Squared distances from the mean.
    fn error(&self, from: usize, to: usize) -> f64 {
        let sum = self.plain[to] - self.plain[from];
        (self.squares[to] - self.squares[from] - sum * sum / (to - from) as f64).max(0.0)
    }

    /// Where two means leave the least error.
    fn best_split(&self, from: usize, to: usize) -> Option<usize> {
        let error = |at: usize| self.error(from, at) + self.error(at, to);
        (from + 1..to).min_by(|a, b| error(*a).total_cmp(&error(*b)))
    }

    /// The difference of two neighbours in standard errors. One value alone has the other side's spread.
    fn certainty(&self, from: usize, at: usize, to: usize) -> f64 {
        let (left, right) = ((at - from) as f64, (to - at) as f64);
        let variance = (self.error(from, at) + self.error(at, to)) / (left + right - 2.0).max(1.0);
        let standard_error = (variance * (1.0 / left + 1.0 / right)).sqrt();
        (self.mean(from, at) - self.mean(at, to)).abs() / standard_error.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    /// Steps at 300 and 1000, with noise of a fifth of the value.
    fn steps(seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let level = |i: usize| {
            if i < 300 {
                1.0
            } else if i < 1000 {
                1.5
            } else {
                4.0
            }
        };
        (0..4000).map(|i| level(i) * (0.8 + 0.4 * random.unit())).collect()
    }

    #[test]
    fn steps_in_noise_are_found_where_they_are() {
        for seed in 1..=20 {
            let found = levels(&steps(seed), 1.2);
            let borders: Vec<usize> = found.iter().map(|level| level.from).collect();
            assert_eq!(borders.len(), 3, "seed {seed}: {found:?}");
            assert!(borders[1].abs_diff(300) < 6 && borders[2].abs_diff(1000) < 3, "seed {seed}: {found:?}");
        }
    }

    #[test]
    fn noise_alone_is_one_level() {
        for seed in 1..=20 {
            let mut random = Random::new(seed);
            let noise: Vec<f64> = (0..2000).map(|_| 1.0 + random.unit()).collect();
            assert_eq!(levels(&noise, 1.2).len(), 1, "seed {seed}");
        }
    }

    #[test]
    fn a_step_between_bursts_is_found_where_single_values_are_too_far_apart() {
        // One value in eight stands for all of them, and twice as much from 400 on.
        let burst = |i: usize| match i.is_multiple_of(8) {
            true if i < 400 => 8.0,
            true => 16.0,
            false => 0.0,
        };
        let found = levels(&(0..800).map(burst).collect::<Vec<_>>(), 1.2);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].from.abs_diff(400) <= 16, "{found:?}");
    }

    #[test]
    fn few_exact_values_are_levels_too() {
        let found = levels(&[2.0, 2.0, 5.0, 5.0, 5.0], 1.2);
        assert_eq!(
            found.iter().map(|level| (level.from, level.mean)).collect::<Vec<_>>(),
            [(0, 2.0), (2, 5.0)]
        );
        assert!(levels(&[], 1.2).is_empty());
        assert_eq!(levels(&[3.0], 1.2).len(), 1);
    }

    /// Bursts of one slow value in four, then of two: ten averages of four would be a step.
    #[test]
    fn a_few_averages_show_no_level() {
        let bursts = |slow: usize| (0..4).map(move |i| if i < slow { 9.0 } else { 1.0 });
        let values: Vec<f64> = (0..10).flat_map(|i| bursts(if i < 8 { 1 } else { 2 })).collect();
        assert_eq!(levels(&values, 1.2).len(), 1);
        // Of ten times as many there are enough.
        let many: Vec<f64> = (0..100).flat_map(|i| bursts(if i < 80 { 1 } else { 2 })).collect();
        assert_eq!(levels(&many, 1.2).len(), 2);
    }
}
