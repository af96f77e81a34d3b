//! What the formats of simulators have in common when they are written: times from zero that never go back,
//! devices by number, whole sectors, reads and writes only.

use std::collections::BTreeSet;

use flashscope_core::Op;

use crate::encoder::{Loss, Losses};
use crate::record::Record;
use crate::text::whole_sectors;

/// A request as a simulator takes it.
pub(crate) struct Arrival {
    /// Since the first request of the trace.
    pub(crate) time_ns: u64,
    pub(crate) device: u32,
    /// In sectors of 512 bytes.
    pub(crate) first: u64,
    /// In sectors of 512 bytes.
    pub(crate) count: u64,
    pub(crate) is_read: bool,
}

/// Makes arrivals of records.
#[derive(Default)]
pub(crate) struct Arrivals {
    first_ns: Option<u64>,
    last_ns: u64,
    numbers: Numbers,
}

impl Arrivals {
    /// The record as an arrival; `None`, counted, if a simulator cannot take it.
    pub(crate) fn next(
        &mut self,
        record: &Record,
        devices: &[String],
        losses: &mut Losses,
    ) -> Option<Arrival> {
        let from_ns = *self.first_ns.get_or_insert(record.time_ns);
        match self.take(record, devices, from_ns) {
            Ok((arrival, is_named)) => {
                if !is_named {
                    losses.count(Loss::Device);
                }
                losses.count_extras(record, &[Loss::Latency, Loss::Process, Loss::Fua, Loss::Sync]);
                Some(arrival)
            }
            Err(loss) => {
                losses.count(loss);
                None
            }
        }
    }

    /// Also whether the device keeps its name.
    fn take(&mut self, record: &Record, devices: &[String], from_ns: u64) -> Result<(Arrival, bool), Loss> {
        let is_read = match record.op {
            Op::Read => true,
            Op::Write => false,
            Op::Flush => return Err(Loss::Flush),
            Op::Trim => return Err(Loss::Trim),
        };
        let (first, count) = whole_sectors(record).ok_or(Loss::Range)?;
        let time_ns = record.time_ns.checked_sub(from_ns).filter(|&time_ns| time_ns >= self.last_ns);
        let time_ns = time_ns.ok_or(Loss::Time)?;
        self.last_ns = time_ns;
        let (device, is_named) = self.numbers.of(record.device, devices);
        Ok((Arrival { time_ns, device, first, count, is_read }, is_named))
    }
}

/// Numbers in place of names: a name that is a number keeps it, any other takes a free one.
#[derive(Default)]
struct Numbers {
    given: Vec<(u32, bool)>,
    taken: BTreeSet<u32>,
}

impl Numbers {
    /// The device's number, and whether that is its name.
    fn of(&mut self, device: u32, devices: &[String]) -> (u32, bool) {
        while self.given.len() <= device as usize {
            let own = number(&devices[self.given.len()]).filter(|number| !self.taken.contains(number));
            let number = own.unwrap_or_else(|| self.free());
            self.taken.insert(number);
            self.given.push((number, own.is_some()));
        }
        self.given[device as usize]
    }

    /// The first number that nobody has, from that of the device's place on.
    fn free(&self) -> u32 {
        let from = self.given.len() as u32;
        (from..).find(|number| !self.taken.contains(number)).unwrap_or(from)
    }
}

/// A number written as numbers are.
fn number(name: &str) -> Option<u32> {
    name.parse().ok().filter(|number: &u32| number.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_devices_get_one_number() {
        let devices = ["7,3", "0", "3", "sda", "007"].map(String::from);
        let mut numbers = Numbers::default();
        let given: Vec<_> = (0..5).map(|device| numbers.of(device, &devices)).collect();
        assert_eq!(given, [(0, false), (1, false), (3, true), (4, false), (5, false)]);
    }
}
