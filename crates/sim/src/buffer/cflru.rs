//! CFLRU: clean-first LRU (Park et al. 2006). Of the pages at the end of the LRU list, its window, a clean
//! one leaves first; if all there are dirty, the least recently used one.
//!
//! Without `ram.cache_reads` there are no clean pages, and it is LRU.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};
use crate::settings::check_share;

/// The table `[cflru]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CflruSettings {
    /// Share of the buffer, from 0 to 1, in which clean pages are evicted before dirty ones.
    pub window: f64,
}

impl Default for CflruSettings {
    fn default() -> CflruSettings {
        CflruSettings { window: 0.5 }
    }
}

/// Pages in one order, cut in two: those before the window, and those in it, clean and dirty apart, so that
/// the next clean one is found at once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cflru {
    pages: Pages,
    lists: Lists,
    /// Pages in the window now, and at most.
    window: u32,
    window_max: u32,
    caches_reads: bool,
}

const BEFORE: u32 = 0;
const CLEAN: u32 = 1;
const DIRTY: u32 = 2;

/// Mark of a page in the window.
const IN_WINDOW: u8 = 1;

impl Cflru {
    /// Takes a page out of its list.
    #[inline]
    fn detach(&mut self, node: u32) {
        self.window -= u32::from(self.pages.mark(node));
        self.pages.set_mark(node, 0);
        self.lists.unlink(node);
    }

    /// The window is as long as it may be: the last of those before it move in.
    #[inline]
    fn fill_window(&mut self) {
        while self.window < self.window_max {
            let node = self.lists.last(BEFORE);
            if node == NONE {
                return;
            }
            self.lists.move_first(if self.pages.is_dirty(node) { DIRTY } else { CLEAN }, node);
            self.pages.set_mark(node, IN_WINDOW);
            self.window += 1;
        }
    }

    /// Puts a page that is in no list at the head.
    #[inline]
    fn link(&mut self, node: u32) {
        self.lists.push_first(BEFORE, node);
        self.fill_window();
    }

    /// A node, in no list, for a page that has none.
    #[inline]
    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        if self.pages.len() == self.pages.nodes() {
            let victim = [CLEAN, DIRTY, BEFORE].map(|list| self.lists.last(list));
            let victim = victim.into_iter().find(|node| *node != NONE).unwrap_or(NONE);
            self.evict(victim, out);
        }
        self.pages.take(lpn)
    }

    #[inline]
    fn evict(&mut self, node: u32, out: &mut Evictions) {
        self.detach(node);
        self.pages.evict(node, out);
        self.pages.release(node);
    }
}

impl WriteBuffer for Cflru {
    const NAME: &'static str = "cflru";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Cflru, SimError> {
        let share = setup.settings.cflru.window;
        check_share("cflru.window", share)?;
        let pages = Pages::new(setup, setup.pages);
        Ok(Cflru {
            lists: Lists::new(3, pages.nodes()),
            window: 0,
            window_max: (share * f64::from(setup.pages)).round() as u32,
            caches_reads: setup.settings.ram.cache_reads,
            pages,
        })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.find(lpn);
        let node = if known == NONE {
            self.admit(lpn, out)
        } else {
            self.detach(known);
            known
        };
        self.pages.write(node, token);
        self.link(node);
        known != NONE
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let node = self.pages.find(lpn);
        if node == NONE {
            return None;
        }
        if self.caches_reads {
            self.detach(node);
            self.link(node);
        }
        Some(self.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.pages.find(lpn) == NONE {
            let node = self.admit(lpn, out);
            self.pages.fill(node, token);
            self.link(node);
        }
    }

    /// From the tail to the head. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        for list in [DIRTY, BEFORE] {
            let mut node = self.lists.last(list);
            while node != NONE {
                let before = self.lists.before(node);
                if self.pages.is_dirty(node) {
                    self.evict(node, out);
                }
                node = before;
            }
        }
        self.fill_window();
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node != NONE {
            self.detach(node);
            self.pages.release(node);
            self.fill_window();
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
