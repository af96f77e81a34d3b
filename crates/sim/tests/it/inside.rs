//! What a device tells of its inside: samples that add up to the report, are bounded, and are the same each
//! time; a map of wear that adds up to the erases.

#![allow(clippy::print_stdout)]

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Op, Request, Target, Time};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::settings::Initial;
use flashscope_sim::ssd::inside::{CELLS_MAX, COLUMNS, Inside, SAMPLES_MAX};
use flashscope_sim::ssd::report::{ByCause, DeviceReport};
use flashscope_sim::testing::ftls_of_any_order;
use flashscope_sim::{Settings, Ssd};

const SEED: u64 = 20_261_122;
const PAGE: u64 = 2048;

fn small(ftl: &str, buffer: &str) -> Settings {
    let mut settings = Settings {
        capacity: Bytes(128 * 16 * PAGE),
        over_provisioning: 0.25,
        ftl: ftl.into(),
        buffer: buffer.into(),
        initial: Initial::Random,
        ..Settings::default()
    };
    settings.nand.page = Bytes(PAGE);
    settings.nand.pages_per_block = 16;
    settings.nand.endurance_erases = 1 << 30;
    settings.ram.size = Bytes(64 * PAGE);
    settings.chunk.size = Bytes(32 * PAGE);
    settings
}

/// Random reads and writes, one by one, in batches, or several in flight.
fn exercise(ssd: &mut Ssd, batches: u64, seed: u64) {
    let (mut random, mut out) = (Random::new(seed), Vec::new());
    let pages = ssd.info().size_bytes / PAGE;
    for number in 0..batches {
        let mut request = || {
            let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
            let (offset_bytes, length_bytes) = (random.below(pages) * PAGE, PAGE as u32);
            Request { op, offset_bytes, length_bytes, ..Request::default() }
        };
        let requests: Vec<Request> = (0..1 + number % 8).map(|_| request()).collect();
        if number % 2 == 0 {
            ssd.serve_in_turn(&requests, &mut out).unwrap();
        } else {
            ssd.submit(&requests).unwrap();
            ssd.reap(requests.len(), Time::NEVER, &mut out).unwrap();
        }
        out.clear();
    }
    ssd.flush().unwrap();
}

fn watched(settings: Settings, batches: u64, seed: u64) -> (Ssd, Inside) {
    let mut ssd = Ssd::new("test", settings, seed).unwrap_or_else(|error| panic!("{error}"));
    ssd.watch();
    exercise(&mut ssd, batches, seed);
    let inside = ssd.seen().expect("it was watched");
    (ssd, inside)
}

/// The last entries of all columns, by name, and what the report says of each.
fn pairs(report: &DeviceReport, now_ns: u64) -> Vec<(String, u64)> {
    let causes = |what: &str, of: ByCause| {
        let ByCause { host, gc, merge, padding, map, wear } = of;
        let all = [("host", host), ("gc", gc), ("merge", merge), ("padding", padding), ("map", map)];
        let all = all.into_iter().chain([("wear", wear)]);
        all.map(|(cause, count)| (format!("{what}_{cause}"), count)).collect::<Vec<_>>()
    };
    let plain = [
        ("time_ns", now_ns),
        ("host_reads", report.host_reads),
        ("host_writes", report.host_writes),
        ("host_read_bytes", report.host_read_bytes),
        ("host_written_bytes", report.host_written_bytes),
        ("merges_switch", report.merges.switch_merges),
        ("merges_partial", report.merges.partial_merges),
        ("merges_full", report.merges.full_merges),
        ("buffer_hits", report.buffer_hits),
        ("buffer_evictions", report.buffer_evictions),
        ("buffer_dirty_pages", report.buffer_dirty_pages),
    ];
    let plain = plain.into_iter().map(|(name, count)| (name.to_string(), count));
    plain
        .chain(causes("reads", report.reads_by_cause))
        .chain(causes("programs", report.programs_by_cause))
        .collect()
}

#[test]
fn the_last_sample_is_the_report_and_no_count_ever_falls() {
    for (number, (ftl, _)) in ftls_of_any_order().into_iter().enumerate() {
        for (buffer, _) in BUFFERS {
            let seed = derive(SEED, number as u64);
            println!("{ftl} + {buffer}, seed {seed}");
            let (mut ssd, inside) = watched(small(ftl, buffer), 1500, seed);
            let (report, now) = (ssd.report(), ssd.now());
            let last = |name: &str| *inside.column(name).last().unwrap();
            for (name, count) in pairs(&report, now.0) {
                assert_eq!(last(&name), count, "{name}");
            }
            let erases: u64 =
                COLUMNS.iter().filter(|name| name.starts_with("erases_")).map(|n| last(n)).sum();
            assert_eq!(erases, report.block_erases);
            let programs: u64 =
                COLUMNS.iter().filter(|name| name.starts_with("programs_")).map(|n| last(n)).sum();
            assert_eq!(programs, report.page_programs);
            for name in &COLUMNS[..COLUMNS.len() - 2] {
                assert!(inside.column(name).is_sorted(), "{name} falls");
            }
            assert!(inside.column("time_ns")[1..].windows(2).all(|pair| pair[0] < pair[1]), "times differ");
            let least = inside.column("free_blocks").into_iter().max().unwrap();
            assert!(least > 0 && least < u64::from(ssd.geometry().blocks), "{least} free blocks");
            assert!(
                inside
                    .column("buffer_dirty_pages")
                    .iter()
                    .all(|dirty| *dirty <= u64::from(inside.buffer_pages))
            );
        }
    }
}

#[test]
fn free_blocks_are_those_that_nothing_was_written_to() {
    for (ftl, _) in ftls_of_any_order() {
        let (ssd, inside) = watched(small(ftl, "none"), 900, SEED);
        let nand = ssd.nand();
        let erased = (0..nand.blocks()).filter(|block| nand.next_page(*block) == 0).count() as u64;
        let free = *inside.column("free_blocks").last().unwrap();
        // An open block may be erased still: taken, and not yet written.
        assert!((free..=free + 8).contains(&erased), "{ftl}: {free} free, {erased} erased");
    }
}

#[test]
fn a_run_of_any_length_has_samples_all_along_it_and_few() {
    let mut lengths = Vec::new();
    for batches in [1, 100, 1100, 5_000, 40_000] {
        let (_, inside) = watched(small("page", "lru"), batches, SEED);
        let times = inside.column("time_ns");
        assert!(times.len() <= SAMPLES_MAX && times[0] == 0, "{} samples", times.len());
        assert!(inside.samples.values().all(|column| column.len() == times.len()));
        if batches >= 1100 {
            let span = *times.last().unwrap();
            // But the last, which is the flush of the whole buffer.
            let gaps = times[..times.len() - 1].windows(2).map(|pair| pair[1] - pair[0]);
            let longest = gaps.max().unwrap();
            assert!(times.len() >= SAMPLES_MAX / 4, "{} samples of {batches}", times.len());
            assert!(longest <= span / 64, "a gap of {longest} ns in {span} ns");
        }
        lengths.push(times.len());
    }
    assert!(lengths[0] < lengths[1] && lengths[1] >= 40, "{lengths:?}");
}

#[test]
fn the_same_run_is_seen_the_same_and_watching_changes_nothing() {
    for (ftl, _) in ftls_of_any_order() {
        let (ssd, inside) = watched(small(ftl, "fab"), 700, SEED);
        assert_eq!(watched(small(ftl, "fab"), 700, SEED).1, inside, "{ftl}");
        let mut unwatched = Ssd::new("test", small(ftl, "fab"), SEED).unwrap();
        exercise(&mut unwatched, 700, SEED);
        assert!(unwatched.seen().is_none());
        assert_eq!(format!("{:?}", unwatched.report()), format!("{:?}", ssd.report()), "{ftl}");
        assert_eq!(unwatched.save(), ssd.save(), "{ftl}");
    }
}

#[test]
fn a_watch_begins_where_it_was_begun() {
    let mut ssd = Ssd::new("test", small("log-block", "lru"), SEED).unwrap();
    exercise(&mut ssd, 300, SEED);
    let (before, begun) = (ssd.report(), ssd.now());
    ssd.watch();
    exercise(&mut ssd, 300, SEED + 1);
    let (after, now) = (ssd.report(), ssd.now());
    let inside = ssd.seen().unwrap();
    let last = |name: &str| *inside.column(name).last().unwrap();
    assert_eq!(last("time_ns"), now.since(begun).0);
    assert_eq!(last("host_writes"), after.host_writes - before.host_writes);
    assert_eq!(last("programs_merge"), after.programs_by_cause.merge - before.programs_by_cause.merge);
    assert!(inside.samples.iter().all(|(name, column)| {
        column[0] == 0 || ["free_blocks", "buffer_dirty_pages"].contains(&name.as_str())
    }));
}

#[test]
fn the_map_of_wear_adds_up_to_the_erases_of_all_blocks() {
    for (blocks, channels, stripe) in [(128, 1, 0), (9_000, 1, 0), (128, 4, 1), (20_000, 8, 1)] {
        let mut settings = small("page", "none");
        settings.capacity = Bytes(blocks * 16 * PAGE);
        (settings.nand.channels, settings.nand.stripe) = (channels, stripe);
        let (ssd, inside) = watched(settings, 3_000, SEED);
        let (wear, nand) = (&inside.wear, ssd.nand());
        let sets = if stripe == 1 { channels } else { 1 };
        assert_eq!((wear.blocks, wear.die_sets), (nand.blocks(), sets));
        assert!(wear.mean.len() as u32 <= CELLS_MAX + sets, "{} cells", wear.mean.len());
        // Cell by cell against the blocks themselves: those of a set lie `sets` apart.
        let cells_each = wear.mean.len() as u32 / sets;
        for (cell, mean) in (0..).zip(&wear.mean) {
            let (set, place) = (cell / cells_each, cell % cells_each);
            let own: Vec<u32> = (0..wear.blocks)
                .filter(|block| block % sets == set && block / sets / wear.blocks_per_cell == place)
                .map(|block| nand.erases(block))
                .collect();
            let exact = own.iter().sum::<u32>() as f64 / own.len() as f64;
            assert!((mean - exact).abs() < 0.006, "cell {cell} of {blocks} blocks: {mean} and {exact}");
            if wear.blocks_per_cell > 1 {
                let ends = (wear.min[cell as usize], wear.max[cell as usize]);
                assert_eq!(ends, (*own.iter().min().unwrap(), *own.iter().max().unwrap()));
            }
        }
    }
}
