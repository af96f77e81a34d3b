//! Single pages in one list, the most recently used one first: what `lru` and `lru-wsr` have in common. A
//! rule says which page leaves.
//!
//! Reads do not change the order: it is a write buffer. Only if `ram.cache_reads` makes it a cache do they.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// The list of all pages.
pub(super) const ORDER: u32 = 0;

/// Who leaves.
pub trait Rule {
    /// The policy's name.
    const NAME: &'static str;

    /// The page that leaves, from the end of the list.
    fn victim(order: &mut Order) -> u32;

    /// A page is used again.
    #[inline]
    fn used(order: &mut Order, node: u32) {
        let _ = (order, node);
    }
}

/// Pages in the order of their use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub(super) pages: Pages,
    pub(super) list: Lists,
}

/// Pages in one list, and a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Recency<R> {
    order: Order,
    caches_reads: bool,
    rule: PhantomData<R>,
}

impl<R: Rule> Recency<R> {
    /// A node at the head for a page that has none.
    #[inline]
    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        if self.order.pages.len() == self.order.pages.nodes() {
            let victim = R::victim(&mut self.order);
            self.evict(victim, out);
        }
        let node = self.order.pages.take(lpn);
        self.order.list.push_first(ORDER, node);
        node
    }

    #[inline]
    fn evict(&mut self, node: u32, out: &mut Evictions) {
        self.order.list.unlink(node);
        self.order.pages.evict(node, out);
        self.order.pages.release(node);
    }

    #[inline]
    fn touch(&mut self, node: u32) {
        R::used(&mut self.order, node);
        self.order.list.move_first(ORDER, node);
    }
}

impl<R: Rule> WriteBuffer for Recency<R> {
    const NAME: &'static str = R::NAME;
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Recency<R>, SimError> {
        let pages = Pages::new(setup, setup.pages);
        let list = Lists::new(1, pages.nodes());
        let caches_reads = setup.settings.ram.cache_reads;
        Ok(Recency { order: Order { pages, list }, caches_reads, rule: PhantomData })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.order.pages.find(lpn);
        if known == NONE {
            let node = self.admit(lpn, out);
            self.order.pages.write(node, token);
            return false;
        }
        self.touch(known);
        self.order.pages.write(known, token);
        true
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let node = self.order.pages.find(lpn);
        if node == NONE {
            return None;
        }
        if self.caches_reads {
            self.touch(node);
        }
        Some(self.order.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.order.pages.find(lpn) == NONE {
            let node = self.admit(lpn, out);
            self.order.pages.fill(node, token);
        }
    }

    /// From the tail to the head, whatever the rule. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        let mut node = self.order.list.last(ORDER);
        while node != NONE {
            let before = self.order.list.before(node);
            if self.order.pages.is_dirty(node) {
                self.evict(node, out);
            }
            node = before;
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.order.pages.find(lpn);
        if node != NONE {
            self.order.list.unlink(node);
            self.order.pages.release(node);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.order.pages.dirty_pages()
    }
}
