//! A suite's numbers as words: the same in the terminal and on the page.

use flashscope_analysis::reading::{Cell, Column};

use flashscope_core::number::{count, digits, size};

/// An interval that is a smaller share of its number is not shown.
const NARROW: f64 = 5e-4;

/// The cell as it is read in its column, whose heading has the unit.
pub(crate) fn text(cell: &Cell, column: &Column) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Words(words) => words.clone(),
        Cell::Number { value, low, high } => {
            let alone = number(*value, &column.unit);
            let half = low.zip(*high).map(|(low, high)| (high - low) / 2.0);
            // What is narrower than the digits that are shown is none to show.
            let is_seen = |half: &f64| half.is_finite() && *half > NARROW * value.abs();
            match half.filter(|half| is_seen(half) && column.unit != "bytes") {
                Some(half) => format!("{alone} ± {}", like(half, &alone)),
                None => alone,
            }
        }
    }
}

fn number(value: f64, unit: &str) -> String {
    match unit {
        "bytes" => size(value),
        "IOs" if value >= 0.0 => count(value.round() as u64),
        _ => digits(value),
    }
}

/// As many decimals as the number that it belongs to, but one digit at least.
fn like(half: f64, number: &str) -> String {
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let text = format!("{half:.decimals$}");
    if text.parse() == Ok(0.0) { digits(half) } else { text }
}

/// The heading of a column with its unit. Sizes bring theirs.
pub(crate) fn heading(column: &Column) -> String {
    match column.unit.as_str() {
        "" | "bytes" | "IOs" => column.label.clone(),
        unit => format!("{}, {unit}", column.label),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_interval_to_the_same_digit() {
        let column = |unit: &str| Column { label: "speed".into(), unit: unit.into() };
        let shown = |value, ends, unit: &str| text(&Cell::between(value, ends), &column(unit));
        assert_eq!(shown(33.14, (32.7, 33.5), "MB/s"), "33.1 ± 0.4");
        assert_eq!(shown(33.14, (33.1399, 33.1401), "MB/s"), "33.1");
        assert_eq!(shown(0.012, (0.011, 0.013), "MB/s"), "0.0120 ± 0.0010");
        assert_eq!(text(&Cell::number(Some(32768.0)), &column("bytes")), "32 KiB");
        assert_eq!(text(&Cell::Empty, &column("ms")), "");
        assert_eq!((heading(&column("bytes")), heading(&column("ms"))), ("speed".into(), "speed, ms".into()));
    }
}
