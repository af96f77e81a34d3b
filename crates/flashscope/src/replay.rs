//! A trace on a target: the flags, and what came of it as text and page.

mod args;
mod page;
mod view;

pub use args::ReplayArgs;
pub use page::page;
pub use view::view;
