//! The tests of `flashscope-analysis`, in one binary.
#![allow(missing_docs)]

mod compare;
mod coverage;
mod devices;
mod hints;
mod horizon;
mod indicators;
mod judge;
mod lingering;
mod long;
mod period;
mod phases;
mod points;
mod table;
mod warnings;
