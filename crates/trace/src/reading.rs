//! How a trace is read: in which units, of which clock, at which stage, and how certain that is.
//!
//! A format makes a [`Claim`] about its files. Most formats cannot prove theirs: a table of numbers does not
//! say whether an address counts bytes or sectors. So the reader holds the claim against the data (`judge`)
//! and states a [`Reading`] with its certainty; below [`CERTAINTY_MIN`] it refuses, with both readings that
//! are possible.

mod claim;
mod evidence;
mod judge;
mod latency;
mod space;
mod stated;
mod time;
mod uncertain;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use claim::{Basis, Claim, Clock};
pub(crate) use evidence::Evidence;
pub(crate) use judge::{Judgement, Trust, judge};
pub(crate) use stated::restate;
pub use stated::{StatedUnits, UnitsError};
pub use uncertain::Uncertain;

/// A reading below this certainty is refused.
pub const CERTAINTY_MIN: f64 = 0.9;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanosecond,
    /// 100 ns, as Windows counts.
    #[serde(rename = "100ns")]
    Tick,
    /// Microseconds.
    #[serde(rename = "us")]
    Microsecond,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millisecond,
    /// Seconds.
    #[serde(rename = "s")]
    Second,
}

impl TimeUnit {
    /// All units, the shortest first.
    pub const ALL: [TimeUnit; 5] = [
        TimeUnit::Nanosecond,
        TimeUnit::Tick,
        TimeUnit::Microsecond,
        TimeUnit::Millisecond,
        TimeUnit::Second,
    ];

    /// The power of ten of a nanosecond.
    pub const fn places(self) -> u8 {
        [0, 2, 3, 6, 9][self as usize]
    }

    /// Its length.
    pub const fn ns(self) -> u64 {
        10_u64.pow(self.places() as u32)
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["ns", "100ns", "us", "ms", "s"][*self as usize])
    }
}

impl FromStr for TimeUnit {
    type Err = UnknownUnit;

    fn from_str(text: &str) -> Result<TimeUnit, UnknownUnit> {
        let unit = TimeUnit::ALL
            .into_iter()
            .find(|unit| unit.to_string() == text || (text == "µs" && unit.places() == 3));
        unit.ok_or_else(|| UnknownUnit { text: text.into(), known: "ns, 100ns, us, ms, s" })
    }
}

/// A unit of addresses and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpaceUnit {
    /// A byte.
    #[serde(rename = "byte")]
    Byte,
    /// 512 bytes.
    #[serde(rename = "sector")]
    Sector,
    /// 4 KiB.
    #[serde(rename = "4KiB")]
    Block,
}

impl SpaceUnit {
    /// All units, the smallest first.
    pub const ALL: [SpaceUnit; 3] = [SpaceUnit::Byte, SpaceUnit::Sector, SpaceUnit::Block];

    /// Its size.
    pub const fn bytes(self) -> u64 {
        [1, 512, 4096][self as usize]
    }
}

impl fmt::Display for SpaceUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["byte", "sector", "4KiB"][*self as usize])
    }
}

impl FromStr for SpaceUnit {
    type Err = UnknownUnit;

    fn from_str(text: &str) -> Result<SpaceUnit, UnknownUnit> {
        let unit = SpaceUnit::ALL.into_iter().find(|unit| unit.to_string() == text);
        unit.ok_or_else(|| UnknownUnit { text: text.into(), known: "byte, sector, 4KiB" })
    }
}

/// A word that names no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown unit '{text}'; choose one of {known}")]
pub struct UnknownUnit {
    text: String,
    known: &'static str,
}

/// Where in the block layer a request was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// As a program or file system asked for it: before merging and splitting.
    Queued,
    /// As it went to the device: what the device got.
    Issued,
    /// As the device was done with it.
    Completed,
    /// The trace does not say.
    #[default]
    Unknown,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["queued", "issued", "completed", "unknown"][*self as usize])
    }
}

/// The units of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Of times.
    pub time: TimeUnit,
    /// Of addresses.
    pub address: SpaceUnit,
    /// Of lengths.
    pub length: SpaceUnit,
    /// Of latencies, where the format has any.
    pub latency: Option<TimeUnit>,
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time {}, address {}, length {}", self.time, self.address, self.length)?;
        self.latency.map_or(Ok(()), |unit| write!(f, ", latency {unit}"))
    }
}

/// How a trace is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Unit of the times in the file.
    pub time_unit: TimeUnit,
    /// What the times count from.
    #[serde(default)]
    pub clock: Clock,
    /// Unit of the addresses in the file.
    pub address_unit: SpaceUnit,
    /// Unit of the lengths in the file.
    pub length_unit: SpaceUnit,
    /// Unit of the latencies in the file; none where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_unit: Option<TimeUnit>,
    /// Which events of the file are the requests.
    pub stage: Stage,
    /// What in the file names the device.
    #[serde(default)]
    pub device: String,
    /// How certain the units are, from 0 to 1, after what was read.
    pub certainty: f64,
    /// What speaks against it.
    #[serde(default)]
    pub doubts: Vec<String>,
}

impl Reading {
    /// Its units.
    pub fn units(&self) -> Units {
        Units {
            time: self.time_unit,
            address: self.address_unit,
            length: self.length_unit,
            latency: self.latency_unit,
        }
    }

    /// What a format that proves its units says.
    pub(crate) fn certain(claim: &Claim) -> Reading {
        Reading::of(claim, claim.units, claim.stage, &Judgement::certain())
    }

    pub(crate) fn of(claim: &Claim, units: Units, stage: Stage, judgement: &Judgement) -> Reading {
        Reading {
            time_unit: units.time,
            clock: claim.clock,
            address_unit: units.address,
            length_unit: units.length,
            latency_unit: units.latency,
            stage,
            device: claim.device.into(),
            certainty: judgement.certainty,
            doubts: judgement.doubts.clone(),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reading { clock, stage, device, certainty, .. } = self;
        // Rounded down, so that a doubt never reads as certainty.
        let certainty = (certainty * 1e3).floor() / 1e3;
        write!(
            f,
            "{} · clock {clock} · stage {stage} · device {device} · certainty {certainty}",
            self.units()
        )
    }
}

/// What a trace would be if it were read in these units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The units.
    pub units: Units,
    /// Median length of reads and writes.
    pub length_bytes_p50: f64,
    /// Where the last of them ends.
    pub end_bytes: f64,
    /// From the first request to the last.
    pub duration_s: f64,
    /// Median latency; 0 where there are none.
    pub latency_s_p50: f64,
    /// How probable it is, from 0 to 1, beside the other readings.
    pub probability: f64,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use flashscope_core::number::{percent, size, span};
        let Outcome { units, length_bytes_p50, end_bytes, duration_s, latency_s_p50, probability } = self;
        let [length, end] = [length_bytes_p50, end_bytes].map(|bytes| size(*bytes));
        let (time, probability) = (span(duration_s * 1e9), percent(*probability));
        write!(f, "{units} ({probability}): requests of {length}, addresses up to {end}, {time} in all")?;
        match *latency_s_p50 > 0.0 {
            true => write!(f, ", {} each", span(latency_s_p50 * 1e9)),
            false => Ok(()),
        }
    }
}
