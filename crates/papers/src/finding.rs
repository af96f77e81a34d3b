//! What a study finds for a claim.

use crate::claim::{Claim, DeviceKind, Verdict};
use crate::measure::Measure;

/// What was found for a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A number.
    Measured(Measure),
    /// That there is no such thing here.
    Absent,
    /// It could not be looked for.
    Unknown,
}

impl Finding {
    /// What it says of a claim. On a device that is not the paper's a number that is none says nothing.
    pub(crate) fn verdict(&self, claim: &Claim, device: DeviceKind) -> Verdict {
        // What is not there is no number that could be accepted.
        let value = self.measure().map_or(f64::NAN, |measure| measure.value);
        if device != DeviceKind::Paper && *self != Finding::Absent && value.is_nan() {
            return Verdict::NotHere;
        }
        claim.verdict(value, device)
    }

    /// The number, if it is one.
    pub fn measure(&self) -> Option<&Measure> {
        if let Finding::Measured(measure) = self { Some(measure) } else { None }
    }
}
