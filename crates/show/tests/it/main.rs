//! What is shown of results.

#[path = "../../../store/tests/it/common.rs"]
mod common;
mod dense;
mod kinds;
mod page;
mod views;
