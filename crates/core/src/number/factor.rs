//! Factors: how many times as long, as fast, as much.

use super::interval::{Among, beside, decimals, read};
use super::{digits, factor as exact};

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

/// A factor as [`paper_factor`] writes it, unless its own interval says better.
pub fn factor_among(factor: f64, (low, high): (f64, f64)) -> Among {
    let paper = paper_factor(factor);
    let Some(decimals) = decimals(low, high) else {
        // An exact factor that is not 1 is a difference, if a small one.
        let is_difference = paper == "=" && digits(factor) != "1.00";
        let value = if is_difference { exact(factor) } else { paper };
        return Among { value, interval: String::new() };
    };
    let shown = beside(factor, (low, high), paper_round(factor).to_string(), decimals);
    let is_paper = read(&shown.value) == paper_round(factor);
    Among { value: if is_paper { paper } else { format!("x{}", shown.value) }, ..shown }
}

/// Decimals that show one digit of this size.
fn decimals_of(digit: f64) -> usize {
    (-digit.log10().round()).max(0.0) as usize
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
        assert_eq!(factor(123_456.7, (123_456.6, 123_456.8)), pair("x123,457", "123,457–123,457"));
    }

    #[test]
    fn no_number_is_outside_of_the_interval_beside_it() {
        let bare = |text: &str| {
            text.trim_start_matches('x').replace('=', "1").replace(',', "").parse::<f64>().unwrap()
        };
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
}
