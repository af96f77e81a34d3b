//! Recovery of FTLs after a loss of power, from spare areas alone (`page` and
//! `hot-cold`: `ftl/newest_copies.rs`).
//!
//! The newest copy of a page is the one with the highest token, unless a trim is newer still. Each logical
//! block is brought into *normal form*: one data block with every page in its own place. A block that is so
//! already is kept; of the others the newest pages are copied before anything that holds them is erased, so
//! the power may go again at any time.
//!
//! What an FTL must keep to: `spare` blocks more than logical ones (`Setup::need_spare_blocks`), at most
//! `spare - 1` blocks with data besides one for each logical block, and no erase of a copy before the next
//! one is complete. Then there is always a free block, or one that holds nothing but second copies.

use super::copies::merge_in_place;
use super::free::FreeBlocks;
use super::page_set::PageSet;
use super::{Setup, Tombstone};
use crate::nand::{Block, Cause, Lpn, Moment, NO_TOKEN, NONE, Nand, Ppn, Tag, Token};

/// The newest token of every logical page.
#[derive(Clone, Debug)]
pub struct NewestTokens {
    tokens: Vec<Token>,
}

impl NewestTokens {
    /// Reads every page that was programmed (counted as [`Cause::Map`]), and applies the trims.
    pub fn scan(nand: &mut Nand, logical_pages: u32, trims: &[Tombstone]) -> NewestTokens {
        let mut tokens = vec![NO_TOKEN; logical_pages as usize];
        for block in 0..nand.blocks() {
            let first = nand.first_page(block);
            for ppn in first..first + nand.next_page(block) {
                let token = nand.read(ppn, Cause::Map, Moment::START).token;
                if let Some(newest) = tokens.get_mut(nand.owner(ppn) as usize) {
                    *newest = token.max(*newest);
                }
            }
        }
        for trim in trims {
            let newest = &mut tokens[trim.lpn as usize];
            if *newest < trim.token {
                *newest = NO_TOKEN;
            }
        }
        NewestTokens { tokens }
    }

    /// Whether the page holds anything.
    pub fn is_mapped(&self, lpn: Lpn) -> bool {
        self.tokens[lpn as usize] != NO_TOKEN
    }

    /// The logical page of which `ppn` holds the newest copy, or one of several.
    pub fn page_at(&self, nand: &Nand, ppn: Ppn) -> Option<Lpn> {
        let lpn = nand.owner(ppn);
        let newest = *self.tokens.get(lpn as usize)?;
        (newest != NO_TOKEN && newest == nand.token(ppn)).then_some(lpn)
    }

    /// The newest copies in `block`, in its order.
    pub fn pages_in(&self, nand: &Nand, block: Block) -> Vec<(Ppn, Lpn)> {
        let first = nand.first_page(block);
        let pages = first..first + nand.next_page(block);
        pages.filter_map(|ppn| Some((ppn, self.page_at(nand, ppn)?))).collect()
    }

    /// The logical block of which `block` holds pages in their places and no newest page otherwise, and
    /// how many.
    fn in_place(&self, nand: &Nand, block: Block) -> Option<(u32, u32)> {
        let pages = self.pages_in(nand, block);
        let lbn = pages.first()?.1 / nand.pages_per_block();
        let place = |lpn: Lpn| nand.first_page(block) + lpn % nand.pages_per_block();
        let all = pages.iter().all(|&(ppn, lpn)| lpn / nand.pages_per_block() == lbn && ppn == place(lpn));
        all.then_some((lbn, pages.len() as u32))
    }

    /// Erases every block of whose newest copies there are others, those that are the least in order first,
    /// and gives it to `free`. Returns the blocks that are left.
    pub fn drop_second_copies(&self, nand: &mut Nand, free: &mut FreeBlocks) -> Vec<Block> {
        let mut copies = vec![0_u32; self.tokens.len()];
        let mut used = Vec::new();
        for block in 0..nand.blocks() {
            for (_, lpn) in self.pages_in(nand, block) {
                copies[lpn as usize] += 1;
            }
            used.push((self.in_place(nand, block).map_or(0, |(_, pages)| pages), block));
        }
        used.sort_unstable();
        let mut left = Vec::new();
        for (_, block) in used {
            let pages = self.pages_in(nand, block);
            pages.iter().for_each(|&(_, lpn)| copies[lpn as usize] -= 1);
            if pages.iter().all(|&(_, lpn)| copies[lpn as usize] > 0) {
                release(nand, free, block);
            } else {
                pages.iter().for_each(|&(_, lpn)| copies[lpn as usize] += 1);
                left.push(block);
            }
        }
        left
    }
}

fn release(nand: &mut Nand, free: &mut FreeBlocks, block: Block) {
    if nand.next_page(block) > 0 {
        nand.erase(block, Cause::Merge, Moment::START);
    }
    nand.set_tag(block, Tag::default());
    free.give(nand, block);
}

/// The tag of FTLs with only one kind of blocks.
pub const NOT_SAID: u32 = 0;

/// Flash in normal form.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The data block of each logical block, with page `i` in page `i`; [`NONE`] if nothing is mapped.
    pub data: Vec<Block>,
    /// Pages that hold anything.
    pub mapped: PageSet,
    /// All other blocks, erased.
    pub free: FreeBlocks,
}

/// Brings the flash into normal form. Data blocks that it writes are tagged with `kind` and their
/// logical block.
pub fn normal_form(setup: &Setup<'_>, nand: &mut Nand, trims: &[Tombstone], kind: u32) -> Recovered {
    let mut recovery = Recovery::new(setup, nand, trims);
    let kept = recovery.newest.drop_second_copies(nand, &mut recovery.recovered.free);
    recovery.choose(nand, kept);
    for lbn in 0..setup.logical_blocks() {
        recovery.rewrite(nand, lbn, kind);
    }
    recovery.recovered
}

struct Recovery {
    newest: NewestTokens,
    recovered: Recovered,
    /// The copy of each page that is used.
    chosen: Vec<Ppn>,
    /// Chosen copies in each block.
    live: Vec<u32>,
}

impl Recovery {
    fn new(setup: &Setup<'_>, nand: &mut Nand, trims: &[Tombstone]) -> Recovery {
        let pages = setup.logical_pages;
        let newest = NewestTokens::scan(nand, pages, trims);
        let mut mapped = PageSet::none(pages);
        (0..pages).filter(|&lpn| newest.is_mapped(lpn)).for_each(|lpn| mapped.insert(lpn));
        let recovered = Recovered {
            data: vec![NONE; setup.logical_blocks() as usize],
            mapped,
            free: FreeBlocks::none(setup.settings.wear.levelling),
        };
        Recovery {
            newest,
            recovered,
            chosen: vec![NONE; pages as usize],
            live: vec![0; nand.blocks() as usize],
        }
    }

    /// Keeps what is in normal form, and chooses one copy of everything else.
    fn choose(&mut self, nand: &mut Nand, kept: Vec<Block>) {
        let per_block = nand.pages_per_block() as usize;
        let mapped = |lpns: &[Token]| lpns.iter().filter(|&&token| token != NO_TOKEN).count() as u32;
        let wanted: Vec<u32> = self.newest.tokens.chunks(per_block).map(mapped).collect();
        let (normal, others): (Vec<Block>, Vec<Block>) = kept.into_iter().partition(|&block| {
            self.newest.in_place(nand, block).is_some_and(|(lbn, pages)| {
                let normal = pages == wanted[lbn as usize];
                if normal {
                    self.recovered.data[lbn as usize] = block;
                }
                normal
            })
        });
        for &block in normal.iter().chain(&others) {
            for (ppn, lpn) in self.newest.pages_in(nand, block) {
                if self.chosen[lpn as usize] == NONE {
                    self.chosen[lpn as usize] = ppn;
                    self.live[block as usize] += 1;
                }
            }
            if self.live[block as usize] == 0 {
                release(nand, &mut self.recovered.free, block);
            }
        }
    }

    /// Copies a logical block that is not in normal form into a free block, and erases what is empty then.
    fn rewrite(&mut self, nand: &mut Nand, lbn: u32, kind: u32) {
        let first = lbn * nand.pages_per_block();
        let end = (self.chosen.len() as u32).min(first + nand.pages_per_block());
        let pages: Vec<Lpn> = (first..end).filter(|&lpn| self.chosen[lpn as usize] != NONE).collect();
        if self.recovered.data[lbn as usize] != NONE || pages.is_empty() {
            return;
        }
        let fresh = self.recovered.free.take();
        nand.set_tag(fresh, Tag { kind, owner: lbn });
        merge_in_place(nand, first..end, fresh, Moment::START, |_, lpn| self.chosen[lpn as usize]);
        self.recovered.data[lbn as usize] = fresh;
        for &lpn in &pages {
            let block = nand.block_of(self.chosen[lpn as usize]);
            self.live[block as usize] -= 1;
            if self.live[block as usize] == 0 {
                release(nand, &mut self.recovered.free, block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::Bytes;

    use crate::Settings;
    use crate::ftl::testing::{returns_what_was_written, small, survives_power_cuts};

    #[test]
    fn the_ftls_with_one_block_for_each_logical_one_come_back_also_when_the_power_goes_in_the_recovery() {
        for ftl in ["block", "chunk", "hybrid", "replacement-block"] {
            for open in [1, 2] {
                let mut settings: Settings = small(ftl);
                settings.chunk.size = Bytes(2 * settings.nand.page.0 * 4);
                settings.chunk.open_chunks = open;
                settings.block.open_blocks = open - 1;
                settings.hybrid.open_blocks = open - 1;
                settings.replacement_block.chain_max = open * 2;
                returns_what_was_written(&settings);
                survives_power_cuts(&settings, 150);
            }
        }
    }
}
