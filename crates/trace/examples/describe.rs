//! What a trace is like: `cargo run -p flashscope-trace --example describe -- trace.csv`
#![allow(clippy::print_stdout)]

use flashscope_trace::stats::describe;
use flashscope_trace::{TraceError, TraceFile};

fn main() -> Result<(), TraceError> {
    let path = std::env::args_os().nth(1).unwrap_or("-".into());
    let summary = describe(&mut *TraceFile::new(path).open()?)?;
    println!("{} requests, format {}", summary.requests, summary.format);

    let writes = summary.writes as f64 / (summary.reads + summary.writes).max(1) as f64;
    println!("write share  {:.1} %", 100.0 * writes);
    for window in &summary.working_set.by_window {
        let (mib, seconds) = (window.mean_bytes as f64 / 1048576.0, window.window_ns as f64 / 1e9);
        println!("working set  {mib:.1} MiB in {seconds:.3} s, mean");
    }
    if let Some(rewrites) = &summary.rewrites {
        println!("re-writes    {:.1} % of the writes of a block", 100.0 * rewrites.share);
        if let Some(bytes) = &rewrites.interval_bytes {
            println!("             median {:.1} MiB written in between", bytes.p50 as f64 / 1048576.0);
        }
    }
    Ok(())
}
