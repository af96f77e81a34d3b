//! Which physical pages hold data: one bit for each, and a count for each block.

use serde::{Deserialize, Serialize};

use crate::nand::{Block, Geometry, Ppn};
use crate::prefetch::prefetch;

/// The valid pages of a page-mapped FTL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ValidPages {
    bits: Vec<u64>,
    counts: Vec<u32>,
}

impl ValidPages {
    /// None is valid.
    pub fn none(geometry: &Geometry) -> ValidPages {
        ValidPages {
            bits: vec![0; geometry.pages().div_ceil(64) as usize],
            counts: vec![0; geometry.blocks as usize],
        }
    }

    /// Valid pages of each block.
    #[inline]
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Valid pages of one block.
    #[inline]
    pub fn count(&self, block: Block) -> u32 {
        self.counts[block as usize]
    }

    /// A hint that `ppn` of `block` will become invalid soon.
    #[inline]
    pub fn prepare(&self, ppn: Ppn, block: Block) {
        prefetch(&self.bits, ppn as usize / 64);
        prefetch(&self.counts, block as usize);
    }

    /// `ppn` of `block` is valid.
    #[inline]
    pub fn set(&mut self, ppn: Ppn, block: Block) {
        self.bits[ppn as usize / 64] |= 1 << (ppn % 64);
        self.counts[block as usize] += 1;
    }

    /// Whether `ppn` is valid.
    pub fn is_set(&self, ppn: Ppn) -> bool {
        self.bits[ppn as usize / 64] >> (ppn % 64) & 1 == 1
    }

    /// `count` pages of `block` from `first` on are valid.
    pub fn set_run(&mut self, first: Ppn, count: u32, block: Block) {
        for (word, mask, _) in words(first, count) {
            self.bits[word] |= mask;
        }
        self.counts[block as usize] += count;
    }

    /// `ppn` of `block` is valid no more. Returns how many of the block still are.
    #[inline]
    pub fn clear(&mut self, ppn: Ppn, block: Block) -> u32 {
        self.bits[ppn as usize / 64] &= !(1 << (ppn % 64));
        let count = &mut self.counts[block as usize];
        *count -= 1;
        *count
    }

    /// Moves the valid ones of the `pages` pages of `block`, from `first` on, into `out`, in ascending order.
    pub fn take(&mut self, block: Block, first: Ppn, pages: u32, out: &mut Vec<Ppn>) {
        let before = out.len();
        for (word, mask, base) in words(first, pages) {
            let mut bits = self.bits[word] & mask;
            self.bits[word] &= !mask;
            while bits != 0 {
                out.push(base + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        self.counts[block as usize] -= (out.len() - before) as u32;
    }
}

/// The words that hold the bits of `count` pages from `first` on: index, mask, page of the lowest bit.
#[inline]
fn words(first: Ppn, count: u32) -> impl Iterator<Item = (usize, u64, Ppn)> {
    let end = first + count;
    let mut at = first;
    std::iter::from_fn(move || {
        if at == end {
            return None;
        }
        let low = at % 64;
        let span = (64 - low).min(end - at);
        let word = (at as usize / 64, (u64::MAX >> (64 - span)) << low, at - low);
        at += span;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cover_every_page_of_a_run_once() {
        for (first, count) in [(0, 64), (0, 0), (63, 1), (63, 2), (50, 150), (128, 65), (100, 28)] {
            let mut pages = Vec::new();
            for (word, mask, base) in words(first, count) {
                assert_eq!(word as u32, base / 64);
                pages.extend((0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| base + bit));
            }
            assert_eq!(pages, (first..first + count).collect::<Vec<_>>(), "{count} from {first}");
        }
    }
}
