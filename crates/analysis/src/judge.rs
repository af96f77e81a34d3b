//! Has enough been measured? Asked again and again while the experiment runs.
//!
//! Looks come on a geometric schedule, so their cost is a small part of the run and there are few chances to
//! stop on a lucky interval. The order of the questions: looked long enough for a later regime? start-up over
//! and the running phase longer than what came before it? enough periods? level? interval narrow enough?

mod why;

pub use why::Why;

use crate::estimate::{Estimate, estimate};
use crate::phases::{Options, Phases, behind_known, phases};
use crate::quantiles::{Quantiles, quantiles};
use crate::series::Series;
use crate::settle::settled;
use crate::trend::{Trend, trend};
use serde::{Deserialize, Serialize};

/// Upper bounds learnt earlier, from a long run of the device's baseline pattern (uFLIP, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// No start-up is longer.
    pub startup_ios: u64,
    /// No period is longer; 1 if there is none.
    pub period_ios: u64,
}

/// What is asked of one experiment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Half width of the interval as a share of the mean; above 0, default 0.05.
    pub precision: f64,
    /// Share of runs whose interval must hold the truth; in (0, 1), default 0.95.
    pub confidence: f64,
    /// IOs to look at before believing that no later regime comes.
    pub explore_ios: u64,
    /// Sum of response times to look at before believing it, in nanoseconds; 0 asks for none.
    #[serde(default)]
    pub explore_ns: u64,
    /// What is known already; then `explore_ios` is not needed.
    pub known: Option<Bounds>,
    /// The run ends here, come what may.
    pub ios_max: u64,
}

impl Goal {
    /// 5 % at 95 %, after a first look of `explore_ios`.
    pub fn exploring(explore_ios: u64) -> Self {
        Self { precision: 0.05, confidence: 0.95, explore_ios, explore_ns: 0, known: None, ios_max: u64::MAX }
    }

    /// For reads, which have no start-up on most devices.
    pub fn reads() -> Self {
        Self::exploring(256)
    }

    /// For writes, sequential or random: a start-up that is counted in bytes (a cache that fills) comes after
    /// the same number of IOs in both. 1,024 is what uFLIP gives sequential writes as their fixed IOCount
    /// (section 5.1).
    pub fn writes() -> Self {
        Self::exploring(1024)
    }

    /// IOs before the first decision.
    pub fn first_ios(&self) -> u64 {
        match self.known {
            Some(known) => {
                let behind_ios =
                    if known.startup_ios > 0 { BEHIND_MIN.max(known.startup_ios / 3) } else { 0 };
                known.startup_ios + behind_ios.max(IOS_MIN).max(PERIODS_MIN * known.period_ios)
            }
            None => self.explore_ios.max(IOS_MIN),
        }
    }
}

/// Fewest IOs and periods of the running phase.
const IOS_MIN: u64 = 64;
const PERIODS_MIN: u64 = 8;
/// Fewest IOs behind a known start-up, and no less than a quarter of the run: a bound is no more than that,
/// and a mean of the last few IOs would say little about the device.
const BEHIND_MIN: u64 = 256;
/// Growth of the series from one look to the next.
const GROWTH: f64 = 1.15;

/// Share of the permitted error that one look may spend, because many looks are taken and the run ends at a
/// lucky one; found by simulation (docs/method.md).
const LOOKS: f64 = 0.7;

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The interval is as narrow as asked.
    Precision,
    /// The number of IOs is reached.
    Ios,
    /// The time is over.
    Runtime,
    /// Its share of the bytes that the whole plan may write is written.
    Bytes,
    /// The budget of the whole plan is spent.
    Budget,
    /// The person stopped it.
    Interrupted,
    /// An IO failed.
    Failed,
    /// Another job that it ran beside ended it.
    Ended,
}

impl Stop {
    /// Whether the run was broken off before its own end: it is to be measured again.
    pub fn is_early(self) -> bool {
        matches!(self, Stop::Interrupted | Stop::Failed | Stop::Budget)
    }
}

/// What a finished run says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Start-up, regimes, period.
    pub phases: Phases,
    /// Mean of the running phase; `None` if it is too short for one.
    pub estimate: Option<Estimate>,
    /// Spread of the running phase.
    pub quantiles: Option<Quantiles>,
    /// Line through the running phase; `None` if it is too short for one.
    pub trend: Option<Trend>,
    /// Why it stopped.
    pub stopped_because: Stop,
    /// The running phase was reached, is level, and was seen for long enough.
    pub stationary: bool,
    /// What was still missing, if anything: the regime or precision that was asked for and not reached.
    pub missing: Option<Why>,
}

/// Go on, or stop.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Ask again at `next_check_ios`.
    Continue {
        /// Length of the series at which to ask again.
        next_check_ios: u64,
        /// What is missing, in words that can be shown.
        why: Why,
        /// The estimate so far, for display only.
        estimate: Option<Estimate>,
    },
    /// Stop: this is the result.
    Enough(Box<Outcome>),
}

/// Decides when one experiment has been measured enough.
#[derive(Debug, Clone)]
pub struct Judge {
    goal: Goal,
    options: Options,
    /// Part of the permitted error that the interval may spend.
    spend: f64,
}

impl Judge {
    /// A judge for one experiment.
    pub fn new(goal: Goal, options: Options) -> Self {
        Self { goal, options, spend: LOOKS }
    }

    /// A judge of a run whose length is fixed beforehand: nobody looks before its end.
    pub fn of_fixed_length(goal: Goal, options: Options) -> Self {
        Self { goal, options, spend: 1.0 }
    }

    /// Length of the series at which the first look is worth its cost.
    pub fn first_check_ios(&self) -> u64 {
        IOS_MIN.min(self.goal.ios_max)
    }

    /// Length of the series before which no look ends the run: for those whom nobody watches.
    pub fn first_decision_ios(&self) -> u64 {
        self.goal.first_ios().min(self.goal.ios_max)
    }

    /// Looks at the series. Call it when the series has the length last asked for, or later.
    pub fn check(&mut self, series: &Series) -> Decision {
        let look = Look::at(series, &self.goal, &self.options, self.spend);
        match look.missing(&self.goal) {
            None => Decision::Enough(Box::new(look.outcome(series, &self.goal, Stop::Precision))),
            Some(_) if series.len() >= self.goal.ios_max => {
                Decision::Enough(Box::new(look.outcome(series, &self.goal, Stop::Ios)))
            }
            Some(why) => {
                let next_check_ios = self.next_check(series.len(), &look, &why);
                Decision::Continue { next_check_ios, why, estimate: look.estimate }
            }
        }
    }

    /// The result so far, for a run that is ended by something else.
    pub fn finish(&self, series: &Series, because: Stop) -> Outcome {
        Look::at(series, &self.goal, &self.options, self.spend).outcome(series, &self.goal, because)
    }

    /// Grows by 15 %, or straight to where the answer may change, but never more than doubles (as it does
    /// during the first look, whose estimates are for display only).
    fn next_check(&self, len: u64, look: &Look, why: &Why) -> u64 {
        let worth = match *why {
            Why::Exploring { need_ios, .. } => need_ios.min(2 * len),
            Why::StartupNotOver { need_ios, .. } => need_ios,
            Why::FewPeriods { need_ios, .. } => need_ios,
            Why::Wide { share, asked } => {
                let factor = 0.8 * (share / asked).powi(2);
                look.phases.startup_ios + (look.phases.accepted_ios() as f64 * factor.min(4.0)) as u64
            }
            Why::NoInterval | Why::Drifting { .. } => 0,
        };
        let grown = (len as f64 * GROWTH).ceil() as u64;
        let next = match *why {
            Why::Exploring { .. } => worth.max(len + 1),
            _ => worth.clamp(grown, 2 * len.max(IOS_MIN)),
        };
        next.max(len + 1).min(self.goal.ios_max.max(len + 1))
    }
}

/// One look at the series.
struct Look {
    phases: Phases,
    estimate: Option<Estimate>,
    trend: Option<Trend>,
    /// Sum of all response times.
    total_ns: u64,
}

impl Look {
    fn at(series: &Series, goal: &Goal, options: &Options, spend: f64) -> Self {
        let found = settled(phases(series, options), series, options.resolution, goal.precision / 2.0);
        let phases = match goal.known {
            // A run that was broken off before has to make do with what can be seen.
            Some(known) if series.len() >= goal.first_ios() => behind_known(found, series, known.startup_ios),
            _ => found,
        };
        let estimate = estimate(series, &phases, 1.0 - spend * (1.0 - goal.confidence)).ok();
        let estimate = estimate.map(|estimate| Estimate { confidence: goal.confidence, ..estimate });
        let trend = trend(series, &phases);
        Self { phases, estimate, trend, total_ns: series.total_ns() }
    }

    fn missing(&self, goal: &Goal) -> Option<Why> {
        self.too_early(goal).or_else(|| self.not_level(goal)).or_else(|| self.too_wide(goal))
    }

    fn too_early(&self, goal: &Goal) -> Option<Why> {
        let (ios, need_ios) = (self.phases.ios, goal.first_ios());
        if ios < need_ios {
            return Some(Why::Exploring { ios, need_ios });
        }
        if self.total_ns < goal.explore_ns {
            let share = goal.explore_ns as f64 / self.total_ns.max(1) as f64;
            return Some(Why::Exploring { ios, need_ios: (ios as f64 * share).ceil() as u64 });
        }
        let startup_ios = self.phases.startup_ios_high;
        let need_ios = startup_ios + self.running_ios_min(goal);
        if ios < need_ios {
            return Some(Why::StartupNotOver { startup_ios, ios, need_ios });
        }
        let cycle = self.phases.cycle_ios();
        let seen = self.phases.accepted_ios() / cycle;
        let need_ios = startup_ios + PERIODS_MIN * cycle;
        if cycle > 1 && seen < PERIODS_MIN {
            return Some(Why::FewPeriods { seen, need: PERIODS_MIN, need_ios });
        }
        let turns = self.phases.alternations / 2;
        (self.phases.period.is_none() && (1..4).contains(&turns)).then_some(Why::FewPeriods {
            seen: turns,
            need: PERIODS_MIN,
            need_ios: ios * 2,
        })
    }

    /// After one change of level the running phase must be as long as what came before it. After several, a
    /// staircase may go on: it must be half as long again as the longest step.
    fn running_ios_min(&self, goal: &Goal) -> u64 {
        let is_known = goal.known.is_some_and(|known| self.phases.startup_ios <= known.startup_ios);
        if is_known {
            return IOS_MIN;
        }
        let starts: Vec<u64> = self.phases.regimes.iter().map(|regime| regime.from_ios).collect();
        let longest = starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let asked = if starts.len() > 2 { longest + longest / 2 } else { longest };
        asked.max(IOS_MIN)
    }

    fn not_level(&self, goal: &Goal) -> Option<Why> {
        let trend = self.trend.filter(|trend| !trend.is_stationary(goal.precision / 2.0))?;
        Some(Why::Drifting { share: trend.drift })
    }

    fn too_wide(&self, goal: &Goal) -> Option<Why> {
        let Some(estimate) = self.estimate else { return Some(Why::NoInterval) };
        let share = estimate.relative_half_width();
        (share > goal.precision).then_some(Why::Wide { share, asked: goal.precision })
    }

    fn outcome(self, series: &Series, goal: &Goal, stopped_because: Stop) -> Outcome {
        let stationary = self.too_early(goal).is_none() && self.not_level(goal).is_none();
        let missing = self.missing(goal);
        let quantiles = quantiles(series, &self.phases);
        let Self { phases, estimate, trend, .. } = self;
        Outcome { phases, estimate, quantiles, trend, stopped_because, stationary, missing }
    }
}
