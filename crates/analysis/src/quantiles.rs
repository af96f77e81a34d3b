//! Quantiles and extremes of the running phase.

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
    /// Greatest response time.
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
        max_ns: histogram.max_ns as f64,
        stddev_ns: histogram.stddev_ns(),
        ios: histogram.ios(),
    })
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
