//! Memory does not grow with the length of a trace, whatever its addresses. A program of its own: the peak is
//! the whole process's.
#![allow(clippy::print_stdout)]

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::Record;
use flashscope_trace::stats::{Limits, Stats};

/// The most memory this process has ever held.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
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
    let mut random = Random::new(1);
    let mut small = Stats::new(Limits { regions_max: 10_000, blocks_max: 1000 });
    take(&mut small, &mut random, 1_000_000);
    let early = peak_mib();
    take(&mut small, &mut random, 2_000_000);
    let late = peak_mib();
    assert!(late <= early + 1, "{early} MiB grew to {late} MiB");
    drop(small);
    take(&mut Stats::default(), &mut random, 3_000_000);
    let most = peak_mib();
    println!("small: {late} MiB, default: {most} MiB");
    assert!(late < 60 && most < 300, "{late} and {most} MiB");
}
