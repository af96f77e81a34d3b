//! Write amplification with placement handles and without, against what must be so, and against a drive that
//! is written from the definition: lists of pages, nothing else.

use std::cmp::Reverse;
use std::collections::VecDeque;

use flashscope_core::{Bytes, Op, Pattern, PatternSource, Request, RequestSource};
use flashscope_sim::ftl::fdp::Isolation;
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

const PAGE_BYTES: u64 = 4096;
const PAGES_PER_BLOCK: u64 = 16;
const SEED: u64 = 7;

/// An empty drive of so many logical blocks, with so many blocks beyond them.
fn device(ftl: &str, handles: u32, blocks: u64, spare: u64) -> Settings {
    let mut settings = Settings {
        ftl: ftl.into(),
        initial: Initial::Empty,
        capacity: Bytes(blocks * PAGES_PER_BLOCK * PAGE_BYTES),
        over_provisioning: spare as f64 / blocks as f64,
        ..Settings::default()
    };
    settings.nand.page = Bytes(PAGE_BYTES);
    settings.nand.pages_per_block = PAGES_PER_BLOCK as u32;
    settings.nand.endurance_erases = 1 << 30;
    (settings.multi_stream.streams, settings.fdp.handles) = (handles, handles);
    settings
}

/// Thirteen times the capacity.
fn writes(settings: &Settings, words: &str) -> Vec<Request> {
    let ios = 13 * settings.capacity.0 / PAGE_BYTES;
    let text = format!("rw=randwrite bs=4KiB size={} number_ios={ios} {words}", settings.capacity);
    let pattern: Pattern = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut requests = vec![Request::default(); ios as usize];
    assert_eq!(PatternSource::new(&pattern, 0, SEED).fill(&mut requests), requests.len());
    requests
}

/// What is written before anything is counted.
fn warm_up(settings: &Settings) -> usize {
    3 * (settings.capacity.0 / PAGE_BYTES) as usize
}

fn write_amplification(settings: &Settings, words: &str) -> f64 {
    let mut ssd = Ssd::new("streams", settings.clone(), SEED).unwrap_or_else(|error| panic!("{error}"));
    let requests = writes(settings, words);
    let (warm_up, counted) = requests.split_at(warm_up(settings));
    ssd.serve_in_turn(warm_up, &mut Vec::new()).unwrap();
    ssd.restart();
    ssd.serve_in_turn(counted, &mut Vec::new()).unwrap();
    ssd.report().write_amplification.expect("it wrote")
}

/// No block yet.
const NOT_YET: usize = usize::MAX;

/// Where moved pages go: behind the host's of the same handle, to one block for all, to one for each handle.
#[derive(Clone, Copy, Debug)]
enum Moved {
    WithHost,
    Together,
    Apart,
}

/// A drive from the definition: blocks are lists of pages, each handle fills one. When two free blocks are
/// not left, the closed block with the fewest valid pages is emptied; among equals, that which came to so few
/// last.
struct Plain {
    blocks: Vec<Vec<usize>>,
    /// Where the valid copy of each page is.
    place: Vec<Option<(usize, usize)>>,
    handle_of: Vec<usize>,
    /// When each block was closed, or lost a page after that.
    changed: Vec<u64>,
    clock: u64,
    free: VecDeque<usize>,
    handles: usize,
    /// Open blocks: of the handles, then of moved pages; opened for the first page.
    open: Vec<usize>,
    moved: Moved,
    programs: u64,
}

impl Plain {
    fn new(settings: &Settings, handles: usize, moved: Moved) -> Plain {
        let (geometry, logical_pages) = settings.geometry().unwrap();
        let blocks = geometry.blocks as usize;
        Plain {
            blocks: vec![Vec::new(); blocks],
            place: vec![None; logical_pages as usize],
            handle_of: vec![0; blocks],
            changed: vec![0; blocks],
            clock: 0,
            free: (0..blocks).collect(),
            handles,
            open: vec![NOT_YET; 2 * handles + 1],
            moved,
            programs: 0,
        }
    }

    fn write(&mut self, handle: usize, page: usize) {
        while self.has_no_room(handle) {
            self.open_another(handle);
            while self.free.len() < 2 {
                self.collect();
            }
        }
        if let Some((block, _)) = self.place[page] {
            self.touch(block);
        }
        self.append(handle, handle, page);
    }

    fn trim(&mut self, page: usize) {
        if let Some((block, _)) = self.place[page].take() {
            self.touch(block);
        }
    }

    fn has_no_room(&self, frontier: usize) -> bool {
        let open = self.open[frontier];
        open == NOT_YET || self.blocks[open].len() == PAGES_PER_BLOCK as usize
    }

    fn open_another(&mut self, frontier: usize) {
        let next = self.free.pop_front().expect("a block is free");
        let full = std::mem::replace(&mut self.open[frontier], next);
        if full != NOT_YET {
            self.touch(full);
        }
    }

    fn touch(&mut self, block: usize) {
        self.clock += 1;
        self.changed[block] = self.clock;
    }

    fn append(&mut self, frontier: usize, handle: usize, page: usize) {
        let block = self.open[frontier];
        self.handle_of[block] = handle;
        self.place[page] = Some((block, self.blocks[block].len()));
        self.blocks[block].push(page);
        self.programs += 1;
    }

    fn valid(&self, block: usize) -> Vec<usize> {
        let pages = self.blocks[block].iter().enumerate();
        pages.filter(|(i, page)| self.place[**page] == Some((block, *i))).map(|(_, page)| *page).collect()
    }

    fn collect(&mut self) {
        let is_closed = |block: &usize| !self.blocks[*block].is_empty() && !self.open.contains(block);
        let fewest = |block: &usize| (self.valid(*block).len(), Reverse(self.changed[*block]));
        let victim = (0..self.blocks.len()).filter(is_closed).min_by_key(fewest).expect("a block is closed");
        let handle = self.handle_of[victim];
        let frontier = match self.moved {
            Moved::WithHost => handle,
            Moved::Together => self.handles,
            Moved::Apart => self.handles + handle,
        };
        for page in self.valid(victim) {
            if self.has_no_room(frontier) {
                self.open_another(frontier);
            }
            self.append(frontier, handle, page);
        }
        self.blocks[victim].clear();
        self.free.push_back(victim);
    }
}

/// The same as [`write_amplification`], of the plain drive.
fn plain_write_amplification(settings: &Settings, words: &str, handles: usize, moved: Moved) -> f64 {
    let requests = writes(settings, words);
    let mut drive = Plain::new(settings, handles, moved);
    for (i, request) in requests.iter().enumerate() {
        if i == warm_up(settings) {
            drive.programs = 0;
        }
        let first = (request.offset_bytes / PAGE_BYTES) as usize;
        match request.op {
            Op::Trim => {
                let pages = u64::from(request.length_bytes) / PAGE_BYTES;
                (first..first + pages as usize).for_each(|page| drive.trim(page));
            }
            _ => drive.write(request.placement.into(), first),
        }
    }
    let counted = requests[warm_up(settings)..].iter().filter(|request| request.op == Op::Write);
    drive.programs as f64 / counted.count() as f64
}

/// Each stream overwrites its own blocks in order: when one is full, its oldest block holds nothing any more.
/// With no more spare flash than the FTL asks for.
#[test]
fn sequential_streams_with_handles_are_written_once() {
    for (ftl, isolation) in
        [("multi-stream", Isolation::Persistent), ("fdp", Isolation::Initial), ("fdp", Isolation::Persistent)]
    {
        for handles in [1, 2, 4, 8, 16] {
            for (frontiers, random) in [(1, "streams"), (2, "streams"), (1, "zipf")] {
                let moved = if isolation == Isolation::Initial { 1 } else { (frontiers - 1) * handles };
                let spare = handles + moved + 2;
                let mut settings = device(ftl, handles, 64, spare.into());
                (settings.fdp.isolation, settings.page.frontiers) = (isolation, frontiers);
                let skew = if random == "zipf" { ":1.1" } else { "" };
                let words = format!("random=streams:{handles}{skew} placement=part");
                let amplification = write_amplification(&settings, &words);
                assert_eq!(amplification.to_bits(), 1.0_f64.to_bits(), "{ftl} {isolation:?}, {words}");
            }
        }
    }
}

/// The same without handles, or with fewer handles than streams: the more streams lie in a block, the more of
/// it is still valid when it is collected.
#[test]
fn without_handles_streams_that_interleave_amplify_the_more_the_more_there_are() {
    let settings = device("page", 1, 64, 8);
    let with = |streams: u32| write_amplification(&settings, &format!("random=streams:{streams}"));
    let amplifications = [1, 2, 4, 8, 16, 32].map(with);
    assert_eq!(amplifications[0].to_bits(), 1.0_f64.to_bits());
    let is_growing = amplifications.windows(2).all(|pair| pair[1] > pair[0]);
    assert!(is_growing && amplifications[2] > 3.0, "{amplifications:?}");
    // One handle for all is as none.
    let one = write_amplification(&device("multi-stream", 8, 64, 10), "random=streams:8 placement=5");
    let none = write_amplification(&device("page", 1, 64, 10), "random=streams:8");
    assert!(one > 1.2 && none > 1.2, "{one} with one handle, {none} with none");
}

/// Streams that do not fill whole blocks, zones, and handles that say nothing of the data: whatever the
/// amplification is, the plain drive has the same, to the last page.
#[test]
fn the_plain_drive_amplifies_as_much() {
    let cases = [
        ("multi-stream", Isolation::Persistent, 1, Moved::WithHost),
        ("multi-stream", Isolation::Persistent, 2, Moved::Apart),
        ("fdp", Isolation::Initial, 1, Moved::Together),
        ("fdp", Isolation::Persistent, 1, Moved::WithHost),
    ];
    let words = [
        "random=streams:4:1 placement=part",
        "random=hot:20%:80% placement=part",
        "random=zones:60/10:30/30:10/60 placement=part",
        "random=draws placement=2",
        "random=levels:4:2:20KiB placement=part",
        "random=levels:3:3:64KiB placement=1",
    ];
    for (ftl, isolation, frontiers, moved) in cases {
        for words in words {
            let mut settings = device(ftl, 4, 61, 14);
            (settings.fdp.isolation, settings.page.frontiers) = (isolation, frontiers);
            let ours = write_amplification(&settings, words);
            let plain = plain_write_amplification(&settings, words, 4, moved);
            assert_eq!(
                ours.to_bits(),
                plain.to_bits(),
                "{ftl} {isolation:?}, {words}: {ours}, plainly {plain}"
            );
        }
    }
}

/// A segment is a block, or several: with a handle for each level a block holds one level's data alone, which
/// are discarded together. Without handles blocks hold what is discarded soon and what lives long.
#[test]
fn a_log_structured_engine_that_places_its_levels_is_written_once() {
    for (words, levels) in [("4:2:64KiB", 4), ("3:3:128KiB", 3), ("5:2:64KiB", 5)] {
        let words = format!("random=levels:{words}");
        let placed = format!("{words} placement=part");
        let spare = levels + 3;
        for ftl in ["multi-stream", "fdp"] {
            let amplification = write_amplification(&device(ftl, levels, 64, spare.into()), &placed);
            assert_eq!(amplification.to_bits(), 1.0_f64.to_bits(), "{ftl}, {placed}");
        }
        let without = device("page", 1, 64, spare.into());
        let amplification = write_amplification(&without, &words);
        assert!(amplification > 1.3, "{words}: {amplification}");
        let one = write_amplification(&device("multi-stream", levels, 64, spare.into()), &words);
        assert!(one > 1.3, "{words}: {one} with one handle for all");
    }
}

/// A hot zone with blocks of its own is collected when less of it is valid; the more so the longer its data
/// stay apart.
#[test]
fn a_hot_and_a_cold_zone_amplify_less_the_longer_they_are_apart() {
    for words in ["random=hot:20%:80%", "random=zones:60/10:30/30:10/60"] {
        let with = |isolation| {
            let mut settings = device("fdp", 4, 61, 14);
            settings.fdp.isolation = isolation;
            write_amplification(&settings, &format!("{words} placement=part"))
        };
        let [initially, persistently] = [Isolation::Initial, Isolation::Persistent].map(with);
        let never = write_amplification(&device("page", 1, 61, 14), words);
        let all =
            format!("{words}: {never} together, {initially} initially, {persistently} persistently apart");
        assert!(persistently < 0.95 * initially && initially < 0.95 * never, "{all}");
    }
}
