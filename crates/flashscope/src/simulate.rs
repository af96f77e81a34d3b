//! Simulations side by side: what the flags ask for, and the files that are made besides results.

mod product;
mod request;

pub use product::Product;
pub use request::{ignored, request};
