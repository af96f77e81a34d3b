//! A device that a study works with: one of its own, or the one that a person named.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use flashscope_lab::OpenTarget;

/// A device to work with: a new one, or the one that is held.
pub enum Subject<'a> {
    /// Made for this study.
    New(Box<OpenTarget>),
    /// A person's.
    Held(MutexGuard<'a, OpenTarget>),
}

impl Deref for Subject<'_> {
    type Target = OpenTarget;

    fn deref(&self) -> &OpenTarget {
        match self {
            Subject::New(bench) => bench,
            Subject::Held(bench) => bench,
        }
    }
}

impl DerefMut for Subject<'_> {
    fn deref_mut(&mut self) -> &mut OpenTarget {
        match self {
            Subject::New(bench) => bench,
            Subject::Held(bench) => bench,
        }
    }
}
