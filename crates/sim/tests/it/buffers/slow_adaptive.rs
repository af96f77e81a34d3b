//! Slow twins of ARC and LIRS, after the papers' own words. First entries leave next.

use flashscope_sim::Settings;
use flashscope_sim::nand::{Lpn, Token};

use super::slow::{Left, Page, Slow};

fn place(list: &[Page], lpn: Lpn) -> Option<usize> {
    list.iter().position(|page| page.lpn == lpn)
}

/// ARC: T1, T2 and the ghosts B1, B2.
#[derive(Default)]
pub struct Arc {
    t1: Vec<Page>,
    t2: Vec<Page>,
    b1: Vec<Lpn>,
    b2: Vec<Lpn>,
    p: usize,
    c: usize,
    caches: bool,
}

impl Arc {
    pub fn new(settings: &Settings, pages: u32) -> Arc {
        Arc { c: pages as usize, caches: settings.ram.cache_reads, ..Arc::default() }
    }

    fn replace(&mut self, in_b2: bool, out: &mut Left) {
        if self.t1.len() + self.t2.len() < self.c {
            return;
        }
        let t1 = self.t1.len();
        let first = t1 >= 1 && (t1 > self.p || (in_b2 && t1 == self.p) || self.t2.is_empty());
        let (from, ghosts) = if first { (&mut self.t1, &mut self.b1) } else { (&mut self.t2, &mut self.b2) };
        let page = from.remove(0);
        page.leave(out);
        ghosts.push(page.lpn);
    }

    fn access(&mut self, page: Page, out: &mut Left) -> bool {
        let lpn = page.lpn;
        if self.take(lpn).is_some() {
            self.t2.push(page);
            return true;
        }
        if let Some(i) = self.b1.iter().position(|ghost| *ghost == lpn) {
            self.p = self.c.min(self.p + (self.b2.len() / self.b1.len()).max(1));
            self.replace(false, out);
            self.b1.remove(i);
            self.t2.push(page);
        } else if let Some(i) = self.b2.iter().position(|ghost| *ghost == lpn) {
            self.p = self.p.saturating_sub((self.b1.len() / self.b2.len()).max(1));
            self.replace(true, out);
            self.b2.remove(i);
            self.t2.push(page);
        } else {
            self.miss(out);
            self.t1.push(page);
        }
        false
    }

    fn miss(&mut self, out: &mut Left) {
        let l1 = self.t1.len() + self.b1.len();
        if l1 == self.c && self.t1.len() == self.c {
            return self.t1.remove(0).leave(out);
        }
        if l1 == self.c {
            self.b1.remove(0);
        } else if l1 + self.t2.len() + self.b2.len() == 2 * self.c {
            self.b2.remove(0);
        }
        self.replace(false, out);
    }

    fn take(&mut self, lpn: Lpn) -> Option<Page> {
        for list in [&mut self.t1, &mut self.t2] {
            if let Some(i) = place(list, lpn) {
                return Some(list.remove(i));
            }
        }
        None
    }
}

impl Slow for Arc {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        self.access(Page::dirty(lpn, token), out)
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let token = self.t1.iter().chain(&self.t2).find(|page| page.lpn == lpn)?.token;
        if self.caches {
            let page = self.take(lpn)?;
            self.t2.push(page);
        }
        Some(token)
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Left) {
        self.access(Page::clean(lpn, token), out);
    }

    fn flush(&mut self, out: &mut Left) {
        for (list, ghosts) in [(&mut self.t1, &mut self.b1), (&mut self.t2, &mut self.b2)] {
            list.iter().for_each(|page| page.leave(out));
            ghosts.extend(list.iter().filter(|page| page.dirty).map(|page| page.lpn));
            list.retain(|page| !page.dirty);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        self.take(lpn);
        self.b1.retain(|ghost| *ghost != lpn);
        self.b2.retain(|ghost| *ghost != lpn);
    }
}

/// LIRS: the stack of pages with their kinds, the queue of HIR pages, the pages that are here, and the ghosts
/// in the order in which they left.
#[derive(Default)]
pub struct Lirs {
    stack: Vec<Lpn>,
    lir: Vec<Lpn>,
    queue: Vec<Lpn>,
    ghosts: Vec<Lpn>,
    here: Vec<Page>,
    lirs_max: usize,
    pages: usize,
    caches: bool,
}

fn forget(list: &mut Vec<Lpn>, lpn: Lpn) {
    list.retain(|other| *other != lpn);
}

impl Lirs {
    pub fn new(settings: &Settings, pages: u32) -> Lirs {
        let hirs = ((settings.lirs.hir_share * f64::from(pages)).round() as usize).max(1);
        let caches = settings.ram.cache_reads;
        Lirs { lirs_max: pages as usize - hirs, pages: pages as usize, caches, ..Lirs::default() }
    }

    fn prune(&mut self) {
        while self.stack.first().is_some_and(|lpn| !self.lir.contains(lpn)) {
            let lpn = self.stack.remove(0);
            forget(&mut self.ghosts, lpn);
        }
    }

    fn on_top(&mut self, lpn: Lpn) {
        forget(&mut self.stack, lpn);
        self.stack.push(lpn);
    }

    fn leave(&mut self, lpn: Lpn, out: &mut Left) {
        forget(&mut self.queue, lpn);
        forget(&mut self.lir, lpn);
        if let Some(i) = place(&self.here, lpn) {
            self.here.remove(i).leave(out);
        }
        if self.stack.contains(&lpn) {
            self.ghosts.push(lpn);
        }
        if self.ghosts.len() > self.pages {
            let oldest = self.ghosts.remove(0);
            forget(&mut self.stack, oldest);
        }
    }

    fn promote(&mut self, lpn: Lpn) {
        self.lir.push(lpn);
        forget(&mut self.queue, lpn);
        self.on_top(lpn);
        if self.lir.len() > self.lirs_max {
            let bottom = self.stack.remove(0);
            forget(&mut self.lir, bottom);
            self.queue.push(bottom);
        }
    }

    fn touch(&mut self, lpn: Lpn) {
        if self.lir.contains(&lpn) {
            self.on_top(lpn);
        } else if self.stack.contains(&lpn) {
            self.promote(lpn);
        } else {
            self.on_top(lpn);
            forget(&mut self.queue, lpn);
            self.queue.push(lpn);
        }
        self.prune();
    }

    fn access(&mut self, page: Page, out: &mut Left) -> bool {
        let lpn = page.lpn;
        if let Some(i) = place(&self.here, lpn) {
            self.here[i] = page;
            self.touch(lpn);
            return true;
        }
        let remembered = self.ghosts.contains(&lpn);
        forget(&mut self.ghosts, lpn);
        if self.here.len() == self.pages {
            self.leave(self.queue[0], out);
        }
        self.here.push(page);
        if remembered || self.lir.len() < self.lirs_max {
            self.promote(lpn);
        } else {
            self.on_top(lpn);
            self.queue.push(lpn);
        }
        self.prune();
        false
    }
}

impl Slow for Lirs {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        self.access(Page::dirty(lpn, token), out)
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let token = self.here[place(&self.here, lpn)?].token;
        if self.caches {
            self.touch(lpn);
        }
        Some(token)
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Left) {
        self.access(Page::clean(lpn, token), out);
    }

    fn flush(&mut self, out: &mut Left) {
        let stack = self.stack.iter().filter(|lpn| self.lir.contains(lpn));
        let order: Vec<Lpn> = self.queue.iter().chain(stack).copied().collect();
        for lpn in order {
            if place(&self.here, lpn).is_some_and(|i| self.here[i].dirty) {
                self.leave(lpn, out);
            }
        }
        self.prune();
    }

    fn discard(&mut self, lpn: Lpn) {
        for list in [&mut self.stack, &mut self.lir, &mut self.queue, &mut self.ghosts] {
            forget(list, lpn);
        }
        self.here.retain(|page| page.lpn != lpn);
        self.prune();
    }
}
