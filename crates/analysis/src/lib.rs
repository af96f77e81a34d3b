//! From response times to knowledge: warm-up, steady state, periods, a mean with a valid interval, and the
//! decision whether enough has been measured.
//!
//! Pure functions only: no clock, no file, no thread, no randomness. `docs/method.md` holds every formula
//! with its source. The path of one experiment, and of many:
//!
//! ```text
//! response times --Series::push--> Series --phases--> estimate, quantiles, trend    (at any time)
//!                                     |
//!                                     +--Judge::check--> Continue | Enough          (ends the run)
//!
//! Finished runs --points--> Points --indicators--> the row of table 3 --hints, advice--> recommendations
//!                              |
//!                              +--warnings--> caveats, each with a Remedy
//! ```
//!
//! A device whose first 200 IOs are fast, and whose later ones take 1 ms and 3 ms by turns:
//!
//! ```
//! use flashscope_analysis::{Options, Series, estimate, phases};
//!
//! let mut series = Series::new();
//! for io in 0..5_000 {
//!     let response_ns = if io < 200 { 100_000 } else { 1_000_000 + 2_000_000 * (io % 2) };
//!     series.push(response_ns, 0);
//! }
//! let phases = phases(&series, &Options::default());
//! let mean = estimate(&series, &phases, 0.95)?;
//! assert!((200..=202).contains(&phases.startup_ios));
//! assert!(mean.ci_low_ns <= 2e6 && 2e6 <= mean.ci_high_ns, "{mean:?}");
//! # Ok::<(), flashscope_analysis::AnalysisError>(())
//! ```
//!
//! [`pool`], [`difference`] and [`ratio`] set estimates side by side; [`lingering`] reads the interference
//! experiment of uFLIP (figure 5); [`reading`] is what a suite says of its runs, [`published`] what others
//! found.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]
#![warn(missing_docs)]

mod compare;
mod conclusion;
mod disturbance;
mod error;
mod estimate;
mod findings;
mod gaps;
mod hints;
mod histogram;
mod horizon;
mod indicators;
mod io_errors;
mod judge;
mod knee;
mod levels;
mod lingering;
mod percentiles;
mod period;
mod phases;
pub mod published;
mod quantiles;
pub mod reading;
mod refine;
mod remedy;
mod result;
mod run_threshold;
mod segment;
mod series;
mod settle;
mod standstills;
mod statistics;
mod steady;
mod threshold;
mod transform;
mod trend;
mod warnings;
mod windows;

pub use compare::{Comparison, chance, difference, pool, ratio};
pub use conclusion::{
    Conclusion, Effect, Evidence, Indicator, LEAST_RATIO, ROUNDS_MIN, Support, discoveries,
};
pub use disturbance::{Disturbance, Disturbed};
pub use error::AnalysisError;
pub use estimate::{Estimate, estimate};
pub use findings::{Advice, Hint, Indicators, Warning};
pub use gaps::{GAP_LONG, Gaps};
pub use hints::{advice, hints};
pub use histogram::{BEYOND_MIN, Histogram};
pub use horizon::{Horizon, Limit, Trust, trust};
pub use indicators::indicators;
pub use io_errors::{IoError, IoErrors};
pub use judge::{Bounds, Decision, Goal, Judge, Outcome, Stop, Why};
pub use knee::{Knee, Loaded, geometric_mean, knee};
pub use levels::{Level, levels};
pub use lingering::{Lingering, lingering};
pub use percentiles::{PERCENTILES, Percentile, percentiles, percentiles_from};
pub use period::{Period, period_of};
pub use phases::{Options, Phases, Regime, phases};
pub use quantiles::{Quantiles, quantiles};
pub use reading::Reading;
pub use remedy::Remedy;
pub use result::{Context, Experiment, Finished, Interference, Point, Responses, Run, points};
pub use run_threshold::RunThreshold;
pub use series::Series;
pub use standstills::{STANDSTILL_MIN, Standstill, Standstills};
pub use steady::{
    STEADY_RANGE_MAX, STEADY_ROUNDS, STEADY_SLOPE_MAX, SteadyWindow, first_steady, steady_window,
};
pub use threshold::{Answer, Answered, Metric, Relation, Threshold};
pub use trend::{Trend, trend};
pub use warnings::{suite_warnings, warnings};
pub use windows::{Cut, Pace, Window, Windows, paces};
