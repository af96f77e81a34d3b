//! What a format says of its files.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::judge::Trust;
use super::{SpaceUnit, Stage, StatedUnits, TimeUnit, Units};

/// What times count from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// A moment of the trace's own: its beginning, or that of the machine.
    #[default]
    Relative,
    /// The year 1970.
    Unix,
    /// The year 1601, as Windows counts.
    Windows,
}

impl Clock {
    /// The time of the year 1970, in seconds.
    pub(super) fn unix_epoch_s(self) -> Option<f64> {
        match self {
            Clock::Relative => None,
            Clock::Unix => Some(0.0),
            Clock::Windows => Some(11_644_473_600.0),
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["relative", "since 1970", "since 1601"][*self as usize])
    }
}

/// What the units of a format rest on: how likely it is, before any data are seen, that a file that looks
/// like one of this format has others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// One program writes the format, and its syntax is its own.
    Written,
    /// The file itself names its units, in a heading that a person may have written.
    Named,
    /// The description of a data set says so; copies in other units may exist.
    Described,
    /// Nothing but a convention: other programs write tables that look alike.
    Assumed,
}

impl Basis {
    /// The probability of other units, before any data are seen.
    pub(super) fn doubt(self, trust: Trust) -> f64 {
        match (self, trust) {
            (Basis::Written, _) => 1e-4,
            (Basis::Named, _) | (Basis::Described, Trust::Named | Trust::Stated) => 1e-3,
            (Basis::Assumed, Trust::Named | Trust::Stated) => 0.01,
            (Basis::Described, Trust::Suggested) => 0.02,
            (Basis::Assumed, Trust::Suggested) => 0.05,
            // What is recognised by its columns alone may as well be another's.
            (Basis::Described | Basis::Assumed, Trust::Recognised) => 0.5,
        }
    }
}

/// What a format says of its files.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub(crate) units: Units,
    pub(crate) time_basis: Basis,
    pub(crate) space_basis: Basis,
    pub(crate) clock: Clock,
    pub(crate) stage: Stage,
    /// What names the device.
    pub(crate) device: &'static str,
    /// Times are written with a fraction.
    pub(crate) has_fraction: bool,
    /// Which columns a text table has, as [`crate::Columns`] are written, without units: `{time}`,
    /// `{address}`, `{length}` and `{latency}` stand for these. Empty where it is no table.
    pub(crate) columns: &'static str,
    /// Addresses count logical blocks of a device: 512 bytes or 4 KiB.
    pub(crate) in_blocks: bool,
    /// Latencies lie between two times of the file.
    pub(crate) derives_latency: bool,
    /// What a person has stated, and is not judged.
    pub(crate) stated: StatedUnits,
}

impl Claim {
    /// Units that the format's syntax tells, requests at the stage `unknown`, one device.
    pub const fn new(time: TimeUnit, address: SpaceUnit, length: SpaceUnit) -> Claim {
        Claim {
            units: Units { time, address, length, latency: None },
            time_basis: Basis::Written,
            space_basis: Basis::Written,
            clock: Clock::Relative,
            stage: Stage::Unknown,
            device: "one",
            has_fraction: false,
            columns: "",
            in_blocks: false,
            derives_latency: false,
            stated: StatedUnits { time: None, address: None, length: None, latency: None },
        }
    }

    /// The same, which rests on this.
    pub const fn resting_on(self, time: Basis, space: Basis) -> Claim {
        Claim { time_basis: time, space_basis: space, ..self }
    }

    /// The same of another clock.
    pub const fn with_clock(self, clock: Clock) -> Claim {
        Claim { clock, ..self }
    }

    /// The same with latencies in this unit.
    pub const fn with_latency(self, unit: TimeUnit) -> Claim {
        Claim { units: Units { latency: Some(unit), ..self.units }, ..self }
    }

    /// The same with latencies between two times of the file.
    pub(crate) const fn deriving_latency(self) -> Claim {
        Claim { derives_latency: true, ..self }.with_latency(self.units.time)
    }

    /// The same of which a person has stated these units.
    pub(crate) fn stating(self, mut stated: StatedUnits) -> Claim {
        if self.derives_latency {
            stated.latency = stated.time;
        }
        Claim { stated, ..self }
    }

    /// The same of requests at this stage.
    pub const fn at(self, stage: Stage) -> Claim {
        Claim { stage, ..self }
    }

    /// The same of several devices, and what names them.
    pub const fn with_device(self, device: &'static str) -> Claim {
        Claim { device, ..self }
    }

    /// The same of times that are written with a fraction.
    pub const fn with_fraction(self) -> Claim {
        Claim { has_fraction: true, ..self }
    }

    /// The same of a text table, with its columns: `time=1:{time},offset=2:{address},length=3:{length},op=4`.
    pub const fn with_columns(self, columns: &'static str) -> Claim {
        Claim { columns, ..self }
    }

    /// The same whose addresses count a device's logical blocks, of 512 bytes or 4 KiB.
    pub const fn in_blocks(self) -> Claim {
        Claim { in_blocks: true, ..self }
    }

    /// The columns of a table in these units, as a person would state them; empty where it is no table.
    pub(crate) fn columns_in(&self, units: &Units) -> String {
        let text = self.columns.replace("{time}", &units.time.to_string());
        let text = text.replace("{address}", &units.address.to_string());
        let text = text.replace("{length}", &units.length.to_string());
        text.replace("{latency}", &units.latency.map_or(String::new(), |unit| unit.to_string()))
    }
}
