//! Simulations side by side as flags, table, page and pictures.

mod charts;
mod page;
mod pairs;
mod picture;
mod product;
mod request;
mod table;
mod view;

pub use page::page;
pub use pairs::Pairs;
pub use picture::Axis;
pub use product::Product;
pub use request::{ignored, request};
pub use view::view;
