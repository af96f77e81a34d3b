//! Write buffers: every line of the registry against what all buffers promise, and each policy against a slow
//! implementation of its own that is nothing but lists.
#![allow(clippy::print_stdout)]

mod slow;
mod slow_adaptive;
mod slow_blocks;

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::buffer::{AnyBuffer, BUFFERS, Evictions, WriteBuffer};
use flashscope_sim::testing::{BufferCall, BufferCalls, check_buffer, small_buffer};
use flashscope_sim::{Settings, Ssd};

use slow::Slow;

const SEED: u64 = 0x6275_6666;

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

#[test]
fn every_buffer_keeps_its_promises() {
    for (name, _) in BUFFERS.iter().filter(|(name, _)| *name != "none") {
        for case in 0..40 {
            let (settings, pages) = settings(name, case);
            check_buffer::<AnyBuffer>(&settings, &(), pages, derive(SEED, case));
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

/// The policy of that name as nothing but lists.
fn twin(name: &str, settings: &Settings, pages: u32) -> Box<dyn Slow> {
    let lru = |rule| Box::new(slow::Lru::new(settings, pages, rule));
    match name {
        // A queue.
        "fifo" => Box::new(slow::Fifo::new(pages)),
        // A queue that leaves at once.
        "batch" => Box::new(slow::Batch::new(settings, pages)),
        // A list.
        "lru" => lru(slow::Rule::Last),
        // Puts dirty pages off once.
        "lru-wsr" => lru(slow::Rule::SecondChance),
        // Prefers clean pages in its window.
        "cflru" => lru(slow::Rule::CleanFirst((settings.cflru.window * f64::from(pages)).round() as usize)),
        // Figure 4 of its paper.
        "arc" => Box::new(slow_adaptive::Arc::new(settings, pages)),
        // A stack and a queue.
        "lirs" => Box::new(slow_adaptive::Lirs::new(settings, pages)),
        // A list of blocks.
        "block-lru" => Box::new(slow_blocks::Bplru::new(pages, false, false, 0)),
        // The same with padding and compensation; single pages without its first technique.
        "bplru" if !settings.bplru.block_lru => Box::new(slow_blocks::PageBplru::new(settings, pages)),
        "bplru" => {
            let set = &settings.bplru;
            let nodes = set.header_nodes as usize;
            Box::new(slow_blocks::Bplru::new(pages, set.padding, set.compensation, nodes))
        }
        // Takes the fullest block.
        "fab" => Box::new(slow_blocks::Fab::new(settings, pages)),
        new => panic!(
            "the buffer '{new}' has no slow twin: implement `Slow` in crates/sim/tests/it/buffers/ with \
             nothing but lists, and name it in `twin` of crates/sim/tests/it/buffers.rs"
        ),
    }
}

/// The same calls to the buffer and to its slow twin: the same answers, the same evictions in the same order.
fn compare(name: &str) {
    for case in 0..80 {
        let (settings, pages) = settings(name, case);
        let _context = Context(format!("{name}, case {case} of seed {SEED:#x}, {pages} pages"));
        let mut buffer = AnyBuffer::new(&small_buffer(&settings, pages), &()).expect("the settings are good");
        let mut slow = twin(name, &settings, pages);
        let mut calls = BufferCalls::new(derive(SEED, 2000 + case));
        for token in 1..1000 {
            let call = calls.draw();
            let (mut out, mut expected) = (Evictions::default(), Vec::new());
            match call {
                BufferCall::Write(lpn) => {
                    let hit = buffer.write(lpn, token, &mut out);
                    assert_eq!(hit, slow.write(lpn, token, &mut expected), "{token}: {call:?}");
                }
                BufferCall::Read(lpn) => {
                    let found = buffer.read(lpn);
                    assert_eq!(found, slow.read(lpn), "{token}: {call:?}");
                    if found.is_none() && settings.ram.cache_reads {
                        buffer.offer(lpn, token, &mut out);
                        slow.offer(lpn, token, &mut expected);
                    }
                }
                BufferCall::Discard(lpn) => {
                    buffer.discard(lpn);
                    slow.discard(lpn);
                }
                BufferCall::Flush => {
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
fn every_buffer_does_what_its_slow_twin_does() {
    BUFFERS.iter().filter(|(name, _)| *name != "none").for_each(|(name, _)| compare(name));
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
    let mut calls = BufferCalls::new(SEED);
    let mut done = Vec::new();
    for _ in 0..20_000 {
        let (op, lpn) = match calls.draw() {
            BufferCall::Write(lpn) => (Op::Write, lpn),
            BufferCall::Read(lpn) => (Op::Read, lpn),
            BufferCall::Discard(lpn) => (Op::Trim, lpn),
            BufferCall::Flush => (Op::Flush, 0),
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
        let error = AnyBuffer::new(&small_buffer(&settings, 8), &()).expect_err(key).to_string();
        assert!(error.starts_with(key), "{error}");
    }
}
