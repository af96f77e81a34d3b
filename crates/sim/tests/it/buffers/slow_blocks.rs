//! Slow twins of the policies that evict whole blocks: a list of blocks, its first entry the least recent.

use flashscope_sim::Settings;
use flashscope_sim::nand::{Lpn, Token};

use super::slow::{Left, Page, Slow};
use flashscope_sim::testing::{LOGICAL_PAGES, PAGES_PER_BLOCK};

struct Group {
    block: u32,
    pages: Vec<Page>,
    /// Pages written since the block came, in order.
    history: Vec<Lpn>,
}

impl Group {
    fn new(block: u32) -> Group {
        Group { block, pages: Vec::new(), history: Vec::new() }
    }

    fn all(&self) -> std::ops::Range<Lpn> {
        let first = self.block * PAGES_PER_BLOCK;
        first..LOGICAL_PAGES.min(first + PAGES_PER_BLOCK)
    }

    fn put(&mut self, page: Page) {
        self.pages.retain(|old| old.lpn != page.lpn);
        self.pages.push(page);
        self.pages.sort_by_key(|page| page.lpn);
    }

    /// Since its first page was last written, all pages came in order; repetitions do not count.
    fn is_stream(&self) -> bool {
        let Some(start) = self.history.iter().rposition(|lpn| *lpn == self.all().start) else { return false };
        let mut since = self.history[start..].to_vec();
        since.dedup();
        since == self.all().collect::<Vec<_>>()
    }
}

fn find(list: &[Group], lpn: Lpn) -> Option<&Page> {
    list.iter().flat_map(|group| &group.pages).find(|page| page.lpn == lpn)
}

fn count(list: &[Group]) -> usize {
    list.iter().map(|group| group.pages.len()).sum()
}

fn discard(list: &mut Vec<Group>, lpn: Lpn) {
    list.iter_mut().for_each(|group| group.pages.retain(|page| page.lpn != lpn));
    list.retain(|group| !group.pages.is_empty());
}

fn take(list: &mut Vec<Group>, block: u32) -> Group {
    match list.iter().position(|group| group.block == block) {
        Some(place) => list.remove(place),
        None => Group::new(block),
    }
}

pub struct Bplru {
    list: Vec<Group>,
    nodes: usize,
    padding: bool,
    compensation: bool,
    header_nodes: usize,
}

impl Bplru {
    pub fn new(pages: u32, padding: bool, compensation: bool, header_nodes: usize) -> Bplru {
        Bplru { list: Vec::new(), nodes: pages as usize, padding, compensation, header_nodes }
    }

    fn evict(&mut self, out: &mut Left) {
        let group = self.list.remove(0);
        for lpn in group.all() {
            match group.pages.iter().find(|page| page.lpn == lpn) {
                Some(page) => page.leave(out),
                None if self.padding => out.push((lpn, None)),
                None => {}
            }
        }
    }

    fn has_room(&self, block: u32) -> bool {
        let opened = usize::from(!self.list.iter().any(|group| group.block == block));
        count(&self.list) + 1 + (self.list.len() + opened) * self.header_nodes <= self.nodes
    }
}

impl Slow for Bplru {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        let (block, hit) = (lpn / PAGES_PER_BLOCK, find(&self.list, lpn).is_some());
        while !hit && !self.has_room(block) {
            self.evict(out);
        }
        let mut group = take(&mut self.list, block);
        group.put(Page::dirty(lpn, token));
        group.history.push(lpn);
        if self.compensation && group.is_stream() {
            self.list.insert(0, group);
        } else {
            self.list.push(group);
        }
        hit
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        find(&self.list, lpn).map(|page| page.token)
    }

    fn flush(&mut self, out: &mut Left) {
        while !self.list.is_empty() {
            self.evict(out);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        discard(&mut self.list, lpn);
    }
}

/// BPLRU without block-level LRU: a list of pages, and what was written to each block that has any.
pub struct PageBplru {
    list: Vec<Page>,
    written: Vec<Group>,
    nodes: usize,
    padding: bool,
    compensation: bool,
    header_nodes: usize,
}

impl PageBplru {
    pub fn new(settings: &Settings, pages: u32) -> PageBplru {
        let set = &settings.bplru;
        let (padding, compensation, header_nodes) =
            (set.padding, set.compensation, set.header_nodes as usize);
        PageBplru {
            list: Vec::new(),
            written: Vec::new(),
            nodes: pages as usize,
            padding,
            compensation,
            header_nodes,
        }
    }

    fn evict(&mut self, out: &mut Left) {
        let victim = self.list[0].lpn;
        let whole = Group::new(victim / PAGES_PER_BLOCK).all();
        for lpn in if self.padding { whole } else { victim..victim + 1 } {
            match self.list.iter().position(|page| page.lpn == lpn) {
                Some(place) => self.list.remove(place).leave(out),
                None => out.push((lpn, None)),
            }
        }
        self.forget_empty();
    }

    fn forget_empty(&mut self) {
        self.written.retain(|group| self.list.iter().any(|page| group.all().contains(&page.lpn)));
    }

    fn has_room(&self, block: u32) -> bool {
        let opened = usize::from(!self.written.iter().any(|group| group.block == block));
        self.list.len() + 1 + (self.written.len() + opened) * self.header_nodes <= self.nodes
    }
}

impl Slow for PageBplru {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        let (block, before) = (lpn / PAGES_PER_BLOCK, self.list.len());
        self.list.retain(|page| page.lpn != lpn);
        let hit = self.list.len() < before;
        while !hit && !self.has_room(block) {
            self.evict(out);
        }
        self.list.push(Page::dirty(lpn, token));
        let mut group = take(&mut self.written, block);
        group.history.push(lpn);
        if self.compensation && group.is_stream() {
            self.list.sort_by_key(|page| if group.all().contains(&page.lpn) { page.lpn } else { Lpn::MAX });
        }
        self.written.push(group);
        hit
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.list.iter().find(|page| page.lpn == lpn).map(|page| page.token)
    }

    fn flush(&mut self, out: &mut Left) {
        while !self.list.is_empty() {
            self.evict(out);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        self.list.retain(|page| page.lpn != lpn);
        self.forget_empty();
    }
}

pub struct Fab {
    list: Vec<Group>,
    pages: usize,
    exempt_current: bool,
}

impl Fab {
    pub fn new(settings: &Settings, pages: u32) -> Fab {
        Fab { list: Vec::new(), pages: pages as usize, exempt_current: settings.fab.exempt_current }
    }

    fn victim(&self, exempt: Option<u32>) -> Option<usize> {
        let most = |best: Option<usize>, place: usize| match best {
            Some(best) if self.list[best].pages.len() >= self.list[place].pages.len() => Some(best),
            _ => Some(place),
        };
        (0..self.list.len()).filter(|place| Some(self.list[*place].block) != exempt).fold(None, most)
    }

    fn admit(&mut self, page: Page, out: &mut Left) {
        let block = page.lpn / PAGES_PER_BLOCK;
        if find(&self.list, page.lpn).is_none() && count(&self.list) == self.pages {
            let victim = self.victim(self.exempt_current.then_some(block)).unwrap_or(0);
            self.list.remove(victim).pages.iter().for_each(|page| page.leave(out));
        }
        let mut group = take(&mut self.list, block);
        group.put(page);
        self.list.push(group);
    }
}

impl Slow for Fab {
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Left) -> bool {
        let hit = find(&self.list, lpn).is_some();
        self.admit(Page::dirty(lpn, token), out);
        hit
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        let token = find(&self.list, lpn)?.token;
        let group = take(&mut self.list, lpn / PAGES_PER_BLOCK);
        self.list.push(group);
        Some(token)
    }

    fn offer(&mut self, lpn: Lpn, token: Token, out: &mut Left) {
        self.admit(Page::clean(lpn, token), out);
    }

    fn flush(&mut self, out: &mut Left) {
        let mut order: Vec<&Group> = self.list.iter().collect();
        order.sort_by_key(|group| std::cmp::Reverse(group.pages.len()));
        order.iter().flat_map(|group| &group.pages).for_each(|page| page.leave(out));
        self.list.iter_mut().for_each(|group| group.pages.retain(|page| !page.dirty));
        self.list.retain(|group| !group.pages.is_empty());
    }

    fn discard(&mut self, lpn: Lpn) {
        discard(&mut self.list, lpn);
    }
}
