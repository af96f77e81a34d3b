//! What came of a sweep, as table, page and picture; two sweeps side by side.

mod charts;
mod page;
mod pairs;
mod picture;
mod table;
mod view;

pub use page::page;
pub use pairs::Pairs;
pub use picture::Axis;
pub use view::view;
