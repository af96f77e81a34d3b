//! Simulations side by side: what the flags ask for, and the files that are made besides results.

mod request;

pub use request::{ignored, request};
