//! Requests and bytes over time.

use flashscope_core::request::Op;

use super::clock::{BUCKETS, Chunk, fold};

/// What happened in a bucket of time.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    pub(super) requests: u64,
    /// Of reads and of writes.
    pub(super) bytes: [u64; 2],
}

impl Moment {
    fn plus(&self, other: &Moment) -> Moment {
        let sum = |i: usize| self.bytes[i].saturating_add(other.bytes[i]);
        Moment { requests: self.requests + other.requests, bytes: [sum(0), sum(1)] }
    }
}

/// Buckets of time.
pub(super) struct Timeline(Vec<Moment>);

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline(vec![Moment::default(); BUCKETS])
    }
}

impl Timeline {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        for (record, bucket) in chunk.buckets() {
            let moment = &mut self.0[bucket];
            moment.requests += 1;
            if let Op::Read | Op::Write = record.op {
                let bytes = &mut moment.bytes[record.op as usize];
                *bytes = bytes.saturating_add(record.length_bytes);
            }
        }
    }

    pub(super) fn fold(&mut self) {
        fold(&mut self.0, Moment::plus);
    }

    /// Windows of so many buckets.
    pub(super) fn windows(&self, used: usize, window: usize) -> Vec<Moment> {
        let sum = |moments: &[Moment]| moments.iter().fold(Moment::default(), |a, b| a.plus(b));
        self.0[..used].chunks(window).map(sum).collect()
    }
}
