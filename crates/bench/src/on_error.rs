//! What becomes of IOs that fail: whether they end what is measured, and from how many on.

use std::fmt;
use std::str::FromStr;

use flashscope_analysis::IoErrors;
use flashscope_core::{Control, Io, Observer, ParseError, Share, TargetError};
use serde::{Deserialize, Serialize};

/// What a failed IO does to a run. Errors of the target as a whole (it is gone, its file system is full) end
/// it in any case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum OnError {
    /// The first one ends it.
    Stop,
    /// Counted, until they are too many.
    Continue {
        /// More than this share of the IOs, and [`OnError::ERRORS_MIN`] or more, end an experiment; four
        /// times as many of all IOs end the whole run. At most 0.5.
        share_max: f64,
    },
}

/// What ends a run is this many times what ends an experiment.
const EXPERIMENTS: u64 = 4;
/// A device of which most IOs fail is none to measure.
const SHARE_MAX: f64 = 0.5;

impl OnError {
    /// Continue up to 1 % of the IOs.
    pub const CONTINUE: OnError = OnError::Continue { share_max: 0.01 };
    /// Fewer errors tell no share, and end nothing.
    pub const ERRORS_MIN: u64 = 16;

    /// Whether so many failed IOs beside `done` others end an experiment.
    pub(crate) fn ends_experiment(self, errors: u64, done: u64) -> bool {
        self.ends(errors, done, OnError::ERRORS_MIN)
    }

    /// Whether so many of all IOs end the run, though none of them has ended it as it failed.
    pub(crate) fn ends_run(self, errors: u64, done: u64) -> bool {
        self != OnError::Stop && self.ends(errors, done, EXPERIMENTS * OnError::ERRORS_MIN)
    }

    fn ends(self, errors: u64, done: u64, errors_min: u64) -> bool {
        match self {
            OnError::Stop => errors > 0,
            OnError::Continue { share_max } => {
                errors >= errors_min && errors as f64 > share_max * (errors + done) as f64
            }
        }
    }

    /// The share of the IOs that may fail.
    pub fn share_max(self) -> f64 {
        match self {
            OnError::Stop => 0.0,
            OnError::Continue { share_max } => share_max,
        }
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OnError::Stop => f.write_str("stop"),
            OnError::CONTINUE => f.write_str("continue"),
            OnError::Continue { share_max } => write!(f, "continue={share_max}"),
        }
    }
}

impl FromStr for OnError {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<OnError, ParseError> {
        let share = match text.trim().split_once('=') {
            None if text.trim() == "stop" => return Ok(OnError::Stop),
            None if text.trim() == "continue" => return Ok(OnError::CONTINUE),
            Some(("continue", share)) => share.parse::<Share>()?.0,
            _ => return Err(ParseError::unknown("reaction", text, ["stop", "continue", "continue=SHARE"])),
        };
        if !(0.0..=SHARE_MAX).contains(&share) {
            return Err(ParseError::invalid(text, "more than half of the IOs", "a share of at most 50%"));
        }
        Ok(OnError::Continue { share_max: share })
    }
}

impl TryFrom<String> for OnError {
    type Error = ParseError;

    fn try_from(text: String) -> Result<OnError, ParseError> {
        text.parse()
    }
}

impl From<OnError> for String {
    fn from(on_error: OnError) -> String {
        on_error.to_string()
    }
}

/// The IOs of something that is no experiment, such as a preparation, as they are done and fail.
pub(crate) struct Tally {
    on_error: OnError,
    done: u64,
    /// Those that failed.
    pub errors: IoErrors,
}

impl Tally {
    pub fn new(on_error: OnError) -> Tally {
        Tally { on_error, done: 0, errors: IoErrors::default() }
    }

    /// IOs that were done, without those that failed.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// An observer that shows `see` each IO that was done.
    pub fn with<F: FnMut(&Io)>(&mut self, see: F) -> Counted<'_, F> {
        Counted { tally: self, see }
    }
}

/// Counts IOs and those that fail.
pub(crate) struct Counted<'a, F> {
    tally: &'a mut Tally,
    see: F,
}

impl<F: FnMut(&Io)> Observer for Counted<'_, F> {
    #[inline]
    fn observe(&mut self, io: &Io) -> Control {
        self.tally.done += 1;
        (self.see)(io);
        Control::Continue
    }

    fn fail(&mut self, io: &Io, error: TargetError) -> Result<Control, TargetError> {
        let Tally { on_error, done, errors } = &mut *self.tally;
        errors.add(io, &error);
        if on_error.ends_experiment(errors.count, *done) { Err(error) } else { Ok(Control::Continue) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_shares_are_read_as_they_are_written() {
        for text in ["stop", "continue", "continue=0.05"] {
            assert_eq!(text.parse::<OnError>().map(|on_error| on_error.to_string()), Ok(text.to_string()));
        }
        assert_eq!("continue=5%".parse(), Ok(OnError::Continue { share_max: 0.05 }));
        for text in ["", "go", "continue=", "continue=60%", "continue=-1%", "stop=1%"] {
            assert!(text.parse::<OnError>().is_err(), "{text}");
        }
    }

    #[test]
    fn few_errors_end_nothing_and_a_share_of_all_ends_an_experiment_before_the_run() {
        let one_percent = OnError::CONTINUE;
        assert!(!one_percent.ends_experiment(15, 0) && one_percent.ends_experiment(16, 0));
        assert!(!one_percent.ends_experiment(100, 9_900) && one_percent.ends_experiment(101, 9_900));
        assert!(!one_percent.ends_run(63, 0) && one_percent.ends_run(64, 0));
        assert!(OnError::Stop.ends_experiment(1, 1_000_000) && !OnError::Stop.ends_experiment(0, 0));
    }
}
