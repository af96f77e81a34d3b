//! What else was at work on the machine: a response time holds what others took of the processors and of the
//! disk that serve it, and two results are alike only if both held as much.
//!
//! Their effect is not known, and nothing is taken off a mean for it. While they have a share of something,
//! an IO waits about so often for it; so a share as large as the least effect worth telling is enough to
//! make one, or to hide one.

use flashscope_core::number::percent;
use serde::{Deserialize, Serialize};

use crate::conclusion::LEAST_RATIO;

/// From here on nobody knows what is the drive's.
const SHARE_MAX: f64 = LEAST_RATIO;

/// What a run in real time did not have to itself, as shares from 0 to 1; none where one is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disturbance {
    /// Of all the machine's processors, what other programs had; of a short run with some time before it.
    pub processors: Option<f64>,
    /// Of the bytes that the disk read and wrote, those that were not the run's.
    pub disk: Option<f64>,
    /// Of the run's time, that in which a quota of processor time kept it from running.
    pub quota: Option<f64>,
}

/// One of these shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbed {
    /// Other programs computed.
    Processors,
    /// Others used the same disk.
    Disk,
    /// A control group stopped the process for a part of each period.
    Quota,
}

impl Disturbed {
    /// `other programs had 30 % of the processors`.
    pub(crate) fn took(self, share: f64) -> String {
        let share = percent(share);
        match self {
            Disturbed::Processors => format!("other programs had {share} of the processors"),
            Disturbed::Disk => format!("others made {share} of the disk's traffic"),
            Disturbed::Quota => format!("a quota of processor time stopped the process for {share} of a run"),
        }
    }
}

impl Disturbance {
    /// The shares that are too large for a conclusion about the drive.
    pub fn excesses(&self) -> impl Iterator<Item = (Disturbed, f64)> + use<> {
        let shares = [
            (Disturbed::Processors, self.processors),
            (Disturbed::Disk, self.disk),
            (Disturbed::Quota, self.quota),
        ];
        let known = shares.into_iter().filter_map(|(what, share)| Some((what, share?)));
        known.filter(|(_, share)| *share > SHARE_MAX)
    }
}
