//! Quantiles and extremes of the running phase.

use crate::histogram::Histogram;
use crate::phases::Phases;
use crate::series::Series;
use crate::transform::variance_of;
use serde::{Deserialize, Serialize};

/// The spread of single response times in the running phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Smallest response time.
    pub min_ns: f64,
    /// Median (nearest rank).
    pub p50_ns: f64,
    /// 99th percentile (nearest rank).
    pub p99_ns: f64,
    /// Greatest response time; of a series of more than 2^20 IOs near its beginning, to the spread of its
    /// neighbours.
    pub max_ns: f64,
    /// Standard deviation of single response times.
    pub stddev_ns: f64,
    /// IOs that these describe; in a series of more than 2^20 IOs they may begin up to 1/16 of the series
    /// after the running phase does, never before.
    pub ios: u64,
}

/// Exact for up to 2^20 IOs, within 0.8 % beyond. `None` if the running phase is empty.
pub fn quantiles(series: &Series, phases: &Phases) -> Option<Quantiles> {
    let from = phases.startup_ios_high;
    if series.bin_ios() == 1 {
        return of_values(series.raw_tail(from, usize::MAX));
    }
    let Some(histogram) = series.histogram_from(from) else {
        return of_values(series.raw_tail(from, usize::MAX));
    };
    Some(Quantiles {
        min_ns: histogram.min_ns as f64,
        p50_ns: histogram.quantile_ns(0.5),
        p99_ns: histogram.quantile_ns(0.99),
        max_ns: (histogram.max_ns as f64).max(longest_before_histograms(series, from, &histogram)),
        stddev_ns: histogram.stddev_ns(),
        ios: histogram.ios(),
    })
}

/// The longest of the IOs between the beginning of the running phase and the first histogram behind it, of
/// which only means of neighbours are kept: a stall among those must not be lost. What it took besides its
/// neighbours, which took about the median.
fn longest_before_histograms(series: &Series, from_ios: u64, behind: &Histogram) -> f64 {
    let bin_ios = series.bin_ios();
    let end = series.len().saturating_sub(behind.ios()) / bin_ios;
    let bins = series.bins().get(from_ios.div_ceil(bin_ios) as usize..end as usize).unwrap_or_default();
    let longest = bins.iter().copied().fold(0.0, f32::max);
    let others = (bin_ios - 1) as f64 * behind.quantile_ns(0.5);
    (f64::from(longest) * bin_ios as f64 - others).max(f64::from(longest))
}

fn of_values(mut values: Vec<f64>) -> Option<Quantiles> {
    let stddev_ns = variance_of(&values).sqrt();
    let ios = values.len();
    let mut at = |share: f64| {
        let rank = ((share * ios as f64).ceil() as usize).clamp(1, ios);
        *values.select_nth_unstable_by(rank - 1, f64::total_cmp).1
    };
    (ios > 0).then(|| Quantiles {
        min_ns: at(0.0),
        p50_ns: at(0.5),
        p99_ns: at(0.99),
        max_ns: at(1.0),
        stddev_ns,
        ios: ios as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Options, phases};

    #[test]
    fn a_stall_early_in_a_long_run_is_not_lost() {
        for stall_at in [2_000u64, 28_000, 60_000, 900_000, 1_399_000] {
            let mut series = Series::new();
            (0..1_400_000u64).for_each(|i| {
                let usual = 250_000 + (i * 619) % 1000;
                series.push(if i == stall_at { 983_000_000 } else { usual }, 0);
            });
            let phases = Phases { startup_ios_high: 1_554, ..phases(&series, &Options::default()) };
            let longest = quantiles(&series, &phases).unwrap().max_ns;
            assert!((longest / 983e6 - 1.0).abs() < 0.001, "at {stall_at}: {longest}");
        }
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut series = Series::new();
        (0..1000u64).for_each(|i| series.push(1000 + (i * 619) % 1000, 0));
        let found = quantiles(&series, &phases(&series, &Options::default())).unwrap();
        assert_eq!(
            (found.min_ns, found.p50_ns, found.p99_ns, found.max_ns),
            (1000.0, 1499.0, 1989.0, 1999.0)
        );
        assert_eq!(found.ios, 1000);
    }
}
