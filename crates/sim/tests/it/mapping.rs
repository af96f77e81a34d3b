//! FTLs with coarse maps, and the one with a map in flash: what they cost, what they keep, and that they come
//! back after a loss of power.

mod block;
mod chunk;
mod dftl;
mod harness;
mod hybrid;
mod replacement_block;
