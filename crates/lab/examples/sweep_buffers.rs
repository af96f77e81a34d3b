//! Simulates four write buffers under a trace, and prints which one erases least:
//! `cargo run --release -p flashscope-lab --example sweep_buffers -- TRACE`
#![allow(clippy::print_stdout, reason = "it is a program")]

use flashscope_core::Bytes;
use flashscope_lab::sweep::Work;
use flashscope_lab::{Error, Interrupt, SweepSpec, TraceInput, simulate};
use flashscope_trace::Pipeline;
use flashscope_trace::transform::FitMode;

fn main() -> Result<(), Error> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");
    let path = std::env::args().nth(1).unwrap_or_else(|| sample.into());
    let pipeline = Pipeline { fit: Some(FitMode::Modulo), ..Pipeline::default() };
    let spec = SweepSpec {
        buffer: ["lru", "fab", "bplru", "cflru"].map(String::from).to_vec(),
        buffer_size: vec![Bytes(1 << 20)],
        work: Work::Trace(Box::new(TraceInput { pipeline, ..TraceInput::new(path) }), 1),
        ..SweepSpec::default()
    };
    let entries = simulate(&spec, &Interrupt::new())?;
    let best =
        entries.iter().filter_map(|entry| entry.report()).min_by_key(|found| found.device.block_erases);
    if let Some(best) = best {
        println!("{}: {} blocks erased", best.label, best.device.block_erases);
    }
    Ok(())
}
