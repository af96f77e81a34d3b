//! ARC: adaptive replacement cache (Megiddo, Modha 2003, figure 4). Pages accessed once and pages accessed
//! again have a list each; ghosts of what left either say which of the two deserves more room.
//!
//! The target moves in whole pages. Pages that a flush writes back become ghosts, as victims do.

use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

/// Pages and ghosts in four lists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arc {
    pages: Pages,
    lists: Lists,
    lengths: [u32; 4],
    /// Pages that [`ONCE`] should hold.
    target: u32,
    capacity: u32,
    caches_reads: bool,
}

/// The lists, T1, T2, B1, B2 in the paper's words; a page's mark is its list.
const ONCE: u8 = 0;
const AGAIN: u8 = 1;
const ONCE_GHOSTS: u8 = 2;
const AGAIN_GHOSTS: u8 = 3;

impl Arc {
    #[inline]
    fn length(&self, list: u8) -> u32 {
        self.lengths[list as usize]
    }

    #[inline]
    fn last(&self, list: u8) -> u32 {
        self.lists.last(u32::from(list))
    }

    #[inline]
    fn link(&mut self, list: u8, node: u32) {
        self.pages.set_mark(node, list);
        self.lengths[list as usize] += 1;
        self.lists.push_first(u32::from(list), node);
    }

    #[inline]
    fn unlink(&mut self, node: u32) {
        self.lengths[self.pages.mark(node) as usize] -= 1;
        self.lists.unlink(node);
    }

    #[inline]
    fn move_first(&mut self, list: u8, node: u32) {
        self.unlink(node);
        self.link(list, node);
    }

    fn forget(&mut self, node: u32) {
        self.unlink(node);
        self.pages.release(node);
    }

    /// Written back, and a ghost from now on.
    fn evict(&mut self, node: u32, out: &mut Evictions) {
        self.pages.evict(node, out);
        self.move_first(self.pages.mark(node) + 2, node);
    }

    /// REPLACE of the paper, if there is no room.
    fn make_room(&mut self, for_again_ghost: bool, out: &mut Evictions) {
        let (once, again) = (self.length(ONCE), self.length(AGAIN));
        if once + again < self.capacity {
            return;
        }
        let too_many = once > self.target || (for_again_ghost && once == self.target);
        let from = if once > 0 && (too_many || again == 0) { ONCE } else { AGAIN };
        self.evict(self.last(from), out);
    }

    /// Makes the page recent, and room for it if it is not here. Returns whether it is.
    fn access(&mut self, lpn: Lpn, out: &mut Evictions) -> (u32, bool) {
        let node = self.pages.find(lpn);
        if node == NONE {
            return (self.admit(lpn, out), false);
        }
        let list = self.pages.mark(node);
        let (once, again) = (self.length(ONCE_GHOSTS), self.length(AGAIN_GHOSTS));
        match list {
            ONCE_GHOSTS => self.target = self.capacity.min(self.target + (again / once).max(1)),
            AGAIN_GHOSTS => self.target = self.target.saturating_sub((once / again).max(1)),
            _ => {}
        }
        if list >= ONCE_GHOSTS {
            self.make_room(list == AGAIN_GHOSTS, out);
        }
        self.move_first(AGAIN, node);
        (node, list < ONCE_GHOSTS)
    }

    /// Case IV of the paper: a page that it does not remember.
    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        let once = self.length(ONCE) + self.length(ONCE_GHOSTS);
        if self.length(ONCE) == self.capacity {
            let victim = self.last(ONCE);
            self.pages.evict(victim, out);
            self.forget(victim);
        } else {
            if once == self.capacity {
                self.forget(self.last(ONCE_GHOSTS));
            } else if self.pages.len() == 2 * self.capacity {
                self.forget(self.last(AGAIN_GHOSTS));
            }
            self.make_room(false, out);
        }
        let node = self.pages.take(lpn);
        self.link(ONCE, node);
        node
    }

    #[inline]
    fn here(&self, lpn: Lpn) -> Option<u32> {
        let node = self.pages.find(lpn);
        (node != NONE && self.pages.mark(node) < ONCE_GHOSTS).then_some(node)
    }
}

impl WriteBuffer for Arc {
    const NAME: &'static str = "arc";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Arc, SimError> {
        let pages = Pages::new(setup, setup.pages.saturating_mul(2));
        Ok(Arc {
            lists: Lists::new(4, pages.nodes()),
            pages,
            lengths: [0; 4],
            target: 0,
            capacity: setup.pages,
            caches_reads: setup.settings.ram.cache_reads,
        })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let (node, hit) = self.access(lpn, out);
        self.pages.write(node, token);
        hit
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let node = self.here(lpn)?;
        if self.caches_reads {
            self.move_first(AGAIN, node);
        }
        Some(self.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.here(lpn).is_none() {
            let (node, _) = self.access(lpn, out);
            self.pages.fill(node, token);
        }
    }

    /// Pages accessed once, then the others, each from the tail. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        for list in [ONCE, AGAIN] {
            let mut node = self.last(list);
            while node != NONE {
                let before = self.lists.before(node);
                if self.pages.is_dirty(node) {
                    self.evict(node, out);
                }
                node = before;
            }
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node != NONE {
            self.forget(node);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
