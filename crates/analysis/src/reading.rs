//! What a suite says of its results, as plain data: sentences, tables with units and intervals, charts.
//! Terminal, JSON and page show any suite from it without knowing which it is.

use serde::Serialize;

use crate::statistics::t_quantile;

/// All that is said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// In order of weight.
    pub sentences: Vec<Sentence>,
    /// In the order of reading.
    pub tables: Vec<Table>,
    /// In the order of reading.
    pub charts: Vec<Chart>,
}

impl Reading {
    /// Adds a sentence with what it rests on.
    pub fn say(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Sentence { text: text.into(), evidence: evidence.into(), is_alert: false });
    }

    /// Adds a sentence about what weakens the result.
    pub fn warn(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Sentence { text: text.into(), evidence: evidence.into(), is_alert: true });
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sentence {
    /// One or two short sentences.
    pub text: String,
    /// Where it is seen, or how it was computed; may be empty.
    pub evidence: String,
    /// To beware of.
    pub is_alert: bool,
}

/// Rows and columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// For links: lower case, digits and `-`; one of its kind in the reading.
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
    /// A table without rows. Columns are `heading` or `heading, unit`.
    pub fn new(id: &str, title: &str, caption: &str, columns: &[&str]) -> Table {
        let column = |text: &&str| {
            let (label, unit) = text.split_once(", ").unwrap_or((text, ""));
            Column { label: label.into(), unit: unit.into() }
        };
        let columns = columns.iter().map(column).collect();
        Table { id: id.into(), title: title.into(), caption: caption.into(), columns, rows: Vec::new() }
    }

    /// The cell of a row, found by its first cell's words, below a heading.
    pub fn cell(&self, row: &str, heading: &str) -> Option<&Cell> {
        let place = self.columns.iter().position(|column| column.label == heading)?;
        let is_row = |cells: &&Vec<Cell>| matches!(cells.first(), Some(Cell::Words(words)) if words == row);
        self.rows.iter().find(is_row)?.get(place)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its heading.
    pub label: String,
    /// Unit of its numbers: `ms`, `MB/s`, `IO/s`, `%`, `x`, `s`, `bytes`, `IOs`, or empty for words.
    pub unit: String,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number in the column's unit.
    Number {
        /// The number.
        value: f64,
        /// Lower end of its interval at 95 %, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        low: Option<f64>,
        /// Upper end of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        high: Option<f64>,
    },
    /// Words.
    Words(String),
    /// Not measured.
    Empty,
}

impl Cell {
    /// A number without an interval; empty where there is none.
    pub fn number(value: Option<f64>) -> Cell {
        match value {
            Some(value) if value.is_finite() => Cell::Number { value, low: None, high: None },
            _ => Cell::Empty,
        }
    }

    /// A number between two ends.
    pub fn between(value: f64, (low, high): (f64, f64)) -> Cell {
        Cell::Number { value, low: Some(low), high: Some(high) }
    }

    /// The mean of repeated runs, with Student's interval at 95 % where there are several.
    pub fn mean(values: &[f64]) -> Cell {
        let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        match values.len() {
            0 => Cell::Empty,
            1 => Cell::number(Some(mean)),
            _ => {
                let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
                let half = t_quantile(0.95, count - 1.0) * (variance / count).sqrt();
                Cell::between(mean, (mean - half, mean + half))
            }
        }
    }

    /// Words.
    pub fn words(text: impl Into<String>) -> Cell {
        Cell::Words(text.into())
    }

    /// The number, if it is one.
    pub fn value(&self) -> Option<f64> {
        if let Cell::Number { value, .. } = self { Some(*value) } else { None }
    }
}

/// Curves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// For links: lower case, digits and `-`; one of its kind in the reading.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it, and its source; may be empty.
    pub caption: String,
    /// What is varied, or time.
    pub x: Axis,
    /// What was measured.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Curve>,
}

/// An axis of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Its unit, as of [`Column::unit`].
    pub unit: String,
    /// Equal factors rather than equal steps.
    pub is_log: bool,
}

impl Axis {
    /// An axis of equal steps.
    pub fn linear(label: &str, unit: &str) -> Axis {
        Axis { label: label.into(), unit: unit.into(), is_log: false }
    }

    /// An axis of equal factors.
    pub fn log(label: &str, unit: &str) -> Axis {
        Axis { label: label.into(), unit: unit.into(), is_log: true }
    }
}

/// One curve of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, in the order of `x`.
    pub points: Vec<(f64, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_three_runs_has_students_interval() {
        // 10 +- 1: s / sqrt(3) = 0.577, t(0.975, 2) = 4.303.
        let Cell::Number { value, low: Some(low), high: Some(high) } = Cell::mean(&[9.0, 10.0, 11.0]) else {
            panic!("three runs have an interval");
        };
        assert_eq!(value, 10.0);
        assert!((low - 7.516).abs() < 0.001 && (high - 12.484).abs() < 0.001, "{low} to {high}");
        assert_eq!(Cell::mean(&[5.0]), Cell::number(Some(5.0)));
        assert_eq!(Cell::mean(&[]), Cell::Empty);
    }
}
