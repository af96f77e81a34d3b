//! An FTL by itself, below which the power goes at any flash operation.

use flashscope_core::seed::Random;

use crate::ftl::{Ftl, Setup, Tombstone};
use crate::nand::{Cause, Lpn, Moment, NO_TOKEN, Nand, Timing, Token};
use crate::settings::Settings;

/// Cuts the power after every number of flash operations up to `cuts`, now and then in the recovery too, and
/// uses the device again afterwards: nothing is lost that was acknowledged, and nothing older comes back.
///
/// # Panics
/// If it does.
pub fn survives_power_cuts<F: Ftl>(settings: &Settings, options: &F::Options, cuts: u64) {
    let mut settings = settings.clone();
    F::name_in(&mut settings).unwrap_or_else(|error| panic!("{error}"));
    for seed in 0..cuts {
        let mut device = Device::<F>::new(&settings, options, seed);
        let operations = device.random.below(300);
        device.use_for(operations);
        for cut in [seed, seed * 7 % 61, seed * 5 % 97] {
            device.nand.cut_power_after(cut);
            device.use_for(u64::MAX);
            device.recover(&settings, options, cut * 3 % 41);
            device.use_for(50);
        }
    }
}

struct Device<F> {
    random: Random,
    seed: u64,
    ftl: F,
    nand: Nand,
    logical_pages: u32,
    /// Placement handles that the FTL knows.
    placements: u16,
    token: Token,
    /// What each page must return, and what it may return besides.
    acknowledged: Vec<[Token; 2]>,
    trims: Vec<Tombstone>,
}

fn setup(settings: &Settings, seed: u64) -> Setup<'_> {
    let (geometry, logical_pages) = settings.geometry().expect("the test's geometry is good");
    Setup { settings, geometry, logical_pages, seed }
}

impl<F: Ftl> Device<F> {
    fn new(settings: &Settings, options: &F::Options, seed: u64) -> Device<F> {
        let setup = setup(settings, seed);
        Device {
            random: Random::new(seed),
            seed,
            ftl: F::new(&setup, options).unwrap_or_else(|error| panic!("{error}")),
            nand: Nand::new(setup.geometry, Timing::new(&settings.nand), true),
            logical_pages: setup.logical_pages,
            placements: F::placements(settings, options),
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
        let bank = random.below(u64::from(ftl.banks())) as u32;
        for _ in 0..random.below(8) {
            ftl.tend(nand, bank, Moment::START);
        }
    }

    /// A page that a buffer reads and writes again.
    fn pad(&mut self, lpn: Lpn) {
        if !self.nand.power().is_off() {
            let Device { ftl, nand, .. } = self;
            let token = ftl.read(nand, lpn, Cause::Padding, Moment::START).token;
            self.program(lpn, token, Cause::Padding);
        }
    }

    fn program(&mut self, lpn: Lpn, token: Token, cause: Cause) {
        if self.nand.power().is_off() {
            return;
        }
        let Device { ftl, nand, random, placements, .. } = self;
        let placement = if *placements > 1 { random.below((*placements).into()) as u16 } else { 0 };
        ftl.write_placed(nand, lpn, placement, token, cause, Moment::START);
        self.done(lpn, token);
    }

    fn trim(&mut self, lpn: Lpn) {
        self.token += 1;
        let Device { ftl, nand, .. } = self;
        ftl.trim(nand, lpn, Moment::START);
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
        let found = ftl.read(nand, lpn, Cause::Host, Moment::START).token;
        let expected = &mut self.acknowledged[lpn as usize];
        assert!(expected.contains(&found), "seed {}: page {lpn} is {found}, not {expected:?}", self.seed);
        *expected = [found; 2];
    }

    /// Power comes back, goes once more after `cut` operations, and comes back for good.
    fn recover(&mut self, settings: &Settings, options: &F::Options, cut: u64) {
        let setup = setup(settings, self.seed);
        self.nand.restore_power();
        self.nand.cut_power_after(cut);
        let rebuilt = F::rebuild(&setup, options, &mut self.nand, &self.trims);
        self.ftl = rebuilt.unwrap_or_else(|error| panic!("{error}"));
        if self.nand.power().is_off() {
            self.nand.restore_power();
            let rebuilt = F::rebuild(&setup, options, &mut self.nand, &self.trims);
            self.ftl = rebuilt.unwrap_or_else(|error| panic!("{error}"));
        }
        self.nand.restore_power();
        assert_eq!(self.nand.fault(), None, "seed {}", self.seed);
        (0..self.logical_pages).for_each(|lpn| self.check(lpn));
    }
}
