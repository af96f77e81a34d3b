//! The load up to which a response time stays within a factor of what it is when there is hardly any.
//!
//! Each load is held against the lowest one. From below, one load after the other is found to be within the
//! factor, up to the first that is unknown; from above, beyond it. Tests in a fixed order, each only if
//! all before it rejected, keep their error together without a correction (Maurer, Hothorn, Lehmacher 1995),
//! so the knee lies between the two ends with the confidence of a single interval.

use crate::conclusion::{Effect, Evidence, Indicator, LEAST_RATIO, ROUNDS_MIN, Support};
use crate::statistics::t_quantile;
use crate::transform::{mean_of, variance_of};

/// A load above the lowest one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// The load, in any unit.
    pub load: f64,
    /// The response time over that at the lowest load, with its 95 % interval; none if it is not known.
    pub ratio: Option<Indicator>,
    /// More arrives than is served, in every round: the response time has no bound.
    pub grows: bool,
    /// Independent repeats.
    pub rounds: u32,
    /// Its runs came to their own end and may be believed.
    pub is_sound: bool,
}

/// Where response times leave a factor behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Knee {
    /// Between two of the loads.
    At {
        /// Between the ends, on the straight line through the logarithms; in their middle where that line is
        /// not known to cross.
        load: Indicator,
        /// How sure both ends are.
        state: Support,
    },
    /// Within the factor up to the highest load.
    Beyond {
        /// The highest load.
        load: f64,
        /// How sure that is.
        state: Support,
    },
    /// The intervals do not tell.
    Unknown,
}

/// On which side of the factor a load is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Within,
    Above,
    Unknown,
}

/// Finds the knee over `lowest`, the load that the ratios are relative to. `loads` rise; `factor` is above 1.
pub fn knee(lowest: f64, loads: &[Loaded], factor: f64) -> Knee {
    let found = [Support::Supported, Support::Weak].into_iter().find_map(|state| {
        let sides: Vec<Side> = loads.iter().map(|load| side(load, factor, state)).collect();
        let above = sides.iter().rev().take_while(|side| **side == Side::Above).count();
        let within = sides.iter().take_while(|side| **side == Side::Within).count();
        if let Some(first) = loads.len().checked_sub(above).filter(|_| above > 0) {
            if within == 0 && loads[..=first].iter().all(|of| of.ratio.is_none()) {
                // A queue that grows, with no response time below it, shows no factor.
                return None;
            }
            let low = within.checked_sub(1).map_or(lowest, |last| loads[last].load);
            let high = loads[first].load;
            let value = crossing(lowest, loads, factor).map_or((low + high) / 2.0, |at| at.clamp(low, high));
            return Some(Knee::At { load: Indicator { value, ci_low: low, ci_high: high }, state });
        }
        let highest = loads.last().filter(|_| within == loads.len())?;
        Some(Knee::Beyond { load: highest.load, state })
    });
    found.unwrap_or(Knee::Unknown)
}

/// The side of the factor that the evidence carries at least so well.
fn side(of: &Loaded, factor: f64, least: Support) -> Side {
    let evidence = Evidence {
        effect: of.ratio,
        none_at: factor,
        least: LEAST_RATIO * factor,
        rounds: of.rounds,
        is_sound: of.is_sound,
        is_discovery: true,
    };
    if of.grows {
        let state = if of.rounds >= ROUNDS_MIN && of.is_sound { Support::Supported } else { Support::Weak };
        return if state >= least { Side::Above } else { Side::Unknown };
    }
    match evidence.weigh() {
        (Effect::Present, state) if state >= least => {
            if of.ratio.is_some_and(|ratio| ratio.value > factor) {
                Side::Above
            } else {
                Side::Within
            }
        }
        _ => Side::Unknown,
    }
}

/// Where the line through the logarithms of the ratios first passes the factor; none before a queue grows.
fn crossing(lowest: f64, loads: &[Loaded], factor: f64) -> Option<f64> {
    let mut last = (lowest, 0.0);
    for of in loads.iter().take_while(|of| !of.grows) {
        let Some(ratio) = of.ratio.filter(|ratio| ratio.value > 0.0) else { continue };
        let (place, goal) = (ratio.value.ln(), factor.ln());
        if place > goal {
            return Some(last.0 + (of.load - last.0) * (goal - last.1) / (place - last.1));
        }
        last = (of.load, place);
    }
    None
}

/// The geometric mean of repeated values with Student's interval at 95 % of their logarithms: for what
/// spreads by factors, as high percentiles and ratios do. None of fewer than two, or of values that are not
/// positive.
pub fn geometric_mean(values: &[f64]) -> Option<Indicator> {
    let is_positive = values.iter().all(|value| value.is_finite() && *value > 0.0);
    if values.len() < 2 || !is_positive {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (mean, count) = (mean_of(&logs), logs.len() as f64);
    let half = t_quantile(0.95, count - 1.0) * (variance_of(&logs) / count).sqrt();
    Some(Indicator { value: mean.exp(), ci_low: (mean - half).exp(), ci_high: (mean + half).exp() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(load: f64, (ci_low, ci_high): (f64, f64)) -> Loaded {
        let ratio = Some(Indicator { value: (ci_low * ci_high).sqrt(), ci_low, ci_high });
        Loaded { load, ratio, grows: false, rounds: 5, is_sound: true }
    }

    fn ends(found: Knee) -> Option<(f64, f64, Support)> {
        match found {
            Knee::At { load, state } => Some((load.ci_low, load.ci_high, state)),
            _ => None,
        }
    }

    #[test]
    fn a_crossing_is_on_the_line_through_the_logarithms() {
        // Twice is halfway between once and four times.
        let loads = [at(20.0, (1.0, 1.0)), at(40.0, (4.0, 4.0))];
        let found = crossing(10.0, &loads, 2.0).expect("one");
        assert!((found - 30.0).abs() < 1e-9, "{found}");
        let found = crossing(10.0, &loads[1..], 2.0).expect("one");
        assert!((found - 25.0).abs() < 1e-9, "{found}");
        assert_eq!(crossing(10.0, &loads[..1], 2.0), None);
    }

    #[test]
    fn a_knee_lies_between_the_last_load_within_and_the_first_beyond() {
        let loads = [at(20.0, (1.1, 1.2)), at(30.0, (1.7, 2.4)), at(40.0, (3.0, 4.0))];
        assert_eq!(ends(knee(10.0, &loads, 2.0)), Some((20.0, 40.0, Support::Supported)));
        let Knee::At { load, .. } = knee(10.0, &loads, 2.0) else { panic!("there is one") };
        assert!((20.0..30.0).contains(&load.value), "sqrt(1.7 x 2.4) is just above 2: {load:?}");
        // What is beyond at once has no load within but the lowest.
        assert_eq!(ends(knee(10.0, &loads[2..], 2.0)), Some((10.0, 40.0, Support::Supported)));
    }

    #[test]
    fn without_a_load_beyond_there_is_no_knee_and_without_evidence_nothing_is_said() {
        let within = [at(50.0, (0.9, 1.1)), at(100.0, (1.1, 1.3))];
        assert_eq!(knee(10.0, &within, 2.0), Knee::Beyond { load: 100.0, state: Support::Supported });
        let full = Loaded { grows: true, ratio: None, ..within[1] };
        assert_eq!(ends(knee(10.0, &[within[0], full], 2.0)), Some((50.0, 100.0, Support::Supported)));
        let once = within.map(|load| Loaded { rounds: 1, ..load });
        assert_eq!(knee(10.0, &once, 2.0), Knee::Beyond { load: 100.0, state: Support::Weak });
        assert_eq!(knee(10.0, &[within[0], at(100.0, (1.5, 2.5))], 2.0), Knee::Unknown);
        assert_eq!(knee(10.0, &[Loaded { ratio: None, ..within[0] }], 2.0), Knee::Unknown);
        assert_eq!(knee(10.0, &[], 2.0), Knee::Unknown);
        let unknown = Loaded { ratio: None, ..within[0] };
        assert_eq!(knee(10.0, &[unknown, full], 2.0), Knee::Unknown, "the time at 10 is not known either");
    }

    #[test]
    fn unsound_runs_and_too_few_rounds_make_a_knee_weak() {
        let loads = [at(20.0, (1.1, 1.2)), at(40.0, (3.0, 4.0))];
        for weaker in [Loaded { rounds: 2, ..loads[1] }, Loaded { is_sound: false, ..loads[1] }] {
            assert_eq!(ends(knee(10.0, &[loads[0], weaker], 2.0)), Some((20.0, 40.0, Support::Weak)));
        }
    }

    #[test]
    fn a_geometric_mean_of_equal_factors_is_in_their_middle() {
        let Indicator { value, ci_low, ci_high } = geometric_mean(&[1.0, 10.0, 100.0]).expect("three");
        assert!((value - 10.0).abs() < 1e-9);
        // s = ln 10, t(0.975, 2) = 4.303: half a width of 4.303 / sqrt(3) decades.
        assert!((ci_high.log10() - 1.0 - 2.4843).abs() < 1e-3 && (ci_low * ci_high - 100.0).abs() < 1e-6);
        assert!(geometric_mean(&[1.0]).is_none() && geometric_mean(&[0.0, 1.0]).is_none());
    }
}
