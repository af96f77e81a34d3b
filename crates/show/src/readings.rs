//! What a suite found of two devices, number beside number. How that is shown is in `view` and `json`.

use std::collections::BTreeMap;

use flashscope_analysis::reading::{Cell, Column, Reading, Table};

use flashscope_core::number::digits;

/// The suites of two runs.
#[derive(Clone, Copy, Debug)]
pub struct Suites<'a> {
    /// Which.
    pub names: [&'a str; 2],
    /// Findings of each, where both are of the same and it has something to say.
    pub readings: Option<[&'a Reading; 2]>,
}

impl Suites<'_> {
    /// That they are not the same, in a line.
    pub(crate) fn differ(&self) -> Option<String> {
        let [a, b] = self.names;
        let text =
            format!("Different suites: A {a}, B {b}; only experiments with the same name are compared.");
        (a != b).then_some(text)
    }
}

/// A number that both readings have.
pub(crate) struct Twin<'a> {
    /// The table that it is from.
    pub(crate) table: &'a Table,
    /// The cells that tell its row from others, as they are read.
    pub(crate) row: String,
    /// What it is.
    pub(crate) column: &'a Column,
    /// Its unit: the column's, or the row's where each has its own.
    pub(crate) unit: &'a str,
    /// Of A and of B.
    pub(crate) cells: [&'a Cell; 2],
    /// How B differs.
    pub(crate) change: Change,
}

/// What sets two numbers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// B over A.
    Ratio(f64),
    /// B less A: of per cents, and of what is not above 0, a ratio says nothing.
    Difference(f64),
}

impl Change {
    fn of(a: f64, b: f64, unit: &str) -> Change {
        let ratio = Some(b / a).filter(|ratio| unit != "%" && a > 0.0 && b > 0.0 && ratio.is_finite());
        ratio.map_or(Change::Difference(b - a), Change::Ratio)
    }
}

/// The numbers of tables, rows and columns that are in both, in the order of A.
pub(crate) fn twins<'a>(a: &'a Reading, b: &'a Reading) -> Vec<Twin<'a>> {
    let of_both = a.tables.iter().filter_map(|table| {
        let other = b.tables.iter().find(|other| other.id == table.id && other.columns == table.columns)?;
        Some((table, other))
    });
    of_both.flat_map(|(table, other)| of_table(table, other)).collect()
}

fn of_table<'a>(table: &'a Table, other: &'a Table) -> Vec<Twin<'a>> {
    let width = key_width(table).max(key_width(other));
    let of_b: BTreeMap<_, _> = keyed(other, width).collect();
    let rows = keyed(table, width).filter_map(|(key, row)| Some((*of_b.get(&key)?, key.0.join(", "), row)));
    let twins = rows.flat_map(|(in_b, name, in_a)| {
        let cells = in_a.iter().zip(in_b).zip(&table.columns).skip(width);
        cells.filter_map(move |((a, b), column)| {
            let (of_a, of_b) = (a.value?, b.value?);
            let unit = unit(table, in_a, column);
            let change = Change::of(of_a, of_b, unit);
            Some(Twin { table, row: name.clone(), column, unit, cells: [a, b], change })
        })
    });
    twins.collect()
}

/// The unit of a column, or of the row where a column of the table has it.
fn unit<'a>(table: &Table, row: &'a [Cell], column: &'a Column) -> &'a str {
    let place = table.columns.iter().position(|column| column.label == "unit");
    match place.and_then(|place| row.get(place)) {
        Some(Cell { text, value: None, .. }) if column.unit.is_empty() => text,
        _ => &column.unit,
    }
}

/// How many of the first cells tell all rows apart, if those that begin with words can: at least one.
fn key_width(table: &Table) -> usize {
    let is_words = |cell: &&Cell| cell.value.is_none() && !cell.text.is_empty();
    let in_words = |row: &Vec<Cell>| row.iter().take_while(is_words).count();
    let most = table.rows.iter().map(in_words).min().unwrap_or(1).max(1);
    let is_unique = |width: &usize| keyed(table, *width).all(|((_, count), _)| count == 1);
    (1..most).find(is_unique).unwrap_or(most)
}

/// Rows by the words of their first cells, and how many above have the same.
fn keyed(table: &Table, width: usize) -> impl Iterator<Item = ((Vec<String>, usize), &Vec<Cell>)> {
    let mut seen = BTreeMap::new();
    table.rows.iter().map(move |row| {
        let key: Vec<String> = row.iter().take(width).map(|cell| cell.text.clone()).collect();
        let count: &mut usize = seen.entry(key.clone()).or_default();
        *count += 1;
        ((key, *count), row)
    })
}

/// An interval that is a smaller share of its number is not shown.
const NARROW: f64 = 5e-4;

/// A cell in one line: a number with half of its interval's width.
pub(crate) fn text(cell: &Cell, column: &Column) -> String {
    let half = cell.interval.map(|[low, high]| (high - low) / 2.0);
    // What is narrower than the digits that are shown is none to show.
    let is_seen =
        |half: &f64| half.is_finite() && cell.value.is_some_and(|value| *half > NARROW * value.abs());
    match half.filter(|half| is_seen(half) && column.unit != "bytes") {
        Some(half) => format!("{} ± {}", cell.text, like(half, &cell.text)),
        None => cell.text.clone(),
    }
}

/// As many decimals as the number that it belongs to, but one digit at least.
fn like(half: f64, number: &str) -> String {
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let text = format!("{half:.decimals$}");
    if text.parse() == Ok(0.0) { digits(half) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rows: &[(&str, Option<f64>)]) -> Reading {
        let table = Table::new("costs", "Costs", "", ["of", "time, ms"]);
        let table = table.with_rows(rows.iter().map(|(of, ms)| vec![Cell::words(*of), Cell::number(*ms)]));
        Reading { tables: vec![table], ..Reading::default() }
    }

    #[test]
    fn a_number_has_its_interval_to_the_same_digit() {
        let shown = |value, ends| {
            let mut table = Table::new("speeds", "", "", ["speed, MB/s"]);
            table.add([Cell::between(value, ends)]);
            text(&table.rows[0][0], &table.columns[0])
        };
        assert_eq!(shown(33.14, (32.7, 33.5)), "33.1 ± 0.4");
        assert_eq!(shown(33.14, (33.1399, 33.1401)), "33.1");
        assert_eq!(shown(0.012, (0.011, 0.013)), "0.0120 ± 0.0010");
    }

    #[test]
    fn numbers_of_the_same_row_and_column_stand_beside_each_other() {
        let a = reading(&[("flush", Some(2.0)), ("trim", Some(0.0)), ("idle", None), ("flush", Some(5.0))]);
        let b = reading(&[("idle", Some(1.0)), ("flush", Some(3.0)), ("trim", Some(1.0))]);
        let found: Vec<_> = twins(&a, &b).iter().map(|twin| (twin.row.clone(), twin.change)).collect();
        assert_eq!(
            found,
            [("flush".to_string(), Change::Ratio(1.5)), ("trim".into(), Change::Difference(1.0))]
        );
    }

    #[test]
    fn of_per_cents_and_of_what_is_not_above_0_the_difference_is_told() {
        assert_eq!(Change::of(-14.5, 0.0, "%"), Change::Difference(14.5));
        assert_eq!(Change::of(2.0, 6.0, "%"), Change::Difference(4.0));
        assert_eq!(Change::of(-2.0, -1.0, "ms"), Change::Difference(1.0));
        assert_eq!(Change::of(2.0, 3.0, "ms"), Change::Ratio(1.5));
    }

    #[test]
    fn where_each_row_has_its_own_unit_the_number_has_that() {
        let mut table = Table::new("found", "Inside", "", ["quantity", "value", "unit"]);
        table.add([Cell::words("knee"), Cell::number(3.0), Cell::words("IOs in flight")]);
        let reading = Reading { tables: vec![table], ..Reading::default() };
        let found = twins(&reading, &reading);
        assert_eq!((found.len(), found[0].unit), (1, "IOs in flight"));
    }

    /// A mix at two sizes, as a test of latency has it: the size is a part of the row's name.
    #[test]
    fn rows_are_told_apart_by_as_many_words_as_it_takes() {
        let of = |rows: &[[&str; 3]], ms: f64| {
            let mut table = Table::new("latency", "Latency", "", ["mix", "size", "rounds", "mean, ms"]);
            rows.iter().for_each(|row| table.add(row.map(Cell::words).into_iter().chain([Cell::number(ms)])));
            Reading { tables: vec![table], ..Reading::default() }
        };
        // The number of rounds is no part of it: it may differ.
        let a = of(&[["0/100", "4KiB", "5"], ["0/100", "8KiB", "5"]], 2.0);
        let b = of(&[["0/100", "8KiB", "6"], ["0/100", "4KiB", "9"]], 3.0);
        let found: Vec<_> = twins(&a, &b).iter().map(|twin| twin.row.clone()).collect();
        assert_eq!(found, ["0/100, 4KiB", "0/100, 8KiB"]);
        let alone = of(&[["0/100", "4KiB", "5"], ["100/0", "8KiB", "5"]], 2.0);
        assert_eq!(twins(&alone, &alone)[1].row, "100/0");
    }

    #[test]
    fn tables_of_other_columns_are_not_compared() {
        let a = reading(&[("flush", Some(2.0))]);
        let mut b = a.clone();
        b.tables[0].columns[1].unit = "us".into();
        assert!(twins(&a, &b).is_empty());
    }
}
