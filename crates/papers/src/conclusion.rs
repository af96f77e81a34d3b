//! Claims as conclusions: how well what was run carries what a paper says.

use flashscope_analysis::{Conclusion, Indicator, ROUNDS_MIN, Support};

use crate::claim::{Basis, Verdict};
use crate::finding::Finding;
use crate::judged::{Judged, JudgedClaim};

impl JudgedClaim {
    /// How well the claim is carried. Supported is what a device found for itself in each of several runs.
    /// What holds in kind, in some runs or in one is weak, what holds in none unknown. Nothing applies to
    /// what a setting decides, to arithmetic and to what no device could show.
    pub fn support(&self) -> Support {
        let is_repeated = self.runs >= ROUNDS_MIN && self.agreeing == self.runs && !self.straddles;
        match self.verdict {
            Verdict::NotHere if self.claim.can_be_run() && self.found == Finding::Unknown => Support::Unknown,
            Verdict::NotHere => Support::NotApplicable,
            _ if self.basis != Basis::Found => Support::NotApplicable,
            Verdict::Reproduced if is_repeated => Support::Supported,
            _ if self.agreeing > 0 => Support::Weak,
            _ => Support::Unknown,
        }
    }
}

impl Judged {
    /// A conclusion for each claim, in their order; its runs are named by their seeds, from `seed` on.
    pub fn conclusions(&self, seed: u64) -> Vec<Conclusion> {
        let of = |judged: &JudgedClaim| {
            let name = format!("{}/{}", self.study.name, judged.claim.name);
            let value = judged.found.measure().filter(|measure| !measure.value.is_nan()).map(|measure| {
                let [ci_low, ci_high] = measure.interval.unwrap_or([measure.value; 2]);
                Indicator { value: measure.value, ci_low, ci_high }
            });
            let runs = (0..u64::from(judged.runs)).map(|run| seed.wrapping_add(run));
            let runs = runs.map(|seed| format!("{}/seed-{seed}", self.study.name)).collect();
            let (sentence, unit) = (judged.claim.sentence(), judged.claim.unit);
            Conclusion::of(name, sentence, judged.support(), value, unit, runs)
        };
        self.claims.iter().map(of).collect()
    }
}
