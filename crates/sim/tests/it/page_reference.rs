//! The page-mapped FTL with greedy collection against a slow one of plain lists, page by page, and against
//! the bytes that it produced when it was simple.

use std::collections::VecDeque;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target};
use flashscope_sim::nand::{BackEnd, Cause, Nand};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd, SsdBuilder};

/// Pages in lists of lists. It knows nothing of bits, links or times.
struct Reference {
    /// What was programmed into each page of each block since its erase.
    blocks: Vec<Vec<usize>>,
    place: Vec<Option<(usize, usize)>>,
    valid: Vec<usize>,
    /// Closed blocks by valid pages; evicts the oldest (FIFO) to that number.
    closed: Vec<Vec<usize>>,
    free: VecDeque<usize>,
    open: [usize; 2],
    gc: usize,
    pages_per_block: usize,
    reserve: usize,
    copies: u64,
    erases: u64,
}

impl Reference {
    fn new(ssd: &Ssd, frontiers: usize) -> Reference {
        let geometry = ssd.geometry();
        let (blocks, pages_per_block) = (geometry.blocks as usize, geometry.pages_per_block as usize);
        let mut free: VecDeque<usize> = (0..blocks).collect();
        let first = free.pop_front().expect("a block");
        let second = if frontiers == 2 { free.pop_front().expect("two blocks") } else { first };
        Reference {
            blocks: vec![Vec::new(); blocks],
            place: vec![None; ssd.logical_pages() as usize],
            valid: vec![0; blocks],
            closed: vec![Vec::new(); pages_per_block + 1],
            free,
            open: [first, second],
            gc: frontiers - 1,
            pages_per_block,
            reserve: frontiers,
            copies: 0,
            erases: 0,
        }
    }

    fn trim(&mut self, lpn: usize) {
        let Some((block, _)) = self.place[lpn].take() else { return };
        let before = self.valid[block];
        self.valid[block] -= 1;
        if let Some(at) = self.closed[before].iter().position(|other| *other == block) {
            self.closed[before].remove(at);
            self.closed[before - 1].push(block);
        }
    }

    fn append(&mut self, lpn: usize, frontier: usize) {
        let block = self.open[frontier];
        self.place[lpn] = Some((block, self.blocks[block].len()));
        self.blocks[block].push(lpn);
        self.valid[block] += 1;
    }

    fn is_full(&self, frontier: usize) -> bool {
        self.blocks[self.open[frontier]].len() == self.pages_per_block
    }

    fn close(&mut self, frontier: usize) {
        let block = self.open[frontier];
        self.closed[self.valid[block]].push(block);
        self.open[frontier] = self.free.pop_front().expect("a free block");
    }

    fn collect(&mut self) -> bool {
        let Some(victim) = self.closed.iter_mut().find_map(Vec::pop) else { return false };
        for page in 0..self.pages_per_block {
            let lpn = self.blocks[victim].get(page).copied();
            let Some(lpn) = lpn.filter(|lpn| self.place[*lpn] == Some((victim, page))) else { continue };
            if self.is_full(self.gc) {
                self.close(self.gc);
            }
            self.append(lpn, self.gc);
            self.copies += 1;
        }
        self.blocks[victim].clear();
        self.valid[victim] = 0;
        self.free.push_back(victim);
        self.erases += 1;
        true
    }

    fn write(&mut self, lpn: usize) {
        while self.is_full(0) {
            self.close(0);
            while self.free.len() < self.reserve && self.collect() {}
        }
        self.trim(lpn);
        self.append(lpn, 0);
    }

    /// The spare areas, block by block.
    fn assert_equals(&self, nand: &Nand) {
        for (block, pages) in self.blocks.iter().enumerate() {
            assert_eq!(nand.next_page(block as u32) as usize, pages.len(), "pages of block {block}");
            for (page, lpn) in pages.iter().enumerate() {
                let ppn = nand.first_page(block as u32) + page as u32;
                assert_eq!(nand.owner(ppn) as usize, *lpn, "page {page} of block {block}");
            }
        }
    }
}

struct Case {
    pages: u64,
    pages_per_block: u32,
    over_provisioning: f64,
    frontiers: u32,
    data: bool,
    /// Channels, dies, planes, pages of a program.
    shape: [u32; 4],
    /// Percent of trims and of reads.
    mix: [u64; 2],
}

const ONE_DIE: Case = Case {
    pages: 6_000,
    pages_per_block: 64,
    over_provisioning: 0.2,
    frontiers: 1,
    data: false,
    shape: [1, 1, 1, 1],
    mix: [0, 0],
};

impl Case {
    fn ssd(&self) -> Ssd {
        self.device().build().expect("the settings are right")
    }

    fn device(&self) -> SsdBuilder {
        let mut settings = Settings {
            capacity: Bytes(self.pages * 4096),
            over_provisioning: self.over_provisioning,
            initial: Initial::Empty,
            ..Settings::default()
        };
        settings.page.frontiers = self.frontiers;
        settings.nand.data = self.data;
        settings.nand.pages_per_block = self.pages_per_block;
        let [channels, dies, planes, pages_per_program] = self.shape;
        (settings.nand.channels, settings.nand.dies, settings.nand.planes) = (channels, dies, planes);
        (settings.nand.pages_per_program, settings.nand.stripe) = (pages_per_program, planes);
        Ssd::builder("case", settings).seed(1)
    }

    /// A seeded run: `count` requests of one page each.
    fn requests(&self, count: usize) -> Vec<Request> {
        let mut random = Random::new(self.pages);
        let request = |_| {
            let draw = random.below(100);
            let op = match draw {
                _ if draw < self.mix[0] => Op::Trim,
                _ if draw < self.mix[0] + self.mix[1] => Op::Read,
                _ => Op::Write,
            };
            // A third of the requests goes to a ninth of the pages.
            let span = if random.below(3) == 0 { self.pages / 9 } else { self.pages };
            Request { offset_bytes: random.below(span) * 4096, length_bytes: 4096, op, ..Request::default() }
        };
        (0..count).map(request).collect()
    }
}

fn serve(ssd: &mut Ssd, requests: &[Request]) -> Vec<Completion> {
    let mut out = Vec::new();
    for batch in requests.chunks(64) {
        ssd.prepare(batch);
        ssd.serve_in_turn(batch, &mut out).expect("served");
    }
    out
}

fn assert_like_the_reference(case: &Case) {
    let mut ssd = case.ssd();
    let mut reference = Reference::new(&ssd, case.frontiers as usize);
    let requests = case.requests(100_000);
    let completions = serve(&mut ssd, &requests);
    for request in &requests {
        let lpn = (request.offset_bytes / 4096) as usize;
        match request.op {
            Op::Write => reference.write(lpn),
            Op::Trim => reference.trim(lpn),
            _ => {}
        }
    }
    reference.assert_equals(ssd.nand());
    let counts = ssd.nand().counts();
    let writes = requests.iter().filter(|request| request.op == Op::Write).count() as u64;
    assert!(reference.erases > 100, "only {} collections", reference.erases);
    assert_eq!(counts.programs_for(Cause::Host), writes);
    assert_eq!(counts.programs_for(Cause::Gc), reference.copies);
    assert_eq!(counts.reads_for(Cause::Gc), reference.copies);
    assert_eq!(counts.erases(), reference.erases * u64::from(case.shape[2]));
    if case.shape == [1, 1, 1, 1] {
        // One die at queue depth 1: the clock is the sum of all operations.
        let reads_ns = counts.reads() * (60_000 + 20_000);
        let programs_ns = counts.programs() * (800_000 + 20_000);
        let last = completions.last().expect("completions").completed;
        assert_eq!(last.0, reads_ns + programs_ns + counts.erases() * 1_500_000);
    }
}

#[test]
fn every_page_is_where_a_plain_simulation_puts_it() {
    for pages_per_block in [16, 50, 64, 100, 256] {
        for frontiers in [1, 2] {
            for mix in [[0, 0], [20, 10]] {
                assert_like_the_reference(&Case { pages_per_block, frontiers, mix, ..ONE_DIE });
            }
        }
    }
}

#[test]
fn tokens_and_parallel_dies_do_not_change_where_pages_go() {
    assert_like_the_reference(&Case { data: true, mix: [5, 20], ..ONE_DIE });
    assert_like_the_reference(&Case { shape: [2, 2, 2, 4], ..ONE_DIE });
    assert_like_the_reference(&Case { shape: [4, 1, 1, 1], frontiers: 2, mix: [5, 20], ..ONE_DIE });
}

/// FNV-1a over numbers.
struct Hash(u64);

impl Hash {
    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// All completions, counts and spare areas of a run.
fn fingerprint(case: &Case, back_end: BackEnd) -> u64 {
    let mut ssd = case.device().back_end(back_end).build().expect("the settings are right");
    let completions = serve(&mut ssd, &case.requests(100_000));
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for Completion { submitted, completed, .. } in completions {
        hash.add(submitted.0);
        hash.add(completed.0);
    }
    add_contents(&mut hash, ssd.nand());
    hash.0
}

/// Counts and spare areas.
fn add_contents(hash: &mut Hash, nand: &Nand) {
    for cause in Cause::ALL {
        let counts = nand.counts();
        for count in [counts.reads_for(cause), counts.programs_for(cause), counts.erases_for(cause)] {
            hash.add(count);
        }
    }
    for block in 0..nand.blocks() {
        hash.add(u64::from(nand.erases(block)));
        hash.add(u64::from(nand.next_page(block)));
        let first = nand.first_page(block);
        (first..first + nand.pages_per_block()).for_each(|ppn| hash.add(u64::from(nand.owner(ppn))));
    }
}

/// On one die queues give the times of booking; on several, reads overtake programs that wait for other dies.
#[test]
fn completions_and_contents_stay_the_same_bytes() {
    let several: [(Case, u64, u64); 2] = [
        (Case { shape: [2, 2, 2, 4], mix: [0, 30], ..ONE_DIE }, 0x8e6b_f80f_6a8d_0c73, 0xa098_9a6d_4252_fb1a),
        (
            Case { shape: [4, 2, 1, 1], frontiers: 2, mix: [10, 10], ..ONE_DIE },
            0x2838_ef56_dc11_c4f0,
            0x4194_6852_7615_9d67,
        ),
    ];
    let one: [(Case, u64); 3] = [
        (ONE_DIE, 0x693b_da5d_2f5d_bbad),
        (Case { frontiers: 2, mix: [5, 20], pages_per_block: 100, ..ONE_DIE }, 0x9299_8b80_f421_ed9f),
        (Case { data: true, mix: [10, 10], pages_per_block: 50, ..ONE_DIE }, 0x2b3c_6508_458e_4069),
    ];
    let one = one.map(|(case, bytes)| (case, bytes, bytes));
    for (case, booked, queued) in several.into_iter().chain(one) {
        let found = [BackEnd::Booking, BackEnd::Events].map(|back_end| fingerprint(&case, back_end));
        assert_eq!(found.map(|hash| format!("{hash:#x}")), [booked, queued].map(|hash| format!("{hash:#x}")));
    }
}
