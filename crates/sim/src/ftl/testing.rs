//! What holds for every FTL, for the tests of each to ask: it returns what was written, and a loss of power
//! at any flash operation loses nothing that was acknowledged.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request, Target};

use super::{AnyFtl, Ftl, Setup, Tombstone};
use crate::Ssd;
use crate::nand::{Cause, Lpn, NO_TOKEN, Nand, Timing, Token};
use crate::settings::{Initial, Settings};

/// A device of 24 logical blocks of 4 pages, in token mode, with half as much again in reserve.
pub fn small(ftl: &str) -> Settings {
    let mut settings = Settings {
        capacity: Bytes(24 * 4 * 512),
        over_provisioning: 0.5,
        ftl: ftl.into(),
        ..Settings::default()
    };
    settings.nand.pages_per_block = 4;
    settings.nand.page = Bytes(512);
    settings.nand.data = true;
    settings
}

/// Random writes, reads and trims over twenty capacities, from every initial state, each read checked.
pub fn returns_what_was_written(settings: &Settings) {
    for (seed, initial) in (1..).zip([Initial::Empty, Initial::Full, Initial::Random]) {
        let mut ssd = Ssd::new("test", Settings { initial, ..settings.clone() }, seed)
            .unwrap_or_else(|error| panic!("{error}"));
        let mut random = Random::new(seed);
        let mut completions = Vec::new();
        let page_bytes = settings.nand.page.0;
        let pages = u64::from(ssd.logical_pages());
        for i in 0..8 * pages {
            let first = random.below(pages);
            let most = if i % 5 == 0 { 8 } else { 2 };
            let count = (1 + random.below(most)).min(pages - first);
            let op = match random.below(16) {
                0 => Op::Trim,
                1..=5 => Op::Read,
                _ => Op::Write,
            };
            let request = Request {
                offset_bytes: first * page_bytes,
                length_bytes: (count * page_bytes) as u32,
                op,
                ..Request::default()
            };
            let served = ssd.serve_in_turn(&[request], &mut completions);
            served.unwrap_or_else(|error| panic!("{initial:?}, seed {seed}, request {i}: {error}"));
        }
        let all = Request { length_bytes: ssd.info().size_bytes as u32, ..Request::default() };
        ssd.serve_in_turn(&[all], &mut completions).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Cuts the power after every number of flash operations up to `cuts`, now and then in the recovery too, and
/// uses the device again afterwards.
pub fn survives_power_cuts(settings: &Settings, cuts: u64) {
    for seed in 0..cuts {
        let mut device = Device::new(settings, seed);
        let operations = device.random.below(300);
        device.use_for(operations);
        for cut in [seed, seed * 7 % 61, seed * 5 % 97] {
            device.nand.cut_power_after(cut);
            device.use_for(u64::MAX);
            device.recover(settings, cut * 3 % 41);
            device.use_for(50);
        }
    }
}

struct Device {
    random: Random,
    seed: u64,
    ftl: AnyFtl,
    nand: Nand,
    logical_pages: u32,
    token: Token,
    /// What each page must return, and what it may return besides.
    acknowledged: Vec<[Token; 2]>,
    trims: Vec<Tombstone>,
}

fn setup(settings: &Settings, seed: u64) -> Setup<'_> {
    let (geometry, logical_pages) = settings.geometry().expect("the test's geometry is good");
    Setup { settings, geometry, logical_pages, seed }
}

impl Device {
    fn new(settings: &Settings, seed: u64) -> Device {
        let setup = setup(settings, seed);
        Device {
            random: Random::new(seed),
            seed,
            ftl: AnyFtl::new(&setup).unwrap_or_else(|error| panic!("{error}")),
            nand: Nand::new(setup.geometry, Timing::new(&settings.nand), true),
            logical_pages: setup.logical_pages,
            token: NO_TOKEN,
            acknowledged: vec![[NO_TOKEN; 2]; setup.logical_pages as usize],
            trims: Vec::new(),
        }
    }

    /// So many operations, or until the power goes.
    fn use_for(&mut self, operations: u64) {
        for i in 0..operations.min(100_000) {
            let lpn = self.random.below(u64::from(self.logical_pages)) as Lpn;
            let block = lpn - lpn % self.nand.pages_per_block();
            if self.random.below(4) == 0 {
                self.tend();
            }
            match self.random.below(16) {
                0 => self.trim(lpn),
                1 => self.pad(lpn),
                2..=4 => (block..self.logical_pages).take(4).for_each(|lpn| self.write(lpn)),
                5..=9 => self.write(lpn % 12),
                10 => self.check(lpn),
                _ => self.write(lpn),
            }
            assert_eq!(self.nand.fault(), None, "seed {}, operation {i}", self.seed);
            if self.nand.power().is_off() {
                return;
            }
        }
        assert!(operations <= 100_000, "seed {}: the power never went", self.seed);
    }

    fn write(&mut self, lpn: Lpn) {
        self.token += 1;
        self.program(lpn, self.token, Cause::Host);
    }

    /// Some idle time.
    fn tend(&mut self) {
        let Device { ftl, nand, random, .. } = self;
        with_ftl!(ftl, ftl => {
            let bank = random.below(u64::from(ftl.banks())) as u32;
            for _ in 0..random.below(8) {
                ftl.tend(nand, bank, 0);
            }
        });
    }

    /// A page that a buffer reads and writes again.
    fn pad(&mut self, lpn: Lpn) {
        if !self.nand.power().is_off() {
            let Device { ftl, nand, .. } = self;
            let token = with_ftl!(ftl, ftl => ftl.read(nand, lpn, Cause::Padding, 0)).token;
            self.program(lpn, token, Cause::Padding);
        }
    }

    fn program(&mut self, lpn: Lpn, token: Token, cause: Cause) {
        if self.nand.power().is_off() {
            return;
        }
        let Device { ftl, nand, .. } = self;
        with_ftl!(ftl, ftl => ftl.write(nand, lpn, token, cause, 0));
        self.done(lpn, token);
    }

    fn trim(&mut self, lpn: Lpn) {
        self.token += 1;
        let Device { ftl, nand, .. } = self;
        with_ftl!(ftl, ftl => ftl.trim(nand, lpn, 0));
        if !self.nand.power().is_off() {
            self.trims.push(Tombstone { lpn, token: self.token });
        }
        self.done(lpn, NO_TOKEN);
    }

    /// An operation during which the power went may have happened or not.
    fn done(&mut self, lpn: Lpn, token: Token) {
        let acknowledged = &mut self.acknowledged[lpn as usize];
        acknowledged[1] = token;
        if !self.nand.power().is_off() {
            acknowledged[0] = token;
        }
    }

    fn check(&mut self, lpn: Lpn) {
        let Device { ftl, nand, .. } = self;
        let found = with_ftl!(ftl, ftl => ftl.read(nand, lpn, Cause::Host, 0)).token;
        let expected = &mut self.acknowledged[lpn as usize];
        assert!(expected.contains(&found), "seed {}: page {lpn} is {found}, not {expected:?}", self.seed);
        *expected = [found; 2];
    }

    /// Power comes back, goes once more after `cut` operations, and comes back for good.
    fn recover(&mut self, settings: &Settings, cut: u64) {
        let setup = setup(settings, self.seed);
        self.nand.restore_power();
        self.nand.cut_power_after(cut);
        let rebuilt = AnyFtl::rebuild(&setup, &mut self.nand, &self.trims);
        self.ftl = rebuilt.unwrap_or_else(|error| panic!("{error}"));
        if self.nand.power().is_off() {
            self.nand.restore_power();
            let rebuilt = AnyFtl::rebuild(&setup, &mut self.nand, &self.trims);
            self.ftl = rebuilt.unwrap_or_else(|error| panic!("{error}"));
        }
        self.nand.restore_power();
        assert_eq!(self.nand.fault(), None, "seed {}", self.seed);
        (0..self.logical_pages).for_each(|lpn| self.check(lpn));
    }
}
