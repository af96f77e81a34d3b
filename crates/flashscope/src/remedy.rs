//! Errors of the libraries in the words of the command line. A library says as data what to do; the flags and
//! commands that do it are here, in one file for each library crate.

pub mod analysis;
pub mod bench;
pub mod device;
pub mod trace;

use std::error::Error;

/// An error in full, with its way out as flags and commands; none where its own text is all there is.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    bench::worded(error).or_else(|| device::worded(error)).or_else(|| trace::worded(error))
}
