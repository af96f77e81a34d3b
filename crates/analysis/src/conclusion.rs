//! Conclusions: what is claimed, what it rests on, and how sure it is. The state of every one is computed
//! here, from the evidence alone; words, colours and exit statuses follow from it and never the other way.
//!
//! ```
//! use flashscope_analysis::{Effect, Evidence, Indicator, Support};
//!
//! // Misaligned writes over aligned ones: 1.3 times, in five rounds that each reached their running phase.
//! let ratio = Indicator { value: 1.3, ci_low: 1.2, ci_high: 1.4 };
//! let evidence = Evidence { rounds: 5, ..Evidence::of_ratio(Some(ratio)) };
//! assert_eq!(evidence.weigh(), (Effect::Present, Support::Supported));
//! // The same from a single run is an observation, and no more.
//! assert_eq!(Evidence { rounds: 1, ..evidence }.weigh(), (Effect::Present, Support::Weak));
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

/// One number with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Indicator {
    /// The value.
    pub value: f64,
    /// Lower end of its interval.
    pub ci_low: f64,
    /// Upper end of its interval.
    pub ci_high: f64,
}

impl Indicator {
    /// The same in another unit.
    pub fn times(&self, factor: f64) -> Indicator {
        let [value, ci_low, ci_high] = [self.value, self.ci_low, self.ci_high].map(|of| of * factor);
        Indicator { value, ci_low, ci_high }
    }
}

/// How well the evidence carries what is claimed, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The question makes no sense here: nothing to claim.
    NotApplicable,
    /// Not measured, or not well enough to claim anything.
    Unknown,
    /// Seen, but a single run, an effect near the least worth telling, or runs that are not sound.
    Weak,
    /// Repeated, sound, and clear of the least effect worth telling.
    Supported,
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Support::NotApplicable => "not applicable",
            Support::Unknown => "unknown",
            Support::Weak => "weak",
            Support::Supported => "supported",
        })
    }
}

/// What the evidence says of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// There is one.
    Present,
    /// There is none that is worth telling.
    Absent,
    /// The interval allows both.
    Undecided,
}

/// Rounds from which a conclusion can be supported: fewer cannot tell chance from the pattern.
pub const ROUNDS_MIN: u32 = 3;
/// Least ratio worth telling, either way: a twentieth, the precision that is asked for unless told otherwise.
pub const LEAST_RATIO: f64 = 0.05;

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The effect with its 95 % interval; none if there is no number.
    pub effect: Option<Indicator>,
    /// Its value where there is no effect: 1 of a ratio, 0 of a difference.
    pub none_at: f64,
    /// Least distance from that which is worth telling; at least 0.
    pub least: f64,
    /// Independent repeats of whatever was repeated least.
    pub rounds: u32,
    /// Every run behind it came to its own end, was level, and had machine and disk to itself.
    pub is_sound: bool,
    /// It would stand among all that were asked with it: the share of false discoveries in its family is
    /// kept.
    pub is_discovery: bool,
}

impl Evidence {
    /// A ratio of sound runs in one round, alone in its family.
    pub fn of_ratio(effect: Option<Indicator>) -> Evidence {
        Evidence { effect, none_at: 1.0, least: LEAST_RATIO, rounds: 1, is_sound: true, is_discovery: true }
    }

    /// What it says, and how well it carries that.
    ///
    /// Widening the interval, taking rounds away, or making a run unsound never makes it stronger.
    pub fn weigh(&self) -> (Effect, Support) {
        let nothing = (Effect::Undecided, Support::Unknown);
        let Some(Indicator { value, ci_low, ci_high }) = self.effect else { return nothing };
        let is_interval = ci_low <= value && value <= ci_high;
        if !is_interval || !ci_high.is_finite() || self.rounds == 0 {
            return nothing;
        }
        let (low, high) = (ci_low - self.none_at, ci_high - self.none_at);
        let repeated =
            if self.rounds >= ROUNDS_MIN && self.is_sound { Support::Supported } else { Support::Weak };
        let excludes_none = low > 0.0 || high < 0.0;
        if low >= -self.least && high <= self.least {
            (Effect::Absent, repeated)
        } else if !excludes_none || !self.is_discovery {
            nothing
        } else if low > self.least || high < -self.least {
            (Effect::Present, repeated)
        } else {
            (Effect::Present, Support::Weak)
        }
    }
}

/// Something concluded, as programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// What it is about, the same in every result: `alignment`, `baseline/RW/32KiB`.
    pub name: String,
    /// What is claimed, as a sentence.
    pub claim: String,
    /// How well the evidence carries it.
    pub state: Support,
    /// The number behind it, if any.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// Unit of these: `x` for a ratio, `ms`, `bytes`, `share`.
    pub unit: String,
    /// Ids of the experiments that it rests on.
    pub runs: Vec<String>,
}

impl Conclusion {
    /// A claim with the number that it rests on.
    pub fn of(
        name: impl Into<String>,
        claim: impl Into<String>,
        state: Support,
        value: Option<Indicator>,
        unit: &str,
        runs: Vec<String>,
    ) -> Conclusion {
        Conclusion {
            name: name.into(),
            claim: claim.into(),
            state,
            value: value.map(|of| of.value),
            low: value.map(|of| of.ci_low),
            high: value.map(|of| of.ci_high),
            unit: unit.into(),
            runs,
        }
    }
}

/// Which of a family of tests are discoveries, so that at most the share `false_max` of them is expected to
/// be false (Benjamini and Hochberg 1995). `p` are the probabilities of what was seen without any effect.
pub fn discoveries(p: &[f64], false_max: f64) -> Vec<bool> {
    let mut sorted: Vec<f64> = p.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let limit = sorted
        .iter()
        .enumerate()
        .rfind(|(rank, p)| **p <= false_max * (rank + 1) as f64 / sorted.len() as f64)
        .map(|(_, p)| *p);
    p.iter().map(|p| limit.is_some_and(|limit| *p <= limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    fn evidence(ci_low: f64, ci_high: f64, rounds: u32) -> Evidence {
        let value = (ci_low + ci_high) / 2.0;
        Evidence { rounds, ..Evidence::of_ratio(Some(Indicator { value, ci_low, ci_high })) }
    }

    #[test]
    fn an_effect_is_told_from_none_and_from_what_cannot_be_told() {
        assert_eq!(evidence(1.2, 1.4, 5).weigh(), (Effect::Present, Support::Supported));
        assert_eq!(evidence(0.5, 0.7, 5).weigh(), (Effect::Present, Support::Supported));
        assert_eq!(evidence(0.98, 1.03, 5).weigh(), (Effect::Absent, Support::Supported));
        assert_eq!(evidence(1.02, 1.4, 5).weigh(), (Effect::Present, Support::Weak));
        assert_eq!(evidence(0.9, 1.4, 5).weigh(), (Effect::Undecided, Support::Unknown));
        assert_eq!(evidence(1.2, 1.4, 2).weigh(), (Effect::Present, Support::Weak));
        assert_eq!(Evidence::of_ratio(None).weigh(), (Effect::Undecided, Support::Unknown));
        let alone = Evidence { is_discovery: false, ..evidence(1.2, 1.4, 5) };
        assert_eq!(alone.weigh(), (Effect::Undecided, Support::Unknown));
    }

    /// Evidence that is noisier, fewer or contradictory never makes a state stronger.
    #[test]
    fn weaker_evidence_never_makes_a_state_stronger() {
        let mut random = Random::new(7);
        let mut unit = || random.unit();
        for _ in 0..100_000 {
            let (middle, half) = (2.0 * unit(), unit() * unit());
            let rounds = 1 + (8.0 * unit()) as u32;
            let strong = evidence(middle - half, middle + half, rounds);
            let (_, before) = strong.weigh();
            let (wider_low, wider_high) = (half * (1.0 + unit()), half * (1.0 + unit()));
            let value = middle;
            let noisier = Indicator { value, ci_low: middle - wider_low, ci_high: middle + wider_high };
            let weaker = [
                Evidence { effect: Some(noisier), ..strong },
                Evidence { rounds: (f64::from(rounds) * unit()) as u32, ..strong },
                Evidence { is_sound: false, ..strong },
                Evidence { effect: None, ..strong },
                Evidence { is_discovery: false, ..strong },
            ];
            for weak in weaker {
                assert!(weak.weigh().1 <= before, "{strong:?} is {before}, {weak:?} is {}", weak.weigh().1);
            }
        }
    }

    /// Benjamini and Hochberg's own example (1995, section 4): fifteen tests, four discoveries.
    #[test]
    fn discoveries_are_those_of_the_published_example() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let found = discoveries(&p, 0.05);
        assert_eq!(found.iter().filter(|found| **found).count(), 4);
        assert!(found[..4].iter().all(|found| *found));
        assert!(discoveries(&[0.6, 0.9, f64::NAN], 0.05).iter().all(|found| !found));
        assert!(discoveries(&[], 0.05).is_empty());
    }
}
