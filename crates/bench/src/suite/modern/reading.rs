//! From windows and rates to what they mean.

mod costs;
mod inside;
mod steps;

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Context, Finished, Point, Reading, Run, points};

type Points<'a> = [Point<'a>];

/// What was found, to be shown together.
struct Found {
    table: Table,
}

impl Found {
    fn new() -> Found {
        let caption = "Detected internals of the device.";
        Found { table: Table::new("found", "Inside", caption, ["quantity", "value", "unit"]) }
    }

    fn add(&mut self, quantity: &str, value: f64, unit: &str) {
        self.table.add([Cell::words(quantity), Cell::number(value), Cell::words(unit)]);
    }
}

pub(super) fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let (mut reading, mut found) = (Reading::default(), Found::new());
    inside::depth(&points, &mut reading, &mut found);
    let buffer = inside::buffer(&points, &mut reading, &mut found);
    let buffer = buffer.unwrap_or(0.0);
    let held = inside::fill(&points, buffer, &mut reading, &mut found).unwrap_or(0.0) + buffer;
    inside::spare(&points, context, held, &mut reading, &mut found);
    costs::tail(&points, &mut reading);
    costs::flush(&points, &mut reading);
    costs::trim(&points, &mut reading);
    costs::idle(&points, buffer, &mut reading);
    if !found.table.rows.is_empty() {
        reading.tables.insert(0, found.table);
    }
    reading
}

fn of<'a, 'b>(points: &'b Points<'a>, micro: &'b str) -> impl Iterator<Item = &'b Point<'a>> {
    points.iter().filter(move |point| point.experiment.micro == micro)
}

fn last_run<'a>(point: &Point<'a>) -> Option<&'a Run> {
    point.runs.last().copied()
}
