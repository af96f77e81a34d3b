//! A trace read a second time while the first reading goes on, to record where its IOs went. The second
//! reading never goes further than the first, also where that was interrupted: what lies behind may take
//! hours to read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flashscope_core::{Request, RequestSource};

/// How far a first reading is.
#[derive(Debug, Default)]
pub struct Reached {
    /// Records of the file.
    records: AtomicU64,
    /// Requests that were made of them and taken.
    requests: AtomicU64,
    /// Whether it was interrupted.
    is_cut: AtomicBool,
}

impl Reached {
    /// So many more records were read; whether it is cut behind them.
    pub(crate) fn add(&self, records: u64, is_cut: bool) {
        self.records.fetch_add(records, Ordering::Release);
        self.is_cut.fetch_or(is_cut, Ordering::Release);
    }

    /// Whether it was cut, and a second reading that has so many records has them all.
    pub(crate) fn is_cut_at(&self, records: u64) -> bool {
        self.is_cut.load(Ordering::Acquire) && records >= self.records.load(Ordering::Acquire)
    }
}

/// The requests of a first reading.
pub struct Leader<S> {
    source: S,
    reached: Arc<Reached>,
}

impl<S: RequestSource> Leader<S> {
    /// `reached` is what the records behind the `source` are counted in: see [`crate::Stop::first`].
    pub fn new(source: S, reached: Arc<Reached>) -> Leader<S> {
        Leader { source, reached }
    }

    /// How far it is.
    pub fn reached(&self) -> &Arc<Reached> {
        &self.reached
    }

    /// The source itself.
    pub fn inner(&self) -> &S {
        &self.source
    }
}

impl<S: RequestSource> RequestSource for Leader<S> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let filled = self.source.fill(batch);
        self.reached.requests.fetch_add(filled as u64, Ordering::Release);
        filled
    }
}

/// The same requests again, as far as they were taken.
pub struct Follower<S> {
    source: S,
    first: Arc<Reached>,
    given: u64,
}

impl<S: RequestSource> Follower<S> {
    /// Of a `source` that has given nothing yet.
    pub fn new(source: S, first: Arc<Reached>) -> Follower<S> {
        Follower { source, first, given: 0 }
    }
}

impl<S: RequestSource> RequestSource for Follower<S> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let most = self.first.requests.load(Ordering::Acquire).saturating_sub(self.given);
        let most = most.min(batch.len() as u64) as usize;
        let filled = if most == 0 { 0 } else { self.source.fill(&mut batch[..most]) };
        self.given += filled as u64;
        filled
    }
}
