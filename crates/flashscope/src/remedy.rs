//! What the errors of the libraries say, with the flags and commands of this program. One file a library.

pub mod analysis;
pub mod bench;
pub mod device;
pub mod lab;
pub mod papers;
pub mod sim;
pub mod store;
pub mod trace;

use std::error::Error;

type Wording = fn(&(dyn Error + 'static)) -> Option<String>;

/// Each knows the errors of one library, and says nothing of others.
const WORDINGS: &[Wording] =
    &[lab::worded, bench::worded, device::worded, papers::worded, sim::worded, store::worded, trace::worded];

/// An error's text, with the flags that mend it.
pub fn worded(error: &(dyn Error + 'static)) -> String {
    WORDINGS.iter().find_map(|wording| wording(error)).unwrap_or_else(|| error.to_string())
}

/// The text of an error and those of all its causes that it does not hold already, as one line.
pub fn message(error: &(dyn Error + 'static)) -> String {
    flashscope_lab::message(error, worded)
}
