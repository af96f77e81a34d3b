//! What came of a replay, as text and page.

mod page;
mod view;

pub use page::page;
pub use view::view;
