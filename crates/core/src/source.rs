//! Where requests come from, and when they go. The generator of patterns is
//! [`crate::pattern::PatternSource`]; traces bring their own.

use crate::pacing::Pacing;
use crate::request::Request;

/// Says what and where, many requests at a time, and never looks at time: addresses do not depend on
/// completions. That is what makes look-ahead possible at queue depth 1, and running a source a second time
/// beside the records of its first run.
pub trait RequestSource {
    /// Fills the front of `batch` and returns how many; fewer than asked only at the end, 0 ever after.
    fn fill(&mut self, batch: &mut [Request]) -> usize;
}

impl<S: RequestSource + ?Sized> RequestSource for Box<S> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        (**self).fill(batch)
    }
}

/// A source and when its requests go. Parallel processes are several streams.
pub struct Stream<S> {
    /// What and where.
    pub source: S,
    /// When.
    pub pacing: Pacing,
}
