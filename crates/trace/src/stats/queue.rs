//! Latencies and requests in flight, if the trace has latencies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use flashscope_core::request::Op;

use super::clock::{BUCKETS, Chunk, fold};
use super::histogram::Histogram;
use super::summary::{QueueDepth, Times};

/// Higher queue depths are counted as this one: memory is bounded, whatever latencies a trace claims.
const IN_FLIGHT_MAX: usize = 65_536;

/// Depths that arriving requests met, themselves included.
#[derive(Clone, Copy, Default)]
struct Depths {
    requests: u64,
    sum: u64,
    most: u64,
}

/// Latencies and depths.
pub(super) struct Queue {
    latencies_ns: [Histogram; 4],
    /// When those in flight are done, the earliest first.
    in_flight: BinaryHeap<Reverse<u64>>,
    depths: Vec<Depths>,
    latency_sum_ns: u128,
    /// When the first record came; the times of chunks count from it.
    first_ns: Option<u64>,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            latencies_ns: Default::default(),
            in_flight: BinaryHeap::new(),
            depths: vec![Depths::default(); BUCKETS],
            latency_sum_ns: 0,
            first_ns: None,
        }
    }
}

impl Queue {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        let Some(first) = chunk.records.first() else { return };
        let first_ns = *self.first_ns.get_or_insert(first.time_ns);
        for ((record, bucket), time_ns) in chunk.buckets().zip(chunk.times_ns) {
            if let Some(latency_ns) = record.latency_ns {
                self.latencies_ns[record.op as usize].add(latency_ns);
                self.latency_sum_ns += u128::from(latency_ns);
                // From its own time on, also where it is taken to come later.
                let done_ns = record.time_ns.saturating_add(latency_ns).saturating_sub(first_ns);
                let depth = self.depth(*time_ns, done_ns);
                let Depths { requests, sum, most } = &mut self.depths[bucket];
                (*requests, *sum, *most) = (*requests + 1, *sum + depth, (*most).max(depth));
            }
        }
    }

    /// Requests in flight with one that is issued now, and will be done then.
    fn depth(&mut self, time_ns: u64, done_ns: u64) -> u64 {
        while self.in_flight.peek().is_some_and(|done| done.0 <= time_ns) {
            self.in_flight.pop();
        }
        if self.in_flight.len() == IN_FLIGHT_MAX {
            self.in_flight.pop();
        }
        self.in_flight.push(Reverse(done_ns));
        self.in_flight.len() as u64
    }

    pub(super) fn fold(&mut self) {
        fold(&mut self.depths, |a, b| Depths {
            requests: a.requests + b.requests,
            sum: a.sum + b.sum,
            most: a.most.max(b.most),
        });
    }

    pub(super) fn latencies_ns(&self, op: Op) -> &Histogram {
        &self.latencies_ns[op as usize]
    }

    /// None if no latency is known.
    pub(super) fn summary(&self, times: Times, used: usize, window: usize) -> Option<QueueDepth> {
        let requests: u64 = self.depths.iter().map(|depths| depths.requests).sum();
        let sum: u64 = self.depths.iter().map(|depths| depths.sum).sum();
        let windows = || self.depths[..used].chunks(window);
        let of = |depths: &[Depths]| depths.iter().fold((0, 0), |a, b| (a.0 + b.requests, a.1 + b.sum));
        (requests > 0).then(|| QueueDepth {
            requests,
            // Little's law: time in flight for each unit of time.
            mean: (times.duration_ns > 0).then(|| self.latency_sum_ns as f64 / times.duration_ns as f64),
            mean_at_arrival: sum as f64 / requests as f64,
            max: self.depths.iter().map(|depths| depths.most).max().unwrap_or(0),
            is_max_capped: self.depths.iter().any(|depths| depths.most == IN_FLIGHT_MAX as u64),
            mean_at_arrival_over_time: windows()
                .map(of)
                .map(|(requests, sum)| if requests > 0 { sum as f64 / requests as f64 } else { 0.0 })
                .collect(),
            max_over_time: windows()
                .map(|depths| depths.iter().map(|depths| depths.most).max().unwrap_or(0))
                .collect(),
        })
    }
}
