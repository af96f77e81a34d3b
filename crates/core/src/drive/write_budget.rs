//! Bytes that may be written: what a drive submits never exceeds them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::request::{Op, Request};

/// Bytes that drives may still write, all that share it together. Counted where requests are taken from
/// their sources, so that the bound holds by construction: for every pattern, queue depth and target, for
/// writes that fail as for those that succeed.
#[derive(Debug)]
pub struct WriteBudget {
    left_bytes: AtomicU64,
    kept_bytes: AtomicU64,
}

impl WriteBudget {
    /// So many bytes.
    pub fn new(bytes: u64) -> WriteBudget {
        WriteBudget { left_bytes: AtomicU64::new(bytes), kept_bytes: AtomicU64::new(0) }
    }

    /// Bytes that may still be written, those that are kept back too.
    pub fn left_bytes(&self) -> u64 {
        self.left_bytes.load(Ordering::Relaxed)
    }

    /// Keeps so many bytes back for later: the next drives may write what is left beside them.
    pub fn keep(&self, bytes: u64) {
        self.kept_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Bytes that the next drive may write.
    pub fn available_bytes(&self) -> u64 {
        self.left_bytes().saturating_sub(self.kept_bytes.load(Ordering::Relaxed))
    }

    /// Takes the bytes of as many requests as fit, from the first on; returns how many.
    pub(super) fn take(&self, requests: &[Request]) -> usize {
        let kept = self.kept_bytes.load(Ordering::Relaxed);
        let mut left = self.left_bytes();
        let mut taken: u64 = requests.iter().map(written_bytes).sum();
        let mut count = requests.len();
        loop {
            while taken > left.saturating_sub(kept) {
                count -= 1;
                taken -= written_bytes(&requests[count]);
            }
            // Other drives take from it at the same time.
            let swapped = self.left_bytes.compare_exchange_weak(
                left,
                left - taken,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match swapped {
                Ok(_) => return count,
                Err(now) => left = now,
            }
        }
    }

    /// Takes back the bytes of requests that were not submitted.
    pub(super) fn give_back(&self, requests: &[Request]) {
        let bytes = requests.iter().map(written_bytes).sum();
        self.left_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

fn written_bytes(request: &Request) -> u64 {
    if request.op == Op::Write { u64::from(request.length_bytes) } else { 0 }
}
