//! Block-level LRU: all pages of the erase block that was not written for longest leave together, in
//! ascending order (paper 002, section 3.1).
//!
//! Room is made before the accessed block is moved to the head, so the block that is being written may be its
//! own victim: paper 002's table 1 comes out so and not otherwise. Reads are served and change nothing. What
//! makes it BPLRU, or takes block-level LRU itself away again, is set by [`super::bplru`].

use serde::{Deserialize, Serialize};

use super::blocks::Blocks;
use super::order::{Order, Unit};
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// What block-level LRU can do besides, or instead.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Techniques {
    /// What is ordered: pages of their own make it page-level LRU.
    pub unit: Unit,
    /// Pages that are missing from a victim are read and written with it.
    pub padding: bool,
    /// A block that was written whole and in order goes to the tail.
    pub compensation: bool,
    /// Nodes of the buffer that a header takes.
    pub header_nodes: u32,
}

/// Whole blocks in one list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockLru {
    blocks: Blocks,
    order: Order,
    /// For each header: pages from the first one on that were written one after the other.
    in_order: Vec<u32>,
    capacity: u32,
    techniques: Techniques,
}

impl BlockLru {
    pub(super) fn with(setup: &BufferSetup<'_>, techniques: Techniques) -> BlockLru {
        let blocks = Blocks::new(setup, false);
        BlockLru {
            order: Order::of(techniques.unit, blocks.headers_max(), setup.pages_per_block),
            in_order: vec![0; blocks.headers_max() as usize],
            blocks,
            capacity: setup.pages,
            techniques,
        }
    }

    /// Nodes in use: pages, and headers where they cost something.
    #[inline]
    fn used(&self) -> u32 {
        self.blocks.pages() + self.blocks.headers() * self.techniques.header_nodes
    }

    /// Makes room for a page of `block`, whose header may leave on the way.
    #[inline]
    fn make_room(&mut self, block: u32, out: &mut Evictions) {
        loop {
            let header_nodes =
                if self.blocks.header(block) == NONE { self.techniques.header_nodes } else { 0 };
            if self.used() + 1 + header_nodes <= self.capacity {
                return;
            }
            self.evict(out);
        }
    }

    /// The least recent block leaves, or the least recent page: alone, or padded to its whole block.
    fn evict(&mut self, out: &mut Evictions) {
        let (header, page) = self.order.least_recent();
        out.victims += 1;
        match self.techniques {
            Techniques { padding: true, .. } => {
                self.each_of(header, Order::unlink);
                self.blocks.evict_padded(header, out);
            }
            Techniques { unit: Unit::Block, .. } => {
                self.order.unlink(header, page);
                self.blocks.evict(header, out);
            }
            Techniques { unit: Unit::Page, .. } => {
                self.order.unlink(header, page);
                self.blocks.evict_page(header, page, out);
            }
        }
    }

    /// Everything of a block that has a place in the order, the last page first.
    #[inline]
    fn each_of(&mut self, header: u32, act: impl Fn(&mut Order, u32, u32)) {
        if self.techniques.unit == Unit::Block {
            return act(&mut self.order, header, 0);
        }
        for page in (0..self.blocks.pages_of(header)).rev() {
            if self.blocks.holds(header, page) {
                act(&mut self.order, header, page);
            }
        }
    }

    /// The page, or its block, is the most recent. `known` if the page is here.
    #[inline]
    fn touch(&mut self, block: u32, page: u32, known: bool) -> u32 {
        let mut header = self.blocks.header(block);
        let has_place = if self.techniques.unit == Unit::Block { header != NONE } else { known };
        if header == NONE {
            header = self.blocks.open(block);
            self.in_order[header as usize] = 0;
        }
        if has_place {
            self.order.move_first(header, page);
        } else {
            self.order.push_first(header, page);
        }
        header
    }

    /// Paper 002, section 3.3: a block that was just written to its end, in order, will hardly be written
    /// again soon.
    ///
    /// The first page begins a new count. The last one again, as at the seam of two unaligned requests,
    /// leaves it: else no stream of such requests would ever be recognised.
    #[inline]
    fn compensate(&mut self, header: u32, page: u32) {
        let written = &mut self.in_order[header as usize];
        *written = match page {
            0 => 1,
            next if next == *written => next + 1,
            last if last + 1 == *written => *written,
            _ => 0,
        };
        if *written == self.blocks.pages_of(header) {
            self.each_of(header, Order::move_last);
        }
    }
}

impl WriteBuffer for BlockLru {
    const NAME: &'static str = "block-lru";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<BlockLru, SimError> {
        Ok(BlockLru::with(setup, Techniques::default()))
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let (block, page) = self.blocks.locate(lpn);
        let hit = self.blocks.holds(self.blocks.header(block), page);
        if !hit {
            self.make_room(block, out);
        }
        let header = self.touch(block, page, hit);
        self.blocks.put(header, page, token);
        if self.techniques.compensation {
            self.compensate(header, page);
        }
        hit
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let (block, page) = self.blocks.locate(lpn);
        let header = self.blocks.header(block);
        self.blocks.holds(header, page).then(|| self.blocks.token(header, page))
    }

    fn flush(&mut self, out: &mut Evictions) {
        while self.blocks.pages() > 0 {
            self.evict(out);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let (block, page) = self.blocks.locate(lpn);
        let header = self.blocks.header(block);
        if !self.blocks.holds(header, page) {
            return;
        }
        let last = self.blocks.count(header) == 1;
        if last || self.techniques.unit == Unit::Page {
            self.order.unlink(header, page);
        }
        self.blocks.remove(header, page);
        if last {
            self.blocks.clear(header);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.blocks.dirty_pages()
    }
}
