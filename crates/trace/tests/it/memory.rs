//! Memory does not grow with the length of a trace.

use std::io::Read;

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::stats::{Limits, Stats};
use flashscope_trace::{Record, Records, open};

use crate::common::{alone, peak_kib};

/// An endless trace, cut after so many bytes.
struct Endless {
    line: &'static [u8],
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.line[self.at];
            self.at = (self.at + 1) % self.line.len();
        }
        Ok(buffer.len())
    }
}

#[test]
fn a_hundred_megabytes_cost_no_more_than_one() {
    alone("memory::a_hundred_megabytes_cost_no_more_than_one", read_long_traces);
}

fn read_long_traces() {
    const LINE: &[u8] =
        b"kworker/0:1H-44 [000] ..... 1746.412174: block_rq_issue: 7,3 W 69632 () 532480 + 136 be,0,4 [k]\n";
    // As above, but what is in flight never completes; and something else does, so that it is waited for.
    const WAITING: &[u8] =
        b"kworker/0:1H-44 [000] ..... 1746.412174: block_rq_issue: 7,3 W 69632 () 532480 + 136 be,0,4 [k]\n\
          ksoftirqd/1-22 [001] ..s.. 1746.412179: block_rq_complete: 7,3 WS () 532480 + 128 be,0,4 [0]\n";
    for line in [LINE, WAITING] {
        let read = |lines: u64| {
            let bytes = lines * line.len() as u64;
            let mut reader = open(Endless { line, at: 0 }.take(bytes), None, false).unwrap();
            let mut batch = Vec::new();
            while reader.next_batch(&mut batch).unwrap() > 0 {}
            assert_eq!(reader.counts().records, lines);
            peak_kib()
        };
        let one = read(30_000);
        let hundred = read(1_000_000);
        assert!(hundred <= one + 1024, "{one} KiB grew to {hundred} KiB");
    }
}

/// An endless trace: random requests anywhere in 2^62 bytes of 65,536 devices, with long latencies.
fn take(stats: &mut Stats, random: &mut Random, requests: u64) {
    let mut batch = Vec::new();
    for i in 0..requests {
        batch.push(Record {
            time_ns: i * 100,
            offset_bytes: random.below(1 << 62),
            length_bytes: 1 + random.below(1 << 18),
            device: random.below(1 << 16) as u32,
            latency_ns: Some(random.below(1 << 40)),
            op: Op::ALL[random.below(2) as usize],
            ..Record::default()
        });
        if batch.len() == 1024 {
            stats.add(&batch);
            batch.clear();
        }
    }
}

#[test]
fn an_endless_random_trace_stays_below_300_mib_and_a_small_limit_below_a_tenth_of_that() {
    let name = "an_endless_random_trace_stays_below_300_mib_and_a_small_limit_below_a_tenth_of_that";
    alone(&format!("memory::{name}"), describe_long_traces);
}

fn describe_long_traces() {
    let mut random = Random::new(1);
    let mut small = Stats::new(Limits { regions_max: 10_000, blocks_max: 1000 });
    take(&mut small, &mut random, 1_000_000);
    let early = peak_kib() / 1024;
    take(&mut small, &mut random, 2_000_000);
    let late = peak_kib() / 1024;
    assert!(late <= early + 1, "{early} MiB grew to {late} MiB");
    drop(small);
    take(&mut Stats::default(), &mut random, 3_000_000);
    let most = peak_kib() / 1024;
    assert!(late < 60 && most < 300, "{late} and {most} MiB");
}
