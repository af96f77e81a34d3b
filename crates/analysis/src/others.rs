//! What else was at work on the machine: a response time holds what other programs took of the processors
//! that serve it, and two results are alike only if both held as much.
//!
//! Their effect is not known, and nothing is taken off a mean for it. While they have a share of all
//! processors, an IO waits about so often for one; so a share as large as the least effect worth telling is
//! enough to make one, or to hide one.

use crate::conclusion::LEAST_RATIO;

/// From here on nobody knows what is the drive's.
const SHARE_MAX: f64 = LEAST_RATIO;

/// The share of the machine's processors that others had over several runs, where it is too much for a
/// conclusion about the drive; none where it is not, or nobody looked. Of each run it takes the share, and
/// the time it holds for.
pub(crate) fn others_excess(runs: impl IntoIterator<Item = (Option<f64>, u64)>) -> Option<f64> {
    let (mut taken_ns, mut span_ns) = (0.0, 0.0);
    for (share, elapsed_ns) in runs.into_iter().filter_map(|(share, ns)| Some((share?, ns))) {
        taken_ns += share * elapsed_ns as f64;
        span_ns += elapsed_ns as f64;
    }
    let share = (span_ns > 0.0).then(|| taken_ns / span_ns);
    share.filter(|share| *share > SHARE_MAX)
}
