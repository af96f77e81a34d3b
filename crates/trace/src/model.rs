//! What generators are made of: arrival times, sizes of files, a page cache, and simple file systems.

mod allocator;
mod style;
mod volume;

pub(crate) use style::Style;
pub(crate) use volume::{FileId, Volume};

use flashscope_core::seed::Random;
use flashscope_core::{Flags, Op};

use crate::record::Record;

/// Between two requests that are issued one behind the other, a disk of the time of paper 002 in mind.
const ISSUE_NS: u64 = 50_000;
/// About 60 MB/s.
const NS_PER_BYTE: u64 = 16;

/// Where requests go: a clock, randomness, and what was issued and not yet taken.
pub struct Emit {
    /// When the next request is issued.
    pub now_ns: u64,
    /// All randomness of the workload.
    pub random: Random,
    pub(crate) records: Vec<Record>,
}

impl Emit {
    pub(crate) fn new(seed: u64) -> Emit {
        Emit { now_ns: 0, random: Random::new(seed), records: Vec::new() }
    }

    /// Lets this much time pass.
    pub fn pass(&mut self, ns: u64) {
        self.now_ns = self.now_ns.saturating_add(ns);
    }

    /// Lets an exponentially distributed time pass, with this mean: the next arrival of a Poisson process.
    pub fn pass_about(&mut self, mean_ns: u64) {
        let ns = -libm::log(1.0 - self.random.unit()) * mean_ns as f64;
        self.pass(ns as u64);
    }

    /// Issues a request now.
    pub fn issue(&mut self, op: Op, offset_bytes: u64, length_bytes: u64, flags: Flags) {
        let record =
            Record { time_ns: self.now_ns, op, offset_bytes, length_bytes, flags, ..Record::default() };
        self.records.push(record);
    }

    /// Issues a request and lets the time pass that a disk needs for it, so that the next follows it.
    pub fn stream(&mut self, op: Op, offset_bytes: u64, length_bytes: u64, flags: Flags) {
        self.issue(op, offset_bytes, length_bytes, flags);
        self.pass(ISSUE_NS.saturating_add(length_bytes.saturating_mul(NS_PER_BYTE)));
    }

    /// True this often.
    pub fn chance(&mut self, share: f64) -> bool {
        self.random.unit() < share
    }

    /// A size with this mean after the log-normal law, as sizes of files mostly are (Douceur and Bolosky
    /// 1999, "A large-scale study of file-system contents"); `sigma` is the deviation of its logarithm. At
    /// least 1.
    pub fn file_bytes(&mut self, mean_bytes: u64, sigma: f64) -> u64 {
        // Box and Muller 1958.
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.random.unit()));
        let normal = radius * libm::cos(2.0 * std::f64::consts::PI * self.random.unit());
        let mu = libm::log(mean_bytes as f64) - sigma * sigma / 2.0;
        libm::exp(mu + sigma * normal).clamp(1.0, (1u64 << 40) as f64) as u64
    }
}
