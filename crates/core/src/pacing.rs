//! When requests are submitted, as plain data. Interpreted in exactly one place: [`crate::drive()`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ParseError;
use crate::time::Nanos;

/// When the next request of a stream may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// Closed loop: at most `iodepth` in flight. After every `burst` IOs, once all of them are done, nothing
    /// is submitted for `pause` (paper 001, section 3.1: consecutive is `pause = 0`, `pause(p)` is
    /// `burst = 1`).
    Closed {
        /// IOs in flight, at least 1.
        iodepth: u32,
        /// Idle time after each burst.
        pause: Nanos,
        /// IOs in a burst, at least 1.
        burst: u64,
    },
    /// Open loop: each request goes at its `due` time, late only if `iodepth` are in flight already. Response
    /// times then count from `due`, so that a stall is not hidden ("coordinated omission").
    Due {
        /// IOs in flight at most, at least 1.
        iodepth: u32,
    },
    /// Closed loop with the queue depth of a trace: each request goes as soon as no more are in flight than
    /// its `depth` says, itself included.
    Traced {
        /// IOs in flight at most, at least 1.
        iodepth: u32,
    },
}

impl Pacing {
    /// One IO after the other with no pause: uFLIP's baseline.
    pub const CONSECUTIVE: Pacing = Pacing::Closed { iodepth: 1, pause: Nanos::ZERO, burst: 1 };

    /// The most IOs that this pacing keeps in flight.
    pub fn iodepth(&self) -> u32 {
        match *self {
            Pacing::Closed { iodepth, .. } | Pacing::Due { iodepth } | Pacing::Traced { iodepth } => iodepth,
        }
    }
}

/// Arrivals a second of an open loop, over all processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Of all IOs.
    Total(f64),
    /// Reads and writes each have a clock of their own, which decides their order (fio's
    /// `rate_iops=READ,WRITE`).
    Each {
        /// Reads a second.
        reads: f64,
        /// Writes a second.
        writes: f64,
    },
}

impl Rate {
    /// Arrivals a second, reads and writes together.
    pub fn total_iops(self) -> f64 {
        match self {
            Rate::Total(rate) => rate,
            Rate::Each { reads, writes } => reads + writes,
        }
    }

    /// Each of its rates.
    pub(crate) fn all(self) -> impl Iterator<Item = f64> {
        let (first, second) = match self {
            Rate::Total(rate) => (rate, None),
            Rate::Each { reads, writes } => (reads, Some(writes)),
        };
        std::iter::once(first).chain(second)
    }
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Rate {
        Rate::Total(rate)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Total(rate) => rate.fmt(f),
            Rate::Each { reads, writes } => write!(f, "{reads},{writes}"),
        }
    }
}

impl FromStr for Rate {
    type Err = ParseError;

    /// `5000`, or `READ,WRITE` such as `10000,150`.
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        let wrong = || ParseError::invalid(text, "not a rate", "IOs a second, such as 5000, or READ,WRITE");
        let rate = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        match text.split_once(',') {
            None => rate(text).map(Rate::Total),
            Some((reads, writes)) => Ok(Rate::Each { reads: rate(reads)?, writes: rate(writes)? }),
        }
    }
}

/// How open-loop arrivals are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// All gaps alike.
    #[default]
    Fixed,
    /// Exponential gaps: independent users.
    Poisson,
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Arrivals::Fixed => "fixed",
            Arrivals::Poisson => "poisson",
        })
    }
}

impl FromStr for Arrivals {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Arrivals, ParseError> {
        match text {
            "fixed" => Ok(Arrivals::Fixed),
            "poisson" => Ok(Arrivals::Poisson),
            _ => Err(ParseError::unknown("arrivals", text, ["fixed", "poisson"])),
        }
    }
}
