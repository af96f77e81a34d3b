//! What all claims come to: the predictions that were met, and what is not counted among them.

use flashscope_core::number::counted;
use serde::Serialize;

use crate::claim::{Basis, Verdict};
use crate::judged::{Judged, JudgedClaim};

/// Predictions are claims that the papers' devices found for themselves and could have missed: see
/// [`Claim::is_prediction`](crate::Claim::is_prediction). No other claim counts for or against anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Headline {
    /// Predictions.
    pub predictions: usize,
    /// Those whose figure was reproduced in every run.
    pub met: usize,
    /// Those that were met in some runs alone, or in kind.
    pub partly_met: usize,
    /// Claims that a chosen setting decides.
    pub set: usize,
    /// Claims that concern no device.
    pub computed: usize,
    /// Claims with a range that is open, wide, or of a kind: easily met.
    pub one_sided: usize,
    /// Claims that cannot be run.
    pub not_here: usize,
}

impl Headline {
    /// Of studies on the devices that they were written for.
    pub fn of<'a>(claims: impl IntoIterator<Item = &'a JudgedClaim>) -> Headline {
        claims.into_iter().fold(Headline::default(), Headline::with)
    }

    fn with(mut self, judged: &JudgedClaim) -> Headline {
        let count = match judged.claim.basis {
            _ if judged.verdict == Verdict::NotHere => &mut self.not_here,
            Basis::Set => &mut self.set,
            Basis::Computed => &mut self.computed,
            Basis::Found if !judged.claim.is_prediction() => &mut self.one_sided,
            Basis::Found => &mut self.predictions,
        };
        *count += 1;
        if judged.claim.is_prediction() && judged.verdict != Verdict::NotHere {
            let is_met = judged.verdict == Verdict::Reproduced && judged.agreeing == judged.runs;
            self.met += usize::from(is_met);
            self.partly_met += usize::from(!is_met && judged.agreeing > 0);
        }
        self
    }

    /// `58 of 96`; a dash where nothing was predicted.
    pub fn share(&self) -> String {
        if self.predictions == 0 { "–".into() } else { format!("{} of {}", self.met, self.predictions) }
    }

    /// One sentence on the predictions, and one on what is not counted.
    pub fn sentence(&self) -> String {
        let met = match self.predictions {
            0 => "no predictions".into(),
            count => {
                let partly = format!("{} more only in some runs or qualitatively", self.partly_met);
                let noun = counted(count as u64, "prediction");
                format!("{} of {noun} met in every run, {partly}", self.met)
            }
        };
        let others = [
            (self.set, "by construction"),
            (self.computed, "computed without a device"),
            (self.one_sided, "with a one-sided or wide range"),
            (self.not_here, "that cannot be run here"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: Vec<String> = others.map(|(count, what)| format!("{count} {what}")).collect();
        let claims = (self.set + self.computed + self.one_sided + self.not_here) as u64;
        if claims == 0 {
            return met;
        }
        format!("{met}. Not counted: {}, {}", counted(claims, "claim"), others.join(", "))
    }
}

/// Of all studies together.
pub fn headline(all: &[Judged]) -> Headline {
    Headline::of(all.iter().flat_map(|judged| &judged.claims))
}
