//! A condition on the four numbers of a run, such as `random read p99 > 2ms`: words that say which of them it
//! is about, and a [`Threshold`].
//!
//! ```
//! use flashscope_analysis::RunThreshold;
//! use flashscope_core::Op;
//!
//! let condition: RunThreshold = "random p99 > 2ms".parse()?;
//! assert!(condition.is_about(true, Op::Read) && condition.is_about(true, Op::Write));
//! assert!(!condition.is_about(false, Op::Read));
//! # Ok::<(), flashscope_core::ParseError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use flashscope_core::{Op, ParseError};

use crate::threshold::{Answer, Answered, Threshold};

/// A condition on those of the four numbers that its words are about: on any of them.
#[derive(Debug, Clone, PartialEq)]
pub struct RunThreshold {
    /// Random IOs, or sequential ones; none for both.
    pub is_random: Option<bool>,
    /// The number, the side and the value; its kind of IO is read, write, or none for both.
    pub threshold: Threshold,
}

impl RunThreshold {
    /// Whether it is about sequential or random IOs of this kind.
    pub fn is_about(&self, is_random: bool, op: Op) -> bool {
        self.is_random.is_none_or(|asked| asked == is_random)
            && self.threshold.op.is_none_or(|asked| asked == op)
    }

    /// What decides of the answers for those that it is about.
    pub fn answer(&self, all: impl IntoIterator<Item = Answered>) -> Answered {
        let unmeasured =
            || Answered { answer: Answer::NotMeasured, ..self.threshold.answer_of(None, None, true, None) };
        let deciding = Answered::deciding(all).unwrap_or_else(unmeasured);
        Answered { condition: self.to_string(), ..deciding }
    }
}

const WORDS: [&str; 4] = ["sequential", "random", "read", "write"];

impl FromStr for RunThreshold {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<RunThreshold, ParseError> {
        let (mut is_random, mut op, mut rest) = (None, None, text.trim());
        while let Some((word, after)) = rest.split_once(char::is_whitespace) {
            match word {
                "sequential" | "random" if is_random.is_none() => is_random = Some(word == "random"),
                "read" if op.is_none() => op = Some(Op::Read),
                "write" if op.is_none() => op = Some(Op::Write),
                _ => break,
            }
            rest = after.trim_start();
        }
        let left = rest.split(['<', '>']).next().unwrap_or_default().trim();
        if let Some((word, _)) = left.split_once(char::is_whitespace) {
            return Err(ParseError::unknown("word", word, WORDS));
        }
        if left.is_empty() {
            return Err(ParseError::invalid(text, "no metric", "one, as in random read p99 > 2ms"));
        }
        let threshold: Threshold = rest.parse()?;
        let is_twice = op.is_some() && threshold.op.is_some();
        if is_twice || threshold.op.is_some_and(|op| ![Op::Read, Op::Write].contains(&op)) {
            let example = "one of read and write once, as in random read p99 > 2ms";
            return Err(ParseError::invalid(text, "no number of a run", example));
        }
        Ok(RunThreshold { is_random, threshold: Threshold { op: op.or(threshold.op), ..threshold } })
    }
}

impl fmt::Display for RunThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(is_random) = self.is_random {
            f.write_str(if is_random { "random " } else { "sequential " })?;
        }
        if let Some(op) = self.threshold.op {
            write!(f, "{op} ")?;
        }
        Threshold { op: None, ..self.threshold.clone() }.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conclusion::Indicator;

    fn condition(text: &str) -> RunThreshold {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn words_say_which_of_the_four_it_is_about() {
        let four = [(false, Op::Read), (true, Op::Read), (false, Op::Write), (true, Op::Write)];
        for (text, about) in [
            ("random read p99 > 2ms", [false, true, false, false]),
            ("read random p99 > 2ms", [false, true, false, false]),
            ("sequential write mb_s < 200", [false, false, true, false]),
            ("write mean > 2ms", [false, false, true, true]),
            ("write.mean > 2ms", [false, false, true, true]),
            ("sequential iops < 10", [true, false, true, false]),
            ("p50>=1ms", [true; 4]),
        ] {
            let found = four.map(|(is_random, op)| condition(text).is_about(is_random, op));
            assert_eq!(found, about, "{text}");
        }
        assert_eq!(condition("write  random MB/s<5").to_string(), "random write mb_s < 5");
    }

    #[test]
    fn what_is_no_condition_is_refused_with_what_would_be() {
        for (text, words) in [
            ("randm read p99 > 2ms", "unknown word 'randm'; choose one of sequential, random, read"),
            ("random read random p99 > 2ms", "unknown word 'random'"),
            ("random read > 2ms", "no metric; write one, as in random read p99"),
            ("random flush.p99 > 2ms", "random read p99 > 2ms"),
            ("read write.p99 > 2ms", "random read p99 > 2ms"),
            ("random read p99", "no comparison"),
        ] {
            let error = text.parse::<RunThreshold>().expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn any_of_several_is_enough_and_none_is_unknown() {
        let asked = condition("read p99 > 2ms");
        let of = |ms: f64| {
            let number = Indicator { value: ms * 1e6, ci_low: ms * 1e6, ci_high: ms * 1e6 };
            asked.threshold.answer_of(Some(number), None, true, None)
        };
        assert_eq!(asked.answer([of(1.0), of(3.0)]).answer, Answer::Holds);
        assert_eq!(asked.answer([of(1.0), of(1.5)]).answer, Answer::Fails);
        let unknown = asked.threshold.answer_of(None, None, true, None);
        assert_eq!(asked.answer([of(1.0), unknown]).answer, Answer::NoInterval);
        assert_eq!(asked.answer([]).answer, Answer::NotMeasured);
    }
}
