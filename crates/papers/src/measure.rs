//! The number that a study measures for a claim, and its interval.

use flashscope_analysis::Indicator;
use flashscope_analysis::reading::Cell;

/// What was measured for a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// In the claim's unit. NaN: nothing of what it is about happened.
    pub value: f64,
    /// Its ends at 95 %, where it has such; a simulation of counts has none, it gives the same number again.
    pub interval: Option<[f64; 2]>,
}

impl Measure {
    /// What several runs found: the mean, with Student's interval, of those that have a number. If less than
    /// half have, it is what the first of the others found. Nothing can be below `least`.
    pub fn of_runs(runs: &[Option<Measure>], least: f64) -> Option<Measure> {
        let number =
            |run: &Option<Measure>| run.as_ref().map(|run| run.value).filter(|value| !value.is_nan());
        let numbers: Vec<f64> = runs.iter().filter_map(number).collect();
        if 2 * numbers.len() < runs.len() {
            return runs.iter().find(|run| number(run).is_none()).cloned().flatten();
        }
        let mean = Cell::mean(&numbers);
        let Some(value) = mean.value else { return runs[0].clone() };
        let interval = mean.interval.map(|[low, high]| [low.max(least), high]);
        Some(Measure { value, interval: interval.filter(|[low, high]| low < high) })
    }
}

impl From<f64> for Measure {
    fn from(value: f64) -> Measure {
        Measure { value, interval: None }
    }
}

impl From<Indicator> for Measure {
    fn from(found: Indicator) -> Measure {
        let interval = Some([found.ci_low, found.ci_high]).filter(|[low, high]| low < high);
        Measure { value: found.value, interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_runs(runs: &[Option<f64>]) -> Option<Measure> {
        Measure::of_runs(&runs.iter().map(|run| run.map(Measure::from)).collect::<Vec<_>>(), 0.0)
    }

    #[test]
    fn runs_have_a_mean_and_students_interval() {
        let Measure { value, interval } = of_runs(&[Some(2.0), Some(3.0), Some(4.0)]).unwrap();
        // Student's t at 95 % and two degrees of freedom is 4.3027; the standard error 1 / root(3).
        let [low, high] = interval.unwrap();
        let half = 4.3027 / 3f64.sqrt();
        assert_eq!(value, 3.0);
        assert!((low - (3.0 - half)).abs() < 1e-3 && (high - (3.0 + half)).abs() < 1e-3, "{interval:?}");
        assert_eq!(of_runs(&[Some(2.0); 3]), Some(Measure::from(2.0)), "the same again has no interval");
        let [low, _] = of_runs(&[Some(1.0), Some(9.0)]).unwrap().interval.unwrap();
        assert_eq!(low, 0.0, "no ratio is below 0");
    }

    #[test]
    fn what_most_runs_did_not_find_is_not_there() {
        assert_eq!(of_runs(&[Some(5.0), None, None]), None);
        assert_eq!(of_runs(&[None, Some(5.0), Some(5.0)]), Some(Measure::from(5.0)));
        assert!(of_runs(&[Some(f64::NAN); 3]).unwrap().value.is_nan());
        assert_eq!(of_runs(&[None]), None);
    }
}
