//! Megabytes a CPU-second of each parser.
fn main() {}
