//! Tables: a cell is a number with its interval in the unit of its column, or words.

use flashscope_core::number::{count, digits, in_unit, percent, size};
use serde::Serialize;

use crate::statistics::t_quantile;

/// Rows and columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// For links and for overlaying: lower case, digits and `-`; one of its kind in a reading or on a page.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it, and its source; may be empty.
    pub caption: String,
    /// Heading and unit of each column.
    pub columns: Vec<Column>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows. A column that is given as text is `heading` or `heading, unit`.
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        caption: impl Into<String>,
        columns: impl IntoIterator<Item: Into<Column>>,
    ) -> Table {
        let columns = columns.into_iter().map(Into::into).collect();
        Table { id: id.into(), title: title.into(), caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Adds a row. A number that has no text of its own is written by the rule of its column.
    pub fn add(&mut self, row: impl IntoIterator<Item = Cell>) {
        let cells = row.into_iter().zip(&mut self.columns).map(|(cell, column)| {
            column.is_number |= cell.value.is_some();
            let is_unwritten = cell.text.is_empty();
            let text = cell.value.filter(|_| is_unwritten).map(|value| column.written(value));
            Cell { text: text.unwrap_or(cell.text), ..cell }
        });
        self.rows.push(cells.collect());
    }

    /// The same with these rows added.
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Table {
        rows.into_iter().for_each(|row| self.add(row));
        self
    }

    /// The cell of a row, found by its first cell's words, below a heading.
    pub fn cell(&self, row: &str, heading: &str) -> Option<&Cell> {
        let place = self.columns.iter().position(|column| column.label == heading)?;
        self.rows.iter().find(|cells| cells.first().is_some_and(|cell| cell.text == row))?.get(place)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its heading.
    pub label: String,
    /// Unit of its numbers: `ms`, `MB/s`, `IO/s`, `%`, `x`, `s`, `bytes`, `IOs`; empty for words and for
    /// numbers that have none.
    pub unit: String,
    /// Set to the right, and sorted by value.
    pub is_number: bool,
    /// The unit belongs to the heading, and the numbers stand alone.
    pub unit_in_heading: bool,
    /// What a paper calls it; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub term: String,
}

impl Column {
    /// One of words.
    pub fn words(label: &str) -> Column {
        let (label, unit, term) = (label.into(), String::new(), String::new());
        Column { label, unit, is_number: false, unit_in_heading: false, term }
    }

    /// The same with the name that a paper gives it.
    pub fn known_as(self, term: &str) -> Column {
        Column { term: term.into(), ..self }
    }

    /// One of numbers, each with the unit that suits it.
    pub fn number(label: &str, unit: &str) -> Column {
        Column { unit: unit.into(), is_number: true, ..Column::words(label) }
    }

    /// One of numbers alone, with their unit in the heading. Sizes bring theirs, and a count has none.
    pub fn bare(label: &str, unit: &str) -> Column {
        let unit_in_heading = !matches!(unit, "" | "bytes" | "IOs");
        Column { unit: unit.into(), unit_in_heading, ..Column::words(label) }
    }

    /// What stands above it.
    pub fn heading(&self) -> String {
        if self.unit_in_heading { format!("{}, {}", self.label, self.unit) } else { self.label.clone() }
    }

    /// A number as it is read in this column.
    pub fn written(&self, value: f64) -> String {
        match self.unit.as_str() {
            "IOs" if value >= 0.0 => count(value.round() as u64),
            "" => digits(value),
            _ if self.unit_in_heading => digits(value),
            unit => in_unit(value, unit),
        }
    }
}

impl From<&str> for Column {
    /// `heading`, or `heading, unit` of a [`Column::bare`].
    fn from(text: &str) -> Column {
        let (label, unit) = text.split_once(", ").unwrap_or((text, ""));
        Column::bare(label, unit)
    }
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cell {
    /// What is shown; empty where nothing was measured.
    pub text: String,
    /// The number in the column's unit; none for words.
    pub value: Option<f64>,
    /// Lower and upper end of its interval at 95 %.
    pub interval: Option<[f64; 2]>,
    /// `id` of the block of the page where it is seen.
    pub link: Option<String>,
    /// Stands out: the row of this device among others, a difference that holds.
    pub is_marked: bool,
}

impl Cell {
    /// Words.
    pub fn words(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A number that its column writes; empty where there is none.
    pub fn number(value: impl Into<Option<f64>>) -> Cell {
        Cell { value: value.into().filter(|value| value.is_finite()), ..Cell::default() }
    }

    /// A number with its interval.
    pub fn between(value: f64, (low, high): (f64, f64)) -> Cell {
        Cell { interval: Some([low, high]), ..Cell::number(value) }
    }

    /// A number that is written otherwise than its column would.
    pub fn shown(text: impl Into<String>, value: f64) -> Cell {
        Cell { text: text.into(), ..Cell::number(value) }
    }

    /// A number of things.
    pub fn count(things: u64) -> Cell {
        Cell::shown(count(things), things as f64)
    }

    /// An amount of data, in a column of bytes.
    pub fn bytes(bytes: u64) -> Cell {
        Cell::shown(size(bytes as f64), bytes as f64)
    }

    /// A share of 1, in a column of %.
    pub fn share(share: f64) -> Cell {
        Cell::shown(percent(share), share * 100.0)
    }

    /// The mean of repeated runs, with Student's interval at 95 % where there are several.
    pub fn mean(values: &[f64]) -> Cell {
        let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        if values.len() < 2 {
            return Cell::number(mean);
        }
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let half = t_quantile(0.95, count - 1.0) * (variance / count).sqrt();
        Cell::between(mean, (mean - half, mean + half))
    }

    /// The same with the place where it is seen.
    pub fn seen_in(self, link: impl Into<Option<String>>) -> Cell {
        Cell { link: link.into(), ..self }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.value.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_three_runs_has_students_interval() {
        // 10 +- 1: s / sqrt(3) = 0.577, t(0.975, 2) = 4.303.
        let Cell { value: Some(value), interval: Some([low, high]), .. } = Cell::mean(&[9.0, 10.0, 11.0])
        else {
            panic!("three runs have an interval");
        };
        assert_eq!(value, 10.0);
        assert!((low - 7.516).abs() < 0.001 && (high - 12.484).abs() < 0.001, "{low} to {high}");
        assert_eq!(Cell::mean(&[5.0]), Cell::number(5.0));
        assert!(Cell::mean(&[]).is_empty());
    }

    #[test]
    fn a_number_is_written_by_the_rule_of_its_column() {
        let columns =
            ["of".into(), Column::from("mean, ms"), Column::number("p99", "ms"), "size, bytes".into()];
        let mut table = Table::new("times", "Times", "", columns);
        table.add([Cell::words("reads"), Cell::number(0.3), Cell::number(0.3), Cell::number(32768.0)]);
        table.add([Cell::words("writes"), Cell::shown("none", 0.0), Cell::default(), Cell::number(None)]);
        let texts: Vec<&str> = table.rows.iter().flatten().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["reads", "0.300", "300 µs", "32 KiB", "writes", "none", "", ""]);
        let headings: Vec<String> = table.columns.iter().map(Column::heading).collect();
        assert_eq!(headings, ["of", "mean, ms", "p99", "size"]);
        assert_eq!(
            table.columns.iter().map(|of| of.is_number).collect::<Vec<_>>(),
            [false, true, true, true]
        );
        assert_eq!(table.cell("reads", "mean").and_then(|cell| cell.value), Some(0.3));
    }
}
