//! A condition on what was measured, such as `p99 > 2ms`, and whether it holds: yes or no where the interval
//! lies on one side, and unknown where it does not.
//!
//! ```
//! use flashscope_analysis::{Metric, Relation, Threshold};
//!
//! let threshold: Threshold = "read.p99.9 >= 2ms".parse()?;
//! assert_eq!((threshold.metric, threshold.relation), (Metric::Percentile(99.9), Relation::AtLeast));
//! # Ok::<(), flashscope_core::ParseError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use flashscope_core::number::{iops, span, throughput};
use flashscope_core::{Nanos, Op, ParseError};
use serde::Serialize;

use crate::conclusion::Indicator;
use crate::horizon::unseen_share;
use crate::percentiles::PERCENTILES;
use crate::result::{Finished, Responses};

/// Where a run has no mean, its intervals are as wide as where nothing else is asked.
const CONFIDENCE: f64 = 0.95;

/// What is held against a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// Mean response time.
    Mean,
    /// A percentile of the response times, in percent: one of those that are measured.
    Percentile(f64),
    /// IOs a second.
    Iops,
    /// Megabytes (10^6) a second.
    MbPerS,
}

/// How it is held against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

/// A condition on a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The IOs that it is about; none for each kind there is.
    pub op: Option<Op>,
    /// The number.
    pub metric: Metric,
    /// The side.
    pub relation: Relation,
    /// The value: ns, IOs a second or MB/s.
    pub value: f64,
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The whole interval says so.
    Holds,
    /// The whole interval says no.
    Fails,
    /// The interval has the value in it.
    Straddles,
    /// The number has no interval.
    NoInterval,
    /// Stalls so rare that none had to be seen could change it.
    Unseen,
    /// The run is not sound: see [`crate::Run::is_sound`].
    NotSound,
    /// The number was not measured at all.
    NotMeasured,
}

impl Answer {
    /// Whether it is neither yes nor no.
    pub fn is_unknown(self) -> bool {
        !matches!(self, Answer::Holds | Answer::Fails)
    }
}

/// An answer with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The condition in one form of writing.
    pub condition: String,
    /// What is held against the value.
    pub metric: Metric,
    /// Whether it holds.
    pub answer: Answer,
    /// Which of several numbers decided: `random read`; none where there is one.
    pub of: Option<&'static str>,
    /// The number with its interval, in the unit of the threshold's value; none without one.
    pub number: Option<Indicator>,
    /// Share of runs whose interval holds the true value.
    pub confidence: f64,
}

impl Answered {
    /// What decides of several: a condition holds if it does for any, and fails if it does for all.
    pub fn deciding(all: impl IntoIterator<Item = Answered>) -> Option<Answered> {
        all.into_iter().min_by_key(|one| match one.answer {
            Answer::Holds => 0,
            Answer::Fails => 2,
            _ => 1,
        })
    }
}

impl Threshold {
    /// Whether it holds for a run. A condition on no kind of IO in particular holds if it does for any, and
    /// fails if it does for all.
    pub fn answer(&self, finished: &Finished) -> Answered {
        let run = &finished.run;
        let unseen = unseen_share([run], finished.experiment.pattern.in_flight());
        let confidence = run.outcome.estimate.map(|mean| mean.confidence);
        let of = |number| self.answer_of(number, unseen, run.is_sound(), confidence);
        Answered::deciding(self.numbers(finished).into_iter().map(of)).unwrap_or_else(|| of(None))
    }

    /// Whether it holds for a number, whose interval is of this confidence, and to whose mean stalls that
    /// were not seen could add this share.
    pub fn answer_of(
        &self,
        number: Option<Indicator>,
        unseen: Option<f64>,
        is_sound: bool,
        confidence: Option<f64>,
    ) -> Answered {
        let found = self.of_interval(number);
        let reaching = self.of_interval(number.map(|number| self.reaching(number, unseen.unwrap_or(0.0))));
        let answer = match is_sound {
            false => Answer::NotSound,
            true if found.is_unknown() || reaching == found => found,
            true => Answer::Unseen,
        };
        let confidence = confidence.unwrap_or(CONFIDENCE);
        Answered { condition: self.to_string(), metric: self.metric, answer, of: None, number, confidence }
    }

    /// The same with what stalls that were not seen could make of it: they have no part in a percentile.
    fn reaching(&self, number: Indicator, unseen: f64) -> Indicator {
        let times = 1.0 + unseen;
        match self.metric {
            Metric::Mean => Indicator { ci_high: number.ci_high * times, ..number },
            Metric::Iops | Metric::MbPerS => Indicator { ci_low: number.ci_low / times, ..number },
            Metric::Percentile(_) => number,
        }
    }

    fn of_interval(&self, number: Option<Indicator>) -> Answer {
        let Some(Indicator { ci_low, ci_high, .. }) = number else { return Answer::NoInterval };
        let (holds, fails) = match self.relation {
            Relation::Above => (ci_low > self.value, ci_high <= self.value),
            Relation::AtLeast => (ci_low >= self.value, ci_high < self.value),
            Relation::Below => (ci_high < self.value, ci_low >= self.value),
            Relation::AtMost => (ci_high <= self.value, ci_low > self.value),
        };
        match (holds, fails) {
            (true, _) => Answer::Holds,
            (_, true) => Answer::Fails,
            _ => Answer::Straddles,
        }
    }

    /// The number of each kind of IO that it is about, as far as it is known.
    fn numbers(&self, finished: &Finished) -> Vec<Option<Indicator>> {
        let kinds = finished.run.kinds.iter().filter(|kind| match self.op {
            Some(op) => kind.op == op,
            None => kind.op != Op::Flush,
        });
        match self.metric {
            Metric::Mean => kinds.map(mean).collect(),
            Metric::Percentile(percent) => kinds.map(|kind| percentile(kind, percent)).collect(),
            Metric::Iops => vec![rate(finished, 1.0)],
            Metric::MbPerS => vec![bytes_an_io(finished).and_then(|bytes| rate(finished, bytes / 1e6))],
        }
    }
}

fn mean(kind: &Responses) -> Option<Indicator> {
    let of = kind.estimate?;
    Some(Indicator { value: of.mean_ns, ci_low: of.ci_low_ns, ci_high: of.ci_high_ns })
}

fn percentile(kind: &Responses, percent: f64) -> Option<Indicator> {
    let of = kind.percentiles.iter().find(|of| of.percent == percent)?;
    Some(Indicator { value: of.value_ns, ci_low: of.ci_low_ns, ci_high: of.ci_high_ns })
}

fn bytes_an_io(finished: &Finished) -> Option<f64> {
    let run = &finished.run;
    (run.ios > 0).then(|| (run.read_bytes + run.written_bytes) as f64 / run.ios as f64)
}

/// IOs a second times `each`, with the interval of the mean: of a closed loop without flushes, whose rate is
/// that of the response times. What an open loop asks for is not the device's.
fn rate(finished: &Finished, each: f64) -> Option<Indicator> {
    let pattern = &finished.experiment.pattern;
    let is_closed = pattern.rate_iops.is_none() && pattern.fsync.is_none() && !finished.run.takes_turns;
    let mean = finished.run.outcome.estimate.filter(|_| is_closed)?;
    let of = |ns: f64| finished.experiment.iops_of(ns).map(|rate| rate * each);
    let ci_high = of(mean.ci_low_ns).unwrap_or(f64::INFINITY);
    Some(Indicator { value: of(mean.mean_ns)?, ci_low: of(mean.ci_high_ns)?, ci_high })
}

const EXAMPLE: &str = "a condition, such as p99 > 2ms, read.p99.9 >= 5ms, iops < 50000 or mb_s < 200";
const SIGNS: [(&str, Relation); 4] =
    [(">=", Relation::AtLeast), ("<=", Relation::AtMost), (">", Relation::Above), ("<", Relation::Below)];

impl FromStr for Threshold {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Threshold, ParseError> {
        let sign = SIGNS.iter().find_map(|(sign, relation)| Some((text.split_once(sign)?, *relation)));
        let Some(((left, right), relation)) = sign else {
            return Err(ParseError::invalid(text, "no comparison", EXAMPLE));
        };
        let (op, name) = match left.trim().split_once('.') {
            Some((op, name)) if !op.starts_with('p') => (Some(op), name),
            _ => (None, left.trim()),
        };
        let op = op.map(|op| {
            let found = Op::ALL.into_iter().find(|known| known.name() == op);
            found.ok_or_else(|| ParseError::unknown("kind of IO", op, Op::ALL.map(Op::name)))
        });
        let (op, metric) = (op.transpose()?, metric(name)?);
        if op.is_some() && matches!(metric, Metric::Iops | Metric::MbPerS) {
            return Err(ParseError::invalid(
                text,
                "a rate of one kind of IO alone",
                "iops or mb_s of all IOs",
            ));
        }
        Ok(Threshold { op, metric, relation, value: value(metric, right.trim())? })
    }
}

fn metric(name: &str) -> Result<Metric, ParseError> {
    let percentile = name.strip_prefix('p').and_then(|percent| percent.parse::<f64>().ok());
    match name {
        "mean" => Ok(Metric::Mean),
        "iops" | "IOPS" => Ok(Metric::Iops),
        "mb_s" | "MB/s" => Ok(Metric::MbPerS),
        _ => match percentile.filter(|percent| PERCENTILES.contains(percent)) {
            Some(percent) => Ok(Metric::Percentile(percent)),
            None => {
                let known = ["mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "iops", "mb_s"];
                Err(ParseError::unknown("metric", name, known))
            }
        },
    }
}

fn value(metric: Metric, text: &str) -> Result<f64, ParseError> {
    if matches!(metric, Metric::Mean | Metric::Percentile(_)) {
        return Ok(text.parse::<Nanos>()?.0 as f64);
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| ParseError::invalid(text, "no number", "a number without a unit, such as 50000"))
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(op) = self.op {
            write!(f, "{op}.")?;
        }
        let sign = SIGNS.iter().find(|(_, known)| *known == self.relation).map_or("", |(sign, _)| sign);
        match self.metric {
            Metric::Mean => write!(f, "mean {sign} {}", Nanos(self.value as u64)),
            Metric::Percentile(percent) => write!(f, "p{percent} {sign} {}", Nanos(self.value as u64)),
            Metric::Iops => write!(f, "iops {sign} {}", self.value),
            Metric::MbPerS => write!(f, "mb_s {sign} {}", self.value),
        }
    }
}

impl Metric {
    /// A value of it as it is read, with its unit.
    fn written(self, value: f64) -> String {
        match self {
            Metric::Mean | Metric::Percentile(_) => span(value),
            Metric::Iops => iops(value),
            Metric::MbPerS => throughput(value * 1e6),
        }
    }
}

impl fmt::Display for Answered {
    /// `p99 > 2ms: no, 1.20 ms (95 % CI 1.10 ms to 1.30 ms)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = match self.answer {
            Answer::Holds => "yes",
            Answer::Fails => "no",
            Answer::Straddles => "unknown, the interval contains the value",
            Answer::NoInterval => "unknown, too few IOs or no interval for this number",
            Answer::Unseen => "unknown, stalls too rare to be seen could change it",
            Answer::NotSound => "unknown, the run is not sound",
            Answer::NotMeasured => "unknown, it was not measured",
        };
        write!(f, "{}: {answer}", self.condition)?;
        let Some(number) = self.number else { return Ok(()) };
        let of = self.of.map_or(String::new(), |of| format!("{of} "));
        let [value, low, high] =
            [number.value, number.ci_low, number.ci_high].map(|of| self.metric.written(of));
        write!(f, ", {of}{value} ({} % CI {low} to {high})", (self.confidence * 100.0).round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(text: &str) -> Threshold {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn conditions_are_read_and_written_the_same() {
        for text in ["p99 > 2ms", "mean >= 300us", "read.p99.99 < 10ms", "iops <= 50000", "mb_s < 0.5"] {
            assert_eq!(threshold(text).to_string(), text);
        }
        assert_eq!(threshold("p99>2ms"), threshold("  p99  >  2000us "));
        assert_eq!(threshold("p50 > 1s").value, 1e9);
        assert_eq!(threshold("MB/s < 200"), threshold("mb_s < 200"));
    }

    #[test]
    fn what_is_no_condition_is_refused_with_what_would_be() {
        for (text, words) in [
            ("p99", "no comparison; write a condition, such as p99 > 2ms"),
            ("p98 > 2ms", "unknown metric 'p98'; choose one of mean, p50"),
            ("p99 > 2", "'2'"),
            ("p99 > fast", "'fast'"),
            ("iops < 5k", "write a number without a unit"),
            ("iops < nan", "write a number"),
            ("sync.p99 > 2ms", "unknown kind of IO 'sync'; choose one of read"),
            ("write.iops < 5", "of all IOs"),
        ] {
            let error = text.parse::<Threshold>().expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn a_condition_holds_or_fails_only_where_the_whole_interval_says_so() {
        let between = |ci_low: f64, ci_high: f64| {
            Some(Indicator { value: (ci_low + ci_high) / 2.0, ci_low: ci_low * 1e6, ci_high: ci_high * 1e6 })
        };
        let above = threshold("p99 > 2ms");
        assert_eq!(above.of_interval(between(2.1, 2.5)), Answer::Holds);
        assert_eq!(above.of_interval(between(1.0, 2.0)), Answer::Fails, "2 ms are not above 2 ms");
        assert_eq!(above.of_interval(between(1.9, 2.5)), Answer::Straddles);
        assert_eq!(above.of_interval(None), Answer::NoInterval);
        assert_eq!(threshold("p99 >= 2ms").of_interval(between(2.0, 2.5)), Answer::Holds);
        assert_eq!(threshold("p99 < 2ms").of_interval(between(1.0, 1.9)), Answer::Holds);
        assert_eq!(threshold("p99 < 2ms").of_interval(between(2.0, 2.5)), Answer::Fails);
        assert_eq!(threshold("p99 <= 2ms").of_interval(between(1.0, 2.0)), Answer::Holds);
    }
}
