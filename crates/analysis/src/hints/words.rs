//! Numbers with their units as a person reads them.

use crate::compare::Comparison;
use crate::estimate::Estimate;
use crate::indicators::curve::At;

/// Three significant digits below 1000, whole numbers above.
pub(crate) fn number(value: f64) -> String {
    let digits = match value.abs() {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// The same without zeros at the end: for sizes, pauses and counts, which are typed in rather than measured.
pub(crate) fn plain(value: f64) -> String {
    let text = number(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn in_unit(value: f64, units: &[(&str, f64)], write: fn(f64) -> String) -> String {
    let fits = |unit: &&(&str, f64)| value.abs() >= unit.1;
    let (name, size) = units.iter().find(fits).or(units.last()).unwrap_or(&("", 1.0));
    format!("{} {name}", write(value / size))
}

/// A time that was measured.
pub(crate) fn time(ns: f64) -> String {
    in_unit(ns, &[("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)], number)
}

/// A time that was set.
pub(crate) fn pause(ms: f64) -> String {
    in_unit(ms, &[("s", 1e3), ("ms", 1.0), ("µs", 1e-3)], plain)
}

/// A size, in powers of 1024.
pub(crate) fn size(bytes: f64) -> String {
    const KIB: f64 = 1024.0;
    let units =
        [("TiB", KIB.powi(4)), ("GiB", KIB.powi(3)), ("MiB", KIB.powi(2)), ("KiB", KIB), ("bytes", 1.0)];
    in_unit(bytes, &units, plain)
}

/// Throughput, in powers of 1000.
pub(crate) fn rate(bytes_a_second: f64) -> String {
    in_unit(bytes_a_second, &[("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)], number)
}

/// A share between 0 and 1.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// `9.27 ms (9.10 ms to 9.44 ms)`.
pub(crate) fn mean(estimate: &Estimate) -> String {
    let [value, low, high] = [estimate.mean_ns, estimate.ci_low_ns, estimate.ci_high_ns].map(time);
    format!("{value} ({low} to {high})")
}

/// `x4.60 (4.40 to 4.80)`.
pub(crate) fn factor(of: &Comparison) -> String {
    format!("x{} ({} to {})", number(of.value), number(of.ci_low), number(of.ci_high))
}

/// `locality/RW 8MiB: 0.8 ms (0.78 ms to 0.82 ms)`.
pub(crate) fn point(at: &At<'_>) -> String {
    format!("{} {}", at.point.experiment.id(), mean(&at.estimate))
}

/// `SR` in words.
pub(crate) fn pattern(curve: &str) -> &str {
    match curve {
        "SR" => "sequential reads",
        "RR" => "random reads",
        "SW" => "sequential writes",
        "RW" => "random writes",
        other => other,
    }
}

/// `1 run`, `3 runs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `a, b and c`.
pub(crate) fn list(names: &[&str]) -> String {
    match names {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => names.concat(),
    }
}

/// The first few, and how many more.
pub(crate) fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_three_digits_and_their_unit() {
        assert_eq!(time(9_273_000.0), "9.27 ms");
        assert_eq!(time(85_430.0), "85.4 µs");
        assert_eq!(time(270e6), "270 ms");
        assert_eq!(time(0.0), "0.00 ns");
        assert_eq!(size(32768.0), "32 KiB");
        assert_eq!(size(1.5 * 1048576.0), "1.5 MiB");
        assert_eq!(size(512.0), "512 bytes");
        assert_eq!(pause(0.1), "100 µs");
        assert_eq!(plain(100.0), "100");
        assert_eq!(rate(1.25e9), "1.25 GB/s");
    }
}
