//! What several runs of a study found for one claim, in one.

use crate::finding::Finding;
use crate::measure::Measure;

/// Of a real device: the mean with its interval, or what most runs found instead of a number.
pub fn mean(runs: &[Finding], least: f64) -> Finding {
    if let [alone] = runs {
        return alone.clone();
    }
    let known: Vec<_> = runs.iter().filter(|run| **run != Finding::Unknown).collect();
    if known.is_empty() {
        return Finding::Unknown;
    }
    let measures: Vec<Option<Measure>> = known.iter().map(|run| run.measure().cloned()).collect();
    Measure::of_runs(&measures, least).map_or(Finding::Absent, Finding::Measured)
}

/// Of a virtual device, with a seed each: what the median run found, from the least to the greatest of all.
/// If less than half have a number, it is what the first of the others found.
pub fn median(runs: &[Finding]) -> Finding {
    if let [alone] = runs {
        return alone.clone();
    }
    let number = |run: &&Finding| run.measure().map(|run| run.value).filter(|value| !value.is_nan());
    let mut numbers: Vec<f64> = runs.iter().filter_map(|run| number(&run)).collect();
    numbers.sort_by(f64::total_cmp);
    let other = runs.iter().find(|run| number(run).is_none());
    let (Some(&low), Some(&high)) = (numbers.first(), numbers.last()) else {
        return other.cloned().unwrap_or(Finding::Unknown);
    };
    if let Some(other) = other.filter(|_| 2 * numbers.len() < runs.len()) {
        return other.clone();
    }
    let value = numbers[(numbers.len() - 1) / 2];
    Finding::Measured(Measure { value, interval: Some([low, high]).filter(|_| low < high) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(runs: &[f64]) -> Vec<Finding> {
        runs.iter().map(|value| Finding::Measured(Measure::from(*value))).collect()
    }

    #[test]
    fn of_several_seeds_the_median_is_shown_with_their_range() {
        let measure = |value, interval| Finding::Measured(Measure { value, interval });
        assert_eq!(median(&found(&[9.0, 1.0, 2.0])), measure(2.0, Some([1.0, 9.0])));
        assert_eq!(median(&found(&[2.0; 3])), measure(2.0, None), "the same again has no range");
        let mut runs = found(&[5.0]);
        runs.extend([Finding::Absent, Finding::Absent]);
        assert_eq!(median(&runs), Finding::Absent, "most runs did not find it");
    }

    #[test]
    fn a_single_run_keeps_its_own_interval() {
        let alone = Finding::Measured(Measure { value: 2.0, interval: Some([1.0, 3.0]) });
        assert_eq!(median(std::slice::from_ref(&alone)), alone);
        assert_eq!(mean(std::slice::from_ref(&alone), 0.0), alone);
    }
}
