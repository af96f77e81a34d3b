//! Copies of a logical block's pages to their own places in another block.

use std::ops::Range;

use crate::nand::{Block, Cause, Lpn, Moment, NONE, Nand, Ppn};

/// Copies the pages `lpns` of one logical block to their places in `to`, for a merge. `find` says where a
/// page is; [`NONE`] if it holds nothing. Returns when the last copy is done.
#[inline]
pub fn merge_in_place(
    nand: &mut Nand,
    lpns: Range<Lpn>,
    to: Block,
    at: Moment,
    find: impl Fn(&Nand, Lpn) -> Ppn,
) -> Moment {
    let base = lpns.start - lpns.start % nand.pages_per_block();
    let place = nand.first_page(to);
    let mut done = at;
    for lpn in lpns {
        let from = find(nand, lpn);
        if from != NONE {
            let written = nand.copy_to(from, place + (lpn - base), Cause::Merge, at);
            done = nand.both(done, written);
        }
    }
    done
}
