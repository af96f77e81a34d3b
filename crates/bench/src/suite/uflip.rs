//! uFLIP as a suite: its plan is [`crate::Plan::new`], and its result has a view of its own beside this
//! reading.

use std::borrow::Cow;

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Context, Finished, Indicator, Reading, hints, indicators, points};

use super::{Program, Suite, UFLIP};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed(UFLIP),
    doc: "the nine micro-benchmarks, findings, the row of table 3",
    source: "Bouganim, Jónsson, Bonnet: uFLIP, CIDR 2009",
    settings: &[],
    parts: &[],
    bs: Some(flashscope_core::pattern::BS_DEFAULT),
    repeats: 5,
    program: Program::Uflip,
    reading,
};

fn reading(context: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let found = indicators(&points);
    let mut reading = Reading::default();
    for hint in hints(context, &found, &points) {
        reading.say(hint.text, hint.evidence);
    }
    let table =
        Table::new("baselines", "Baselines", "First columns of uFLIP's table 3.", ["pattern", "mean, ms"]);
    let times = [("SR", found.sr_ms), ("RR", found.rr_ms), ("SW", found.sw_ms), ("RW", found.rw_ms)];
    let cell = |found: Option<Indicator>| match found {
        Some(found) => Cell::between(found.value, (found.ci_low, found.ci_high)),
        None => Cell::default(),
    };
    let rows = times.map(|(name, found)| vec![Cell::words(name), cell(found)]);
    reading.tables.push(table.with_rows(rows));
    reading
}
