//! A trace on a target: what is asked for, what the trace holds, what was written where, and what came of it.

mod args;
mod page;
mod tally;
mod trace;
mod verify;
mod view;

use anyhow::Result;
use flashscope_core::{Op, Request, Target};

pub use args::ReplayArgs;
pub use page::page;
pub use tally::{ResponseUs, Tally};
pub use trace::{PIECE_BYTES_REAL, Requests, Survey};
pub use verify::{Ledger, read_back};
pub use view::{RECORDS, REPLAY, ReplayReport, view};

/// Flushes the target; returns the seconds it took.
pub fn flush(target: &mut impl Target) -> Result<f64> {
    let begun = target.now();
    let request = Request { op: Op::Flush, ..Request::default() };
    target.serve(&request)?;
    Ok(target.now().since(begun).0 as f64 / 1e9)
}
