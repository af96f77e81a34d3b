//! What the studies promise, asked of the library.

mod common;
#[allow(dead_code, reason = "of what has loop devices")]
#[path = "../../../device/tests/it/common.rs"]
mod kernel;

mod elsewhere;
mod page;
mod real;
mod verdicts;
