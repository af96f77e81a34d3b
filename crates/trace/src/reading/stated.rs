//! Units that a person states, where a format says others.

use std::str::FromStr;

use thiserror::Error;

use super::{SpaceUnit, TimeUnit, Units, UnknownUnit};
use crate::record::Record;

/// Units that are stated: `offset=byte,length=sector,time=us,latency=ms`. What is not stated is as the format
/// says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedUnits {
    /// Of times.
    pub time: Option<TimeUnit>,
    /// Of addresses.
    pub address: Option<SpaceUnit>,
    /// Of lengths.
    pub length: Option<SpaceUnit>,
    /// Of latencies.
    pub latency: Option<TimeUnit>,
}

/// Units that make no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnitsError {
    /// It is not of the form `KEY=UNIT`.
    #[error("'{0}' is not of the form KEY=UNIT")]
    Form(String),
    /// The key is unknown.
    #[error("unknown key '{0}'; choose one of time, offset, length, latency")]
    Key(String),
    /// A key comes twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// A unit is unknown.
    #[error(transparent)]
    Unit(#[from] UnknownUnit),
}

impl FromStr for StatedUnits {
    type Err = UnitsError;

    fn from_str(text: &str) -> Result<StatedUnits, UnitsError> {
        let mut stated = StatedUnits::default();
        for part in text.split(',').map(str::trim) {
            let (key, unit) = part.split_once('=').ok_or_else(|| UnitsError::Form(part.into()))?;
            let is_given = match key {
                "time" => stated.time.replace(unit.parse()?).is_some(),
                "offset" => stated.address.replace(unit.parse()?).is_some(),
                "length" => stated.length.replace(unit.parse()?).is_some(),
                "latency" => stated.latency.replace(unit.parse()?).is_some(),
                _ => return Err(UnitsError::Key(key.into())),
            };
            if is_given {
                return Err(UnitsError::Twice(key.into()));
            }
        }
        Ok(stated)
    }
}

impl StatedUnits {
    /// Whether nothing is stated.
    pub(crate) fn is_empty(&self) -> bool {
        *self == StatedUnits::default()
    }

    /// The units of a format with these in place of its own.
    pub(crate) fn over(&self, units: Units) -> Units {
        Units {
            time: self.time.unwrap_or(units.time),
            address: self.address.unwrap_or(units.address),
            length: self.length.unwrap_or(units.length),
            latency: units.latency.map(|unit| self.latency.unwrap_or(unit)),
        }
    }
}

impl Units {
    /// What states these units in place of those, as [`StatedUnits`] are written: where they differ.
    pub fn stating(&self, beside: &Units) -> String {
        let latency = self.latency.map(|unit| unit.to_string()).unwrap_or_default();
        let all = [
            ("time", self.time.to_string(), self.time != beside.time),
            ("offset", self.address.to_string(), self.address != beside.address),
            ("length", self.length.to_string(), self.length != beside.length),
            ("latency", latency, self.latency != beside.latency),
        ];
        let differ = all.into_iter().filter(|(.., differs)| *differs);
        differ.map(|(key, unit, _)| format!("{key}={unit}")).collect::<Vec<_>>().join(",")
    }
}

/// Changes records that were read in some units to others; none if one does not fit 64 bits.
pub(crate) fn restate(records: &mut [Record], from: &Units, to: &Units) -> Option<()> {
    if from == to {
        return Some(());
    }
    let scaled = |value: u64, from: u64, to: u64| {
        u64::try_from(u128::from(value) * u128::from(to) / u128::from(from)).ok()
    };
    let time = |ns: u64, from: TimeUnit, to: TimeUnit| scaled(ns, from.ns(), to.ns());
    let space = |bytes: u64, from: SpaceUnit, to: SpaceUnit| scaled(bytes, from.bytes(), to.bytes());
    let one = |record: &mut Record| {
        record.time_ns = time(record.time_ns, from.time, to.time)?;
        record.offset_bytes = space(record.offset_bytes, from.address, to.address)?;
        record.length_bytes = space(record.length_bytes, from.length, to.length)?;
        record.offset_bytes.checked_add(record.length_bytes)?;
        if let (Some(ns), Some(from), Some(to)) = (record.latency_ns, from.latency, to.latency) {
            record.latency_ns = Some(time(ns, from, to)?);
        }
        Some(())
    };
    records.iter_mut().try_for_each(one)
}
