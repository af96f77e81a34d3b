//! What use and time do to flash: times, retries, read disturb, blocks that fail.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target};
use flashscope_sim::buffer::AnyBuffer;
use flashscope_sim::ftl::AnyFtl;
use flashscope_sim::settings::Initial;
use flashscope_sim::testing::{Kit, small_device};
use flashscope_sim::{Settings, Ssd, SsdBuilder};

const PAGE: u64 = 2048;

/// 64 blocks of 16 pages and 16 spare ones, on one die: 50 us a read, 400 us a program, 10 us a transfer,
/// 2 ms an erase.
fn device() -> Settings {
    let mut settings =
        Settings { capacity: Bytes(64 * 16 * PAGE), over_provisioning: 0.25, ..Settings::default() };
    settings.nand.page = Bytes(PAGE);
    settings.nand.pages_per_block = 16;
    settings.nand.endurance_erases = 10_000;
    (settings.nand.read_us, settings.nand.program_us) = (vec![50.0], vec![400.0]);
    (settings.nand.transfer_us, settings.nand.erase_us) = (10.0, 2_000.0);
    settings
}

fn ssd(settings: &Settings, seed: u64) -> Ssd {
    Ssd::new("aged", settings.clone(), seed).unwrap_or_else(|error| panic!("{error}"))
}

fn request(op: Op, page: u64, pages: u64) -> Request {
    Request { op, offset_bytes: page * PAGE, length_bytes: (pages * PAGE) as u32, ..Request::default() }
}

/// Each when the one before is done; the whole time in nanoseconds.
fn serve(ssd: &mut Ssd, requests: impl Iterator<Item = Request>) -> u64 {
    let begin = ssd.now();
    let requests: Vec<Request> = requests.collect();
    ssd.serve_in_turn(&requests, &mut Vec::new()).unwrap_or_else(|error| panic!("{error}"));
    ssd.now().since(begin).0
}

fn read_all(ssd: &mut Ssd, pages: u64) -> u64 {
    let all = ssd.info().size_bytes / PAGE;
    serve(ssd, (0..all / pages).map(|i| request(Op::Read, i * pages, pages)))
}

/// By a straight line between two points of (erases, value), as written on paper.
fn between(points: [(f64, f64); 2], erases: u32) -> f64 {
    let [(x0, y0), (x1, y1)] = points;
    let part = ((f64::from(erases) - x0) / (x1 - x0)).clamp(0.0, 1.0);
    y0 + part * (y1 - y0)
}

#[test]
fn programs_and_erases_take_what_the_tables_say_of_each_blocks_erases() {
    let (programs, erases) = ([(10.0, 1.0), (30.0, 0.7)], [(10.0, 1.0), (30.0, 2.5)]);
    for erases_before in [0, 7, 29] {
        let mut settings = device();
        settings.initial = Initial::Empty;
        settings.aging.erases_before = erases_before;
        settings.aging.at_erases = vec![10, 30];
        settings.aging.program_factor = vec![1.0, 0.7];
        settings.aging.erase_factor = vec![1.0, 2.5];
        let mut ssd = ssd(&settings, 1);
        let (mut expected_us, mut erased) = (0.0, 0);
        // In order, again and again: nothing is copied, and a page lies where the count says it.
        for i in 0..64 * 16 * 30 {
            let before: Vec<u32> = (0..80).map(|block| ssd.nand().erases(block)).collect();
            let written: Vec<u32> = (0..80).map(|block| ssd.nand().next_page(block)).collect();
            serve(&mut ssd, std::iter::once(request(Op::Write, i % (64 * 16), 1)));
            for block in 0..80 {
                let count = ssd.nand().erases(block);
                if count > before[block as usize] {
                    expected_us += 2_000.0 * between(erases, count);
                    erased += 1;
                } else if ssd.nand().next_page(block) > written[block as usize] {
                    expected_us += 10.0 + 400.0 * between(programs, count);
                }
            }
        }
        let us = ssd.now().0 as f64 / 1e3;
        assert!((us - expected_us).abs() < 1.0, "{us} us, not {expected_us}, from {erases_before} erases");
        assert!(erased > 1_000, "{erased} erases from {erases_before}");
    }
}

fn with_retries(erases_before: u32, retention_days: f64) -> Settings {
    let mut settings = device();
    settings.aging.erases_before = erases_before;
    settings.aging.retention_days = retention_days;
    settings.aging.at_erases = vec![0, 1_000];
    settings.aging.at_days = vec![0.0, 100.0];
    settings.aging.retries = vec![vec![0.0, 1.5], vec![4.0, 12.0]];
    settings
}

#[test]
fn pages_are_read_again_as_often_as_the_table_says_and_each_time_takes_a_read() {
    let ages = [(0, 0.0), (500, 0.0), (1_000, 0.0), (0, 25.0), (250, 50.0), (5_000, 900.0)];
    for (erases_before, days) in ages {
        let by_erases = |row| between(row, erases_before);
        let (new, old) = (by_erases([(0.0, 0.0), (1e3, 1.5)]), by_erases([(0.0, 4.0), (1e3, 12.0)]));
        let mean = new + (old - new) * (days / 100.0_f64).min(1.0);
        let mut retries = 0;
        for seed in 0..10 {
            let mut ssd = ssd(&with_retries(erases_before, days), seed);
            let ns = read_all(&mut ssd, 1);
            let used = ssd.report().aging.expect("it ages");
            let expected_ns = (1_024 + used.retries) * 60_000;
            assert_eq!(ns, expected_ns, "{erases_before} erases, {days} days, seed {seed}");
            // The same again: how often depends on the page, not on the day.
            assert_eq!(read_all(&mut ssd, 1), ns);
            retries += used.retries;
        }
        // Between two whole numbers: a standard deviation of half a retry at most.
        let found = retries as f64 / 10_240.0;
        let error = 4.0 * 0.5 / 10_240_f64.sqrt();
        let about = format!("{erases_before} erases, {days} days");
        assert!((found - mean).abs() <= error, "{found} a read, not {mean}: {about}");
    }
}

/// Four pages are sensed together. One IO of all of them needs the retries of one.
#[test]
fn pages_that_are_sensed_together_are_read_again_together() {
    let mut settings = with_retries(400, 60.0);
    settings.nand.pages_per_program = 4;
    let mut ssd = ssd(&settings, 3);
    let ns = read_all(&mut ssd, 4);
    let retries = ssd.report().aging.expect("it ages").retries;
    assert_eq!(ns, 256 * (50_000 + 4 * 10_000) + retries * 60_000);
    assert!(retries > 256, "{retries} retries of 256 groups");
}

/// Two retries for each read, on eight dies with a bus for two: each die does a third of what it did.
#[test]
fn under_load_retries_take_the_dies_and_the_buses() {
    for (channels, dies) in [(4, 2), (1, 8)] {
        let mut settings = device();
        (settings.nand.channels, settings.nand.dies, settings.nand.stripe) = (channels, dies, 1);
        settings.aging.retries = vec![vec![2.0]];
        let mut ssd = ssd(&settings, 1);
        let mut random = Random::new(5);
        let (mut out, mut tag, ios) = (Vec::new(), 0, 20_000);
        while tag < ios {
            let batch: Vec<Request> = (0..(64 - (tag - out.len()).min(64)).min(ios - tag))
                .map(|i| Request { tag: (tag + i) as u32, ..request(Op::Read, random.below(1_024), 1) })
                .collect();
            ssd.submit(&batch).unwrap_or_else(|error| panic!("{error}"));
            tag += batch.len();
            ssd.reap(1, flashscope_core::Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
        }
        ssd.reap(tag - out.len(), flashscope_core::Time::NEVER, &mut out).expect("reads are served");
        let last = out.iter().map(|done: &Completion| done.completed.0).max().unwrap_or(0);
        let rate = ios as f64 / (last as f64 / 1e9);
        // Each read is three senses and three transfers: by the dies, and by the buses.
        let most = (8.0_f64 / (3.0 * 60e-6)).min(f64::from(channels) / (3.0 * 10e-6));
        assert!(rate < most && rate > 0.9 * most, "{rate:.0} reads/s of {most:.0}, {channels} channels");
    }
}

#[test]
fn what_lay_without_power_is_read_again_and_what_is_written_anew_is_not() {
    let mut settings = with_retries(0, 0.0);
    settings.nand.data = true;
    let mut ssd = ssd(&settings, 1);
    read_all(&mut ssd, 1);
    assert_eq!(ssd.report().aging.expect("it ages").retries, 0, "new blocks, written just now");
    ssd.rest(200.0);
    read_all(&mut ssd, 1);
    assert_eq!(ssd.report().aging.expect("it ages").retries, 4 * 1_024, "four for each after a hundred days");
    serve(&mut ssd, (0..1_024).map(|page| request(Op::Write, page, 1)));
    ssd.restart();
    read_all(&mut ssd, 1);
    // Each block was erased once at most: a mean of 0.0015 retries.
    assert!(ssd.report().aging.expect("it ages").retries < 20);
}

#[test]
fn a_block_that_is_read_often_is_moved_and_its_data_are_there() {
    for ftl in ["page", "slc-cache", "multi-stream", "fdp"] {
        let mut settings = device();
        settings.ftl = ftl.into();
        settings.over_provisioning = 0.5;
        (settings.fdp.handles, settings.multi_stream.streams) = (2, 2);
        settings.slc_cache.size = Bytes(16 * PAGE);
        settings.nand.data = true;
        settings.aging.block_reads_max = 100;
        let mut ssd = ssd(&settings, 1);
        serve(&mut ssd, (0..1_000).map(|_| request(Op::Read, 77, 1)));
        let report = ssd.report();
        // The copy reads each page of the block once: its reads begin anew at none where it is written.
        assert_eq!(report.aging.expect("it ages").refreshed_blocks, 10, "{ftl}");
        assert_eq!(report.programs_by_cause.wear, 10 * 16, "{ftl}");
        read_all(&mut ssd, 1);
    }
}

/// Without spread a block is good for E erases and each one that replaces it for as many: after e of them
/// there were e / (E + 1) replacements, rounded down.
#[test]
fn blocks_are_replaced_when_they_are_worn_out_until_the_device_is_read_only() {
    let mut settings = device();
    settings.nand.data = true;
    settings.nand.endurance_erases = 10;
    settings.aging.spare_blocks = 0.2;
    let mut ssd = ssd(&settings, 1);
    let mut random = Random::new(1);
    let error = loop {
        let write = request(Op::Write, random.below(1_024), 1);
        match ssd.serve(&write) {
            Ok(done) => ssd.wait_until(done.completed),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("read-only"), "{error}");
    let reserve = ssd.report().aging.and_then(|aging| aging.reserve).expect("it has spare blocks");
    let expected: u64 = (0..80).map(|block| u64::from(ssd.nand().erases(block) / 11)).sum();
    assert_eq!(reserve.grown_bad, expected);
    assert!(reserve.is_used_up && reserve.left_min == 0 && reserve.grown_bad >= 16, "{reserve:?}");
    read_all(&mut ssd, 1);
    ssd.flush().expect("what it holds is there");
    let trim = ssd.serve(&request(Op::Trim, 0, 1)).expect_err("nothing is changed any more");
    assert!(trim.to_string().contains("read-only"), "{trim}");
}

/// With a standard deviation of a tenth, 2.3 % of the blocks fail before 0.8 of the mean, 15.9 % before 0.9.
#[test]
fn blocks_are_good_for_more_or_fewer_erases() {
    let (mut bad, mut all) = ([0.0; 2], 0.0);
    for seed in 0..10 {
        let mut settings = device();
        settings.gc = "fifo".into(); // all blocks wear alike
        (settings.nand.endurance_erases, settings.nand.planes) = (200, 2);
        (settings.aging.spare_blocks, settings.aging.endurance_spread) = (0.5, 0.1);
        let mut ssd = ssd(&settings, seed);
        for (bad, erases) in bad.iter_mut().zip([160.0, 180.0]) {
            while ssd.report().wear.mean < erases {
                serve(&mut ssd, (0..1_024).map(|page| request(Op::Write, page, 1)));
            }
            let reserve = ssd.report().aging.and_then(|aging| aging.reserve).expect("it has spare blocks");
            *bad += reserve.grown_bad as f64;
        }
        all += 80.0;
    }
    for (bad, share) in bad.into_iter().zip([0.0228, 0.1587]) {
        let (expected, error) = (share * all, 4.0 * f64::sqrt(share * (1.0 - share) * all));
        assert!((bad - expected).abs() < error, "{bad} of {all} blocks, not {expected} ± {error}");
    }
}

#[test]
fn blocks_that_are_bad_from_the_factory_take_their_part_of_the_spare_ones() {
    let (mut bad, mut blocks) = (0, 0.0);
    for seed in 0..50 {
        let mut settings = device();
        settings.aging.spare_blocks = 0.3;
        settings.aging.bad_blocks = 0.05;
        let ssd = ssd(&settings, seed);
        let reserve = ssd.report().aging.and_then(|aging| aging.reserve).expect("it has spare blocks");
        assert_eq!(u64::from(reserve.left_min), reserve.blocks - reserve.factory_bad);
        (bad, blocks) = (bad + reserve.factory_bad, blocks + 80.0);
    }
    let expected = 0.05 * blocks;
    assert!((bad as f64 - expected).abs() < 4.0 * expected.sqrt(), "{bad} of {blocks}, not {expected}");
    let mut settings = device();
    (settings.aging.spare_blocks, settings.aging.bad_blocks) = (0.02, 0.4);
    let error = Ssd::new("aged", settings, 1).err().expect("it has fewer than are bad").to_string();
    assert!(error.starts_with("aging.bad_blocks leaves plane 0 without a spare block"), "{error}");
}

#[test]
fn every_kind_of_ftl_keeps_its_promises_on_flash_that_ages() {
    for ftl in ["page", "slc-cache", "fdp", "log-block", "dftl"] {
        let mut settings = small_device();
        settings.ftl = ftl.into();
        settings.nand.endurance_erases = 10_000;
        (settings.nand.channels, settings.nand.dies, settings.nand.stripe) = (2, 2, 1);
        settings.over_provisioning = 1.0;
        settings.slc_cache.size = Bytes(64 * PAGE);
        settings.aging.erases_before = 500;
        settings.aging.retention_days = 10.0;
        settings.aging.at_erases = vec![0, 1_000];
        settings.aging.program_factor = vec![1.0, 0.8];
        settings.aging.erase_factor = vec![1.0, 2.0];
        settings.aging.retries = vec![vec![0.2, 3.0]];
        (settings.aging.spare_blocks, settings.aging.endurance_spread) = (0.3, 0.1);
        settings.aging.block_reads_max = if matches!(ftl, "log-block" | "dftl") { 0 } else { 50 };
        let device: SsdBuilder<AnyFtl, AnyBuffer> = Ssd::builder("aged", settings);
        Kit::new(device, 11).check();
    }
}

#[test]
fn tables_with_holes_and_settings_without_effect_are_refused() {
    type Change = fn(&mut Settings);
    let changes: [(Change, &str); 13] = [
        (|all| all.aging.at_erases = vec![10, 5], "aging.at_erases does not ascend"),
        (|all| all.aging.at_erases = vec![10], "aging.at_erases has no effect"),
        (|all| all.aging.at_days = vec![-1.0], "aging.at_days does not ascend"),
        (|all| all.aging.at_days = vec![1.0], "aging.at_days has no effect"),
        (|all| all.aging.program_factor = vec![1.0, 2.0], "aging.program_factor has not as many"),
        (|all| all.aging.erase_factor = vec![f64::NAN], "aging.erase_factor has a value"),
        (|all| all.aging.retries = vec![vec![1.0], vec![2.0]], "aging.retries is not 1 x 1"),
        (|all| all.aging.retries = vec![vec![-1.0]], "aging.retries has a value"),
        (|all| all.aging.retention_days = 5.0, "aging.retention_days has no effect"),
        (|all| all.aging.erases_before = 10_000, "aging.erases_before is 10000"),
        (|all| all.aging.bad_blocks = 0.01, "aging.bad_blocks has no effect"),
        (|all| all.aging.endurance_spread = 7.0, "aging.endurance_spread is 7"),
        (
            |all| {
                all.aging.block_reads_max = 5;
                all.ftl = "fast".into();
            },
            "aging.block_reads_max needs an FTL",
        ),
    ];
    for (change, begins) in changes {
        let mut settings = device();
        change(&mut settings);
        let error = Ssd::new("aged", settings, 1).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.starts_with(begins), "{begins}: {error}");
    }
}
