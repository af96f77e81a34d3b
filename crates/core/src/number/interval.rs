//! Numbers with their intervals: to the same digit, in one unit.

use super::{Kind, Step, TIME, fixed, kind_of, significant, with_unit};

/// A number and its interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Among {
    /// With its unit: as it is written alone if that lies within the interval shown, else to
    /// the interval's digit.
    pub value: String,
    /// `9.10–9.45`, in the unit of the value; empty for a point.
    pub interval: String,
}

/// A number in a unit known by its name (see [`in_unit`](super::in_unit)) with its interval.
pub fn among(value: f64, (low, high): (f64, f64), unit: &str) -> Among {
    let (kind, size) = kind_of(unit);
    let mut shown = of_kind(kind, value * size, (low * size, high * size));
    if !kind.is_named() {
        shown.value = with_unit(&shown.value, unit);
    }
    shown
}

/// A time in nanoseconds with its interval: `20.4 ms`, `20.3–20.5`.
pub fn span_among(ns: f64, ends_ns: (f64, f64)) -> Among {
    of_kind(&TIME, ns, ends_ns)
}

/// Both ends of an interval in the unit that suits the upper one: `9.10–9.45 ms`.
pub fn span_range(low_ns: f64, high_ns: f64) -> String {
    let step = TIME.step(high_ns);
    let [low, high] = [low_ns, high_ns].map(|ns| TIME.number(ns, step));
    with_unit(&joined(&low, &high), step.unit)
}

fn of_kind(kind: &Kind, value: f64, ends: (f64, f64)) -> Among {
    let step: &Step = kind.step(value);
    let alone = kind.number(value, step);
    let (low, high) = (ends.0 / step.size, ends.1 / step.size);
    let shown = match decimals(low, high) {
        None => Among { value: alone, interval: String::new() },
        // Sizes and counts keep the form that they have alone.
        Some(_) if !kind.is_measured && [low, high].iter().all(|end| end.fract() == 0.0) => {
            Among { value: alone, interval: joined(&fixed(low, 0), &fixed(high, 0)) }
        }
        Some(decimals) => beside(value / step.size, (low, high), alone, decimals),
    };
    Among { value: with_unit(&shown.value, step.unit), ..shown }
}

/// Decimals down to the first digit of the half width, with five digits in all at most; none for a point.
pub(super) fn decimals(low: f64, high: f64) -> Option<usize> {
    let half = (high - low) / 2.0;
    let size = high.abs().log10().floor();
    let is_wide = half.is_finite() && half > 0.0;
    is_wide.then(|| (-half.log10().floor()).min(4.0 - size).clamp(0.0, 6.0) as usize)
}

/// The number as `alone` has it, or to the digits of the interval where `alone` lies outside.
pub(super) fn beside(value: f64, (low, high): (f64, f64), alone: String, decimals: usize) -> Among {
    let mut ends = [low, high].map(|end| fixed(end, decimals));
    if low > 0.0 && read(&ends[0]) == 0.0 {
        // Far below the other end, and not nothing.
        ends = [low, high].map(|end| significant(end, 2));
    }
    let [least, most] = ends.each_ref().map(|end| read(end));
    let is_within = (least..=most).contains(&read(&alone));
    let value = if is_within { alone } else { fixed(value, decimals) };
    Among { value, interval: joined(&ends[0], &ends[1]) }
}

/// A dash would be lost beside a minus.
fn joined(low: &str, high: &str) -> String {
    let joint = if low.contains('−') { " to " } else { "–" };
    format!("{low}{joint}{high}")
}

/// The number that was written.
pub(super) fn read(text: &str) -> f64 {
    text.replace(',', "").replace('−', "-").parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_within_the_interval_beside_it() {
        let time = span_among(20_415_000.0, (20_411_000.0, 20_419_000.0));
        assert_eq!((time.value.as_str(), time.interval.as_str()), ("20.415 ms", "20.411–20.419"));
        let time = span_among(19_890_000.0, (19_700_000.0, 20_100_000.0));
        assert_eq!((time.value.as_str(), time.interval.as_str()), ("19.9 ms", "19.7–20.1"));
        assert_eq!(span_range(980_000.0, 1_020_000.0), "0.980–1.02 ms");
        let time = span_among(4_870_000.0, (83_600.0, 5_440_000.0));
        assert_eq!((time.value.as_str(), time.interval.as_str()), ("4.87 ms", "0.084–5.4"));
    }

    /// Worked out by hand: the half widths are 0.5, 0.3, 2 and 2.72.
    #[test]
    fn ends_are_written_to_the_first_digit_of_the_half_width_unless_counts_are_whole() {
        let shown = |value, ends, unit| {
            let shown = among(value, ends, unit);
            (shown.value, shown.interval)
        };
        let pair = |value: &str, interval: &str| (value.to_string(), interval.to_string());
        assert_eq!(shown(18.4, (18.0, 19.0), "ms"), pair("18.4 ms", "18.0–19.0"));
        assert_eq!(shown(2.5, (2.2, 2.8), "IOs"), pair("2.5 IOs", "2.2–2.8"));
        assert_eq!(shown(20.0, (18.0, 22.0), "IOs"), pair("20 IOs", "18–22"));
        // A zero is not far below the other end: it is nothing.
        assert_eq!(shown(4.0, (0.0, 5.44), "ms"), pair("4.00 ms", "0–5"));
    }
}
