//! LRU-WSR: LRU with write sequence reordering (Jung et al. 2008). A dirty page at the tail gets a second
//! chance: it is called cold and goes to the head once more. A clean page, and a cold one, leaves.
//!
//! A page that is accessed is cold no more. Every page is put off once at most, so a victim is always found.

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// Pages in one list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LruWsr {
    pages: Pages,
    order: Lists,
    caches_reads: bool,
}

const ORDER: u32 = 0;
const WARM: u8 = 0;
const COLD: u8 = 1;

impl LruWsr {
    /// A node at the head for a page that has none.
    #[inline]
    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        if self.pages.len() == self.pages.nodes() {
            let victim = self.victim();
            self.evict(victim, out);
        }
        let node = self.pages.take(lpn);
        self.order.push_first(ORDER, node);
        node
    }

    #[inline]
    fn victim(&mut self) -> u32 {
        loop {
            let last = self.order.last(ORDER);
            if self.pages.mark(last) == COLD || !self.pages.is_dirty(last) {
                return last;
            }
            self.pages.set_mark(last, COLD);
            self.order.move_first(ORDER, last);
        }
    }

    #[inline]
    fn evict(&mut self, node: u32, out: &mut Evictions) {
        self.order.unlink(node);
        self.pages.evict(node, out);
        self.pages.release(node);
    }

    #[inline]
    fn touch(&mut self, node: u32) {
        self.pages.set_mark(node, WARM);
        self.order.move_first(ORDER, node);
    }
}

impl WriteBuffer for LruWsr {
    const NAME: &'static str = "lru-wsr";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<LruWsr, SimError> {
        let pages = Pages::new(setup, setup.pages);
        let order = Lists::new(1, pages.nodes());
        Ok(LruWsr { pages, order, caches_reads: setup.settings.ram.cache_reads })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.find(lpn);
        if known == NONE {
            let node = self.admit(lpn, out);
            self.pages.write(node, token);
            return false;
        }
        self.touch(known);
        self.pages.write(known, token);
        true
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let node = self.pages.find(lpn);
        if node == NONE {
            return None;
        }
        if self.caches_reads {
            self.touch(node);
        }
        Some(self.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.pages.find(lpn) == NONE {
            let node = self.admit(lpn, out);
            self.pages.fill(node, token);
        }
    }

    /// From the tail to the head, without second chances. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        let mut node = self.order.last(ORDER);
        while node != NONE {
            let before = self.order.before(node);
            if self.pages.is_dirty(node) {
                self.evict(node, out);
            }
            node = before;
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node != NONE {
            self.order.unlink(node);
            self.pages.release(node);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
