//! LIRS: low inter-reference recency set (Jiang, Zhang 2002). Pages that come again soon (LIR) stay; the
//! others (HIR) have a small share of the buffer and leave in the order in which they came or were demoted.
//!
//! The stack remembers pages that left, as many as the buffer holds; beyond that, those that left first are
//! forgotten. Pages that a flush writes back are remembered as victims are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};
use crate::settings::check_share;

/// The table `[lirs]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LirsSettings {
    /// Share of the buffer, from 0 to 1, for pages with a high inter-reference recency (HIR); at least one
    /// page.
    pub hir_share: f64,
}

impl Default for LirsSettings {
    fn default() -> LirsSettings {
        LirsSettings { hir_share: 0.01 }
    }
}

/// Pages in the stack, the queue of HIR pages, or both.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lirs {
    pages: Pages,
    /// By recency; the last page is LIR, or the stack is empty.
    stack: Lists,
    /// HIR pages that are here, and ghosts, both by age.
    queues: Lists,
    lirs: u32,
    hirs: u32,
    ghosts: u32,
    lirs_max: u32,
    capacity: u32,
    caches_reads: bool,
}

const STACK: u32 = 0;
const HIRS: u32 = 0;
const GHOSTS: u32 = 1;

/// Marks of a page. One without `LIR` and `GHOST` is an HIR page that is here.
const LIR: u8 = 1;
const IN_STACK: u8 = 2;
const GHOST: u8 = 4;

impl Lirs {
    fn is(&self, node: u32, mark: u8) -> bool {
        self.pages.mark(node) & mark != 0
    }

    /// The last page of the stack is LIR again: what lies below the last LIR page says nothing.
    fn prune(&mut self) {
        loop {
            let last = self.stack.last(STACK);
            if last == NONE || self.is(last, LIR) {
                return;
            }
            if self.is(last, GHOST) {
                self.forget_ghost(last);
            } else {
                self.stack.unlink(last);
                self.pages.set_mark(last, 0);
            }
        }
    }

    fn forget_ghost(&mut self, node: u32) {
        self.stack.unlink(node);
        self.queues.unlink(node);
        self.ghosts -= 1;
        self.pages.release(node);
    }

    fn detach_hir(&mut self, node: u32) {
        self.queues.unlink(node);
        self.hirs -= 1;
    }

    /// Writes a page back. It is in no queue; if it is in the stack, it is a ghost from now on.
    fn leave(&mut self, node: u32, out: &mut Evictions) {
        self.pages.evict(node, out);
        if !self.is(node, IN_STACK) {
            return self.pages.release(node);
        }
        if self.ghosts == self.capacity {
            self.forget_ghost(self.queues.last(GHOSTS));
        }
        self.pages.set_mark(node, IN_STACK | GHOST);
        self.queues.push_first(GHOSTS, node);
        self.ghosts += 1;
    }

    fn make_room(&mut self, out: &mut Evictions) {
        if self.lirs + self.hirs == self.capacity {
            let victim = self.queues.last(HIRS);
            self.detach_hir(victim);
            self.leave(victim, out);
        }
    }

    /// A page on top of the stack becomes LIR; the last LIR page makes way if there are too many.
    fn promote(&mut self, node: u32) {
        self.pages.set_mark(node, LIR | IN_STACK);
        self.lirs += 1;
        if self.lirs > self.lirs_max {
            let last = self.stack.last(STACK);
            self.stack.unlink(last);
            self.lirs -= 1;
            self.link_hir(last, 0);
        }
    }

    fn link_hir(&mut self, node: u32, mark: u8) {
        self.pages.set_mark(node, mark);
        self.queues.push_first(HIRS, node);
        self.hirs += 1;
    }

    fn hit(&mut self, node: u32) {
        if !self.is(node, IN_STACK) {
            self.stack.push_first(STACK, node);
            self.detach_hir(node);
            self.link_hir(node, IN_STACK);
        } else {
            self.stack.move_first(STACK, node);
            if !self.is(node, LIR) {
                self.detach_hir(node);
                self.promote(node);
            }
        }
        self.prune();
    }

    fn return_of(&mut self, ghost: u32, out: &mut Evictions) {
        self.queues.unlink(ghost);
        self.ghosts -= 1;
        self.make_room(out);
        self.stack.move_first(STACK, ghost);
        self.promote(ghost);
        self.prune();
    }

    fn admit(&mut self, lpn: Lpn, out: &mut Evictions) -> u32 {
        self.make_room(out);
        let node = self.pages.take(lpn);
        self.stack.push_first(STACK, node);
        if self.lirs < self.lirs_max {
            self.promote(node);
        } else {
            self.link_hir(node, IN_STACK);
        }
        self.prune();
        node
    }

    /// Makes the page recent, and room for it if it is not here. Returns whether it is.
    fn access(&mut self, lpn: Lpn, out: &mut Evictions) -> (u32, bool) {
        let node = self.pages.find(lpn);
        if node == NONE {
            return (self.admit(lpn, out), false);
        }
        let ghost = self.is(node, GHOST);
        if ghost {
            self.return_of(node, out);
        } else {
            self.hit(node);
        }
        (node, !ghost)
    }

    fn here(&self, lpn: Lpn) -> Option<u32> {
        let node = self.pages.find(lpn);
        (node != NONE && !self.is(node, GHOST)).then_some(node)
    }

    fn flush_hirs(&mut self, out: &mut Evictions) {
        let mut node = self.queues.last(HIRS);
        while node != NONE {
            let before = self.queues.before(node);
            if self.pages.is_dirty(node) {
                self.detach_hir(node);
                self.leave(node, out);
            }
            node = before;
        }
    }

    fn flush_lirs(&mut self, out: &mut Evictions) {
        let mut node = self.stack.last(STACK);
        while node != NONE {
            if self.is(node, LIR) && self.pages.is_dirty(node) {
                self.lirs -= 1;
                self.leave(node, out);
            }
            // Only now: the page before may have been a ghost that had to be forgotten.
            node = self.stack.before(node);
        }
    }
}

impl WriteBuffer for Lirs {
    const NAME: &'static str = "lirs";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Lirs, SimError> {
        let share = setup.settings.lirs.hir_share;
        check_share("lirs.hir_share", share)?;
        let pages = Pages::new(setup, setup.pages.saturating_mul(2));
        let hirs_max = ((share * f64::from(setup.pages)).round() as u32).clamp(1, setup.pages);
        Ok(Lirs {
            stack: Lists::new(1, pages.nodes()),
            queues: Lists::new(2, pages.nodes()),
            pages,
            lirs: 0,
            hirs: 0,
            ghosts: 0,
            lirs_max: setup.pages - hirs_max,
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
            self.hit(node);
        }
        Some(self.pages.token(node))
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) {
        if self.caches_reads && self.here(lpn).is_none() {
            let (node, _) = self.access(lpn, out);
            self.pages.fill(node, token);
        }
    }

    /// HIR pages, the next victim first, then LIR pages from the stack's end. Clean pages stay.
    fn flush(&mut self, out: &mut Evictions) {
        self.flush_hirs(out);
        self.flush_lirs(out);
        self.prune();
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node == NONE {
            return;
        }
        if self.is(node, GHOST) {
            return self.forget_ghost(node);
        }
        if self.is(node, IN_STACK) {
            self.stack.unlink(node);
        }
        if self.is(node, LIR) {
            self.lirs -= 1;
        } else {
            self.detach_hir(node);
        }
        self.pages.release(node);
        self.prune();
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
