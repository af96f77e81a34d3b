//! Write buffers: every line of the registry against what all buffers promise, and each policy against a slow
//! implementation of its own that is nothing but lists.
#![allow(clippy::print_stdout)]

mod slow;
mod slow_adaptive;
mod slow_blocks;

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::buffer::{AnyBuffer, BUFFERS, BufferSetup, Evictions};
use flashscope_sim::nand::{Lpn, NO_TOKEN, Token};
use flashscope_sim::{Settings, Ssd};

use slow::Slow;

const PAGES_PER_BLOCK: u32 = 4;
/// The last block has one page only.
const LOGICAL_PAGES: u32 = 61;
const SEED: u64 = 0x6275_6666;

/// One call of a buffer.
#[derive(Clone, Copy, Debug)]
enum Call {
    Write(Lpn),
    Read(Lpn),
    Discard(Lpn),
    Flush,
}

/// Calls with some locality: streams, a hot set, and anything.
struct Calls {
    random: Random,
    stream: Lpn,
}

impl Calls {
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

    fn next(&mut self) -> Call {
        let page = self.page();
        match self.random.below(200) {
            0 => Call::Flush,
            1..=6 => Call::Discard(page),
            7..=60 => Call::Read(page),
            _ => Call::Write(page),
        }
    }
}

/// Settings of case `case`: everything that a buffer can be told takes all its values.
fn settings(name: &str, case: u64) -> (Settings, u32) {
    let mut random = Random::new(derive(SEED, case));
    let mut settings = Settings { buffer: name.into(), ..Settings::default() };
    settings.nand.data = true;
    settings.ram.cache_reads = random.below(2) == 1;
    settings.fab.exempt_current = random.below(2) == 1;
    settings.bplru.block_lru = random.below(2) == 1;
    settings.bplru.padding = random.below(2) == 1;
    settings.bplru.compensation = random.below(4) > 0;
    let pages = 1 + random.below(24) as u32;
    settings.bplru.header_nodes = random.below(u64::from(pages.min(3))) as u32;
    settings.cflru.window = random.below(5) as f64 / 4.0;
    settings.lirs.hir_share = random.below(5) as f64 / 4.0;
    settings.batch.keep = random.below(5) as f64 / 4.0;
    (settings, pages)
}

fn setup(settings: &Settings, pages: u32) -> BufferSetup<'_> {
    BufferSetup { pages, pages_per_block: PAGES_PER_BLOCK, logical_pages: LOGICAL_PAGES, settings }
}

/// A buffer, and a list of what each page must hold.
struct Checked {
    buffer: AnyBuffer,
    newest: Vec<Token>,
    /// Written, and neither evicted nor discarded.
    pending: Vec<bool>,
    pages: u32,
    caches: bool,
    out: Evictions,
    token: Token,
}

impl Checked {
    fn new(settings: &Settings, pages: u32) -> Checked {
        Checked {
            buffer: AnyBuffer::new(&setup(settings, pages)).expect("the settings are good"),
            newest: vec![NO_TOKEN; LOGICAL_PAGES as usize],
            pending: vec![false; LOGICAL_PAGES as usize],
            pages,
            caches: settings.ram.cache_reads,
            out: Evictions::default(),
            token: NO_TOKEN,
        }
    }

    fn call(&mut self, call: Call) {
        self.out.pages.clear();
        match call {
            Call::Write(lpn) => self.write(lpn),
            Call::Read(lpn) => {
                let found = self.buffer.read(lpn);
                assert!(found.is_some() || !self.pending[lpn as usize], "page {lpn} is in the buffer");
                assert!(found.is_none_or(|token| token == self.newest[lpn as usize]), "page {lpn}: newest");
                if found.is_none() && self.caches {
                    self.buffer.offer(lpn, self.newest[lpn as usize], &mut self.out);
                }
            }
            Call::Discard(lpn) => {
                self.buffer.discard(lpn);
                self.pending[lpn as usize] = false;
                assert_eq!(self.buffer.read(lpn), None);
            }
            Call::Flush => self.buffer.flush(&mut self.out),
        }
        self.evicted();
        if matches!(call, Call::Flush) {
            assert_eq!(self.buffer.dirty_pages(), 0, "a flush leaves nothing dirty");
        }
        self.check();
    }

    /// What leaves to make room leaves before the page comes: it may be an older version of it.
    fn write(&mut self, lpn: Lpn) {
        self.token += 1;
        let known = self.buffer.clone().read(lpn).is_some();
        let hit = self.buffer.write(lpn, self.token, &mut self.out);
        assert_eq!(hit, known, "page {lpn}: a hit is a page that was here");
        self.evicted();
        self.out.pages.clear();
        self.newest[lpn as usize] = self.token;
        self.pending[lpn as usize] = true;
    }

    fn evicted(&mut self) {
        for page in &self.out.pages {
            let lpn = page.lpn as usize;
            assert_eq!(page.missing, !self.pending[lpn], "page {lpn} leaves once, or is padding");
            assert!(
                page.missing || page.token == self.newest[lpn],
                "page {lpn} leaves with its newest token"
            );
            self.pending[lpn] = false;
        }
    }

    fn check(&self) {
        let dirty = self.pending.iter().filter(|pending| **pending).count();
        assert_eq!(self.buffer.dirty_pages() as usize, dirty);
        let here = (0..LOGICAL_PAGES).filter(|lpn| self.buffer.clone().read(*lpn).is_some()).count();
        assert!(here as u32 <= self.pages, "{here} pages in a buffer of {}", self.pages);
    }
}

#[test]
fn every_buffer_keeps_its_promises() {
    for (name, _) in BUFFERS.iter().filter(|(name, _)| *name != "none") {
        for case in 0..40 {
            let (settings, pages) = settings(name, case);
            let mut checked = Checked::new(&settings, pages);
            let mut calls = Calls { random: Random::new(derive(SEED, 1000 + case)), stream: 0 };
            let said = format!("{name}, case {case} of seed {SEED:#x}, {pages} pages");
            let _context = Context(said);
            (0..300).for_each(|_| checked.call(calls.next()));
            checked.call(Call::Flush);
        }
    }
}

/// Printed when a test fails while it is alive.
struct Context(String);

impl Drop for Context {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("in {}", self.0);
        }
    }
}

/// The same calls to the buffer and to its slow twin: the same answers, the same evictions in the same order.
fn compare(name: &str, make: impl Fn(&Settings, u32) -> Box<dyn Slow>) {
    for case in 0..80 {
        let (settings, pages) = settings(name, case);
        let _context = Context(format!("{name}, case {case} of seed {SEED:#x}, {pages} pages"));
        let mut buffer = AnyBuffer::new(&setup(&settings, pages)).expect("the settings are good");
        let mut slow = make(&settings, pages);
        let mut calls = Calls { random: Random::new(derive(SEED, 2000 + case)), stream: 0 };
        for token in 1..1000 {
            let call = calls.next();
            let (mut out, mut expected) = (Evictions::default(), Vec::new());
            match call {
                Call::Write(lpn) => {
                    let hit = buffer.write(lpn, token, &mut out);
                    assert_eq!(hit, slow.write(lpn, token, &mut expected), "{token}: {call:?}");
                }
                Call::Read(lpn) => {
                    let found = buffer.read(lpn);
                    assert_eq!(found, slow.read(lpn), "{token}: {call:?}");
                    if found.is_none() && settings.ram.cache_reads {
                        buffer.offer(lpn, token, &mut out);
                        slow.offer(lpn, token, &mut expected);
                    }
                }
                Call::Discard(lpn) => {
                    buffer.discard(lpn);
                    slow.discard(lpn);
                }
                Call::Flush => {
                    buffer.flush(&mut out);
                    slow.flush(&mut expected);
                }
            }
            let left: Vec<_> =
                out.pages.iter().map(|page| (page.lpn, (!page.missing).then_some(page.token))).collect();
            assert_eq!(left, expected, "{token}: {call:?}");
        }
    }
}

#[test]
fn fifo_is_a_queue() {
    compare("fifo", |_, pages| Box::new(slow::Fifo::new(pages)));
}

#[test]
fn batch_is_a_queue_that_leaves_at_once() {
    compare("batch", |settings, pages| Box::new(slow::Batch::new(settings, pages)));
}

#[test]
fn lru_is_a_list() {
    compare("lru", |settings, pages| Box::new(slow::Lru::new(settings, pages, slow::Rule::Last)));
}

#[test]
fn lru_wsr_puts_dirty_pages_off_once() {
    compare("lru-wsr", |settings, pages| Box::new(slow::Lru::new(settings, pages, slow::Rule::SecondChance)));
}

#[test]
fn cflru_prefers_clean_pages_in_its_window() {
    compare("cflru", |settings, pages| {
        let window = (settings.cflru.window * f64::from(pages)).round() as usize;
        Box::new(slow::Lru::new(settings, pages, slow::Rule::CleanFirst(window)))
    });
}

#[test]
fn arc_is_figure_4_of_its_paper() {
    compare("arc", |settings, pages| Box::new(slow_adaptive::Arc::new(settings, pages)));
}

#[test]
fn lirs_is_a_stack_and_a_queue() {
    compare("lirs", |settings, pages| Box::new(slow_adaptive::Lirs::new(settings, pages)));
}

#[test]
fn block_lru_is_a_list_of_blocks() {
    compare("block-lru", |_, pages| Box::new(slow_blocks::Bplru::new(pages, false, false, 0)));
}

/// What a log-block device did for a seeded workload: completions, flash operations, merges.
fn on_a_log_block_device(name: &str, on: [bool; 3]) -> String {
    let mut settings = Settings { buffer: name.into(), ftl: "log-block".into(), ..Settings::default() };
    settings.capacity = Bytes(4 << 20);
    settings.over_provisioning = 0.3;
    settings.ram.size = Bytes(256 << 10);
    settings.nand.pages_per_block = 16;
    [settings.bplru.block_lru, settings.bplru.padding, settings.bplru.compensation] = on;
    let mut ssd = Ssd::new(name, settings, SEED).expect("the settings are good");
    let mut calls = Calls { random: Random::new(SEED), stream: 0 };
    let mut done = Vec::new();
    for _ in 0..20_000 {
        let (op, lpn) = match calls.next() {
            Call::Write(lpn) => (Op::Write, lpn),
            Call::Read(lpn) => (Op::Read, lpn),
            Call::Discard(lpn) => (Op::Trim, lpn),
            Call::Flush => (Op::Flush, 0),
        };
        // 16 pages of the device for each page of the calls, so that the buffer is a quarter of what is used.
        let offset_bytes = u64::from(lpn * 16 + calls.random.below(16) as u32) * 4096;
        let length_bytes = if op == Op::Flush { 0 } else { 4096 };
        ssd.serve_in_turn(&[Request { op, offset_bytes, length_bytes, ..Request::default() }], &mut done)
            .expect("served");
    }
    ssd.flush().expect("served");
    format!("{:?} {:?} {done:?}", ssd.nand().counts(), ssd.report().merges)
}

#[test]
fn bplru_with_all_three_techniques_off_is_lru_and_with_the_first_alone_block_lru() {
    let off = on_a_log_block_device("bplru", [false; 3]);
    assert!(off == on_a_log_block_device("lru", [true; 3]));
    let first = on_a_log_block_device("bplru", [true, false, false]);
    assert!(first == on_a_log_block_device("block-lru", [true; 3]));
    assert!(off != first, "the workload must tell them apart");
}

#[test]
fn bplru_is_block_lru_with_padding_and_compensation() {
    compare("bplru", |settings, pages| {
        let set = &settings.bplru;
        if !set.block_lru {
            return Box::new(slow_blocks::PageBplru::new(settings, pages));
        }
        Box::new(slow_blocks::Bplru::new(pages, set.padding, set.compensation, set.header_nodes as usize))
    });
}

#[test]
fn fab_takes_the_fullest_block() {
    compare("fab", |settings, pages| Box::new(slow_blocks::Fab::new(settings, pages)));
}

#[test]
fn settings_that_cannot_be_are_refused_with_their_key() {
    type Spoil = fn(&mut Settings);
    let cases: [(&str, &str, Spoil); 5] = [
        ("cflru", "cflru.window", |settings| settings.cflru.window = 1.5),
        ("cflru", "cflru.window", |settings| settings.cflru.window = f64::NAN),
        ("lirs", "lirs.hir_share", |settings| settings.lirs.hir_share = -0.1),
        ("batch", "batch.keep", |settings| settings.batch.keep = 1.5),
        ("bplru", "bplru.header_nodes", |settings| settings.bplru.header_nodes = 8),
    ];
    for (name, key, spoil) in cases {
        let mut settings = Settings { buffer: name.into(), ..Settings::default() };
        spoil(&mut settings);
        let error = AnyBuffer::new(&setup(&settings, 8)).expect_err(key).to_string();
        assert!(error.starts_with(key), "{error}");
    }
}
