//! Time cut into a few hundred buckets whatever the length of the trace: when it outgrows them, two become
//! one.

use super::summary::Times;
use crate::record::Record;

/// Most buckets of time; of a trace that is longer than as many nanoseconds, at least half are used.
pub(super) const BUCKETS: usize = 512;

/// Some records, with their times since the first. A record that is earlier than one before it is taken to
/// come with that one.
pub(super) struct Chunk<'a> {
    pub(super) records: &'a [Record],
    pub(super) times_ns: &'a [u64],
    /// A bucket lasts 2 to the power of this, in nanoseconds.
    pub(super) shift: u32,
}

impl Chunk<'_> {
    /// The records, each with its bucket.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (&Record, usize)> {
        self.records.iter().zip(self.times_ns).map(|(record, time)| (record, (time >> self.shift) as usize))
    }
}

/// When the trace began, how far it got, and how long a bucket is.
#[derive(Default)]
pub(super) struct Clock {
    first_ns: Option<u64>,
    earliest_ns: u64,
    latest_ns: u64,
    pub(super) shift: u32,
}

impl Clock {
    /// Takes the times of the records; returns how many times two buckets have become one.
    pub(super) fn advance(&mut self, records: &[Record], times_ns: &mut Vec<u64>) -> u32 {
        let Some(first) = records.first() else { return 0 };
        if self.first_ns.is_none() {
            (self.first_ns, self.earliest_ns, self.latest_ns) =
                (Some(first.time_ns), first.time_ns, first.time_ns);
        }
        let first_ns = self.first_ns.unwrap_or(0);
        times_ns.clear();
        for record in records {
            self.earliest_ns = self.earliest_ns.min(record.time_ns);
            self.latest_ns = self.latest_ns.max(record.time_ns);
            times_ns.push(self.latest_ns - first_ns);
        }
        let before = self.shift;
        while (self.latest_ns - first_ns) >> self.shift >= BUCKETS as u64 {
            self.shift += 1;
        }
        self.shift - before
    }

    /// Buckets that are in use.
    pub(super) fn used(&self) -> usize {
        self.first_ns.map_or(0, |first_ns| ((self.latest_ns - first_ns) >> self.shift) as usize + 1)
    }

    pub(super) fn times(&self) -> Times {
        Times {
            first_time_ns: self.earliest_ns,
            last_time_ns: self.latest_ns,
            duration_ns: self.latest_ns - self.earliest_ns,
        }
    }

    /// How many buckets, as a power of two, make a window so that there are at most `windows_max` of them.
    pub(super) fn window_scale(&self, windows_max: usize) -> u32 {
        (0..).find(|scale| self.used().div_ceil(1 << scale) <= windows_max).unwrap_or(0)
    }

    /// Length of a window of 2 to the power of `scale` buckets.
    pub(super) fn window_ns(&self, scale: u32) -> u64 {
        1u64.checked_shl(self.shift + scale).unwrap_or(u64::MAX)
    }
}

/// Makes two neighbours one, all along; the second half is empty afterwards.
pub(super) fn fold<T: Default>(buckets: &mut [T], join: impl Fn(&T, &T) -> T) {
    for i in 0..buckets.len() / 2 {
        buckets[i] = join(&buckets[2 * i], &buckets[2 * i + 1]);
    }
    for bucket in &mut buckets[BUCKETS / 2..] {
        *bucket = T::default();
    }
}
