//! FAB: flash-aware buffer (Jo et al. 2006, as compared in paper 002, section 2.3). The block with the most
//! pages in the buffer leaves; among equals, the least recently used one.
//!
//! Reads, updates and insertions make a block recent. Dirty pages are written back in ascending order, clean
//! ones dropped. Whether the block that is being written may be the victim is a setting, and matters much.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocks::Blocks;
use super::list::Lists;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// The table `[fab]` of a profile.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FabSettings {
    /// Do not evict the block being written, unless it is the only one.
    pub exempt_current: bool,
}

/// Blocks in a list for each number of pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fab {
    blocks: Blocks,
    /// List `n` holds the blocks with `n + 1` pages, the most recently used one first.
    lists: Lists,
    /// When each header was used last, to find its place when it loses pages.
    used: Vec<u64>,
    clock: u64,
    /// No block has more pages.
    pages_max: u32,
    capacity: u32,
    exempt_current: bool,
}

impl Fab {
    /// The victim: `exempt` only if there is no other block.
    fn most_pages(&mut self, exempt: u32) -> u32 {
        while self.pages_max > 1 && self.lists.last(self.pages_max - 1) == NONE {
            self.pages_max -= 1;
        }
        for pages in (1..=self.pages_max).rev() {
            let last = self.lists.last(pages - 1);
            let other = if last != NONE && last == exempt { self.lists.before(last) } else { last };
            if other != NONE {
                return other;
            }
        }
        exempt
    }

    fn evict(&mut self, exempt: u32, out: &mut Evictions) {
        let victim = self.most_pages(exempt);
        self.lists.unlink(victim);
        out.victims += 1;
        self.blocks.evict(victim, out);
    }

    /// Makes room for one page of `block`, and opens the block: its header, now in no list.
    #[inline]
    fn admit(&mut self, block: u32, page: u32, out: &mut Evictions) -> u32 {
        let known = self.blocks.header(block);
        if !self.blocks.holds(known, page) && self.blocks.pages() == self.capacity {
            self.evict(if self.exempt_current { known } else { NONE }, out);
        }
        match self.blocks.header(block) {
            NONE => self.blocks.open(block),
            header => {
                self.lists.unlink(header);
                header
            }
        }
    }

    /// Puts a block first among those with as many pages.
    #[inline]
    fn link(&mut self, header: u32) {
        let pages = self.blocks.count(header);
        self.clock += 1;
        self.used[header as usize] = self.clock;
        self.pages_max = self.pages_max.max(pages);
        self.lists.push_first(pages - 1, header);
    }

    /// Puts a block that lost pages where it belongs by its last use. Walks the list: losses are rare.
    fn demote(&mut self, header: u32) {
        self.lists.unlink(header);
        let pages = self.blocks.count(header);
        if pages == 0 {
            return self.blocks.clear(header);
        }
        let mut newer = self.lists.last(pages - 1);
        while newer != NONE && self.used[newer as usize] < self.used[header as usize] {
            newer = self.lists.before(newer);
        }
        match newer {
            NONE => self.lists.push_first(pages - 1, header),
            newer => self.lists.insert_after(newer, header),
        }
    }
}

impl WriteBuffer for Fab {
    const NAME: &'static str = "fab";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Fab, SimError> {
        let blocks = Blocks::new(setup, setup.settings.ram.cache_reads);
        Ok(Fab {
            lists: Lists::new(setup.pages_per_block, blocks.headers_max()),
            used: vec![0; blocks.headers_max() as usize],
            blocks,
            clock: 0,
            pages_max: 1,
            capacity: setup.pages,
            exempt_current: setup.settings.fab.exempt_current,
        })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let (block, page) = self.blocks.locate(lpn);
        let hit = self.blocks.holds(self.blocks.header(block), page);
        let header = self.admit(block, page, out);
        self.blocks.put(header, page, token);
        self.link(header);
        hit
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let (block, page) = self.blocks.locate(lpn);
        let header = self.blocks.header(block);
        if !self.blocks.holds(header, page) {
            return None;
        }
        self.lists.unlink(header);
        self.link(header);
        Some(self.blocks.token(header, page))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        let (block, page) = self.blocks.locate(lpn);
        if self.blocks.caches_reads() && !self.blocks.holds(self.blocks.header(block), page) {
            let header = self.admit(block, page, out);
            self.blocks.put_clean(header, page, token);
            self.link(header);
        }
    }

    /// In the order in which the blocks would be victims. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        for pages in (1..=self.pages_max).rev() {
            let mut header = self.lists.last(pages - 1);
            while header != NONE {
                let before = self.lists.before(header);
                if self.blocks.evict_dirty(header, out) > 0 {
                    out.victims += 1;
                    self.demote(header);
                }
                header = before;
            }
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let (block, page) = self.blocks.locate(lpn);
        let header = self.blocks.header(block);
        if self.blocks.holds(header, page) {
            self.blocks.remove(header, page);
            self.demote(header);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.blocks.dirty_pages()
    }
}
