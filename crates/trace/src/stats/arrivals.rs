//! Times between requests: how they are distributed, how unlike a steady stream they are, and pauses.

use super::clock::Chunk;
use super::histogram::Histogram;
use super::summary::{InterArrival, Times};

/// A gap of this length and more is a pause.
const PAUSE_NS: u64 = 100_000_000;

/// Gaps between requests of any device, in the trace's order.
#[derive(Default)]
pub(super) struct Arrivals {
    last_ns: Option<u64>,
    gaps_ns: Histogram,
    squares: f64,
    ties: u64,
    pauses: u64,
    paused_ns: u64,
}

impl Arrivals {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        let mut last_ns = self.last_ns.or(chunk.times_ns.first().copied()).unwrap_or(0);
        // The first request of all comes after nothing.
        let later = &chunk.times_ns[usize::from(self.last_ns.is_none()).min(chunk.times_ns.len())..];
        for &time_ns in later {
            let gap_ns = time_ns - last_ns;
            self.gaps_ns.add(gap_ns);
            self.squares += gap_ns as f64 * gap_ns as f64;
            self.ties += u64::from(gap_ns == 0);
            if gap_ns >= PAUSE_NS {
                self.pauses += 1;
                self.paused_ns += gap_ns;
            }
            last_ns = time_ns;
        }
        self.last_ns = Some(last_ns);
    }

    /// None if there are not two requests.
    pub(super) fn summary(&self, times: Times) -> Option<InterArrival> {
        let gaps_ns = self.gaps_ns.distribution()?;
        let variance = self.squares / gaps_ns.count as f64 - gaps_ns.mean * gaps_ns.mean;
        let is_time = gaps_ns.mean > 0.0;
        Some(InterArrival {
            variation: is_time.then(|| variance.max(0.0).sqrt() / gaps_ns.mean),
            tied_share: self.ties as f64 / gaps_ns.count as f64,
            pause_ns_min: PAUSE_NS,
            pauses: self.pauses,
            paused_share: (times.duration_ns > 0).then(|| self.paused_ns as f64 / times.duration_ns as f64),
            gaps_ns,
        })
    }
}
