//! Differences, ratios and pooled repeats hold the truth as often as they say.

use crate::devices::Rng;
use flashscope_analysis::{AnalysisError, Estimate, difference, pool, ratio};

/// An estimate of `truth` from `batches` normal batch means.
fn measured(rng: &mut Rng, truth: f64, noise: f64, batches: usize) -> Estimate {
    let values: Vec<f64> = (0..batches).map(|_| truth + noise * rng.normal()).collect();
    let mean_ns = values.iter().sum::<f64>() / batches as f64;
    let square: f64 = values.iter().map(|v| (v - mean_ns).powi(2)).sum();
    let std_err_ns = (square / (batches as f64 - 1.0) / batches as f64).sqrt();
    Estimate { dof: batches as f64 - 1.0, ..exact(mean_ns, std_err_ns) }
}

fn exact(mean_ns: f64, std_err_ns: f64) -> Estimate {
    let half = 2.0 * std_err_ns;
    Estimate {
        mean_ns,
        ci_low_ns: mean_ns - half,
        ci_high_ns: mean_ns + half,
        confidence: 0.95,
        std_err_ns,
        dof: 1e6,
        ios: 100,
        ios_ignored: 0,
        batches: 20,
    }
}

/// Percent of 4000 trials that hold.
fn percent(mut holds: impl FnMut(&mut Rng) -> bool) -> f64 {
    let mut rng = Rng::new(5);
    (0..4000).filter(|_| holds(&mut rng)).count() as f64 / 40.0
}

#[test]
fn a_difference_holds_the_truth_with_unequal_errors() {
    let held = percent(|rng| {
        let (a, b) = (measured(rng, 9.0, 1.0, 6), measured(rng, 4.0, 0.3, 30));
        !difference(&a, &b).unwrap().excludes(5.0)
    });
    assert!((94.0..96.5).contains(&held), "{held} %");
}

#[test]
fn a_ratio_holds_the_truth_even_with_a_noisy_divisor() {
    let held = percent(|rng| {
        let (a, b) = (measured(rng, 9.0, 2.0, 16), measured(rng, 3.0, 2.0, 16));
        ratio(&a, &b).is_ok_and(|found| !found.excludes(3.0))
    });
    assert!((93.5..97.0).contains(&held), "{held} %");
}

#[test]
fn a_ratio_is_invariant_to_the_unit_and_inverts() {
    let (a, b) = (exact(9.0, 0.3), exact(3.0, 0.1));
    let (there, back) = (ratio(&a, &b).unwrap(), ratio(&b, &a).unwrap());
    assert!((there.value * back.value - 1.0).abs() < 1e-12);
    assert!((there.ci_low * back.ci_high - 1.0).abs() < 1e-9, "Fieller's interval inverts exactly");
}

#[test]
fn pooled_repeats_hold_the_truth_however_much_runs_differ() {
    for between in [0.0, 0.1, 0.3, 1.0, 10.0] {
        let held = percent(|rng| {
            let runs: Vec<Estimate> = (0..3)
                .map(|_| {
                    let own = 50.0 + between * rng.normal();
                    measured(rng, own, 1.0, 16)
                })
                .collect();
            let pooled = pool(&runs).unwrap();
            (pooled.ci_low_ns..=pooled.ci_high_ns).contains(&50.0)
        });
        assert!((94.0..99.5).contains(&held), "between {between}: {held} %");
    }
}

#[test]
fn what_cannot_be_combined_says_why() {
    assert_eq!(pool(&[]), Err(AnalysisError::NothingToPool));
    let other = Estimate { confidence: 0.99, ..exact(1.0, 0.1) };
    assert_eq!(pool(&[exact(1.0, 0.1), other]), Err(AnalysisError::MixedConfidence(0.95, 0.99)));
    let vague = ratio(&exact(5.0, 0.1), &exact(0.1, 0.2)).unwrap_err().to_string();
    assert!(vague.contains("measure it longer"), "{vague}");
    assert_eq!(pool(&[exact(2.0, 0.1)]), Ok(exact(2.0, 0.1)));
}

#[test]
fn exact_runs_pool_to_an_exact_mean() {
    let pooled = pool(&[exact(2.0, 0.0), exact(2.0, 0.0)]).unwrap();
    assert_eq!((pooled.mean_ns, pooled.ci_low_ns, pooled.ci_high_ns), (2.0, 2.0, 2.0));
}
