//! A small device, random work with every read checked, and loss of power at every flash operation.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::ftl::{Ftl, Setup, Tombstone};
use flashscope_sim::nand::{Cause, Counts, Moment, Nand, Timing, Token};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

pub const PAGE_BYTES: u64 = 2048;

/// 24 logical blocks of 8 pages, the last one in part, in token mode.
pub fn small(ftl: &str, initial: Initial) -> Settings {
    let mut settings = Settings { ftl: ftl.into(), initial, over_provisioning: 0.4, ..Settings::default() };
    settings.nand.data = true;
    settings.nand.page = Bytes(PAGE_BYTES);
    settings.nand.pages_per_block = 8;
    settings.capacity = Bytes(PAGE_BYTES * (24 * 8 - 3));
    settings
}

fn request(op: Op, lpn: u64, pages: u64) -> Request {
    Request {
        op,
        offset_bytes: lpn * PAGE_BYTES,
        length_bytes: (pages * PAGE_BYTES) as u32,
        ..Request::default()
    }
}

/// An SSD that is asked for one thing after the other.
pub struct Drive {
    pub ssd: Ssd,
    pub written_pages: u64,
    context: String,
}

impl Drive {
    pub fn new(settings: Settings) -> Drive {
        let ssd = Ssd::new("small", settings, 1).expect("the settings are right");
        Drive { ssd, written_pages: 0, context: String::new() }
    }

    pub fn serve(&mut self, op: Op, lpn: u64, pages: u64) {
        let mut done = Vec::new();
        let served = self.ssd.serve_in_turn(&[request(op, lpn, pages)], &mut done);
        assert!(served.is_ok(), "{}: {served:?}", self.context);
        self.written_pages += if op == Op::Write { pages } else { 0 };
    }

    pub fn write(&mut self, lpn: u64, pages: u64) {
        self.serve(Op::Write, lpn, pages);
    }

    /// Reads everything.
    pub fn verify(&mut self) {
        let pages = u64::from(self.ssd.logical_pages());
        for lpn in 0..pages {
            self.serve(Op::Read, lpn, 1);
        }
    }

    /// Copies that merges made.
    pub fn merged_pages(&self) -> u64 {
        self.counts().programs_for(Cause::Merge)
    }

    pub fn counts(&self) -> &Counts {
        self.ssd.nand().counts()
    }

    /// Page programs for each page that the host wrote.
    pub fn write_amplification(&self) -> f64 {
        self.counts().programs() as f64 / self.written_pages as f64
    }
}

/// Writes, reads, trims and flushes, at random and in runs, from all initial states; every read is compared
/// with the last write, and every program has a cause.
pub fn serves_random_work(change: impl Fn(&mut Settings), ftl: &str) {
    for initial in [Initial::Empty, Initial::Full, Initial::Random] {
        for seed in 0..4 {
            let mut settings = small(ftl, initial);
            change(&mut settings);
            let mut drive = Drive::new(settings);
            drive.context = format!("{ftl}, {initial:?}, seed {seed}");
            let mut random = Random::new(seed);
            let pages = u64::from(drive.ssd.logical_pages());
            for _ in 0..3000 {
                let lpn = random.below(pages);
                let longest = if random.below(8) == 0 { 24 } else { 2 };
                let run = (1 + random.below(longest)).min(pages - lpn);
                match random.below(20) {
                    0..=11 => drive.write(lpn, run),
                    12..=16 => drive.serve(Op::Read, lpn, run),
                    17..=18 => drive.serve(Op::Trim, lpn, run),
                    _ => drive.serve(Op::Flush, 0, 0),
                }
            }
            drive.verify();
            conserves_programs(&drive);
        }
    }
}

fn conserves_programs(drive: &Drive) {
    let counts = drive.counts();
    assert_eq!(counts.programs_for(Cause::Host), drive.written_pages);
    for copies in [Cause::Merge, Cause::Gc] {
        assert_eq!(counts.programs_for(copies), counts.reads_for(copies), "{copies}: a copy is both");
    }
}

/// A device below its FTL, whose power can go.
struct Bench<'a, F> {
    setup: Setup<'a>,
    nand: Nand,
    ftl: F,
    random: Random,
    token: Token,
    last: Vec<Token>,
    trims: Vec<Tombstone>,
}

impl<F: Ftl<Options = ()>> Bench<'_, F> {
    /// Writes and trims until the power goes. Returns the page that was being written, and its new token.
    fn work(&mut self, operations: u64) -> (u32, Token) {
        self.nand.cut_power_after(operations);
        let (mut lpn, mut run) = (0, 0);
        loop {
            if run == 0 {
                lpn = self.random.below(self.last.len() as u64) as u32;
                run = if self.random.below(4) == 0 { 16 } else { 1 };
            }
            self.token += 1;
            let trim = run == 1 && self.random.below(8) == 0;
            if trim {
                self.ftl.trim(&mut self.nand, lpn, Moment::START);
                self.trims.push(Tombstone { lpn, token: self.token });
            } else {
                self.ftl.write(&mut self.nand, lpn, self.token, Cause::Host, Moment::START);
            }
            let token = if trim { 0 } else { self.token };
            if self.nand.power().is_off() {
                return (lpn, token);
            }
            self.last[lpn as usize] = token;
            (lpn, run) = ((lpn + 1) % self.last.len() as u32, run - 1);
        }
    }

    /// Rebuilds the FTL and compares every page. The interrupted write was not acknowledged: it may be there
    /// or not.
    fn recover(&mut self, (interrupted, token): (u32, Token), context: &str) {
        self.nand.restore_power();
        self.ftl = F::rebuild(&self.setup, &(), &mut self.nand, &self.trims).expect("as before");
        for lpn in 0..self.last.len() as u32 {
            let found = self.ftl.read(&mut self.nand, lpn, Cause::Host, Moment::START).token;
            if lpn == interrupted && found == token {
                self.last[lpn as usize] = token;
            }
            assert_eq!(found, self.last[lpn as usize], "{context}: page {lpn}");
        }
        assert_eq!(self.nand.fault(), None, "{context}");
    }
}

/// Power that goes at flash operation `n` after the last time, for many `n`, again and again on one device.
pub fn survives_power_loss<F: Ftl<Options = ()>>(change: impl Fn(&mut Settings), ftl: &str) {
    for seed in 0..3 {
        let mut settings = small(ftl, Initial::Empty);
        change(&mut settings);
        let (geometry, logical_pages) = settings.geometry().expect("a device");
        let setup = Setup { settings: &settings, geometry, logical_pages, seed };
        let mut bench = Bench {
            nand: Nand::new(geometry, Timing::new(&settings.nand), true),
            ftl: F::new(&setup, &()).expect("an FTL"),
            setup,
            random: Random::new(seed),
            token: 0,
            last: vec![0; logical_pages as usize],
            trims: Vec::new(),
        };
        for round in 0..600 {
            let interrupted = bench.work(round % 150);
            bench.recover(interrupted, &format!("{ftl}, seed {seed}, round {round}"));
        }
    }
}
