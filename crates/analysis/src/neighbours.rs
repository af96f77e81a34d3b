//! What else was at work on the machine: a response time holds what other programs took of the processors
//! that serve it, and two results are alike only if both held as much.
//!
//! Their effect is not known, and nothing is taken off a mean for it. While they have a share of all
//! processors, an IO waits about so often for one; so a share as large as the least effect worth telling is
//! enough to make one, or to hide one.

use crate::conclusion::LEAST_RATIO;

/// From here on nobody knows what is the drive's.
const SHARE_MAX: f64 = LEAST_RATIO;
/// In less time the kernel's ticks of 10 ms tell no such share.
const SPAN_NS_MIN: u64 = 200_000_000;

/// The share of the machine's processors that others had during runs, where it is too much for a conclusion
/// about the drive; none where it is not, was not looked at, or not for long enough to tell. Of each run the
/// time that they took, as a mean over all processors, and its length.
pub(crate) fn neighbours_excess(runs: impl IntoIterator<Item = (Option<u64>, u64)>) -> Option<f64> {
    let (mut taken_ns, mut span_ns) = (0, 0);
    for (of_run_ns, elapsed_ns) in runs {
        taken_ns += of_run_ns?;
        span_ns += elapsed_ns;
    }
    let share = (span_ns >= SPAN_NS_MIN).then(|| (taken_ns as f64 / span_ns as f64).min(1.0));
    share.filter(|share| *share > SHARE_MAX)
}
