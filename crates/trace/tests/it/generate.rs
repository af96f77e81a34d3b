//! Generated traces have the properties that define them, and are the same for ever.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::all;
use flashscope_core::Op;
use flashscope_trace::generate::{GENERATORS, Options, generate};
use flashscope_trace::{Record, Records as _, TraceError};

const GIB: u64 = 1 << 30;

fn made(name: &str, options: &Options) -> Vec<Record> {
    all(&mut generate(name, options).unwrap())
}

fn with(set: &[(&str, &str)]) -> Options {
    let set = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Options { set, ..Options::default() }
}

fn default(name: &str) -> Vec<Record> {
    made(name, &Options::default())
}

/// What is written: requests, bytes, distinct bytes, and the share of requests that begin where the one
/// before ended.
#[derive(Debug)]
struct Summary {
    writes: u64,
    bytes: u64,
    footprint_bytes: u64,
    sequential: f64,
    span_s: f64,
}

fn summary(records: &[Record]) -> Summary {
    let writes: Vec<_> = records.iter().filter(|record| record.op == Op::Write).collect();
    let mut sectors = vec![0u64; (GIB / 512 / 64) as usize];
    for record in &writes {
        for sector in record.offset_bytes / 512..(record.offset_bytes + record.length_bytes) / 512 {
            sectors[(sector / 64) as usize] |= 1 << (sector % 64);
        }
    }
    let follows = |pair: &[&Record]| pair[0].offset_bytes + pair[0].length_bytes == pair[1].offset_bytes;
    Summary {
        writes: writes.len() as u64,
        bytes: writes.iter().map(|record| record.length_bytes).sum(),
        footprint_bytes: sectors.iter().map(|word| u64::from(word.count_ones()) * 512).sum(),
        sequential: writes.windows(2).filter(|pair| follows(pair)).count() as f64 / writes.len() as f64,
        span_s: (records[records.len() - 1].time_ns - records[0].time_ns) as f64 / 1e9,
    }
}

#[track_caller]
fn assert_between(value: f64, low: f64, high: f64, summary: &Summary) {
    assert!((low..=high).contains(&value), "{value} is not in {low}..{high}: {summary:?}");
}

/// FNV-1a over what makes a request.
fn fingerprint(records: &[Record]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for record in records {
        let op = record.op as u64 | u64::from(record.flags.0) << 8;
        for word in [record.time_ns, record.offset_bytes, record.length_bytes, op] {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    hash
}

#[test]
fn every_generator_is_sorted_whole_inside_the_device_and_follows_its_seed() {
    for generator in GENERATORS {
        let name = generator.name;
        let options = |seed| Options { seed, number_ios: Some(5000), ..Options::default() };
        let records = made(name, &options(1));
        assert!((800..=5000).contains(&records.len()), "{name}: {}", records.len());
        assert!(records.is_sorted_by_key(|record| record.time_ns), "{name}");
        for record in &records {
            assert!(record.offset_bytes + record.length_bytes <= GIB, "{name}: {record:?}");
            assert!((record.offset_bytes | record.length_bytes).is_multiple_of(512), "{name}: {record:?}");
            assert_eq!(record.op == Op::Flush, record.length_bytes == 0, "{name}: {record:?}");
        }
        assert_eq!(records, made(name, &options(1)), "{name}");
        assert_ne!(records, made(name, &options(2)), "{name}");
    }
}

/// Of the first 1,000 requests with seed 1. A change here changes what a seed means.
const FINGERPRINTS: &[(&str, u64)] = &[
    ("uniform", 0x0549a56dc03f259f),
    ("zipf", 0x41a7de4fbbd44434),
    ("hot-cold", 0x1dafadcacc2e60d5),
    ("sequential-streams", 0x54deb60d3043c312),
    ("database", 0x47f5d441ece119a6),
    ("office-install", 0x24db55eef93051b2),
    ("internet-files", 0x2d5a547b2c5c6e9f),
    ("pcmark", 0x96b4b0a757bbbac8),
    ("iometer", 0xb7eeb7cec498c283),
    ("mp3", 0x98a92b66bfe41a4b),
    ("p2p", 0x2d875570a5e68e90),
    ("untar", 0xf2fd567f0ccf61b6),
    ("compile", 0x5a4281fad28a2de9),
    ("postmark", 0xe6a8509a4cd2e815),
];

#[test]
fn a_seed_means_the_same_requests_for_ever() {
    let options = Options { number_ios: Some(1000), ..Options::default() };
    let of = |name| (name, fingerprint(&made(name, &options)));
    let fingerprints: Vec<_> = GENERATORS.iter().map(|generator| of(generator.name)).collect();
    assert_eq!(fingerprints, FINGERPRINTS);
}

#[test]
fn the_workloads_of_the_paper_are_found_by_their_numbers() {
    let papers: BTreeSet<_> = GENERATORS.iter().map(|generator| generator.paper).collect();
    let expected: BTreeSet<_> = ["", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9"].into();
    assert_eq!(papers, expected);
    assert_eq!(generate("w7", &Options::default()).unwrap().format(), "untar");
    let error = generate("", &Options::default()).err().unwrap();
    assert!(matches!(&error, TraceError::UnknownGenerator { known, .. } if known.contains("untar")));
}

#[test]
fn what_cannot_be_set_is_an_error_that_names_the_key() {
    for (name, set, words) in [
        ("uniform", ("blocks", "4k"), ["blocks", "set ios, bs, writes, rate"]),
        ("uniform", ("bs", "1000"), ["bs=1000", "multiple of 512"]),
        ("uniform", ("ios", "0"), ["ios=0", "from 1"]),
        ("uniform", ("writes", "120%"), ["writes=120%", "whole"]),
        ("zipf", ("theta", "nan"), ["theta=nan", "above 0"]),
        ("hot-cold", ("hot_space", "0%"), ["hot_space", "a block to each"]),
        ("sequential-streams", ("streams", "1000000"), ["streams", "fewer"]),
        ("untar", ("files", "10000000"), ["size=1073741824", "larger device"]),
        ("untar", ("fs", "xfs"), ["fs=xfs", "ext3, fat16, ntfs"]),
        ("postmark", ("min", "1MB"), ["min=1MB", "more than max"]),
        ("internet-files", ("pause", "15"), ["pause=15", "without a unit"]),
    ] {
        let message = generate(name, &with(&[set])).err().expect("it cannot be set").to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{name}: {message}");
    }
}

#[test]
fn any_size_and_setting_works_or_is_refused() {
    let values = ["1", "7", "512", "4096", "1MB", "100MB", "1000000000000", "0", "0.5", "100%", "1h", "ntfs"];
    let check = |name: &str, size_bytes: u64, set: Option<(&str, &str)>| {
        let options = Options { size_bytes, number_ios: Some(300), ..with(set.as_slice()) };
        let Ok(mut trace) = generate(name, &options) else { return };
        for record in all(&mut trace) {
            let end = record.offset_bytes + record.length_bytes;
            assert!(end <= size_bytes, "{name} {set:?} on {size_bytes}: {record:?}");
        }
    };
    for generator in GENERATORS {
        for size_bytes in [1, 512, 4096, 1 << 20, (64 << 20) + 512, 100_000_000, 3 << 30] {
            check(generator.name, size_bytes, None);
        }
        for (key, value) in generator.keys.iter().flat_map(|key| values.map(|value| (key.name, value))) {
            check(generator.name, 256 << 20, Some((key, value)));
        }
    }
}

#[test]
fn uniform_addresses_are_uniform_and_arrive_as_a_poisson_process() {
    let records = made("uniform", &with(&[("writes", "30%")]));
    let sixteenth = |record: &Record| record.offset_bytes / (GIB / 16);
    let mut counts = [0f64; 16];
    records.iter().for_each(|record| counts[sixteenth(record) as usize] += 1.0);
    let expected = records.len() as f64 / 16.0;
    let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    // The 99.9 % point with 15 degrees of freedom is 37.7.
    assert!(chi_square < 37.7, "{chi_square}: {counts:?}");
    let writes = records.iter().filter(|record| record.op == Op::Write).count();
    assert!((29_400..30_600).contains(&writes), "{writes}");
    // Mean and deviation of exponential gaps are both 200 us.
    let gaps: Vec<f64> = records.windows(2).map(|pair| (pair[1].time_ns - pair[0].time_ns) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
    assert!((mean - 200e3).abs() < 3e3 && (deviation - 200e3).abs() < 6e3, "{mean} {deviation}");
}

#[test]
fn zipf_and_hot_cold_have_their_skew() {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    default("zipf").iter().for_each(|record| *counts.entry(record.offset_bytes).or_default() += 1);
    let mut counts: Vec<(u32, u64)> = counts.into_iter().map(|(offset, count)| (count, offset)).collect();
    counts.sort_unstable();
    // Of 262,144 blocks with theta 0.99, the first gets 1 / sum k^-0.99 of all.
    let norm: f64 = (1..=GIB / 4096).map(|rank| (rank as f64).powf(-0.99)).sum();
    let (first, expected) = (f64::from(counts[counts.len() - 1].0), 100_000.0 / norm);
    assert!((first - expected).abs() < 5.0 * expected.sqrt(), "{first} {expected}");
    let far = counts[counts.len() - 10..].windows(2).filter(|pair| pair[0].1.abs_diff(pair[1].1) > 1 << 20);
    assert!(far.count() >= 8, "hot blocks are no neighbours");
    let hot = default("hot-cold").iter().filter(|record| record.offset_bytes < GIB / 5).count();
    assert!((79_300..80_700).contains(&hot), "{hot} of 100,000");
}

#[test]
fn each_stream_is_sequential_in_its_part() {
    let records = default("sequential-streams");
    let part = GIB / 8;
    let mut next = [None; 8];
    for record in &records {
        let stream = (record.offset_bytes / part) as usize;
        let expected = next[stream].unwrap_or(stream as u64 * part);
        assert_eq!(record.offset_bytes, expected);
        let end = record.offset_bytes + record.length_bytes;
        next[stream] = Some(if end == (stream as u64 + 1) * part { stream as u64 * part } else { end });
    }
    assert!(next.iter().all(Option::is_some));
    let sequential = summary(&records).sequential;
    assert!((sequential - 1.0 / 8.0).abs() < 0.01, "to the device, one in eight: {sequential}");
}

#[test]
fn a_database_logs_and_flushes_each_transaction_and_writes_pages_at_checkpoints() {
    let records = made("database", &with(&[("transactions", "5000")]));
    let flushes = records.iter().filter(|record| record.op == Op::Flush).count();
    let (log, pages): (Vec<&Record>, Vec<&Record>) = records
        .iter()
        .filter(|record| record.op == Op::Write)
        .partition(|record| record.offset_bytes < GIB / 16);
    assert!(log.len() >= 5000 && log.iter().all(|record| record.length_bytes <= 8192), "{}", log.len());
    // The block that was not full is written again.
    let goes_on = |pair: &[&Record]| {
        let end = pair[0].offset_bytes + pair[0].length_bytes;
        pair[1].offset_bytes == end || pair[1].offset_bytes == end - 4096
    };
    assert!(log.windows(2).all(goes_on));
    let is_back = |pair: &&[&Record]| pair[1].offset_bytes < pair[0].offset_bytes;
    let checkpoints = 1 + pages.windows(2).filter(is_back).count();
    assert_eq!(flushes, 5000 + checkpoints);
    assert!(pages.iter().all(|record| record.length_bytes == 16 << 10));
    assert!((2..=10).contains(&checkpoints) && pages.len() > 2000, "{checkpoints} {}", pages.len());
    assert!(records.iter().any(|record| record.op == Op::Read));
}

#[test]
fn iometer_is_random_over_the_file_alone() {
    let records = default("iometer");
    let summary = summary(&records);
    assert_between(summary.sequential, 0.0, 0.001, &summary);
    assert!(records.iter().all(|record| record.offset_bytes >= GIB / 8 && record.length_bytes == 4096));
    // 100,000 draws from 229,376 blocks leave e^-0.436 of them untouched.
    let touched = 229_376.0 * (1.0 - (-100_000.0f64 / 229_376.0).exp()) * 4096.0;
    assert_between(summary.footprint_bytes as f64, 0.99 * touched, 1.01 * touched, &summary);
    let prepared = made("iometer", &with(&[("prepare", "yes"), ("ios", "10")]));
    assert_eq!(prepared.len() as u64, 7 * GIB / 8 / (64 << 10) + 10);
}

#[test]
fn mp3_files_are_long_sequential_writes_and_a_table_that_is_rewritten() {
    let records = default("mp3");
    let summary = summary(&records);
    // The mean of 90 sizes with a deviation of 0.31 of it is off by 0.03 of it.
    assert_between(summary.bytes as f64, 0.9 * 90.0 * 4.8e6, 1.15 * 90.0 * 4.8e6, &summary);
    assert_between(summary.sequential, 0.8, 1.0, &summary);
    // The tables and the root are the first 40 blocks; all else is written once.
    let is_table = |record: &&Record| record.offset_bytes < 40 * 4096;
    let table: u64 = records.iter().filter(is_table).map(|record| record.length_bytes).sum();
    // Some 12,000 clusters of two bytes in two copies, written once a second for 45 s.
    assert!(table > 4 * 2 * 24_000, "{table} bytes of tables");
    assert!((records.iter().filter(|record| !is_table(record)).count() as f64) < summary.bytes as f64 / 4e4);
}

#[test]
fn p2p_writes_all_of_the_file_in_small_scattered_pieces() {
    let records = default("p2p");
    let summary = summary(&records);
    assert_between(summary.footprint_bytes as f64, 634e6, 640e6, &summary);
    assert_between(summary.bytes as f64 / summary.footprint_bytes as f64, 1.0, 1.6, &summary);
    assert_between(summary.sequential, 0.0, 0.35, &summary);
    assert_between(summary.bytes as f64 / summary.writes as f64, 4e3, 40e3, &summary);
    assert_between(summary.span_s, 1100.0, 1450.0, &summary);
    let mp3 = self::summary(&default("mp3"));
    assert!(summary.sequential < mp3.sequential / 2.0);
}

#[test]
fn untar_writes_data_once_and_metadata_again_and_again() {
    let summary = summary(&default("untar"));
    // 21,594 files in whole blocks: half a block more than 10.7 KB each.
    let data = 21_594.0 * (10_700.0 + 2048.0);
    assert_between(summary.footprint_bytes as f64, 0.93 * data, 1.25 * data, &summary);
    assert_between(summary.bytes as f64, 1.02 * data, 1.4 * data, &summary);
    assert!(summary.bytes > summary.footprint_bytes, "{summary:?}");
    // A request or more for each file of a block or more, and the metadata's.
    assert_between(summary.writes as f64, 21_594.0, 30_000.0, &summary);
    let flushed = made("untar", &with(&[("flush", "yes")]));
    let count = |op| flushed.iter().filter(|record| record.op == op).count();
    assert!(count(Op::Flush) >= 5 && count(Op::Write) as u64 == summary.writes, "one for each commit");
}

#[test]
fn postmark_rewrites_what_it_deleted_on_every_file_system() {
    for fs in ["ext3", "fat16", "ntfs"] {
        let records = made("postmark", &with(&[("fs", fs)]));
        let summary = summary(&records);
        assert_between(summary.bytes as f64 / summary.footprint_bytes as f64, 1.2, 20.0, &summary);
        assert_between(summary.footprint_bytes as f64, 20e6, 400e6, &summary);
        assert!(summary.writes > 3000, "{fs}: {summary:?}");
    }
    // Deleted before it is written: nothing of it is ever seen.
    let quick = summary(&made("postmark", &with(&[("files", "10"), ("transactions", "100")])));
    assert!(quick.bytes < 200_000, "{quick:?}");
}

#[test]
fn installs_compiles_and_desktops_write_about_what_they_should() {
    let install = summary(&default("office-install"));
    assert_between(install.footprint_bytes as f64, 300e6, 600e6, &install);
    let internet = summary(&default("internet-files"));
    assert_between(internet.footprint_bytes as f64, 100e6, 150e6, &internet);
    assert_between(internet.bytes as f64 / internet.writes as f64, 4e3, 30e3, &internet);
    assert!(internet.span_s > 3600.0, "somebody reads the pages: {internet:?}");
    let pcmark = summary(&default("pcmark"));
    assert_between(pcmark.bytes as f64, 350e6, 500e6, &pcmark);
    let compile = summary(&default("compile"));
    assert_between(compile.footprint_bytes as f64, 150e6, 600e6, &compile);
    assert!(compile.span_s > 1600.0 && compile.sequential < install.sequential, "{compile:?} {install:?}");
}

#[test]
fn as_many_requests_as_are_asked_for_are_made_where_the_workload_has_no_end_of_its_own() {
    let asked = |name: &str, number_ios, set: &[(&str, &str)]| {
        let mut trace = generate(name, &Options { number_ios: Some(number_ios), ..with(set) }).unwrap();
        let count = all(&mut trace).len() as u64;
        (count, trace.notes().iter().map(|note| note.count).sum::<u64>())
    };
    assert_eq!(asked("uniform", 150_000, &[]), (150_000, 0), "beyond the default of 100,000");
    assert_eq!(asked("zipf", 10, &[]), (10, 0));
    assert_eq!(asked("database", 400_000, &[]), (400_000, 0));
    assert_eq!(
        asked("uniform", 150_000, &[("ios", "1000")]),
        (1000, 149_000),
        "what is set is a limit, and said"
    );
    let (made, missing) = asked("mp3", 10_000_000, &[]);
    assert_eq!(made + missing, 10_000_000, "so is a workload that ends");
}
