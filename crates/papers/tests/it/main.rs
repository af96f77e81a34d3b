//! What the studies promise, asked of the library.

mod common;
#[path = "../../../device/tests/it/common.rs"]
mod kernel;

mod elsewhere;
mod page;
mod real;
mod verdicts;
