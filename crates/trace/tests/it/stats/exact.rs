//! While a trace is small, everything is counted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::Record;
use flashscope_trace::stats::{Distribution, Summary};

use super::{is_transfer, summary, units, varied};

const SEEDS: std::ops::Range<u64> = 0..8;

fn each_seed(check: impl Fn(&[Record], &Summary)) {
    for seed in SEEDS {
        println!("seed {seed}");
        let records = varied(seed, 3000);
        check(&records, &summary(&records));
    }
}

fn sectors(records: &[Record], is_chosen: impl Fn(&Record) -> bool) -> u64 {
    let chosen = records.iter().filter(is_transfer).filter(|record| is_chosen(record));
    let all = chosen.flat_map(|record| units(record, 9).map(|sector| (record.device, sector)));
    512 * all.collect::<BTreeSet<_>>().len() as u64
}

#[test]
fn counts_bytes_and_addresses_are_those_of_a_list() {
    each_seed(|records, found| {
        let of = |op| records.iter().filter(move |record| record.op == op);
        let bytes = |op| of(op).map(|record| record.length_bytes).sum::<u64>();
        assert_eq!(found.requests, 3000);
        assert_eq!(
            [found.reads, found.writes, found.flushes, found.trims],
            Op::ALL.map(|op| of(op).count() as u64)
        );
        assert_eq!(
            [found.read_bytes, found.written_bytes, found.trimmed_bytes],
            [Op::Read, Op::Write, Op::Trim].map(bytes)
        );
        let transfers = || records.iter().filter(is_transfer);
        let addresses = found.addresses.unwrap();
        assert_eq!(Some(addresses.first_bytes), transfers().map(|record| record.offset_bytes).min());
        let end = |record: &Record| record.offset_bytes + record.length_bytes;
        assert_eq!(Some(addresses.end_bytes), transfers().map(end).max());
        assert_eq!(found.times.first_time_ns, records[0].time_ns);
        assert_eq!(found.times.last_time_ns, records[2999].time_ns);
        assert_eq!((found.bad_lines, found.other_lines, found.unsorted_requests), (7, 8, 9));
    });
}

#[test]
fn footprints_are_those_of_a_set_of_sectors_for_each_device_too() {
    each_seed(|records, found| {
        assert_eq!(found.footprint_bytes, sectors(records, |_| true));
        assert_eq!(found.write_footprint_bytes, sectors(records, |record| record.op == Op::Write));
        assert_eq!((found.footprint_error_bytes, found.footprint_sampled_one_in), (0, 1));
        assert_eq!(found.devices.len(), 3);
        for (number, device) in (0..).zip(&found.devices) {
            let is_mine = |record: &Record| record.device == number;
            assert_eq!(device.name, ["sda", "sdb", "sdc"][number as usize]);
            assert_eq!(device.requests, records.iter().filter(|record| is_mine(record)).count() as u64);
            assert_eq!(device.footprint_bytes, sectors(records, is_mine));
            let written = |record: &Record| is_mine(record) && record.op == Op::Write;
            assert_eq!(device.write_footprint_bytes, sectors(records, written));
        }
        assert_eq!(found.timeline.footprint_bytes.last(), Some(&found.footprint_bytes));
    });
}

#[test]
fn a_footprint_of_whole_blocks_stays_exact_when_parts_of_blocks_follow() {
    for seed in SEEDS {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut one = |i: u64| {
            let unit_bytes = if i > 4000 && random.below(4) == 0 { 512 } else { 4096 };
            Record {
                time_ns: i * 1000,
                offset_bytes: random.below((128 << 20) / unit_bytes) * unit_bytes,
                length_bytes: (1 + random.below(24)) * unit_bytes,
                op: Op::ALL[random.below(2) as usize],
                ..Record::default()
            }
        };
        let records: Vec<_> = (0..8000).map(&mut one).collect();
        for records in [&records[..4000], &records] {
            let found = summary(records);
            assert_eq!(found.footprint_bytes, sectors(records, |_| true));
            assert_eq!(found.write_footprint_bytes, sectors(records, |record| record.op == Op::Write));
            assert_eq!(found.timeline.footprint_bytes.last(), Some(&found.footprint_bytes));
        }
    }
}

#[test]
fn sequential_requests_and_runs_are_those_of_a_list_of_ends() {
    each_seed(|records, found| {
        let mut ends: BTreeMap<(u32, Op2), VecDeque<u64>> = BTreeMap::new();
        let mut runs: BTreeMap<(u32, Op2), Vec<(u64, u64)>> = BTreeMap::new();
        let (mut all, mut sequential, mut streamed) = (0, 0, 0);
        for record in records.iter().filter(is_transfer) {
            let key = (record.device, record.op as u8);
            let (ends, runs) = (ends.entry(key).or_default(), runs.entry(key).or_default());
            all += 1;
            streamed += u64::from(ends.contains(&record.offset_bytes));
            if ends.back() == Some(&record.offset_bytes) {
                sequential += 1;
                let run = runs.last_mut().unwrap();
                *run = (run.0 + 1, run.1 + record.length_bytes);
            } else {
                runs.push((1, record.length_bytes));
            }
            ends.push_back(record.offset_bytes + record.length_bytes);
            if ends.len() > 16 {
                ends.pop_front();
            }
        }
        assert!(sequential > 30 && streamed > sequential, "{sequential} {streamed}");
        assert_eq!(found.sequential.sequential_share, sequential as f64 / f64::from(all));
        assert_eq!(found.sequential.streams_share, streamed as f64 / f64::from(all));
        let runs: Vec<_> = runs.into_values().flatten().collect();
        assert_like(&runs.iter().map(|run| run.0).collect::<Vec<_>>(), found.run_requests.as_ref());
        assert_like(&runs.iter().map(|run| run.1).collect::<Vec<_>>(), found.run_bytes.as_ref());
    });
}

type Op2 = u8;

/// Count, mean, least and most to the last digit; quantiles within 1/32 below.
#[track_caller]
fn assert_like(values: &[u64], found: Option<&Distribution>) {
    let mut values = values.to_vec();
    values.sort_unstable();
    let Some(found) = found else { return assert!(values.is_empty()) };
    let sum: u128 = values.iter().map(|value| u128::from(*value)).sum();
    assert_eq!(found.count, values.len() as u64);
    assert_eq!(found.mean, sum as f64 / values.len() as f64);
    assert_eq!((found.min, found.max), (values[0], values[values.len() - 1]));
    assert_eq!(found.bins.iter().map(|bin| bin.count).sum::<u64>(), found.count);
    for (share, quantile) in [(0.1, found.p10), (0.5, found.p50), (0.9, found.p90), (0.99, found.p99)] {
        let exact = values[(share * values.len() as f64).ceil() as usize - 1];
        assert!(quantile <= exact && exact - quantile <= exact / 32, "{share}: {quantile} for {exact}");
    }
}

#[test]
fn sizes_gaps_latencies_and_alignment_are_those_of_lists() {
    each_seed(|records, found| {
        let of = |op| records.iter().filter(move |record| record.op == op);
        let lengths = |op| of(op).map(|record| record.length_bytes).collect::<Vec<_>>();
        assert_like(&lengths(Op::Read), found.sizes.read_bytes.as_ref());
        assert_like(&lengths(Op::Write), found.sizes.write_bytes.as_ref());
        let pages = records.iter().filter(is_transfer).filter(|record| record.length_bytes == 4096).count();
        assert_eq!(found.sizes.common[0].size_bytes, 4096);
        assert_eq!(found.sizes.common[0].requests, pages as u64);
        let gaps: Vec<u64> = records.windows(2).map(|pair| pair[1].time_ns - pair[0].time_ns).collect();
        let arrivals = found.inter_arrival.as_ref().unwrap();
        assert_like(&gaps, Some(&arrivals.gaps_ns));
        assert_eq!(arrivals.pauses, gaps.iter().filter(|gap| **gap >= 100_000_000).count() as u64);
        let latencies = |op| of(op).filter_map(|record| record.latency_ns).collect::<Vec<_>>();
        assert_like(&latencies(Op::Read), found.read_latency_ns.as_ref());
        assert_like(&latencies(Op::Write), found.write_latency_ns.as_ref());
        let transfers = records.iter().filter(is_transfer).count() as f64;
        for row in &found.alignment {
            let block = row.block_bytes;
            let is_offset = |record: &&Record| record.offset_bytes.is_multiple_of(block);
            let is_both = |record: &&Record| is_offset(record) && record.length_bytes.is_multiple_of(block);
            let aligned = || records.iter().filter(is_transfer);
            assert_eq!(row.offset_share, aligned().filter(is_offset).count() as f64 / transfers);
            assert_eq!(row.share, aligned().filter(is_both).count() as f64 / transfers);
        }
    });
}

#[test]
fn depths_are_counted_request_by_request() {
    each_seed(|records, found| {
        let known: Vec<_> = records.iter().filter(|record| record.latency_ns.is_some()).collect();
        let depth = |at: usize| {
            let (now, before) = (known[at].time_ns, &known[..at]);
            let in_flight = |record: &&&Record| record.time_ns + record.latency_ns.unwrap() > now;
            1 + before.iter().filter(in_flight).count() as u64
        };
        let depths: Vec<u64> = (0..known.len()).map(depth).collect();
        let queue = found.queue_depth.as_ref().unwrap();
        assert_eq!(Some(&queue.max), depths.iter().max());
        assert_eq!(queue.mean_at_arrival, depths.iter().sum::<u64>() as f64 / known.len() as f64);
        assert_eq!(queue.max_over_time.iter().max(), depths.iter().max());
        let latency: u64 = known.iter().filter_map(|record| record.latency_ns).sum();
        assert_eq!(queue.mean, Some(latency as f64 / found.times.duration_ns as f64));
    });
}

/// Blocks of 4 KiB in use in each window.
fn working_sets(records: &[Record], window_ns: u64) -> Vec<u64> {
    let mut windows: Vec<BTreeSet<(u32, u64)>> = Vec::new();
    for record in records {
        let window = ((record.time_ns - records[0].time_ns) / window_ns) as usize;
        windows.resize(windows.len().max(window + 1), BTreeSet::new());
        if is_transfer(&record) {
            windows[window].extend(units(record, 12).map(|block| (record.device, block)));
        }
    }
    windows.iter().map(|window| 4096 * window.len() as u64).collect()
}

#[test]
fn working_sets_are_those_of_a_set_for_each_window_of_any_length() {
    each_seed(|records, found| {
        let found = &found.working_set;
        assert_eq!(found.sampled_one_in, 1);
        assert_eq!(found.bytes, working_sets(records, found.window_ns));
        assert!(found.error_bytes.iter().all(|error| *error == 0));
        for length in &found.by_window {
            let mut sets = working_sets(records, length.window_ns);
            if sets.len() > 1 {
                sets.pop();
            }
            assert_eq!(Some(length.max_bytes), sets.iter().max().copied(), "{length:?}");
            let mean = sets.iter().sum::<u64>() as f64 / sets.len() as f64;
            assert!((length.mean_bytes as f64 - mean).abs() <= 1.0, "{length:?} for {mean}");
        }
        let last = found.by_window.last().unwrap();
        assert_eq!(last.max_bytes, working_sets(records, u64::MAX)[0]);
    });
}

#[test]
fn rewrite_intervals_are_those_of_a_list_of_last_writes() {
    each_seed(|records, found| {
        let mut last: BTreeMap<(u32, u64), (u64, u64, u64)> = BTreeMap::new();
        let (mut requests, mut written) = (0, 0);
        let (mut writes, mut bytes, mut counts, mut times) = (0, Vec::new(), Vec::new(), Vec::new());
        for record in records.iter().filter(is_transfer) {
            let blocks = units(record, 12).filter(|_| record.op == Op::Write);
            for block in blocks {
                writes += 1;
                let now = (written, requests, record.time_ns);
                if let Some(before) = last.insert((record.device, block), now) {
                    bytes.push(now.0 - before.0);
                    counts.push(now.1 - before.1);
                    times.push(now.2 - before.2);
                }
            }
            requests += 1;
            written += if record.op == Op::Write { record.length_bytes } else { 0 };
        }
        let found = found.rewrites.as_ref().unwrap();
        assert!(times.len() > 100);
        assert_eq!(found.share, times.len() as f64 / f64::from(writes));
        assert_like(&bytes, found.interval_bytes.as_ref());
        assert_like(&counts, found.interval_requests.as_ref());
        assert_like(&times, found.interval_ns.as_ref());
    });
}

#[test]
fn everything_over_time_adds_up_and_the_map_holds_every_request() {
    each_seed(|records, found| {
        let timeline = &found.timeline;
        assert_eq!(timeline.requests.iter().sum::<u64>(), 3000);
        assert_eq!(timeline.read_bytes.iter().sum::<u64>(), found.read_bytes);
        assert_eq!(timeline.written_bytes.iter().sum::<u64>(), found.written_bytes);
        assert!(timeline.requests.len() <= 128 && timeline.requests.len() > 32);
        let map = found.map.as_ref().unwrap();
        let sum = |cells: &[Vec<u32>]| cells.iter().flatten().map(|count| u64::from(*count)).sum::<u64>();
        assert_eq!((sum(&map.reads), sum(&map.writes)), (found.reads, found.writes));
        // Where the map says that something was read, something was.
        let columns = map.reads.len() as u64;
        let column_ns = (1u64..).map(|i| 1 << i).find(|ns| found.times.duration_ns / ns < columns).unwrap();
        for record in records.iter().filter(|record| record.op == Op::Read) {
            let column = ((record.time_ns - records[0].time_ns) / column_ns) as usize;
            let row = ((record.offset_bytes - map.first_bytes) / map.row_bytes) as usize;
            assert!(map.reads[column][row] > 0, "{record:?} is not at {column}, {row}");
        }
    });
}

#[test]
fn a_clock_a_poisson_process_and_bursts_are_told_apart() {
    let mut random = flashscope_core::seed::Random::new(5);
    let variation = |gaps: &mut dyn FnMut(u64) -> u64| {
        let mut time_ns = 0;
        let mut next = |i| {
            time_ns += gaps(i);
            Record { time_ns, length_bytes: 512, ..Record::default() }
        };
        let records: Vec<_> = (0..20_000).map(&mut next).collect();
        let found = summary(&records);
        (found.inter_arrival.unwrap().variation.unwrap(), found.timeline.dispersion)
    };
    let (clock, ticks) = variation(&mut |_| 1000);
    assert!(clock < 1e-3 && ticks < 0.6, "{clock} {ticks}");
    let (poisson, counts) = variation(&mut |_| (-1e6 * (1.0 - random.unit()).ln()) as u64);
    assert!((poisson - 1.0).abs() < 0.05 && (counts - 1.0).abs() < 0.3, "{poisson} {counts}");
    let (bursts, clumps) = variation(&mut |i| if i % 100 == 0 { 1_000_000_000 } else { 1000 });
    assert!(bursts > 5.0 && clumps > 10.0, "{bursts} {clumps}");
}
