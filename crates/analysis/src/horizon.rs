//! How far a measurement looked, and what it could have missed: no mean is surer than its horizon.
//!
//! An event that comes once in `n` IOs is seen at least once among `3 n` of them in 95 of 100 runs (the rule
//! of three, Hanley and Lippman-Hand 1983). What was never seen may thus come once in a third of the IOs, and
//! its cost is bounded by the longest response time that was seen, or by what flash storage is known to do
//! ([`STALL_MAX`]), whichever is longer. Of a change that comes later nothing is known but where the run
//! stopped looking.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::conclusion::Support;
use crate::disturbance::{Disturbance, Disturbed};
use crate::gaps::Gaps;
use crate::judge::{Outcome, Stop, Why};
use crate::result::{Context, Finished, Point, Run};
use crate::standstills::SHARE_MAX;
use flashscope_core::Nanos;
use flashscope_core::number::{counted, percent, size, span};

/// The longest stall that is expected of flash storage without ever having been seen: a collection or an
/// erase that holds up everything.
pub const STALL_MAX: Nanos = Nanos::from_ms(100);
/// The rule of three: events of which none was seen.
const UNSEEN: f64 = 3.0;
/// Of which one was seen: so many more may be expected (Poisson, one-sided 95 %), beyond the one in the mean.
const SEEN_ONCE: f64 = 3.74;
/// A stall that could have been missed matters from this share of the mean on.
const EFFECT_MAX: f64 = 0.05;

/// A processor that is busy for this share of a run is what was measured.
const BUSY_MIN: f64 = 0.9;
/// A shorter run says nothing about it: what begins and ends it takes its part, and the kernel counts a
/// thread's time in ticks of up to 10 ms.
const BUSY_NS_MIN: u64 = 100_000_000;
/// Long gaps that no device minds, as a share of all.
const GAPS_MAX: f64 = 1e-4;

/// How far a run looked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Horizon {
    /// IOs in the mean.
    pub ios: u64,
    /// Bytes read and written in the whole run.
    pub bytes: u64,
    /// Time of the whole run.
    pub seconds: f64,
    /// Those bytes over the size of the target; may be above 1.
    pub share_of_capacity: f64,
    /// A stall that comes less often than once in so many IOs may have been missed.
    pub stall_one_in: u64,
    /// A change of level after so many bytes would not have been seen.
    pub change_after_bytes: u64,
    /// How much such stalls could add to the mean, as a share of it; none without a mean.
    pub effect: Option<f64>,
    /// No unseen stall is taken to be longer than this, in milliseconds: an assumption, unless one as long
    /// was seen.
    #[serde(default)]
    pub stall_assumed_ms: f64,
}

impl Horizon {
    /// Of a finished run.
    pub fn of(finished: &Finished, context: &Context) -> Horizon {
        let (run, outcome) = (&finished.run, &finished.run.outcome);
        let bytes = run.read_bytes + run.written_bytes;
        let ios = outcome.estimate.map_or(0, |mean| mean.ios);
        Horizon {
            ios,
            bytes,
            seconds: run.elapsed_ns as f64 / 1e9,
            share_of_capacity: bytes as f64 / context.target.size_bytes.max(1) as f64,
            stall_one_in: (ios as f64 / UNSEEN) as u64,
            change_after_bytes: bytes,
            effect: unseen_effect([run], finished.experiment.pattern.in_flight()),
            stall_assumed_ms: longest_ns(outcome).max(STALL_MAX.0 as f64) / 1e6,
        }
    }
}

/// The longest response time that was seen.
fn longest_ns(outcome: &Outcome) -> f64 {
    outcome.quantiles.map_or(0.0, |spread| spread.max_ns)
}

impl Point<'_> {
    /// What stalls so rare that no round had to see one could add to the mean, as a share of it; none where
    /// that is too little to matter.
    pub fn unseen_share(&self) -> Option<f64> {
        unseen_share(self.counting(), self.experiment.pattern.in_flight())
    }
}

/// What stalls so rare that none had to be seen could add to the mean of runs, as a share of it, where that
/// is enough to change it.
pub(crate) fn unseen_share<'a>(runs: impl IntoIterator<Item = &'a Run>, in_flight: u32) -> Option<f64> {
    unseen_effect(runs, in_flight).filter(|effect| *effect > EFFECT_MAX)
}

/// What stalls that were not seen could add to the mean of runs. One holds up everything in flight.
fn unseen_effect<'a>(runs: impl IntoIterator<Item = &'a Run>, in_flight: u32) -> Option<f64> {
    let (mut total_ns, mut longest) = (0.0, 0.0_f64);
    for outcome in runs.into_iter().map(|run| &run.outcome) {
        total_ns += outcome.estimate.map_or(0.0, |mean| mean.mean_ns * mean.ios as f64);
        longest = longest.max(longest_ns(outcome));
    }
    let stall_ns = STALL_MAX.0 as f64;
    let cost_ns =
        if longest >= stall_ns { SEEN_ONCE * longest } else { UNSEEN * stall_ns * f64::from(in_flight) };
    (total_ns > 0.0).then(|| cost_ns / total_ns)
}

/// What keeps a mean from being sure. The name of each is an interface: scripts read it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "limit")]
pub enum Limit {
    /// The run was too short for a mean.
    NoMean,
    /// Level or period were not reached: what was measured may be the start-up.
    NotLevel,
    /// It was broken off.
    Cut,
    /// IOs failed: they have no response time, so the mean is that of the others.
    Failed {
        /// How many.
        ios: u64,
        /// Their share of all that were submitted.
        share: f64,
    },
    /// The interval is wider than asked.
    NotReached {
        /// Its half width as a share of the mean; none without one.
        share: Option<f64>,
    },
    /// Stalls so rare that none had to be seen could change the mean by more than a twentieth.
    HorizonOfStalls {
        /// By what share of the mean.
        effect: f64,
        /// Rarer than once in so many IOs.
        one_in: u64,
        /// No longer than this, in milliseconds.
        #[serde(default)]
        stall_assumed_ms: f64,
    },
    /// The processor was busy nearly all the time: the machine's limit, not the drive's.
    Processor {
        /// Share of the run.
        share: f64,
    },
    /// Others had a part of the machine, or a quota took one: what that added to response times is not known.
    Disturbed {
        /// What they had a part of.
        by: Disturbed,
        /// How large it was.
        share: f64,
    },
    /// The instrument kept the drive waiting too often, and drives use such time.
    Gaps {
        /// Gaps of at least 0.1 ms.
        long: u64,
        /// The longest, in nanoseconds.
        max_ns: u64,
    },
    /// The measuring process stood still while IOs were in flight, and their response times hold that.
    StoodStill {
        /// For how long, in nanoseconds.
        total_ns: u64,
        /// IOs whose response times hold some of it.
        ios: u64,
        /// What it adds to the mean, as a share of it.
        share: f64,
    },
    /// Less was written than the target holds: a cache that fills, or a collector that begins, comes later.
    HorizonOfWrites {
        /// Bytes written.
        bytes: u64,
        /// Share of the target's size.
        share: f64,
    },
}

impl Limit {
    /// Whether it says how far was looked, not how well.
    pub fn is_horizon(&self) -> bool {
        matches!(self, Limit::HorizonOfStalls { .. } | Limit::HorizonOfWrites { .. })
    }

    fn support(&self) -> Support {
        match self {
            Limit::NoMean | Limit::NotLevel => Support::Unknown,
            Limit::StoodStill { share, .. } if *share <= SHARE_MAX => Support::Supported,
            _ => Support::Weak,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::NoMean => f.write_str("the run was too short for a mean"),
            Limit::NotLevel => f.write_str("no steady level was reached: this may be the warm-up"),
            Limit::Cut => f.write_str("the run was cut short"),
            Limit::Failed { ios, share } => write!(
                f,
                "{} ({}) failed without a response time: the mean is that of the others",
                counted(*ios, "IO"),
                percent(*share)
            ),
            Limit::NotReached { share: Some(share) } => {
                write!(f, "target precision not reached: ± {}", percent(*share))
            }
            Limit::NotReached { share: None } => f.write_str("target precision not reached"),
            Limit::HorizonOfStalls { effect, one_in, stall_assumed_ms } => write!(
                f,
                "horizon: stalls of up to {}, rarer than one in {one_in} IOs, would not have been seen, and \
                 could add {} to the mean",
                span(stall_assumed_ms * 1e6),
                percent(*effect)
            ),
            Limit::Processor { share } => write!(
                f,
                "the processor was busy {} of the time: this is the machine's limit, and the drive may be \
                 faster",
                percent(*share)
            ),
            Limit::Disturbed { by, share } => {
                write!(f, "{}: response times may hold waits that are not the drive's", by.took(*share))
            }
            Limit::Gaps { long, max_ns } => write!(
                f,
                "the drive was kept waiting between IOs: {} of 0.1 ms or more, the longest of {}",
                counted(*long, "gap"),
                span(*max_ns as f64)
            ),
            Limit::StoodStill { total_ns, ios, share } => write!(
                f,
                "the measuring process did not run for {}: {} of it, {} of the mean",
                span(*total_ns as f64),
                if *ios == 1 {
                    "1 response time holds some".into()
                } else {
                    format!("{ios} response times hold some")
                },
                percent(*share)
            ),
            Limit::HorizonOfWrites { bytes, share } => write!(
                f,
                "horizon: {} written, {} of the target: a cache that fills later, or garbage collection, \
                 would not have been seen",
                size(*bytes as f64),
                percent(*share)
            ),
        }
    }
}

/// How far a measurement's mean can be trusted, and why no further.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// In one word.
    pub confidence: Support,
    /// What keeps it from being more, the gravest first.
    pub limits: Vec<Limit>,
    /// How far it looked.
    pub horizon: Horizon,
}

/// How far the mean of one finished run can be trusted.
pub fn trust(finished: &Finished, context: &Context) -> Trust {
    let horizon = Horizon::of(finished, context);
    let limits = limits(finished, context, &horizon);
    let confidence = limits.iter().map(Limit::support).min().unwrap_or(Support::Supported);
    Trust { confidence, limits, horizon }
}

fn limits(finished: &Finished, context: &Context, horizon: &Horizon) -> Vec<Limit> {
    let (run, outcome) = (&finished.run, &finished.run.outcome);
    let Some(mean) = outcome.estimate else { return vec![Limit::NoMean] };
    let mut limits = Vec::new();
    if !outcome.stationary {
        limits.push(Limit::NotLevel);
    }
    if matches!(outcome.stopped_because, Stop::Interrupted | Stop::Failed) {
        limits.push(Limit::Cut);
    }
    if !run.errors.is_empty() {
        let ios = run.errors.count;
        limits.push(Limit::Failed { ios, share: ios as f64 / (run.ios + ios) as f64 });
    }
    if let Some(why) = outcome.missing.filter(|_| outcome.stationary) {
        let share = matches!(why, Why::Wide { .. }).then(|| mean.relative_half_width());
        limits.push(Limit::NotReached { share });
    }
    if let Some(effect) = horizon.effect.filter(|effect| *effect > EFFECT_MAX) {
        let Horizon { stall_one_in: one_in, stall_assumed_ms, .. } = *horizon;
        limits.push(Limit::HorizonOfStalls { effect, one_in, stall_assumed_ms });
    }
    // No thread has more than one processor.
    let busy = run.cpu_ns.filter(|_| run.elapsed_ns >= BUSY_NS_MIN);
    let busy = busy.map(|ns| (ns as f64 / run.elapsed_ns as f64).min(1.0));
    if let Some(share) = busy.filter(|share| *share >= BUSY_MIN) {
        limits.push(Limit::Processor { share });
    }
    let excesses = run.disturbance.iter().flat_map(Disturbance::excesses);
    limits.extend(excesses.map(|(by, share)| Limit::Disturbed { by, share }));
    let is_disturbed = |gaps: &Gaps| gaps.long as f64 > GAPS_MAX * gaps.ios as f64;
    if let Some(Gaps { long, max_ns, .. }) = run.gaps.filter(is_disturbed) {
        limits.push(Limit::Gaps { long, max_ns });
    }
    if let Some(pauses) = run.standstills.filter(|pauses| pauses.ios > 0) {
        let (total_ns, ios) = (pauses.total_ns, pauses.ios);
        limits.push(Limit::StoodStill { total_ns, ios, share: run.standstill_share() });
    }
    let capacity_bytes = context.target.size_bytes;
    if finished.experiment.pattern.writes() && run.written_bytes < capacity_bytes {
        let share = run.written_bytes as f64 / capacity_bytes as f64;
        limits.push(Limit::HorizonOfWrites { bytes: run.written_bytes, share });
    }
    limits
}
