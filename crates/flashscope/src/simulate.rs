//! Simulations side by side: what `flashscope sim` runs, in parts. One [`Case`] is one device under one
//! workload; a sweep is the product of the lists that were given, spread over the cores.

mod case;
mod changes;
mod charts;
mod folder;
mod page;
mod pairs;
mod picture;
mod product;
mod report;
mod sweep;
mod table;
mod tally;
mod view;
mod workload;

pub use case::{Case, cases, unheard};
pub use folder::{StoredSweep, SweepFolder};
pub use page::page;
pub use pairs::Pairs;
pub use picture::Axis;
pub use product::Product;
pub use report::Entry;
pub use sweep::{Common, check, sweep};
pub use view::view;
pub use workload::Workload;
