//! Simulations side by side: what `flashscope sim` runs, in parts. One [`Case`] is one device under one
//! workload; a sweep is the product of the lists that were given, spread over the cores.

mod case;
mod picture;
mod report;
mod sweep;
mod table;
mod tally;
mod workload;

pub use case::{Case, cases};
pub use picture::Axis;
pub use report::SimReport;
pub use sweep::{Common, sweep};
pub use table::table;
pub use workload::Workload;
