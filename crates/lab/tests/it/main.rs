//! The lab from outside, called as any program would: nothing here starts a process or parses text.

#[path = "../../../device/tests/it/common.rs"]
mod kernel;

mod board;
mod names;
mod replay;
mod run;
mod sweep;

use flashscope_lab::TraceInput;
use flashscope_trace::Pipeline;

/// A trace that comes with flashscope: writes of ext3, as paper 002 counted them.
fn sample(name: &str) -> TraceInput {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples");
    let pipeline = Pipeline::default();
    TraceInput { pipeline, ..TraceInput::new(format!("{folder}/{name}.tracefs.gz")) }
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}
