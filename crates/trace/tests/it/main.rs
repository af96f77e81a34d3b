//! The tests of the crate, in one program.

mod bad_fields;
mod bad_input;
mod bad_lines;
mod binary;
mod blktrace;
mod common;
mod completions;
mod csv;
mod damaged;
mod fit;
mod generate;
mod kit;
mod memory;
mod merge;
mod own;
mod parquet;
mod pipeline;
mod reading;
mod round_trip;
mod samples;
mod source;
mod stats;
mod transform;
