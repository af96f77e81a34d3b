//! How fast a trace is described, on one core, in processor time: requests a second, without reading them.
//!
//! `cargo bench -p flashscope-trace --bench stats [-- NAME]` takes those whose name contains NAME.
#![allow(clippy::print_stdout)]

use std::fs::File;

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::stats::{Limits, Stats};
use flashscope_trace::{Record, Records, open};
use rustix::time::{ClockId, clock_gettime};

/// Requests are taken again and again, later each time, until there are as many.
const REQUESTS: usize = 8 << 20;
/// The best of so many rounds counts: other processes only ever slow one down.
const ROUNDS: usize = 4;
const LEAST_M_PER_S: f64 = 10.0;

const SAMPLES: &[&str] = &[
    "compile-ext3.tracefs.gz",
    "install-ext3.tracefs.gz",
    "mp3-ext3.tracefs.gz",
    "postmark-ext3.tracefs.gz",
    "untar-ext3.tracefs.gz",
    "mysql-first-2000.load.gz",
];

/// Uniformly random requests of 4 to 64 KiB over so many bytes.
const RANDOM: &[(&str, u64)] =
    &[("random over 1 GiB", 1 << 30), ("random over 64 GiB", 1 << 36), ("random over 16 TiB", 1 << 44)];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.iter().all(|word| name.contains(word.as_str()));
    for name in SAMPLES.iter().filter(|name| is_wanted(name)) {
        judge(name, &sample(name));
    }
    if is_wanted("all samples") {
        let all: Vec<_> = SAMPLES.iter().flat_map(|name| sample(name)).collect();
        judge("all samples", &all);
    }
    for (name, span_bytes) in RANDOM.iter().filter(|(name, _)| is_wanted(name)) {
        judge(name, &random(*span_bytes, 4 << 20));
    }
}

fn judge(name: &str, records: &[Record]) {
    let best = (0..ROUNDS).map(|_| m_per_s(records)).fold(0.0, f64::max);
    let verdict = if best >= LEAST_M_PER_S { "held" } else { "missed" };
    println!("{name:<26} {best:6.2} M requests/s, at least {LEAST_M_PER_S} M/s: {verdict}");
}

fn sample(name: &str) -> Vec<Record> {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut trace = open(File::open(path).expect("a sample of the crate"), None, false).expect("a trace");
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while trace.next_batch(&mut batch).expect("records") > 0 {
        all.extend_from_slice(&batch);
    }
    all
}

fn random(span_bytes: u64, count: u64) -> Vec<Record> {
    let mut numbers = Random::new(1);
    let record = |time: u64| Record {
        time_ns: time * 10_000,
        offset_bytes: numbers.below(span_bytes >> 12) << 12,
        length_bytes: (1 + numbers.below(16)) << 12,
        op: Op::ALL[numbers.below(2) as usize],
        ..Record::default()
    };
    (0..count).map(record).collect()
}

fn m_per_s(records: &[Record]) -> f64 {
    let mut stats = Stats::new(Limits::default());
    let last_ns = records.iter().map(|record| record.time_ns).max().unwrap_or(0);
    let (mut taken, mut spent_s) = (0, 0.0);
    let mut again = records.to_vec();
    while taken < REQUESTS {
        let start_s = processor_s();
        again.chunks(1024).for_each(|batch| stats.add(batch));
        spent_s += processor_s() - start_s;
        taken += again.len();
        again.iter_mut().for_each(|record| record.time_ns += last_ns);
    }
    std::hint::black_box(&stats);
    taken as f64 / 1e6 / spent_s
}

fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
