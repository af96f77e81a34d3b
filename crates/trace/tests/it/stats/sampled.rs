//! When a trace outgrows the limits, what is told is an estimate, and its errors are honest.

use std::collections::BTreeSet;

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::Record;
use flashscope_trace::stats::Limits;

use super::{is_transfer, summary_within, units};

const SMALL: Limits = Limits { regions_max: 300, blocks_max: 300 };
/// Enough that there are dozens in each window.
const BLOCKS: Limits = Limits { blocks_max: 3000, ..SMALL };

/// Half of the requests are uniformly random, the others lie in clumps, of which some are large.
fn clumped(seed: u64, count: usize) -> Vec<Record> {
    let mut random = Random::new(seed);
    let clumps: Vec<(u64, u64)> =
        (0..40).map(|_| (random.below(1 << 34), 1 << (12 + random.below(12)))).collect();
    let mut one = |i: u64| {
        let offset_bytes = if random.below(2) == 0 {
            random.below(1 << 34) & !511
        } else {
            let (start, span) = clumps[random.below(40) as usize];
            (start + random.below(span)) & !511
        };
        let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
        let length_bytes = 512 << random.below(7);
        let device = random.below(2) as u32;
        Record { time_ns: i * 1000, offset_bytes, length_bytes, device, op, ..Record::default() }
    };
    (0..count as u64).map(&mut one).collect()
}

/// Different units that are read or written, in bytes.
fn footprint(records: &[Record], shift: u32, is_chosen: impl Fn(&Record) -> bool) -> f64 {
    let chosen = records.iter().filter(is_transfer).filter(|record| is_chosen(record));
    let all = chosen.flat_map(|record| units(record, shift).map(|unit| (record.device, unit)));
    ((all.collect::<BTreeSet<_>>().len() as u64) << shift) as f64
}

/// How many errors an estimate is away from the truth.
fn away(estimate: u64, error: u64, truth: f64) -> f64 {
    assert!(error > 0, "an estimate has an error");
    (estimate as f64 - truth).abs() / error as f64
}

#[track_caller]
fn assert_honest(what: &str, away: &[f64]) {
    let within = |errors: f64| away.iter().filter(|away| **away <= errors).count();
    println!("{what}: {} within one error, {} within three, of {}", within(1.0), within(3.0), away.len());
    assert!(within(3.0) * 100 >= 95 * away.len(), "{what}: {away:?}");
    // Nor is it wider than it must be: 68 % of a normal distribution lie within one error.
    assert!((50..=86).contains(&(within(1.0) * 100 / away.len())), "{what}: {away:?}");
}

#[test]
fn the_truth_lies_within_three_printed_errors() {
    let mut away_by = [const { Vec::new() }; 4];
    for seed in 0..100 {
        let records = clumped(seed, 4000);
        let found = summary_within(BLOCKS, &records);
        assert!(found.footprint_sampled_one_in >= 4, "seed {seed}");
        assert!(found.working_set.sampled_one_in >= 4, "seed {seed}");
        let written = |record: &Record| record.op == Op::Write;
        let (of, error) = (found.footprint_bytes, found.footprint_error_bytes);
        away_by[0].push(away(of, error, footprint(&records, 9, |_| true)));
        let (of, error) = (found.write_footprint_bytes, found.write_footprint_error_bytes);
        away_by[1].push(away(of, error, footprint(&records, 9, written)));
        let device = &found.devices[1];
        let (of, error) = (device.footprint_bytes, device.footprint_error_bytes);
        away_by[2].push(away(of, error, footprint(&records, 9, |record| record.device == 1)));
        // The last whole window.
        let (set, at) = (&found.working_set, found.working_set.bytes.len() - 2);
        let window = |record: &Record| record.time_ns / set.window_ns == at as u64;
        away_by[3].push(away(set.bytes[at], set.error_bytes[at], footprint(&records, 12, window)));
        assert_eq!(found.timeline.footprint_bytes.last(), Some(&found.footprint_bytes));
    }
    for (what, away) in ["footprint", "written", "one device", "working set"].iter().zip(&away_by) {
        assert_honest(what, away);
    }
}

#[test]
fn estimates_have_no_bias() {
    let mut ratios = [0.0; 3];
    for seed in 0..100 {
        let records = clumped(seed, 3000);
        let found = summary_within(SMALL, &records);
        let whole = found.working_set.by_window.last().unwrap();
        ratios[0] += found.footprint_bytes as f64 / footprint(&records, 9, |_| true) / 100.0;
        ratios[1] += whole.max_bytes as f64 / footprint(&records, 12, |_| true) / 100.0;
        let exact = summary_within(Limits::default(), &records).rewrites.unwrap();
        ratios[2] += found.rewrites.unwrap().share / exact.share / 100.0;
    }
    // Standard errors of these means of 100 are below 0.012, 0.01 and 0.04.
    for (ratio, room) in ratios.into_iter().zip([0.04, 0.03, 0.12]) {
        assert!((ratio - 1.0).abs() < room, "{ratios:?}");
    }
}

#[test]
fn a_block_that_is_written_over_and_over_at_the_same_distance_is_told_from_a_sample() {
    // 64 MiB, block by block in the same random order, five times.
    let mut random = Random::new(11);
    let mut order: Vec<u64> = (0..16_384).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u64 + 1) as usize);
    }
    let write = |(i, block): (u64, &u64)| Record {
        time_ns: i * 1000,
        offset_bytes: block * 4096,
        length_bytes: 4096,
        op: Op::Write,
        ..Record::default()
    };
    let records: Vec<_> = (0..).zip(order.repeat(5).iter()).map(write).collect();
    let found = summary_within(SMALL, &records).rewrites.unwrap();
    assert!(found.sampled_one_in >= 32);
    let (bytes, requests) = (found.interval_bytes.unwrap(), found.interval_requests.unwrap());
    assert_eq!((bytes.min, bytes.max), (64 << 20, 64 << 20));
    assert_eq!((requests.min, requests.max), (16_384, 16_384));
    assert_eq!(found.interval_ns.unwrap().mean, 16_384_000.0);
    assert!((found.share - 0.8).abs() < 0.02, "{}", found.share);
}
