//! Where each page's newest copy is, from spare areas alone: what `page` and `hot-cold` begin with. FTLs
//! with block maps need less, and bring the flash into order: `ftl/recover.rs`.

use super::Tombstone;
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, Ppn, Token};

/// What a scan of all spare areas found.
#[derive(Clone, Debug)]
pub struct NewestCopies {
    /// The newest copy of each logical page; [`NONE`] if it holds nothing.
    pub copies: Vec<Ppn>,
    /// The highest token in each block: how young it is.
    pub youngest: Vec<Token>,
}

impl NewestCopies {
    /// Reads every programmed page once, as [`Cause::Map`]. The copy with the highest token is the page,
    /// unless a trim is younger. Of two copies with one token, as a collection that was cut short leaves
    /// them, the one in the block with more copies counts, which is the victim: the block that was being
    /// filled then holds no valid page, and can be erased.
    pub fn scan(nand: &mut Nand, logical_pages: u32, trims: &[Tombstone]) -> NewestCopies {
        let mut tokens = vec![NO_TOKEN; logical_pages as usize];
        for trim in trims {
            let token = &mut tokens[trim.lpn as usize];
            *token = trim.token.max(*token);
        }
        let mut newest = NewestCopies {
            copies: vec![NONE; logical_pages as usize],
            youngest: vec![NO_TOKEN; nand.blocks() as usize],
        };
        let sizes: Vec<u32> = (0..nand.blocks()).map(|block| read_spare_areas(nand, block)).collect();
        for block in 0..nand.blocks() {
            let first = nand.first_page(block);
            for ppn in first..first + nand.next_page(block) {
                newest.see(nand, &sizes, &mut tokens, ppn);
            }
        }
        newest
    }

    /// One programmed page. A torn one has no owner; one that carries no token was never written by the host.
    fn see(&mut self, nand: &Nand, sizes: &[u32], tokens: &mut [Token], ppn: Ppn) {
        let (lpn, token, block) = (nand.owner(ppn), nand.token(ppn), nand.block_of(ppn));
        let Some(newest) = tokens.get_mut(lpn as usize) else { return };
        self.youngest[block as usize] = self.youngest[block as usize].max(token);
        let copy = &mut self.copies[lpn as usize];
        let fuller = |other: Ppn| sizes[block as usize] > sizes[nand.block_of(other) as usize];
        if token > *newest || (token == *newest && *copy != NONE && fuller(*copy)) {
            (*newest, *copy) = (token, ppn);
        }
    }

    /// The pages that hold something, and where.
    pub fn mapped(&self) -> impl Iterator<Item = (Lpn, Ppn)> + '_ {
        (0..).zip(self.copies.iter().copied()).filter(|(_, ppn)| *ppn != NONE)
    }
}

/// Reads the programmed pages of a block; returns how many are not torn.
fn read_spare_areas(nand: &mut Nand, block: Block) -> u32 {
    let first = nand.first_page(block);
    let pages = first..first + nand.next_page(block);
    pages.clone().for_each(|ppn| {
        nand.read(ppn, Cause::Map, Moment::START);
    });
    pages.filter(|ppn| nand.owner(*ppn) != NONE).count() as u32
}
