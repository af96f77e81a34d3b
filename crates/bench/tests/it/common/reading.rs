//! What a suite's reading says.
#![allow(dead_code)]

use flashscope_analysis::Reading;

/// The number in a row of a table below a heading, if there is one.
pub fn found(reading: &Reading, table: &str, row: &str, heading: &str) -> Option<f64> {
    let table = reading.tables.iter().find(|one| one.id == table)?;
    table.cell(row, heading).and_then(|cell| cell.value)
}

/// The number, which is there.
#[track_caller]
pub fn number(reading: &Reading, table: &str, row: &str, heading: &str) -> f64 {
    found(reading, table, row, heading).unwrap_or_else(|| panic!("no {heading} of {row} in {table}"))
}

/// Whether a sentence has these words.
pub fn says(reading: &Reading, words: &str) -> bool {
    reading.sentences.iter().any(|sentence| sentence.text.contains(words))
}
