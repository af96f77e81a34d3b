//! What came of a sweep, as table, page and picture; two sweeps side by side.

mod charts;
mod document;
mod front;
mod page;
mod pairs;
mod picture;
mod spare;
mod table;
mod view;

pub use document::Document;
pub use page::page;
pub use pairs::Pairs;
pub use picture::Axis;
pub use view::view;
