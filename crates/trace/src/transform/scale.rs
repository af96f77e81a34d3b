//! Time stretched or squeezed.

use std::fmt;
use std::str::FromStr;

use flashscope_core::ParseError;

use super::{Note, Refusal, Step, Transform};
use crate::record::Record;

/// A positive decimal number, exact to nine digits behind the point: `2`, `0.1`, `1.25`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// In billionths.
    billionths: u64,
}

const ONE: u64 = 1_000_000_000;

impl Factor {
    /// The product, rounded to the nearest, if it fits.
    #[inline]
    fn times(self, value: u64) -> Option<u64> {
        let product = u128::from(value) * u128::from(self.billionths);
        u64::try_from((product + u128::from(ONE / 2)) / u128::from(ONE)).ok()
    }
}

impl FromStr for Factor {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Factor, ParseError> {
        let bad = || ParseError::invalid(text, "not a factor", "one above 0, such as 2, 0.1 or 1.25");
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        if !is_number(whole) || !is_number(part) || part.len() > 9 {
            return Err(bad());
        }
        let part: u64 = format!("{part:0<9}").parse().map_err(|_| bad())?;
        let whole: u64 = whole.parse().map_err(|_| bad())?;
        let billionths = whole.checked_mul(ONE).and_then(|whole| whole.checked_add(part));
        let billionths = billionths.filter(|&billionths| billionths > 0).ok_or_else(bad)?;
        Ok(Factor { billionths })
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.billionths / ONE, self.billionths % ONE);
        let part = format!("{part:09}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

/// Multiplies the time that a request comes after (or before) the first one: 0.5 is twice as fast. Latencies
/// stay what they were.
#[derive(Clone, Debug)]
pub struct ScaleTime {
    factor: Factor,
    first_ns: Option<u64>,
    changed: u64,
}

impl ScaleTime {
    /// By `factor`.
    pub fn new(factor: Factor) -> ScaleTime {
        ScaleTime { factor, first_ns: None, changed: 0 }
    }
}

impl Transform for ScaleTime {
    #[inline]
    fn step(&mut self, record: &mut Record, _: &[String]) -> Result<Step, Refusal> {
        let first_ns = *self.first_ns.get_or_insert(record.time_ns);
        let away_ns = self.factor.times(record.time_ns.abs_diff(first_ns));
        let time_ns = match record.time_ns >= first_ns {
            true => away_ns.and_then(|away_ns| first_ns.checked_add(away_ns)),
            false => away_ns.and_then(|away_ns| first_ns.checked_sub(away_ns)),
        };
        let problem = || format!("its time, scaled by {}, does not fit 64 bits of ns", self.factor);
        let time_ns = time_ns.ok_or_else(|| Refusal::new(problem(), "take a smaller factor"))?;
        self.changed += u64::from(time_ns != record.time_ns);
        record.time_ns = time_ns;
        Ok(Step::Keep)
    }

    fn notes(&self) -> Vec<Note> {
        let about = format!("requests with new times, intervals scaled by {}", self.factor);
        Note::some(self.changed, about).into_iter().collect()
    }
}
