//! The lab from outside, called as any program would: nothing here starts a process or parses text.

#[path = "../../../device/tests/it/common.rs"]
mod kernel;

mod board;
mod descriptions;
mod disturbance;
mod fio_jobs;
mod horizon;
mod jobs;
mod kernel_flags;
mod latency_target;
mod names;
mod no_effect;
mod real_time;
mod replay;
mod run;
mod several_jobs;
mod standstill;
mod sweep;
mod zoned;

use flashscope_lab::sweep::SimReport;
use flashscope_lab::{Interrupt, SweepSpec, TraceInput, simulate};

/// A trace that comes with flashscope: writes of ext3, as paper 002 counted them.
fn sample(name: &str) -> TraceInput {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples");
    TraceInput::new(format!("{folder}/{name}.tracefs.gz"))
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}

/// What each device of a sweep gave.
fn reports(spec: &SweepSpec) -> Vec<SimReport> {
    let entries = simulate(spec, &Interrupt::new()).unwrap();
    entries.iter().map(|entry| entry.report().expect("it was simulated").clone()).collect()
}
