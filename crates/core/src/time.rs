//! Instants and spans in whole nanoseconds. What reads a clock lives in a target, not here.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ParseError;
use crate::units::split_number;

/// An instant: nanoseconds since the target's own epoch. A real target counts from when it was opened, a
/// simulated one from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The epoch of the target.
    pub const ZERO: Time = Time(0);
    /// Later than any instant that happens: "never".
    pub const NEVER: Time = Time(u64::MAX);

    /// The span since `earlier`, zero if `earlier` is in fact later: what is left until a deadline. Where
    /// `earlier` cannot be later, as between the two stamps of an IO, see to that first; the drive loop does.
    #[inline]
    pub fn since(self, earlier: Time) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Nanos> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Nanos) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Nanos> for Time {
    #[inline]
    fn add_assign(&mut self, span: Nanos) {
        *self = *self + span;
    }
}

/// A span of time in nanoseconds. Written with a unit: `100us`, `0.1 ms`, `2 s`, `10min`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

/// Units a person may write, longest span first; the first that divides is the one printed.
const UNITS: [(&str, u64); 8] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

impl Nanos {
    /// No time at all.
    pub const ZERO: Nanos = Nanos(0);

    /// A span of whole milliseconds.
    pub const fn from_ms(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// A span of whole microseconds.
    pub const fn from_us(us: u64) -> Nanos {
        Nanos(us * 1_000)
    }

    /// A span of whole seconds.
    pub const fn from_s(s: u64) -> Nanos {
        Nanos(s * 1_000_000_000)
    }

    /// The span in milliseconds.
    pub fn as_ms(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The span in seconds.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Sub<Nanos> for Nanos {
    type Output = Nanos;
    /// Zero if `other` is longer: what is left of a budget.
    #[inline]
    fn sub(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }
}

impl Add<Nanos> for Nanos {
    type Output = Nanos;
    #[inline]
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Nanos {
    /// Exact: the largest unit of which the span is a whole multiple, so that it reads back unchanged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return write!(f, "0s");
        }
        let (unit, size) = UNITS.iter().find(|(_, size)| self.0.is_multiple_of(*size)).unwrap_or(&("ns", 1));
        write!(f, "{}{unit}", self.0 / size)
    }
}

impl FromStr for Nanos {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Nanos, ParseError> {
        let (number, unit) = split_number(text, "a time, such as 100us, 2.5ms or 10min")?;
        if unit.is_empty() {
            return if number == 0.0 { Ok(Nanos::ZERO) } else { Err(ParseError::no_unit(text)) };
        }
        let size = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, size)| *size)
            .ok_or_else(|| ParseError::unknown_unit(text, unit, "ns us ms s min h"))?;
        let span = number * size as f64;
        if span > u64::MAX as f64 / 2.0 {
            return Err(ParseError::too_large(text));
        }
        Ok(Nanos(span.round() as u64))
    }
}

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Nanos {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Nanos, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_a_unit() {
        assert_eq!("0.1 ms".parse(), Ok(Nanos(100_000)));
        assert_eq!("10min".parse(), Ok(Nanos::from_s(600)));
        assert!("5".parse::<Nanos>().unwrap_err().to_string().contains("unit"));
        assert!("5 parsecs".parse::<Nanos>().is_err());
        assert!("-5ms".parse::<Nanos>().is_err());
    }

    #[test]
    fn decimals_are_rounded_to_the_nearest_nanosecond() {
        for (text, ns) in
            [("0.5ns", 1), ("0.4ns", 0), ("1.9999ns", 2), ("2.0006us", 2_001), ("0.9999ms", 999_900)]
        {
            assert_eq!(text.parse(), Ok(Nanos(ns)), "{text}");
        }
        // Many of these, 4.035 among them, are no exact binary fractions: cut, they would lose a nanosecond.
        for ns in 0..100_000 {
            let text = format!("{}.{:03}us", ns / 1_000, ns % 1_000);
            assert_eq!(text.parse(), Ok(Nanos(ns)), "{text}");
        }
    }

    #[test]
    fn printed_spans_read_back_unchanged() {
        for ns in [0, 1, 999, 1_000, 100_000, 12_800_000, 60_000_000_000, 3_600_000_000_000, 1_500_000_000] {
            assert_eq!(Nanos(ns).to_string().parse(), Ok(Nanos(ns)));
        }
    }
}
