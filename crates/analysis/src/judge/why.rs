//! What is still missing, in words for a terminal.

use serde::{Deserialize, Serialize};
use std::fmt;

use flashscope_core::number::{count, percent};

/// The first thing that keeps a run from being enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Too early to believe that no later regime comes.
    Exploring {
        /// IOs so far.
        ios: u64,
        /// IOs of the first look.
        need_ios: u64,
    },
    /// The running phase is shorter than what came before it.
    StartupNotOver {
        /// First IO of what may be the running phase.
        startup_ios: u64,
        /// IOs so far.
        ios: u64,
        /// IOs at which it would be believed.
        need_ios: u64,
    },
    /// The oscillation was seen too few times.
    FewPeriods {
        /// Whole periods so far.
        seen: u64,
        /// Periods needed.
        need: u64,
        /// IOs at which there would be enough.
        need_ios: u64,
    },
    /// Response times are still moving.
    Drifting {
        /// Change over the running phase as a share of the mean.
        share: f64,
    },
    /// The interval is wider than asked.
    Wide {
        /// Half width as a share of the mean.
        share: f64,
        /// Half width that was asked for.
        asked: f64,
    },
    /// Too few IOs for an interval.
    NoInterval,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exploring { ios, need_ios } => {
                let (ios, need_ios) = (count(ios), count(need_ios));
                write!(f, "looking for a later change of level: {ios} of {need_ios} IOs")
            }
            Self::StartupNotOver { startup_ios, ios, need_ios } => write!(
                f,
                "warm-up may not be over: level changed at IO {}, now at {}, established at {}",
                count(startup_ios),
                count(ios),
                count(need_ios)
            ),
            Self::FewPeriods { seen: 1, need, .. } => write!(f, "only 1 period seen, {need} needed"),
            Self::FewPeriods { seen, need, .. } => write!(f, "only {seen} periods seen, {need} needed"),
            Self::Drifting { share } => {
                let way = if share > 0.0 { "rising" } else { "falling" };
                write!(f, "response times are still {way}: {} over the steady state", percent(share.abs()))
            }
            Self::Wide { share, asked } => {
                write!(f, "95 % CI ± {}, target ± {}", percent(share), percent(asked))
            }
            Self::NoInterval => write!(f, "too few IOs for a 95 % CI"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_width_is_shown_as_nothing() {
        let shown = |share, asked| Why::Wide { share, asked }.to_string();
        assert_eq!(shown(0.123, 0.05), "95 % CI ± 12 %, target ± 5.0 %");
        assert_eq!(shown(2.5, 0.052), "95 % CI ± 250 %, target ± 5.2 %");
        assert_eq!(shown(0.000_123, 1e-6), "95 % CI ± 0.012 %, target ± 0.00010 %");
        assert_eq!(shown(f64::INFINITY, 0.0), "95 % CI ± –, target ± 0 %");
    }
}
