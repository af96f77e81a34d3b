//! One way to write a number: terminal, page, notes, errors and docs all take it from here, and the front end
//! (`report/src/units.ts`) follows the same rule.
//!
//! A measured number has **three significant digits** (zeros kept, and the whole part written out), a space
//! and its unit, which is the one that keeps it between 1 and 1000.
//!
//! | quantity | rule | examples |
//! |---|---|---|
//! | time | three digits; ns, µs, ms, s, from 1000 s on min, then h | `85.4 µs`, `300 µs`, `16.7 min` |
//! | time that was set | all its digits, no trailing zeros | `5 ms`, `12.8 ms` |
//! | size | three digits without trailing zeros, powers of 1024 | `512 B`, `32 KiB`, `1.5 GiB` |
//! | throughput | three digits, always in MB/s (10⁶) | `0.120 MB/s`, `81.9 MB/s`, `1,250 MB/s` |
//! | IO rate | three digits, whole part with commas; from a million on `M` | `2,500 IO/s`, `16.6 M IO/s` |
//! | share | two significant digits | `23 %`, `4.1 %`, `0.089 %` |
//! | factor | three digits after an `x` | `x1.50`, `x45.0` |
//! | count | exact, thousands set apart by commas | `512`, `928,967` |
//! | interval | both ends in the unit of the value, to the first digit of the half width | `9.10–9.45 ms` |
//! | nothing | a zero has one digit, what is not a number is a dash | `0 ns`, `–` |
//!
//! A half rounds away from zero, a minus is `−`, and beyond 10¹⁵ or below 10⁻⁶ numbers are written `1.23e-9`.
//! What a person types and a program reads back (`32KiB`, `100us`) is the text form of
//! [`Bytes`](crate::Bytes) and [`Nanos`](crate::Nanos) instead; JSON holds raw numbers.
//!
//! ```
//! use flashscope_core::number::{count, iops, percent, plural, size, span, span_range, throughput};
//!
//! assert_eq!(span(300_000.0), "300 µs");
//! assert_eq!(span(9_000_000.0), "9.00 ms");
//! assert_eq!(size(32_768.0), "32 KiB");
//! assert_eq!(throughput(81_920_000.0), "81.9 MB/s");
//! assert_eq!(iops(2_500.0), "2,500 IO/s");
//! assert_eq!(percent(0.041), "4.1 %");
//! assert_eq!(count(928_967), "928,967");
//! assert_eq!(span_range(9_100_000.0, 9_450_000.0), "9.10–9.45 ms");
//! assert_eq!(plural(1, "request is left out", "requests are left out"), "1 request is left out");
//! ```

mod factor;
mod interval;
mod words;

pub use factor::{factor_among, paper_factor, paper_round};
pub use interval::{Among, among, span_among, span_range};
pub use words::{counted, list, plural, some};

/// How a quantity is written: its units, smallest first, its significant digits, and whether it was measured
/// (zeros at the end are kept) or counted or set (whole numbers are exact).
struct Kind {
    steps: &'static [Step],
    digits: usize,
    is_measured: bool,
}

/// A unit: its name, how many of the base unit it is, and from which (rounded) number on the next
/// one is used.
struct Step {
    unit: &'static str,
    size: f64,
    end: f64,
}

const fn step(unit: &'static str, size: f64, end: f64) -> Step {
    Step { unit, size, end }
}

static TIME: Kind = measured(
    &[
        step("ns", 1.0, 999.5),
        step("µs", 1e3, 999.5),
        step("ms", 1e6, 999.5),
        step("s", 1e9, 999.5),
        step("min", 60e9, 59.95),
        step("h", 3600e9, f64::INFINITY),
    ],
    3,
);
static SIZE: Kind = Kind {
    steps: &[
        step("B", 1.0, 1023.5),
        step("KiB", 1024.0, 1023.5),
        step("MiB", 1_048_576.0, 1023.5),
        step("GiB", 1_073_741_824.0, 1023.5),
        step("TiB", 1_099_511_627_776.0, 1023.5),
        step("PiB", 1_125_899_906_842_624.0, f64::INFINITY),
    ],
    digits: 3,
    is_measured: false,
};
static THROUGHPUT: Kind = measured(&[step("MB/s", 1e6, f64::INFINITY)], 3);
static IO_RATE: Kind = measured(&[step("IO/s", 1.0, 999_999.5), step("M IO/s", 1e6, f64::INFINITY)], 3);
static PERCENT: Kind = measured(&[step("%", 1.0, f64::INFINITY)], 2);
static FACTOR: Kind = measured(&[step("x", 1.0, f64::INFINITY)], 3);

/// Whole numbers of things that have no unit of their own.
static OTHER: Kind = Kind { steps: &[step("", 1.0, f64::INFINITY)], digits: 3, is_measured: false };

const fn measured(steps: &'static [Step], digits: usize) -> Kind {
    Kind { steps, digits, is_measured: true }
}

impl Kind {
    /// Whether its units are known here, rather than a word of the caller's.
    fn is_named(&self) -> bool {
        !self.steps[0].unit.is_empty()
    }

    /// The unit in which the number is written.
    fn step(&self, value: f64) -> &'static Step {
        let fits = |step: &&Step| value.abs() / step.size < step.end;
        self.steps.iter().find(fits).unwrap_or(&self.steps[self.steps.len() - 1])
    }

    /// The number alone, in that unit.
    fn number(&self, value: f64, step: &Step) -> String {
        let number = value / step.size;
        if self.is_measured { significant(number, self.digits) } else { plain(number) }
    }

    fn write(&self, value: f64) -> String {
        if !value.is_finite() {
            return "–".into();
        }
        let step = self.step(value);
        with_unit(&self.number(value, step), step.unit)
    }
}

/// The kind of quantity that a unit's name stands for, and how many of its base units it is.
fn kind_of(unit: &str) -> (&'static Kind, f64) {
    match unit {
        "ns" => (&TIME, 1.0),
        "us" | "µs" => (&TIME, 1e3),
        "ms" => (&TIME, 1e6),
        "s" => (&TIME, 1e9),
        "bytes" => (&SIZE, 1.0),
        "MB/s" => (&THROUGHPUT, 1e6),
        "IO/s" => (&IO_RATE, 1.0),
        "%" => (&PERCENT, 1.0),
        "x" => (&FACTOR, 1.0),
        _ => (&OTHER, 1.0),
    }
}

/// A time measured in nanoseconds: `85.4 µs`, `300 µs`, `9.27 ms`, `1.20 s`, `2.50 h`.
pub fn span(ns: f64) -> String {
    TIME.write(ns)
}

/// A time that was set or typed in, with all its digits and no zeros at the end: `5 ms`, `12.8 ms`, `100 µs`.
pub fn exact_span(ns: f64) -> String {
    let step = TIME.step(ns);
    with_unit(trimmed(&significant(ns / step.size, 15)), step.unit)
}

/// A size in bytes, rounded: `512 B`, `32 KiB`, `1.5 GiB`.
pub fn size(bytes: f64) -> String {
    SIZE.write(bytes)
}

/// A size in the largest unit of which it is a whole multiple: `1 GiB`, `4,097 B`.
pub fn exact_size(bytes: u64) -> String {
    let fits = |step: &&Step| bytes != 0 && bytes.is_multiple_of(step.size as u64);
    let step = SIZE.steps.iter().rev().find(fits).unwrap_or(&SIZE.steps[0]);
    with_unit(&count(bytes / step.size as u64), step.unit)
}

/// Bytes a second: `0.120 MB/s`, `81.9 MB/s`, `1,250 MB/s`.
pub fn throughput(bytes_per_s: f64) -> String {
    THROUGHPUT.write(bytes_per_s)
}

/// IOs a second: `104 IO/s`, `2,500 IO/s`, `9.10 M IO/s`.
pub fn iops(ios_per_s: f64) -> String {
    IO_RATE.write(ios_per_s)
}

/// How many times as long, as fast, as much: `x1.50`, `x45.0`.
pub fn factor(factor: f64) -> String {
    FACTOR.write(factor)
}

/// A share of the whole (0 to 1) in two digits: `23 %`, `4.1 %`, `0.089 %`.
pub fn percent(share: f64) -> String {
    PERCENT.write(100.0 * share)
}

/// A number of things, exactly: `512`, `928,967`.
pub fn count(things: u64) -> String {
    grouped(&things.to_string())
}

/// A number in a unit that is known by its name only, as columns and axes have them.
///
/// | `unit` | written as |
/// |---|---|
/// | `ns`, `us`, `ms`, `s` | [`span`] |
/// | `bytes` | [`size`] |
/// | `MB/s`, `IO/s`, `%` | [`throughput`], [`iops`], [`percent`] |
/// | `x` | [`factor`] |
/// | any other | whole numbers exactly, others in three digits, before the unit |
pub fn in_unit(value: f64, unit: &str) -> String {
    let (kind, size) = kind_of(unit);
    let text = kind.write(value * size);
    if kind.is_named() { text } else { with_unit(&text, unit) }
}

/// A number that counts or was set: whole numbers exactly, others in three digits without trailing zeros.
pub fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return fixed(value, 0);
    }
    trimmed(&digits(value)).into()
}

/// Three significant digits, the whole part always written out: `0.402`, `9.00`, `81.9`, `12,346`.
pub fn digits(value: f64) -> String {
    significant(value, 3)
}

/// So many significant digits, and never fewer than the whole part has.
pub fn significant(value: f64, count: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let count = count.max(1);
    let text = format!("{value:.*e}", count - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    if !(-6..15).contains(&exponent) {
        return text.replacen('-', "−", usize::from(value < 0.0));
    }
    fixed(value, usize::try_from(count as i32 - 1 - exponent).unwrap_or(0))
}

/// With so many decimals; a half is rounded away from zero.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let shift = 10f64.powi(decimals as i32);
    let shifted = value * shift;
    // `format!` rounds a half to the even digit. The fused product tells a half from what only looks like it.
    let is_half = shifted.fract().abs() == 0.5 && value.mul_add(shift, -shifted) == 0.0;
    let value = if is_half { value * (1.0 + f64::EPSILON) } else { value };
    let text = grouped(&format!("{:.decimals$}", value.abs()));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

/// Without zeros that say nothing.
pub fn trimmed(text: &str) -> &str {
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    match unit {
        "" => number.into(),
        "x" => format!("x{number}"),
        _ => format!("{number} {unit}"),
    }
}

/// Commas between thousands of the whole part.
fn grouped(number: &str) -> String {
    let (whole, decimals) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut grouped = String::with_capacity(number.len() + whole.len() / 3);
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + decimals
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of number and text, which the front end's test reads too.
    #[derive(serde::Deserialize)]
    struct Pairs {
        numbers: Vec<(f64, String, String)>,
        intervals: Vec<(f64, [f64; 2], String, String)>,
    }

    fn shared_pairs() -> Pairs {
        serde_json::from_str(include_str!("number/pairs.json")).unwrap()
    }

    #[test]
    fn numbers_are_written_as_the_shared_table_says() {
        let pairs = shared_pairs();
        for (value, unit, text) in &pairs.numbers {
            assert_eq!(&in_unit(*value, unit), text, "{value} {unit}");
        }
        for (value, [low, high], unit, text) in &pairs.intervals {
            let Among { value, interval } = interval::among(*value, (*low, *high), unit);
            assert_eq!(&format!("{value} ({interval})"), text);
        }
        assert!(pairs.numbers.len() > 40 && pairs.intervals.len() > 5);
    }

    /// The shared table again, asked by quantity.
    #[test]
    fn every_quantity_is_written_as_its_unit_in_the_shared_table() {
        let pairs = shared_pairs();
        let mut asked = std::collections::BTreeSet::new();
        for (value, unit, text) in &pairs.numbers {
            let written = match unit.as_str() {
                "ns" => span(*value),
                "bytes" => size(*value),
                "MB/s" => throughput(value * 1e6),
                "IO/s" => iops(*value),
                "%" => percent(value / 100.0),
                "x" => factor(*value),
                _ => continue,
            };
            assert_eq!(&written, text, "{value} {unit}");
            asked.insert(unit);
        }
        assert_eq!(asked.len(), 6, "{asked:?}");
    }

    #[test]
    fn a_number_never_reaches_the_next_unit_by_rounding() {
        for power in 0..60 {
            for value in [9.994, 9.996, 9.9996, 99.96, 999.4, 999.6].map(|v| v * 2f64.powi(power)) {
                let text = span(value);
                let number = text.split(' ').next().unwrap();
                let number: f64 = number.replace(',', "").parse().unwrap();
                assert!((1.0..1000.0).contains(&number) || text.ends_with('h'), "{value}: {text}");
            }
        }
    }

    #[test]
    fn three_digits_are_kept_at_every_size() {
        for step in -800..2_000 {
            let value = 1.013f64.powi(step);
            let text = digits(value).replace(',', "");
            let read: f64 = text.parse().unwrap();
            assert!((read / value - 1.0).abs() < 0.0051, "{value}: {text}");
            assert!(text.bytes().filter(u8::is_ascii_digit).count() >= 3, "{value}: {text}");
        }
    }

    /// A whole number has all its digits below 10^15 and none but three from there on, of either sign.
    #[test]
    fn whole_numbers_are_exact_up_to_the_power_that_the_rule_names() {
        let below = plain(1e15 - 1.0);
        assert_eq!(below, "999,999,999,999,999");
        assert_eq!([plain(1e15), plain(-1e15)], ["1.00e15", "−1.00e15"]);
        assert_eq!(plain(1e15), digits(1e15));
    }

    #[test]
    fn times_that_were_set_keep_their_digits_and_no_zeros() {
        let spans = [0.0, 250.0, 100_000.0, 12_800_000.0, 5e6, 1.5e9, 600e9].map(exact_span);
        assert_eq!(spans, ["0 ns", "250 ns", "100 µs", "12.8 ms", "5 ms", "1.5 s", "600 s"]);
    }

    #[test]
    fn exact_sizes_lose_nothing() {
        let sizes = [0, 1000, 1024, 4000, 1 << 30, (1 << 30) + 512, 3 << 40].map(exact_size);
        assert_eq!(sizes, ["0 B", "1,000 B", "1 KiB", "4,000 B", "1 GiB", "1,073,742,336 B", "3 TiB"]);
    }
}
