//! What of a trace tells in which units it is written, in constant memory.

use flashscope_core::Op;

use super::{SpaceUnit, TimeUnit, Units};
use crate::record::Record;

/// Devices of which the last request is remembered.
const DEVICES: usize = 64;

/// Units of lengths in a unit of addresses, as powers of two: one unit for both; sectors and bytes; bytes and
/// sectors; blocks of 4 KiB and bytes.
pub(super) const RATIOS: [i32; 4] = [0, 9, -9, 12];

/// The last request of a device.
#[derive(Clone, Copy)]
struct Last {
    address: u64,
    length: u64,
    step: i64,
}

/// What was seen, as numbers of the file: times, addresses and lengths in its own units.
#[derive(Clone)]
pub(crate) struct Evidence {
    /// Units in which the file was read.
    pub(super) units: Units,
    pub(super) requests: u64,
    /// Reads and writes.
    pub(super) accesses: u64,
    /// Addresses above 0, and those of them that are multiples of 512, and of 8.
    pub(super) addresses: u64,
    pub(super) addresses_of_512: u64,
    pub(super) addresses_of_8: u64,
    pub(super) lengths_of_512: u64,
    pub(super) lengths_of_8: u64,
    pub(super) lengths_of_4096: u64,
    /// All addresses in one number: its zeros at the end are those that all of them have.
    pub(super) address_bits: u64,
    /// Which remainders of 8 there are, as bits.
    pub(super) remainders_of_8: u8,
    /// Address and length.
    highest: (u64, u64),
    lengths: [u64; 65],
    /// Latencies above 0, by powers of two of a nanosecond.
    latencies: [u64; 65],
    first_ns: u64,
    last_ns: u64,
    /// Zeros at the end of the time that has the fewest, in ns.
    pub(super) time_zeros: u8,
    /// Requests that begin where the one before ended, if addresses count so many lengths: [`RATIOS`].
    pub(super) goes_on: [u64; RATIOS.len()],
    /// Requests that begin as far behind the one before as that behind its own.
    strides: u64,
    /// Requests that begin elsewhere, at another distance.
    pub(super) scattered: u64,
    last: [Option<Last>; DEVICES],
}

impl Evidence {
    /// Nothing seen yet.
    pub(crate) fn new(units: Units) -> Evidence {
        Evidence {
            units,
            requests: 0,
            accesses: 0,
            addresses: 0,
            addresses_of_512: 0,
            addresses_of_8: 0,
            lengths_of_512: 0,
            lengths_of_8: 0,
            lengths_of_4096: 0,
            address_bits: 0,
            remainders_of_8: 0,
            highest: (0, 0),
            lengths: [0; 65],
            latencies: [0; 65],
            first_ns: u64::MAX,
            last_ns: 0,
            time_zeros: 19,
            goes_on: [0; RATIOS.len()],
            strides: 0,
            scattered: 0,
            last: [None; DEVICES],
        }
    }

    /// Units in which the file is read.
    pub(crate) fn units(&self) -> Units {
        self.units
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// The units turned out to be others, before the first request.
    pub(crate) fn in_units(&mut self, units: Units) {
        self.units = units;
    }

    #[inline]
    pub(crate) fn add(&mut self, record: &Record) {
        self.requests += 1;
        self.first_ns = self.first_ns.min(record.time_ns);
        self.last_ns = self.last_ns.max(record.time_ns);
        while self.time_zeros > 0 && !record.time_ns.is_multiple_of(10_u64.pow(u32::from(self.time_zeros))) {
            self.time_zeros -= 1;
        }
        if let Some(latency_ns) = record.latency_ns.filter(|ns| *ns > 0) {
            self.latencies[64 - latency_ns.leading_zeros() as usize] += 1;
        }
        if matches!(record.op, Op::Read | Op::Write) {
            self.access(record);
        }
    }

    #[inline]
    fn access(&mut self, record: &Record) {
        let address = record.offset_bytes / self.units.address.bytes();
        let length = record.length_bytes / self.units.length.bytes();
        self.accesses += 1;
        self.addresses += u64::from(address > 0);
        self.addresses_of_512 += u64::from(address > 0 && address.is_multiple_of(512));
        self.addresses_of_8 += u64::from(address > 0 && address.is_multiple_of(8));
        self.lengths_of_512 += u64::from(length.is_multiple_of(512));
        self.lengths_of_4096 += u64::from(length.is_multiple_of(4096));
        self.lengths_of_8 += u64::from(length.is_multiple_of(8));
        self.highest = self.highest.max((address, length));
        self.lengths[64 - length.leading_zeros() as usize] += 1;
        self.address_bits |= address;
        self.remainders_of_8 |= 1 << (address % 8);
        let last = &mut self.last[record.device as usize % DEVICES];
        let step = last.map_or(0, |last| address.wrapping_sub(last.address) as i64);
        if let Some(before) = last.replace(Last { address, length, step }) {
            self.strides += u64::from(step != 0 && step == before.step);
            self.scattered += u64::from(step != 0 && step != before.step);
            if let Some(at) = ratio_of(step, before.length) {
                self.goes_on[at] += 1;
            }
        }
    }

    /// Median length of reads and writes in units of the file, true to a factor of 1.5.
    pub(super) fn length_p50(&self) -> f64 {
        self.length_above(0.5)
    }

    /// What so large a share of lengths does not exceed, in units of the file, down to a power of two.
    pub(super) fn length_above(&self, share: f64) -> f64 {
        bin_start(&self.lengths, share)
    }

    /// Whether lengths are of several sizes, doubling at least.
    pub(super) fn has_many_lengths(&self) -> bool {
        self.lengths.iter().filter(|count| **count > 0).count() >= 3
    }

    /// Whether most requests follow at one distance, as somebody made them.
    pub(super) fn is_stride(&self) -> bool {
        2 * self.strides > self.accesses
    }

    /// Where the request with the highest address ends, if addresses and lengths are in these units.
    pub(super) fn end(&self, address: SpaceUnit, length: SpaceUnit) -> f64 {
        let (first, count) = self.highest;
        first as f64 * address.bytes() as f64 + count as f64 * length.bytes() as f64
    }

    /// From the first request to the last, if times are in this unit.
    pub(super) fn duration_s(&self, unit: TimeUnit) -> f64 {
        self.in_seconds(self.last_ns.saturating_sub(self.first_ns), unit)
    }

    /// Whether some request has a latency above 0.
    pub(crate) fn has_latencies(&self) -> bool {
        self.latencies.iter().any(|count| *count > 0)
    }

    /// Median latency, rounded down to a power of two, if latencies are in this unit; 0 if there are none.
    pub(super) fn latency_s_p50(&self, unit: TimeUnit) -> f64 {
        let read = self.units.latency.unwrap_or(unit);
        bin_start(&self.latencies, 0.5) / read.ns() as f64 * unit.ns() as f64 / 1e9
    }

    /// The time of the first request, if times are in this unit.
    pub(super) fn first_s(&self, unit: TimeUnit) -> f64 {
        self.in_seconds(self.first_ns, unit)
    }

    fn in_seconds(&self, ns: u64, unit: TimeUnit) -> f64 {
        ns as f64 / self.units.time.ns() as f64 * unit.ns() as f64 / 1e9
    }
}

/// The place in [`RATIOS`] by which a request of this length ends where the next one begins.
#[inline]
fn ratio_of(step: i64, length: u64) -> Option<usize> {
    let step = u64::try_from(step).ok().filter(|step| *step > 0 && length > 0)?;
    let shift = step.leading_zeros() as i32 - length.leading_zeros() as i32;
    let is_same = if shift < 0 { length << -shift == step } else { step << shift == length };
    RATIOS.iter().position(|ratio| is_same && *ratio == shift)
}

/// Where the power of two begins in which this share of what was counted ends.
fn bin_start(counts: &[u64; 65], share: f64) -> f64 {
    let all: u64 = counts.iter().sum();
    let mut below = 0;
    let bin = counts.iter().position(|count| {
        below += count;
        below > 0 && below as f64 >= share * all as f64
    });
    bin.filter(|bin| *bin > 0).map_or(0.0, |bin| 2_f64.powi(bin as i32 - 1))
}
