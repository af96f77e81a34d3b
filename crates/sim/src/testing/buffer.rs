//! A write buffer by itself, against a list of what it holds.

use flashscope_core::seed::{Random, derive};

use crate::buffer::{BufferSetup, Evictions, WriteBuffer};
use crate::nand::{Lpn, NO_TOKEN, Token};
use crate::settings::Settings;

/// Pages of a block of [`small_buffer`].
pub const PAGES_PER_BLOCK: u32 = 4;
/// Pages of the device before which [`small_buffer`] stands: the last block has one page only.
pub const LOGICAL_PAGES: u32 = 61;

/// A buffer of at most `pages` pages before a very small device.
pub fn small_buffer(settings: &Settings, pages: u32) -> BufferSetup<'_> {
    BufferSetup { pages, pages_per_block: PAGES_PER_BLOCK, logical_pages: LOGICAL_PAGES, settings }
}

/// One call of a [`small_buffer`].
#[derive(Clone, Copy, Debug)]
pub enum BufferCall {
    /// A page is written.
    Write(Lpn),
    /// A page is read.
    Read(Lpn),
    /// A page is trimmed, or written past the buffer.
    Discard(Lpn),
    /// Everything dirty is to leave.
    Flush,
}

/// Calls with some locality: streams, a hot set, and anything.
pub struct BufferCalls {
    /// What they are drawn from.
    pub random: Random,
    stream: Lpn,
}

impl BufferCalls {
    /// Calls of this seed.
    pub fn new(seed: u64) -> BufferCalls {
        BufferCalls { random: Random::new(seed), stream: 0 }
    }

    fn page(&mut self) -> Lpn {
        let pages = u64::from(LOGICAL_PAGES);
        match self.random.below(8) {
            0 => self.stream = self.random.below(pages) as Lpn / PAGES_PER_BLOCK * PAGES_PER_BLOCK,
            1..=3 => self.stream = (self.stream + 1) % LOGICAL_PAGES,
            4 | 5 => return (self.random.below(7) * 9) as Lpn,
            6 => {}
            _ => return self.random.below(pages) as Lpn,
        }
        self.stream
    }

    /// The next one.
    pub fn draw(&mut self) -> BufferCall {
        let page = self.page();
        match self.random.below(200) {
            0 => BufferCall::Flush,
            1..=6 => BufferCall::Discard(page),
            7..=60 => BufferCall::Read(page),
            _ => BufferCall::Write(page),
        }
    }
}

/// Random calls to a buffer of at most `pages` pages: never more pages in it, each dirty page leaves once and
/// with its newest token, a read gives the newest token or nothing, a flush leaves nothing dirty.
///
/// # Panics
/// If one of them does not hold.
pub fn check_buffer<B: WriteBuffer + Clone>(
    settings: &Settings,
    options: &B::Options,
    pages: u32,
    seed: u64,
) {
    let what = format!("{} of {pages} pages, seed {seed:#x}", settings.buffer);
    let mut checked = Checked {
        buffer: B::new(&small_buffer(settings, pages), options)
            .unwrap_or_else(|error| panic!("{what}: {error}")),
        newest: vec![NO_TOKEN; LOGICAL_PAGES as usize],
        pending: vec![false; LOGICAL_PAGES as usize],
        pages,
        caches: settings.ram.cache_reads,
        out: Evictions::default(),
        token: NO_TOKEN,
        what,
    };
    let mut calls = BufferCalls::new(derive(seed, 1));
    (0..300).for_each(|_| checked.call(calls.draw()));
    checked.call(BufferCall::Flush);
}

struct Checked<B> {
    buffer: B,
    newest: Vec<Token>,
    /// Written, and neither evicted nor discarded.
    pending: Vec<bool>,
    pages: u32,
    caches: bool,
    out: Evictions,
    token: Token,
    what: String,
}

impl<B: WriteBuffer + Clone> Checked<B> {
    fn call(&mut self, call: BufferCall) {
        self.out.pages.clear();
        match call {
            BufferCall::Write(lpn) => self.write(lpn),
            BufferCall::Read(lpn) => self.read(lpn),
            BufferCall::Discard(lpn) => {
                self.buffer.discard(lpn);
                self.pending[lpn as usize] = false;
                assert_eq!(self.buffer.read(lpn), None, "{}: page {lpn} was discarded", self.what);
            }
            BufferCall::Flush => self.buffer.flush(&mut self.out),
        }
        self.evicted();
        if matches!(call, BufferCall::Flush) {
            assert_eq!(self.buffer.dirty_pages(), 0, "{}: a flush leaves nothing dirty", self.what);
        }
        self.check();
    }

    fn read(&mut self, lpn: Lpn) {
        let newest = self.newest[lpn as usize];
        let found = self.buffer.read(lpn);
        assert!(found.is_some() || !self.pending[lpn as usize], "{}: page {lpn} is in it", self.what);
        assert!(found.is_none_or(|token| token == newest), "{}: page {lpn} is the newest", self.what);
        if found.is_none() && self.caches {
            self.buffer.offer(lpn, newest, &mut self.out);
        }
    }

    /// What leaves to make room leaves before the page comes: it may be an older version of it.
    fn write(&mut self, lpn: Lpn) {
        self.token += 1;
        let known = self.holds(lpn);
        let hit = self.buffer.write(lpn, self.token, &mut self.out);
        assert_eq!(hit, known, "{}: page {lpn}: a hit is a page that was here", self.what);
        self.evicted();
        self.out.pages.clear();
        self.newest[lpn as usize] = self.token;
        self.pending[lpn as usize] = true;
    }

    /// Asks a copy, as a read may change the order.
    fn holds(&self, lpn: Lpn) -> bool {
        self.buffer.clone().read(lpn).is_some()
    }

    fn evicted(&mut self) {
        for page in &self.out.pages {
            let lpn = page.lpn as usize;
            assert_eq!(
                page.missing, !self.pending[lpn],
                "{}: page {lpn} leaves once, or is padding",
                self.what
            );
            let is_newest = page.missing || page.token == self.newest[lpn];
            assert!(is_newest, "{}: page {lpn} leaves with its newest token", self.what);
            self.pending[lpn] = false;
        }
    }

    fn check(&self) {
        let dirty = self.pending.iter().filter(|pending| **pending).count();
        assert_eq!(self.buffer.dirty_pages() as usize, dirty, "{}: dirty pages", self.what);
        let here = (0..LOGICAL_PAGES).filter(|lpn| self.holds(*lpn)).count();
        assert!(here as u32 <= self.pages, "{}: {here} pages", self.what);
    }
}
