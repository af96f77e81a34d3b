//! What is shown of results.

#[path = "../../../store/tests/it/common.rs"]
mod common;
mod dense;
#[path = "../../../store/tests/it/hands.rs"]
mod hands;
mod headline;
mod hostile;
mod kinds;
mod null;
mod page;
mod trace_page;
mod views;
