//! A set of logical pages, one bit each: which of them hold anything.

use serde::{Deserialize, Serialize};

use crate::nand::Lpn;

/// Some of the logical pages of a device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageSet {
    words: Vec<u64>,
}

impl PageSet {
    /// None of `pages` pages.
    pub fn none(pages: u32) -> PageSet {
        PageSet { words: vec![0; pages.div_ceil(64) as usize] }
    }

    /// Whether the page is in the set.
    #[inline]
    pub fn has(&self, lpn: Lpn) -> bool {
        self.words[lpn as usize / 64] >> (lpn % 64) & 1 == 1
    }

    /// Puts the page into the set.
    #[inline]
    pub fn insert(&mut self, lpn: Lpn) {
        self.words[lpn as usize / 64] |= 1 << (lpn % 64);
    }

    /// Takes the page out of the set.
    #[inline]
    pub fn remove(&mut self, lpn: Lpn) {
        self.words[lpn as usize / 64] &= !(1 << (lpn % 64));
    }
}
