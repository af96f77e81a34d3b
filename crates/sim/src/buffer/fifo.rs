//! FIFO: single pages leave in the order in which they came. A page that is written again keeps its place.

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// Pages in one queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fifo {
    pages: Pages,
    order: Lists,
}

const ORDER: u32 = 0;

impl Fifo {
    #[inline]
    fn evict(&mut self, out: &mut Evictions) {
        let node = self.order.last(ORDER);
        self.order.unlink(node);
        self.pages.evict(node, out);
        self.pages.release(node);
    }
}

impl WriteBuffer for Fifo {
    fn new(setup: &BufferSetup<'_>) -> Result<Fifo, SimError> {
        let pages = Pages::new(setup, setup.pages);
        Ok(Fifo { order: Lists::new(1, pages.nodes()), pages })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.find(lpn);
        if known != NONE {
            self.pages.write(known, token);
            return true;
        }
        if self.pages.len() == self.pages.nodes() {
            self.evict(out);
        }
        let node = self.pages.take(lpn);
        self.order.push_first(ORDER, node);
        self.pages.write(node, token);
        false
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        match self.pages.find(lpn) {
            NONE => None,
            node => Some(self.pages.token(node)),
        }
    }

    fn flush(&mut self, out: &mut Evictions) {
        while self.pages.len() > 0 {
            self.evict(out);
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
