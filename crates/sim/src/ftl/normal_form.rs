//! A block map after a loss of power: one block for each logical block, found by spare areas and tokens.
//!
//! Every block here belongs to one logical block at a time, as in `block`, `chunk`, `hybrid` and
//! `replacement-block`. Of the blocks of a logical block, those that hold nothing that another does not hold
//! too are erased; if more than one is left, the rest is copied into one that has room, or else into a fresh
//! one. Blocks that can be had without a fresh one come first: so one spare block is enough, even if the
//! power goes again in the midst of it.

use super::free::FreeBlocks;
use super::{Setup, Tombstone};
use crate::nand::{Block, Cause, Lpn, NO_TOKEN, NONE, Nand, Ppn, Token};

/// Where pages may be in their block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Page `i` of a logical block in page `i`.
    InPlace,
    /// Anywhere.
    Anywhere,
}

/// One block for each logical block.
#[derive(Clone, Debug)]
pub(super) struct NormalForm {
    /// The block of each logical one; [`NONE`] if it holds nothing.
    pub data: Vec<Block>,
    /// Where each page is; [`NONE`] if it holds nothing.
    pub places: Vec<Ppn>,
    /// All other blocks, erased.
    pub free: FreeBlocks,
}

/// The blocks of one logical block, each with the newest pages that it holds, as places in the logical block.
type Family = Vec<(Block, Vec<bool>)>;

struct Scan<'a> {
    nand: &'a mut Nand,
    form: Form,
    /// The newest token of each page.
    tokens: Vec<Token>,
    free: FreeBlocks,
}

/// Brings the flash into normal form.
pub(super) fn normal_form(setup: &Setup<'_>, nand: &mut Nand, trims: &[Tombstone], form: Form) -> NormalForm {
    let tokens = newest_tokens(nand, setup.logical_pages, trims);
    let mut scan = Scan { nand, form, tokens, free: FreeBlocks::none(setup.settings.wear.levelling) };
    let mut families = scan.families(setup.logical_blocks());
    for family in &mut families {
        scan.drop_redundant(family);
    }
    for family in &mut families {
        scan.complete(family);
    }
    for family in &mut families {
        scan.rewrite(family);
    }
    let data: Vec<Block> =
        families.iter().map(|family| family.first().map_or(NONE, |(block, _)| *block)).collect();
    let mut places = vec![NONE; setup.logical_pages as usize];
    for &block in data.iter().filter(|&&block| block != NONE) {
        for ppn in scan.programmed(block).filter(|&ppn| scan.is_newest(ppn)) {
            places[scan.nand.owner(ppn) as usize] = ppn;
        }
    }
    NormalForm { data, places, free: scan.free }
}

/// The newest token of each page, [`NO_TOKEN`] if it was trimmed later. Reads every programmed page.
fn newest_tokens(nand: &mut Nand, logical_pages: u32, trims: &[Tombstone]) -> Vec<Token> {
    let mut newest = vec![NO_TOKEN; logical_pages as usize];
    for block in 0..nand.blocks() {
        for ppn in nand.first_page(block)..nand.first_page(block) + nand.next_page(block) {
            let token = nand.read(ppn, Cause::Map, 0).token;
            if let Some(known) = newest.get_mut(nand.owner(ppn) as usize) {
                *known = token.max(*known);
            }
        }
    }
    for &Tombstone { lpn, token } in trims {
        if newest[lpn as usize] < token {
            newest[lpn as usize] = NO_TOKEN;
        }
    }
    newest
}

impl Scan<'_> {
    fn programmed(&self, block: Block) -> std::ops::Range<Ppn> {
        let first = self.nand.first_page(block);
        first..first + self.nand.next_page(block)
    }

    fn is_newest(&self, ppn: Ppn) -> bool {
        let token = self.nand.token(ppn);
        token != NO_TOKEN && self.tokens.get(self.nand.owner(ppn) as usize) == Some(&token)
    }

    fn families(&mut self, logical_blocks: u32) -> Vec<Family> {
        let pages = self.nand.pages_per_block();
        let mut families = vec![Family::new(); logical_blocks as usize];
        for block in 0..self.nand.blocks() {
            let mut holds = vec![false; pages as usize];
            let mut logical = None;
            for ppn in self.programmed(block).filter(|&ppn| self.is_newest(ppn)) {
                let lpn = self.nand.owner(ppn);
                holds[(lpn % pages) as usize] = true;
                logical = Some(lpn / pages);
            }
            match logical {
                Some(logical) => families[logical as usize].push((block, holds)),
                None => self.release(block),
            }
        }
        families
    }

    fn release(&mut self, block: Block) {
        if self.nand.next_page(block) > 0 {
            self.nand.erase(block, Cause::Merge, 0);
        }
        self.free.give(self.nand, block);
    }

    /// Erases blocks whose newest pages are all in others too, first those that hold the fewest.
    fn drop_redundant(&mut self, family: &mut Family) {
        family.sort_by_key(|(block, holds)| (holds.iter().filter(|&&held| held).count(), *block));
        let mut member = 0;
        while member < family.len() {
            let needed = (0..family[member].1.len()).any(|page| {
                family[member].1[page] && family.iter().filter(|(_, holds)| holds[page]).count() == 1
            });
            if needed {
                member += 1;
            } else {
                let (block, _) = family.remove(member);
                self.release(block);
            }
        }
    }

    /// Unites a family in the block that can take what it lacks, if there is one.
    fn complete(&mut self, family: &mut Family) {
        if family.len() < 2 {
            return;
        }
        let able = family.iter().position(|(block, holds)| {
            let next = self.nand.next_page(*block) as usize;
            let mut lacking =
                (0..holds.len()).filter(|&page| !holds[page] && family.iter().any(|(_, has)| has[page]));
            match self.form {
                Form::InPlace => lacking.all(|page| page >= next),
                Form::Anywhere => lacking.count() <= holds.len() - next,
            }
        });
        if let Some(able) = able {
            let target = family.remove(able);
            self.unite(family, target);
        }
    }

    /// Unites a family that still has several blocks in a fresh one.
    fn rewrite(&mut self, family: &mut Family) {
        if family.len() > 1 {
            let fresh = self.free.take();
            let nothing = vec![false; self.nand.pages_per_block() as usize];
            self.unite(family, (fresh, nothing));
        }
    }

    /// Copies what `target` lacks from the others, and erases them.
    fn unite(&mut self, family: &mut Family, (target, mut holds): (Block, Vec<bool>)) {
        for page in 0..holds.len() {
            if holds[page] {
                continue;
            }
            let Some((block, _)) = family.iter().find(|(_, has)| has[page]) else { continue };
            let same =
                |ppn: &Ppn| self.is_newest(*ppn) && self.nand.owner(*ppn) % holds.len() as Lpn == page as Lpn;
            let from = self.programmed(*block).find(same).expect("the scan found it there");
            self.copy(from, target, page as u32);
            holds[page] = true;
        }
        for (block, _) in family.drain(..) {
            self.release(block);
        }
        family.push((target, holds));
    }

    fn copy(&mut self, from: Ppn, target: Block, page: u32) {
        let page = if self.form == Form::InPlace { page } else { self.nand.next_page(target) };
        let read = self.nand.read(from, Cause::Merge, 0);
        let lpn = self.nand.owner(from);
        self.nand.program(self.nand.first_page(target) + page, lpn, read.token, Cause::Merge, read.done);
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
