//! What is said of results, as plain data: sentences, tables with units and intervals, charts. A suite's
//! reading is made of it, and so is every page; terminal, JSON and page show any of them without knowing what
//! it is about.

mod chart;
mod item;
mod table;

use serde::Serialize;

use crate::conclusion::{Conclusion, Support};
use crate::result::Point as RunPoint;

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
    /// Values that it states, or says to be unknown, each with a state of its own.
    #[serde(skip)]
    pub stated: Vec<Conclusion>,
}

impl Reading {
    /// What is concluded, as programs read it: the values that it states, and the sentences that are no
    /// caveats. No sentence is surer than the runs of the suite: `points` are all of them.
    pub fn conclusions(&self, suite: &str, points: &[RunPoint<'_>]) -> Vec<Conclusion> {
        let state = Support::of(points);
        let runs: Vec<String> = points.iter().map(|point| point.experiment.id()).collect();
        let told = self.sentences.iter().filter(|sentence| sentence.tone != Tone::Alert);
        let told = told.filter(|sentence| sentence.state.is_none());
        let told = told.map(|sentence| Conclusion::of(suite, &sentence.text, state, None, "", runs.clone()));
        self.stated.iter().cloned().chain(told).collect()
    }

    /// The same reading as it may be shown: a sentence that its runs do not support stands out no more.
    #[must_use]
    pub fn weighed(mut self, points: &[RunPoint<'_>]) -> Reading {
        if Support::of(points) < Support::Supported {
            let others = self.sentences.iter_mut().filter(|sentence| sentence.state.is_none());
            for sentence in others.filter(|sentence| sentence.tone == Tone::Good) {
                sentence.tone = Tone::Plain;
            }
        }
        self
    }

    /// Adds what is concluded as a sentence of its state: supported, weak, or a caveat where it is unknown.
    pub fn conclude(&mut self, conclusion: Conclusion, evidence: impl Into<String>) {
        self.say_of(conclusion.state, conclusion.claim.clone(), evidence);
        self.stated.push(conclusion);
    }

    /// Adds a sentence about something stated, of its state.
    pub fn say_of(&mut self, state: Support, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Item::of_state(state, text, evidence));
    }

    /// Adds a sentence with what it rests on, which is as sure as all runs together.
    pub fn say(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Item::good(text, evidence));
    }

    /// Adds a sentence about what weakens the result.
    pub fn warn(&mut self, text: impl Into<String>, evidence: impl Into<String>) {
        self.sentences.push(Item::alert(text, evidence));
    }
}
