//! Why a run took as long as it did, and what a run of fixed length would have said instead.

use flashscope_analysis::{Finished, Outcome};

use flashscope_core::number::{count, percent, span};

/// The fixed length that it is set beside: the fewest IOs of paper 001's table 1 for a plan of many points.
const FIXED_IOS: u64 = 512;
/// An error that is worth a line.
const WORTH: f64 = 0.05;

/// One sentence on the run for which the mean of the first 512 IOs would be most wrong; none if that mean
/// would have been right within 5 % everywhere.
pub(crate) fn not_512(finished: &[Finished]) -> Option<String> {
    let errors = finished.iter().filter_map(|done| {
        let mean_ns = done.run.outcome.estimate?.mean_ns;
        let first_ns = mean_of_first(&done.run.outcome, FIXED_IOS)?;
        Some((done, first_ns / mean_ns - 1.0))
    });
    let (done, error) = errors.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    if error.abs() < WORTH {
        return None;
    }
    let way = if error < 0.0 { "low" } else { "high" };
    let Finished { experiment, run, .. } = done;
    let (ios, id, reason) = (count(run.ios), experiment.id(), reason(&run.outcome)?);
    let error = percent(error.abs());
    Some(format!(
        "{ios} IOs instead of {FIXED_IOS} ({id}): {reason}. \
         The mean of the first {FIXED_IOS} would be {error} too {way}."
    ))
}

/// The mean of the first IOs, from the regimes; none if the run was shorter.
fn mean_of_first(outcome: &Outcome, ios: u64) -> Option<f64> {
    let phases = &outcome.phases;
    let ends = phases.regimes.iter().skip(1).map(|next| next.from_ios).chain([phases.ios]);
    let cost = phases.regimes.iter().zip(ends).map(|(regime, end)| {
        let part = end.min(ios).saturating_sub(regime.from_ios.min(ios));
        part as f64 * regime.mean_ns
    });
    (phases.ios > ios).then(|| cost.sum::<f64>() / ios as f64)
}

fn reason(outcome: &Outcome) -> Option<String> {
    let phases = &outcome.phases;
    let [first, .., last] = &phases.regimes[..] else { return None };
    Some(format!(
        "the first {} IOs take {} each, later ones {}",
        count(phases.regimes.get(1)?.from_ios),
        span(first.mean_ns),
        span(last.mean_ns),
    ))
}
