//! When a trace outgrows the limits, what is told is an estimate, and its errors are honest.

use std::collections::{BTreeMap, BTreeSet};

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

/// Distances between two writes of a block, sorted, and the share of writes that have one.
fn rewrites(records: &[Record]) -> (Vec<u64>, f64) {
    let (mut last, mut distances, mut bytes, mut writes) = (BTreeMap::new(), Vec::new(), 0, 0);
    for record in records.iter().filter(|record| record.op == Op::Write) {
        for block in units(record, 12) {
            writes += 1;
            distances.extend(last.insert((record.device, block), bytes).map(|before| bytes - before));
        }
        bytes += record.length_bytes;
    }
    distances.sort_unstable();
    let share = distances.len() as f64 / f64::from(writes);
    (distances, share)
}

/// A hot and a cold part of 4 KiB blocks, written again and again.
fn hot_and_cold(seed: u64, count: u64, blocks: u64) -> Vec<Record> {
    let mut random = Random::new(seed);
    let mut write = |i: u64| {
        let part = if random.below(2) == 0 { blocks } else { blocks / 16 };
        let (offset_bytes, length_bytes) = (random.below(part) * 4096, 4096 * (1 + random.below(3)));
        Record { time_ns: i * 1000, offset_bytes, length_bytes, op: Op::Write, ..Record::default() }
    };
    (0..count).map(&mut write).collect()
}

#[test]
fn rewrites_of_a_small_trace_are_exact() {
    // More blocks than the table of a sample holds.
    let records = hot_and_cold(5, 200_000, 100_000);
    let found = summary_within(Limits::default(), &records).rewrites.unwrap();
    let (distances, share) = rewrites(&records);
    assert_eq!((found.sampled_one_in, found.share_error), (1, Some(0.0)));
    assert!((found.share - share).abs() < 1e-12, "{} for {share}", found.share);
    let bytes = found.interval_bytes.unwrap();
    for (found, quantile) in [(bytes.p10, 0.1), (bytes.p50, 0.5), (bytes.p90, 0.9)] {
        let exact = distances[(quantile * distances.len() as f64).ceil() as usize - 1];
        assert!(found <= exact && exact - found <= exact / 32 + 1, "{found} for {exact}");
    }
}

#[test]
fn rewrites_of_a_sample_have_honest_errors() {
    let mut away = [const { Vec::new() }; 2];
    for seed in 0..60 {
        let records = hot_and_cold(seed, 20_000, 20_000);
        let found = summary_within(BLOCKS, &records).rewrites.unwrap();
        let (distances, share) = rewrites(&records);
        assert!(found.sampled_one_in >= 4, "seed {seed}");
        away[0].push((found.share - share).abs() / found.share_error.unwrap());
        let error = found.interval_bytes_error.unwrap().p50;
        let exact = distances[distances.len() / 2] as f64;
        away[1].push((found.interval_bytes.unwrap().p50 as f64 - exact).abs() / error);
    }
    for (what, away) in ["share", "median"].iter().zip(&away) {
        let within = |errors: f64| away.iter().filter(|away| **away <= errors).count();
        println!("{what}: {} within one error, {} within three, of 60", within(1.0), within(3.0));
        assert!(within(3.0) >= 55, "{what}: {away:?}");
        // Nor is it far wider than it must be.
        assert!(within(0.1) < 20, "{what}: {away:?}");
    }
}
