//! A trace on a target: what is asked for, what the trace holds, what was written where, and what came of it.

mod args;
mod page;
mod tally;
mod trace;
mod verify;
mod view;

pub use args::ReplayArgs;
pub use page::page;
pub use tally::{ResponseUs, Tally};
pub use trace::{PIECE_BYTES_REAL, Requests, Survey};
pub use verify::{Ledger, read_back};
pub use view::{RECORDS, REPLAY, ReplayReport, view};
