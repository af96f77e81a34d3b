//! The test kit for the unit tests of each FTL: by name, on a very small device.

use flashscope_core::Bytes;

use super::AnyFtl;
use crate::Ssd;
use crate::settings::{Initial, Settings};
use crate::testing::{self, Kit};

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

/// Random requests over some sixty capacities, from every initial state, each read checked.
pub fn returns_what_was_written(settings: &Settings) {
    for (seed, initial) in (1..).zip([Initial::Empty, Initial::Full, Initial::Random]) {
        let device = Ssd::builder("test", Settings { initial, ..settings.clone() });
        Kit::new(device, seed).returns_what_was_written(8 * settings.capacity.0 / settings.nand.page.0);
    }
}

/// Cuts the power after every number of flash operations up to `cuts`.
pub fn survives_power_cuts(settings: &Settings, cuts: u64) {
    testing::survives_power_cuts::<AnyFtl>(settings, &(), cuts);
}
