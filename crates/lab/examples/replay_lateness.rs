//! Replays a trace at its own pace on a simulated drive, and prints how late its requests went:
//! `cargo run --release -p flashscope-lab --example replay_lateness -- TRACE sim:nvme-tlc-2024`
#![allow(clippy::print_stdout, reason = "it is a program")]

use flashscope_lab::{Error, Interrupt, ReplayRequest, TargetSpec, TraceInput, replay};
use flashscope_trace::Pipeline;
use flashscope_trace::transform::FitMode;

fn main() -> Result<(), Error> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| sample.into());
    let target = arguments.next().unwrap_or_else(|| "sim:x25m-2009?capacity=1GiB".into());
    let pipeline = Pipeline { fit: Some(FitMode::Modulo), ..Pipeline::default() };
    let trace = TraceInput { pipeline, ..TraceInput::new(path) };
    let request = ReplayRequest::new(trace, TargetSpec::from(target.as_str()));
    let result = replay::replay(&request, None, None, &mut |_| {}, &Interrupt::new())?;
    if let Some(late) = result.report.lateness_us {
        println!("{} requests, lateness p50 {} us, p99 {} us", result.report.requests, late.p50, late.p99);
    }
    result.error.map_or(Ok(()), Err)
}
