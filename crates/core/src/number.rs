//! Numbers as a person reads them: three digits are enough, and the unit is always there.

/// Rounds a factor as paper 001's table 3 does: one digit, with half steps between 1 and 2.
pub fn paper_round(factor: f64) -> f64 {
    if !(factor.is_finite() && factor > 0.0) {
        return factor;
    }
    if (1.0..2.0).contains(&factor) {
        return (factor * 2.0).round() / 2.0;
    }
    let digit = 10f64.powf(factor.log10().floor());
    // 0.6 and not 0.6000000000000001.
    let rounded = (factor / digit).round() * digit;
    format!("{rounded:.0$}", decimals_of(digit)).parse().unwrap_or(rounded)
}

/// A factor as in paper 001's table 3: `=` where it rounds to 1, else `x1.5`, `x0.6`, `x40`.
pub fn paper_factor(factor: f64) -> String {
    match paper_round(factor) {
        1.0 => "=".into(),
        rounded => format!("x{rounded}"),
    }
}

/// A number with its interval, both to the same digit: see [`among`].
pub struct Among {
    /// The number: as it is shown alone, if that lies within the interval that is shown.
    pub value: String,
    /// `0.39–0.41`; empty for a point.
    pub interval: String,
}

/// The number's rounding that `alone` is wins where it lies within the interval; else the number has the
/// interval's digits, so that nobody reads a value outside of its own interval. `shown` is what `alone` says.
pub fn among(value: f64, (low, high): (f64, f64), alone: &str, shown: f64) -> Among {
    let half = (high - low) / 2.0;
    if half.is_nan() || half <= 0.0 {
        return Among { value: alone.into(), interval: String::new() };
    }
    // To the first digit of the half width, and no more than five digits in all.
    let size = high.abs().log10().floor();
    let decimals = (-half.log10().floor()).min(4.0 - size).clamp(0.0, 6.0) as usize;
    let text = |number: f64| format!("{number:.decimals$}");
    let ends = [low, high].map(text);
    let [least, most] = ends.each_ref().map(|end| end.parse::<f64>().unwrap_or(f64::NAN));
    let is_within = (least..=most).contains(&shown);
    let value = if is_within { alone.to_string() } else { text(value) };
    Among { value, interval: ends.join("–") }
}

/// A factor as [`paper_factor`] shows it, unless its own interval says better.
pub fn factor_among(factor: f64, ends: (f64, f64)) -> Among {
    let alone = paper_factor(factor);
    let mut shown = among(factor, ends, &alone, paper_round(factor));
    let is_equal = digits(factor) == "1.00";
    if shown.interval.is_empty() && alone == "=" && !is_equal {
        // An exact factor that is not 1 is a difference, if a small one.
        shown.value = digits(factor);
    }
    if shown.value != alone {
        shown.value.insert(0, 'x');
    }
    shown
}

/// A time as [`span`] shows it, unless its own interval says better; the interval is in the same unit.
pub fn span_among(ns: f64, (low_ns, high_ns): (f64, f64)) -> Among {
    let (value, unit) = scaled_span(ns, ns);
    let ends = (scaled_span(low_ns, ns).0, scaled_span(high_ns, ns).0);
    let alone = digits(value);
    let shown = among(value, ends, &alone, alone.parse().unwrap_or(f64::NAN));
    Among { value: format!("{} {unit}", shown.value), ..shown }
}

/// Decimals that show one digit of this size.
fn decimals_of(digit: f64) -> usize {
    (-digit.log10().round()).max(0.0) as usize
}

/// Three significant digits, never fewer than the whole part has.
pub fn digits(value: f64) -> String {
    let size = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (2.0 - size).clamp(0.0, 6.0) as usize;
    // 9.999 has three digits only before it is rounded.
    let text = format!("{value:.decimals$}");
    let whole = text.split('.').next().unwrap_or("").trim_start_matches('-').len();
    if decimals > 0 && size >= 0.0 && whole as f64 > size + 1.0 {
        return format!("{value:.*}", decimals - 1);
    }
    text
}

/// A span of time: `80.0 ns`, `12.3 µs`, `0.402 ms`, `9.27 ms`, `1.20 s`.
pub fn span(ns: f64) -> String {
    let (value, unit) = scaled_span(ns, ns);
    format!("{} {unit}", digits(value))
}

/// Two ends of an interval in the unit that suits them: `9.10 to 9.45 ms`.
pub fn span_range(low_ns: f64, high_ns: f64) -> String {
    let (high, unit) = scaled_span(high_ns, high_ns);
    let (low, _) = scaled_span(low_ns, high_ns);
    format!("{} to {} {unit}", digits(low), digits(high))
}

fn scaled_span(ns: f64, like_ns: f64) -> (f64, &'static str) {
    match like_ns.abs() {
        size if size < 1e3 => (ns, "ns"),
        size if size < 1e5 => (ns / 1e3, "µs"),
        size if size < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    }
}

/// A size in binary units as a person reads it: `512 B`, `32 KiB`, `1.5 GiB`. The form that is typed and read
/// back is [`crate::Bytes`]'s own.
pub fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", trimmed(&digits(value)), units[unit])
}

/// A number of things: `512`, `2,304`, `148 k`, `9.10 M`.
pub fn count(things: u64) -> String {
    match things {
        0..10_000 => grouped(things),
        10_000..1_000_000 => format!("{} k", trimmed(&digits(things as f64 / 1e3))),
        1_000_000..1_000_000_000 => format!("{} M", trimmed(&digits(things as f64 / 1e6))),
        _ => format!("{} G", trimmed(&digits(things as f64 / 1e9))),
    }
}

/// A number of things with their name: `1 run`, `2,304 IOs`.
pub fn counted(things: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(things), if things == 1 { "" } else { "s" })
}

/// Exact, with commas: `1,048,576`.
pub fn grouped(things: u64) -> String {
    let text = things.to_string();
    let mut grouped = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && (text.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A rate: `9.10 M IO/s`, `104 IO/s`.
pub fn rate(iops: f64) -> String {
    match iops {
        iops if iops >= 1e6 => format!("{} M IO/s", digits(iops / 1e6)),
        iops if iops >= 1e4 => format!("{} k IO/s", digits(iops / 1e3)),
        iops => format!("{} IO/s", digits(iops)),
    }
}

/// A share in two digits: `23 %`, `4.1 %`, `0.089 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        size if size >= 10.0 => format!("{percent:.0} %"),
        size if size >= 1.0 || size == 0.0 => format!("{percent:.1} %"),
        size if size >= 0.001 => format!("{percent:.*} %", (1.0 - size.log10().floor()) as usize),
        _ => "below 0.001 %".into(),
    }
}

/// Without zeros that say nothing.
pub fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_factor_of_table_3_is_its_own_rounding() {
        for factor in [0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 20.0, 40.0] {
            assert_eq!(paper_round(factor), factor);
            let shown = if factor == 1.0 { "=".to_string() } else { format!("x{factor}") };
            assert_eq!(paper_factor(factor), shown);
        }
    }

    #[test]
    fn factors_near_those_of_table_3_are_shown_as_them() {
        for (measured, shown) in [
            (1.04, "="),
            (0.97, "="),
            (1.24, "="),
            (1.26, "x1.5"),
            (1.74, "x1.5"),
            (1.76, "x2"),
            (2.4, "x2"),
            (2.6, "x3"),
            (0.57, "x0.6"),
            (0.63, "x0.6"),
            (9.7, "x10"),
            (19.2, "x20"),
            (41.0, "x40"),
            (0.043, "x0.04"),
        ] {
            assert_eq!(paper_factor(measured), shown, "{measured}");
        }
    }

    #[test]
    fn a_number_is_within_the_interval_beside_it() {
        let factor = |value, ends| {
            let shown = factor_among(value, ends);
            (shown.value, shown.interval)
        };
        let pair = |value: &str, interval: &str| (value.to_string(), interval.to_string());
        assert_eq!(factor(1.607, (1.56, 1.65)), pair("x1.61", "1.56–1.65"));
        assert_eq!(factor(1.55, (1.46, 1.65)), pair("x1.5", "1.46–1.65"));
        assert_eq!(factor(1.177, (1.13, 1.23)), pair("x1.18", "1.13–1.23"));
        assert_eq!(factor(1.02, (0.98, 1.06)), pair("=", "0.98–1.06"));
        assert_eq!(factor(16.1, (15.8, 16.4)), pair("x16.1", "15.8–16.4"));
        assert_eq!(factor(26.947368, (26.947368, 26.9473681)), pair("x26.947", "26.947–26.947"));
        assert_eq!(factor(26.947368, (26.947368, 26.947368)), pair("x30", ""));
        assert_eq!(factor(1.1592, (1.1592, 1.1592)), pair("x1.16", ""));
        assert_eq!(factor(1.001, (1.001, 1.001)), pair("=", ""));
        assert_eq!(factor(123_456.7, (123_456.6, 123_456.8)), pair("x123457", "123457–123457"));
        let time = span_among(20_415_000.0, (20_411_000.0, 20_419_000.0));
        assert_eq!((time.value.as_str(), time.interval.as_str()), ("20.415 ms", "20.411–20.419"));
        let time = span_among(19_890_000.0, (19_700_000.0, 20_100_000.0));
        assert_eq!((time.value.as_str(), time.interval.as_str()), ("19.9 ms", "19.7–20.1"));
    }

    #[test]
    fn no_number_is_outside_of_the_interval_beside_it() {
        let bare = |text: &str| text.trim_start_matches('x').replace('=', "1").parse::<f64>().unwrap();
        for step in 1..4_000 {
            let value = 0.003 * 1.004f64.powi(step);
            for share in [0.3, 0.04, 0.007, 1e-4, 1e-9] {
                let shown = factor_among(value, (value * (1.0 - share), value * (1.0 + 0.7 * share)));
                let (low, high) = shown.interval.split_once('–').unwrap();
                let is_within = (bare(low)..=bare(high)).contains(&bare(&shown.value));
                assert!(is_within, "{value}: {} in {}", shown.value, shown.interval);
            }
        }
    }

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        assert_eq!(span(80.0), "80.0 ns");
        assert_eq!(span(12_345.0), "12.3 µs");
        assert_eq!(span(402_000.0), "0.402 ms");
        assert_eq!(span(9_996_000.0), "10.0 ms");
        assert_eq!(span(233e6), "233 ms");
        assert_eq!(span_range(980_000.0, 1_020_000.0), "0.980 to 1.02 ms");
        assert_eq!(size(32768.0), "32 KiB");
        assert_eq!(size(512.0), "512 B");
        assert_eq!(size(1.5 * 1073741824.0), "1.5 GiB");
        assert_eq!((count(512), count(2304), count(148_000)), ("512".into(), "2,304".into(), "148 k".into()));
        assert_eq!(grouped(1_048_576), "1,048,576");
        assert_eq!(
            [counted(0, "run"), counted(1, "run"), counted(2304, "IO")],
            ["0 runs", "1 run", "2,304 IOs"]
        );
        assert_eq!(rate(9.1e6), "9.10 M IO/s");
        assert_eq!((percent(0.041), percent(0.231)), ("4.1 %".into(), "23 %".into()));
        assert_eq!((percent(0.00089), percent(1e-9)), ("0.089 %".into(), "below 0.001 %".into()));
    }
}
