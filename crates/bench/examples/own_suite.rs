//! A suite from outside of flashscope: what does a random write cost that is smaller than a page?
//!
//! A suite is a program (what is done, in order) and a reading (what the finished runs say). Places, seeds,
//! the check that everything fits, budget, resume and storage are flashscope's. Run it with
//! `cargo run -p flashscope-bench --example own_suite`.
#![allow(clippy::print_stdout)]

use std::borrow::Cow;

use flashscope_analysis::reading::{Cell, Table};
use flashscope_analysis::{Context, Finished, Reading, points};
use flashscope_bench::suite::{Act, Parameters, Probe, Program, Setting};
use flashscope_bench::{Alone, BenchError, Length, Scope, Settings, Suite, SuiteRequest, Suites, conduct};
use flashscope_core::{Bytes, Rw};
use flashscope_sim::{Rig, rigs};

/// The suite.
pub const SMALL_WRITES: Suite = Suite {
    name: Cow::Borrowed("small-writes"),
    doc: "random writes from one sector to 64 KiB",
    source: "this file",
    settings: &[Setting { name: "ios", default: "2000", quick: "200", help: "writes of each size" }],
    parts: &[],
    bs: None,
    repeats: 3,
    program: Program::Acts(program),
    reading,
};

fn program(given: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let length = Length::Ios(given.count("ios", 10..=1_000_000)?);
    let sizes = (0..).map(|power| Bytes(given.frame.sector.0 << power)).take_while(|bs| bs.0 <= 64 << 10);
    let write = |bs: Bytes| {
        let probe = Probe::new("small-writes", "RW", given.baseline(Rw::RandWrite, bs), length);
        probe.repeated(given.repeats).act()
    };
    Ok([Act::Prepare(given.fresh())].into_iter().chain(sizes.map(write)).collect())
}

fn reading(_: &Context, finished: &[Finished]) -> Reading {
    let points = points(finished);
    let mut table = Table::new("sizes", "Small writes", "Means of all repeats.", ["size", "mean, ms"]);
    let mut means = Vec::new();
    for point in &points {
        let elapsed = |run: &flashscope_analysis::Run| run.elapsed_ns as f64 / run.ios as f64 / 1e6;
        let times: Vec<f64> = point.runs.iter().map(|run| elapsed(run)).collect();
        means.push((point.experiment.pattern.bs, times.iter().sum::<f64>() / times.len() as f64));
        table.add([Cell::words(&point.experiment.label), Cell::mean(&times)]);
    }
    let mut reading = Reading { tables: vec![table], ..Reading::default() };
    if let [(small, first), .., (large, last)] = means[..] {
        reading.say(format!("A write of {large} takes {:.1} times one of {small}.", last / first), "");
    }
    reading
}

/// Finds it by its name among those that come with flashscope, and runs it on a rig.
pub fn small_writes(rig: &str) -> Result<Reading, Box<dyn std::error::Error>> {
    let suite = SuiteRequest::named("small-writes").suite(&Suites::builtin().with(SMALL_WRITES))?;
    let mut lab = Alone(Rig::new(rigs::get(rig).ok_or("no such rig")?, 1));
    let settings = Settings { write: true, ..Settings::of(&suite, Scope::Table1) };
    Ok(conduct(&suite, &[], &mut lab, &settings)?.1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for sentence in small_writes("mtron")?.sentences {
        println!("{}", sentence.text);
    }
    Ok(())
}
