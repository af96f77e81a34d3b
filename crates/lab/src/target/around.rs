//! What else goes on around a run on a real target.

use std::time::Instant;

use flashscope_analysis::Disturbance;
use flashscope_bench::Surroundings;
use flashscope_core::Nanos;
use flashscope_device::{Identity, Kind, Traffic, others_share, throttled};

/// Less than this is no neighbour: a journal's block, a changed time of access.
const FOREIGN_BYTES_MIN: u64 = 256 << 10;

/// Readings at the begin of a run.
pub(super) struct Around {
    /// A program of this machine serves the target: its processor time is the drive's.
    is_served: bool,
    /// What a file system writes for a file of its own is not the run's, and nobody else's either.
    is_file: bool,
    /// Where it only reads, the kernel's own threads have no part in it.
    is_read_directly: bool,
    disk: Option<Traffic>,
    began: Instant,
    bytes: Option<[u64; 2]>,
    throttled: Option<Nanos>,
}

impl Around {
    /// Around a target; the traffic of its disk only where it `is_counted`.
    pub(super) fn of(identity: &Identity, is_counted: bool) -> Around {
        let disk = if is_counted { Traffic::of(identity) } else { None };
        Around {
            is_served: identity.is_served_by_a_program(),
            is_file: identity.kind == Kind::File,
            is_read_directly: is_counted && identity.is_read_without_kernel_threads(),
            disk,
            began: Instant::now(),
            bytes: None,
            throttled: None,
        }
    }

    /// Of all that the disk read and wrote since the begin, what was not the run's.
    fn foreign(&self, read_bytes: u64, written_bytes: u64) -> Option<f64> {
        let (before, after) = (self.bytes?, self.disk.as_ref()?.bytes()?);
        let [read, written] = [0, 1].map(|kind| after[kind].saturating_sub(before[kind]));
        let is_its_own = self.is_file && written_bytes > 0;
        let of_writes = if is_its_own { 0 } else { written.saturating_sub(written_bytes) };
        let foreign = read.saturating_sub(read_bytes) + of_writes;
        let all = foreign + read_bytes + written_bytes;
        Some(if foreign < FOREIGN_BYTES_MIN { 0.0 } else { foreign as f64 / all as f64 })
    }
}

impl Surroundings for Around {
    fn begin(&mut self) {
        if !self.is_served {
            others_share(Nanos::ZERO, false);
        }
        (self.bytes, self.throttled) = (self.disk.as_ref().and_then(Traffic::bytes), throttled());
        self.began = Instant::now();
    }

    fn end(&mut self, read_bytes: u64, written_bytes: u64) -> Disturbance {
        let is_kernel_counted = self.is_read_directly && written_bytes == 0;
        let elapsed = Nanos(self.began.elapsed().as_nanos() as u64);
        let stopped = self.throttled.zip(throttled()).map(|(before, after)| after.0.saturating_sub(before.0));
        Disturbance {
            processors: if self.is_served { None } else { others_share(elapsed, is_kernel_counted) },
            disk: self.foreign(read_bytes, written_bytes),
            quota: stopped.map(|ns| (ns as f64 / elapsed.0.max(1) as f64).min(1.0)),
        }
    }
}
