//! What is said of results, as plain data: sentences, tables with units and intervals, charts. A suite's
//! reading is made of it, and so is every page; terminal, JSON and page show any of them without knowing what
//! it is about.

mod chart;
mod item;
mod table;

use serde::Serialize;

pub use chart::{Axis, Chart, Look, Point, Scale, Series};
pub use item::{Item, Link, Tone};
pub use table::{Cell, Column, Table};

/// All that a suite says.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// In order of weight.
    pub sentences: Vec<Item>,
    /// In the order of reading.
    pub tables: Vec<Table>,
    /// In the order of reading.
    pub charts: Vec<Chart>,
}

impl Reading {
    /// Adds a sentence with what it rests on.
    pub fn say(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Item::good(text, evidence));
    }

    /// Adds a sentence about what weakens the result.
    pub fn warn(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Item::alert(text, evidence));
    }
}
