//! Single pages in the order in which they came: what `fifo` and `batch` are made of. A page that is written
//! again keeps its place.

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions};
use crate::nand::{Lpn, NONE, Token};

/// Pages, and the order in which they came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Queue {
    pages: Pages,
    order: Lists,
}

const ORDER: u32 = 0;

impl Queue {
    pub(super) fn new(setup: &BufferSetup<'_>) -> Queue {
        let pages = Pages::new(setup, setup.pages);
        Queue { order: Lists::new(1, pages.nodes()), pages }
    }

    /// Pages that it can hold.
    #[inline]
    pub(super) fn capacity(&self) -> u32 {
        self.pages.nodes()
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.pages.len()
    }

    /// Writes a page; where it is not here and there is no room, `make_room` makes some first. Whether it
    /// was here.
    #[inline]
    pub(super) fn write(&mut self, lpn: Lpn, token: Token, make_room: impl FnOnce(&mut Queue)) -> bool {
        let known = self.pages.find(lpn);
        if known != NONE {
            self.pages.write(known, token);
            return true;
        }
        if self.len() == self.capacity() {
            make_room(self);
        }
        let node = self.pages.take(lpn);
        self.order.push_first(ORDER, node);
        self.pages.write(node, token);
        false
    }

    /// The page that came first leaves.
    #[inline]
    pub(super) fn evict(&mut self, out: &mut Evictions) {
        let node = self.order.last(ORDER);
        self.order.unlink(node);
        self.pages.evict(node, out);
        self.pages.release(node);
    }

    /// The pages that came first leave, until `keep` are here.
    pub(super) fn evict_to(&mut self, keep: u32, out: &mut Evictions) {
        while self.len() > keep {
            self.evict(out);
        }
    }

    #[inline]
    pub(super) fn read(&self, lpn: Lpn) -> Option<Token> {
        match self.pages.find(lpn) {
            NONE => None,
            node => Some(self.pages.token(node)),
        }
    }

    pub(super) fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node != NONE {
            self.order.unlink(node);
            self.pages.release(node);
        }
    }

    pub(super) fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
