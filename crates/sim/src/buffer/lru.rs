//! LRU: single pages, the least recently written one leaves (paper 002, the baseline).
//!
//! Reads do not change the order: it is a write buffer. Only if `ram.cache_reads` makes it a cache do they.

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// Pages in one list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lru {
    pages: Pages,
    order: Lists,
    caches_reads: bool,
}

const ORDER: u32 = 0;

impl Lru {
    /// A node at the head for a page that has none.
    #[inline]
    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        if self.pages.len() == self.pages.nodes() {
            self.evict(self.order.last(ORDER), out);
        }
        let node = self.pages.take(lpn);
        self.order.push_first(ORDER, node);
        node
    }

    #[inline]
    fn evict(&mut self, node: u32, out: &mut Evictions) {
        self.order.unlink(node);
        self.pages.evict(node, out);
        self.pages.release(node);
    }
}

impl WriteBuffer for Lru {
    const NAME: &'static str = "lru";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Lru, SimError> {
        let pages = Pages::new(setup, setup.pages);
        let order = Lists::new(1, pages.nodes());
        Ok(Lru { pages, order, caches_reads: setup.settings.ram.cache_reads })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.find(lpn);
        if known == NONE {
            let node = self.admit(lpn, out);
            self.pages.write(node, token);
            return false;
        }
        self.order.move_first(ORDER, known);
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
            self.order.move_first(ORDER, node);
        }
        Some(self.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.pages.find(lpn) == NONE {
            let node = self.admit(lpn, out);
            self.pages.fill(node, token);
        }
    }

    /// From the tail to the head. Clean pages stay.
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
