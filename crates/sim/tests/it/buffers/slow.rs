//! Slow twins of the policies that evict single pages: a list, its first entry the next to leave.

use flashscope_sim::Settings;
use flashscope_sim::nand::{Lpn, Token};

/// What leaves: the page, and its token unless it is padding.
pub type Left = Vec<(Lpn, Option<Token>)>;

/// The calls of a buffer.
pub trait Slow {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool;
    fn read(&mut self, lpn: Lpn) -> Option<Token>;
    fn offer(&mut self, _lpn: Lpn, _token: Token, _out: &mut Left) {}
    fn flush(&mut self, out: &mut Left);
    fn discard(&mut self, lpn: Lpn);
}

#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub lpn: Lpn,
    pub token: Token,
    pub dirty: bool,
    pub cold: bool,
}

impl Page {
    pub fn dirty(lpn: Lpn, token: Token) -> Page {
        Page { lpn, token, dirty: true, cold: false }
    }

    pub fn clean(lpn: Lpn, token: Token) -> Page {
        Page { dirty: false, ..Page::dirty(lpn, token) }
    }

    pub fn leave(self, out: &mut Left) {
        if self.dirty {
            out.push((self.lpn, Some(self.token)));
        }
    }
}

pub struct Fifo {
    queue: Vec<Page>,
    pages: usize,
}

impl Fifo {
    pub fn new(pages: u32) -> Fifo {
        Fifo { queue: Vec::new(), pages: pages as usize }
    }
}

impl Slow for Fifo {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        if let Some(page) = self.queue.iter_mut().find(|page| page.lpn == lpn) {
            page.token = token;
            return true;
        }
        if self.queue.len() == self.pages {
            self.queue.remove(0).leave(out);
        }
        self.queue.push(Page::dirty(lpn, token));
        false
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.queue.iter().find(|page| page.lpn == lpn).map(|page| page.token)
    }

    fn flush(&mut self, out: &mut Left) {
        self.queue.drain(..).for_each(|page| page.leave(out));
    }

    fn discard(&mut self, lpn: Lpn) {
        self.queue.retain(|page| page.lpn != lpn);
    }
}

/// A queue that leaves at once, but for its newest pages.
pub struct Batch {
    queue: Fifo,
    keep: usize,
}

impl Batch {
    pub fn new(settings: &Settings, pages: u32) -> Batch {
        let keep = (settings.batch.keep * f64::from(pages)).round() as usize;
        Batch { queue: Fifo::new(pages), keep: keep.min(pages as usize - 1) }
    }

    fn leave(&mut self, keep: usize, out: &mut Left) {
        let queue = &mut self.queue.queue;
        let leaving = queue.len().saturating_sub(keep);
        let mut batch: Vec<Page> = queue.drain(..leaving).collect();
        batch.sort_by_key(|page| page.lpn);
        batch.into_iter().for_each(|page| page.leave(out));
    }
}

impl Slow for Batch {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        let is_known = self.queue.read(lpn).is_some();
        if !is_known && self.queue.queue.len() == self.queue.pages {
            self.leave(self.keep, out);
        }
        self.queue.write(lpn, token, out)
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.queue.read(lpn)
    }

    fn flush(&mut self, out: &mut Left) {
        self.leave(0, out);
    }

    fn discard(&mut self, lpn: Lpn) {
        self.queue.discard(lpn);
    }
}

/// How LRU and its kin choose.
pub enum Rule {
    Last,
    SecondChance,
    CleanFirst(usize),
}

pub struct Lru {
    list: Vec<Page>,
    pages: usize,
    caches: bool,
    rule: Rule,
}

impl Lru {
    pub fn new(settings: &Settings, pages: u32, rule: Rule) -> Lru {
        Lru { list: Vec::new(), pages: pages as usize, caches: settings.ram.cache_reads, rule }
    }

    fn take(&mut self, lpn: Lpn) -> Option<Page> {
        let place = self.list.iter().position(|page| page.lpn == lpn)?;
        Some(self.list.remove(place))
    }

    fn victim(&mut self) -> usize {
        match self.rule {
            Rule::Last => 0,
            Rule::CleanFirst(window) => {
                self.list.iter().take(window).position(|page| !page.dirty).unwrap_or(0)
            }
            Rule::SecondChance => {
                while self.list[0].dirty && !self.list[0].cold {
                    let page = self.list.remove(0);
                    self.list.push(Page { cold: true, ..page });
                }
                0
            }
        }
    }

    fn admit(&mut self, page: Page, out: &mut Left) {
        if self.list.len() == self.pages {
            let victim = self.victim();
            self.list.remove(victim).leave(out);
        }
        self.list.push(page);
    }
}

impl Slow for Lru {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        let hit = self.take(lpn).is_some();
        self.admit(Page::dirty(lpn, token), out);
        hit
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let token = self.list.iter().find(|page| page.lpn == lpn)?.token;
        if self.caches {
            let page = self.take(lpn)?;
            self.list.push(Page { cold: false, ..page });
        }
        Some(token)
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Left) {
        self.admit(Page::clean(lpn, token), out);
    }

    fn flush(&mut self, out: &mut Left) {
        self.list.iter().for_each(|page| page.leave(out));
        self.list.retain(|page| !page.dirty);
    }

    fn discard(&mut self, lpn: Lpn) {
        self.take(lpn);
    }
}
