//! What is told of a trace, against slow references: sets of sectors, lists, closed forms, and awk.
#![allow(clippy::print_stdout, reason = "the seed of a test that fails")]

mod awk;
mod exact;
mod hostile;
mod sampled;

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::stats::{Limits, Stats, Summary};
use flashscope_trace::{Counts, Record, Records, TraceError};

/// Where the records are said to come from.
struct Listed(Vec<String>);

impl Records for Listed {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        Ok(0)
    }
    fn format(&self) -> &'static str {
        "list"
    }
    fn devices(&self) -> &[String] {
        &self.0
    }
    fn counts(&self) -> Counts {
        Counts { bad_lines: 7, other_lines: 8, unsorted: 9, ..Counts::default() }
    }
    fn first_bad_line(&self) -> Option<&TraceError> {
        None
    }
}

/// What is told of the records, given in batches of odd length.
fn summary_within(limits: Limits, records: &[Record]) -> Summary {
    let mut stats = Stats::new(limits);
    records.chunks(777).for_each(|batch| stats.add(batch));
    stats.summary(&Listed(vec!["sda".into(), "sdb".into(), "sdc".into()]), true)
}

fn summary(records: &[Record]) -> Summary {
    summary_within(Limits::default(), records)
}

/// Random requests of three devices: all operations, odd sizes, runs, hot places, bursts and pauses.
fn varied(seed: u64, count: usize) -> Vec<Record> {
    let mut random = Random::new(seed);
    let mut time_ns = random.below(1 << 40);
    let mut next = [0u64; 3];
    let mut one = || {
        let gap_ns_max = 1 << random.below(30);
        time_ns += if random.below(4) == 0 { 0 } else { random.below(gap_ns_max) };
        let device = random.below(3);
        let op = Op::ALL[[0, 0, 0, 1, 1, 1, 1, 2, 3][random.below(9) as usize]];
        let offset_bytes = match random.below(4) {
            0 => next[device as usize],
            1 => random.below(16) * 4096,
            2 => random.below(1 << 26),
            _ => (1 << 40) + random.below(1 << 14) * 512,
        };
        let length_bytes =
            [512, 4096, 4096, 8192, 65_536, 1 + random.below(300_000)][random.below(6) as usize];
        next[device as usize] = offset_bytes + length_bytes;
        let latency_ns = (random.below(3) > 0).then(|| random.below(1 << 26));
        let record = Record { time_ns, device: device as u32, op, latency_ns, ..Record::default() };
        if op == Op::Flush { record } else { Record { offset_bytes, length_bytes, ..record } }
    };
    (0..count).map(|_| one()).collect()
}

fn is_transfer(record: &&Record) -> bool {
    matches!(record.op, Op::Read | Op::Write)
}

/// The numbers of the units of 2 to the power of `shift` bytes that a request touches.
fn units(record: &Record, shift: u32) -> std::ops::Range<u64> {
    record.offset_bytes >> shift..(record.offset_bytes + record.length_bytes).div_ceil(1 << shift)
}
