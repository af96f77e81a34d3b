//! What was found of each quantity inside the device, and how sure that is.

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Conclusion, Indicator, Reading, Support};

use super::Points;

/// A value with the ends between which it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Between {
    pub const NOTHING: Between = Between { value: 0.0, low: 0.0, high: 0.0 };

    pub fn scaled(self, factor: f64) -> Between {
        Between { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// A quantity that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    /// For a person.
    pub name: &'static str,
    /// For a program.
    pub id: &'static str,
    pub unit: &'static str,
    /// Groups of the experiments that it rests on.
    pub micros: &'static [&'static str],
}

/// What was looked for, to be shown together.
#[derive(Default)]
pub(super) struct Findings(Vec<(Quantity, Conclusion)>);

impl Findings {
    /// A value: supported where several kinds of evidence agree on it, weak where one alone shows it.
    pub fn found(&mut self, points: &Points<'_>, of: Quantity, state: Support, value: Between, why: &str) {
        let Between { value, low, high } = value;
        let value = Indicator { value, ci_low: low.min(value), ci_high: high.max(value) };
        self.add(points, of, state, Some(value), why);
    }

    /// What was measured does not determine it.
    pub fn unknown(&mut self, points: &Points<'_>, of: Quantity, why: &str) {
        self.add(points, of, Support::Unknown, None, why);
    }

    /// The device has none.
    pub fn none(&mut self, points: &Points<'_>, of: Quantity, why: &str) {
        self.add(points, of, Support::NotApplicable, None, why);
    }

    fn add(
        &mut self,
        points: &Points<'_>,
        of: Quantity,
        state: Support,
        value: Option<Indicator>,
        why: &str,
    ) {
        let is_of = |micro: &str| of.micros.contains(&micro);
        let runs = points.iter().map(|point| point.experiment).filter(|experiment| is_of(&experiment.micro));
        let runs = runs.map(|experiment| experiment.id()).collect();
        let name = format!("modern/{}", of.id);
        self.0.push((of, Conclusion::of(name, why, state, value, of.unit, runs)));
    }

    /// Puts them before everything else that is shown.
    pub fn show(self, reading: &mut Reading) {
        if self.0.is_empty() {
            return;
        }
        let caption = "Detected internals of the device. Unknown: what was measured does not determine it.";
        let columns = ["quantity", "value", "unit", "state"];
        let table = Table::new("found", "Inside", caption, columns);
        let row = |(of, said): &(Quantity, Conclusion)| {
            let value = match (said.value, said.low, said.high) {
                (Some(value), Some(low), Some(high)) => Cell::between(value, (low, high)),
                _ => Cell::default(),
            };
            let words = [of.unit, &said.state.to_string()].map(Cell::words);
            [Cell::words(of.name), value].into_iter().chain(words).collect()
        };
        reading.tables.insert(0, table.with_rows(self.0.iter().map(row)));
        reading.stated.extend(self.0.into_iter().map(|(_, said)| said));
    }
}
