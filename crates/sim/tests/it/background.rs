//! Work in idle time: what it hides, what it costs, and what of it is still seen afterwards.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::Initial;
use flashscope_sim::ssd::background::When;
use flashscope_sim::{Profile, Settings, Ssd};

const PAGE: u64 = 4096;
/// A read and a transfer, a transfer and a program: the default die.
const PROGRAM_NS: u64 = 820_000;

/// One die, 16 pages to a block, a tenth of 1,024 blocks spare.
fn device(when: When, idle_blocks: u32) -> Ssd {
    let mut settings = Settings {
        capacity: Bytes(1024 * 16 * PAGE),
        over_provisioning: 0.1,
        initial: Initial::Random,
        ..Settings::default()
    };
    settings.nand.pages_per_block = 16;
    settings.page.idle_blocks = idle_blocks;
    settings.background.when = when;
    Ssd::new("idle", settings, 3).expect("good settings")
}

fn serve(ssd: &mut Ssd, op: Op, page: u64) -> u64 {
    let request = Request { op, offset_bytes: page * PAGE, length_bytes: PAGE as u32, ..Request::default() };
    let mut out: Vec<Completion> = Vec::new();
    ssd.serve_in_turn(&[request], &mut out).expect("served");
    out[0].completed.0 - out[0].submitted.0
}

fn sleep(ssd: &mut Ssd, ns: u64) {
    let now = ssd.now().0;
    ssd.wait_until(Time(now + ns));
}

/// Mean time of `count` random writes, each after a pause.
fn mean_write_ns(ssd: &mut Ssd, count: u64, pause_ns: u64) -> f64 {
    let mut random = Random::new(7);
    let pages = u64::from(ssd.logical_pages());
    let mut sum = 0;
    for _ in 0..count {
        sleep(ssd, pause_ns);
        sum += serve(ssd, Op::Write, random.below(pages));
    }
    sum as f64 / count as f64
}

/// A second of idle time does a second of work: the pause that hides all of it is what a write costs beyond
/// its own program, and half of that pause hides half.
#[test]
fn a_pause_as_long_as_the_work_hides_it() {
    let busy = mean_write_ns(&mut device(When::Never, 0), 4000, 0);
    let work = busy - PROGRAM_NS as f64;
    assert!(work > 2.0 * PROGRAM_NS as f64, "collection costs more than the writes: {busy}");
    let with = |pause: f64| mean_write_ns(&mut device(When::Idle, 3), 4000, pause as u64);
    let (half, whole) = (with(work / 2.0), with(work * 1.1));
    assert!(half < busy - 0.35 * work && half > busy - 0.6 * work, "half of {work}: {half}, not {busy}");
    // What is left is the end of a unit that had begun, a page's move or an erase.
    assert!(whole < PROGRAM_NS as f64 + 0.3 * work, "{work}: {whole}");
    let unused = mean_write_ns(&mut device(When::Never, 3), 4000, work as u64);
    assert!((unused / busy - 1.0).abs() < 0.01, "nobody uses the idle time: {unused}, {busy}");
}

#[test]
fn a_reserve_makes_the_first_writes_cheap_and_no_more_of_them_than_it_has_pages() {
    let mut ssd = device(When::Idle, 20);
    sleep(&mut ssd, 10_000_000_000);
    let mut random = Random::new(7);
    let pages = u64::from(ssd.logical_pages());
    let free = u64::from(20 - ssd.reserve_blocks());
    let cheap =
        (0..2000).take_while(|_| serve(&mut ssd, Op::Write, random.below(pages)) == PROGRAM_NS).count();
    assert!((free * 16..free * 16 + 48).contains(&(cheap as u64)), "{cheap} of {free} blocks");
}

#[test]
fn reads_after_random_writes_are_slowed_until_the_work_is_done() {
    let mut ssd = device(When::Idle, 20);
    sleep(&mut ssd, 10_000_000_000);
    let quiet = serve(&mut ssd, Op::Read, 0);
    mean_write_ns(&mut ssd, 400, 0);
    let mut slow = 0;
    let programs = ssd.nand().counts().programs_for(Cause::Gc);
    for page in 0..4000 {
        // The host takes a moment between two reads, and the flash begins a unit meanwhile.
        sleep(&mut ssd, 10_000);
        slow += u64::from(serve(&mut ssd, Op::Read, page) > quiet);
    }
    assert!((10..2000).contains(&slow), "{slow} reads were slow");
    assert!(ssd.nand().counts().programs_for(Cause::Gc) > programs);
}

/// Nothing to reclaim: idle time costs neither wear nor time.
#[test]
fn a_device_that_has_its_reserve_is_left_alone() {
    let mut ssd = device(When::Idle, 1_000_000);
    sleep(&mut ssd, 1_000_000_000_000);
    serve(&mut ssd, Op::Read, 0);
    let erases = ssd.nand().counts().erases();
    sleep(&mut ssd, 1_000_000_000_000);
    serve(&mut ssd, Op::Read, 0);
    assert_eq!(ssd.nand().counts().erases(), erases);
}

/// Work that goes on beside reads ends although they leave no pause, and each read waits for a part of it.
#[test]
fn beside_reads_the_work_is_done_though_they_follow_each_other_at_once() {
    let affected = |beside_reads: bool| {
        let mut settings =
            Settings { ftl: "banked-log".into(), over_provisioning: 0.25, ..Settings::default() };
        settings.capacity = Bytes(1024 * 16 * PAGE);
        settings.nand.pages_per_block = 16;
        settings.banked_log.put_off = 8;
        settings.background.when = When::Idle;
        settings.background.after_us = 10_000.0;
        settings.background.beside_reads = beside_reads;
        let mut ssd = Ssd::new("beside", settings, 3).expect("good settings");
        sleep(&mut ssd, 1_000_000_000);
        (0..12).for_each(|block| {
            serve(&mut ssd, Op::Write, block * 16 + 5);
        });
        let undisturbed = serve(&mut device(When::Never, 0), Op::Read, 700);
        let reads: Vec<u64> = (0..400).map(|page| serve(&mut ssd, Op::Read, 4000 + page)).collect();
        assert_eq!(reads[399], undisturbed, "beside reads: {beside_reads}");
        reads.iter().filter(|ns| **ns > undisturbed).count()
    };
    // Eight merges of 16 copies and two erases.
    assert_eq!((affected(false), affected(true)), (0, 8 * (16 + 2)));
}

/// Two reads from two dies overlap, unless the device takes one command at a time.
#[test]
fn without_a_queue_a_command_begins_when_the_one_before_is_done() {
    let last_ns = |command_queue: bool| {
        let mut settings = Settings { capacity: Bytes(64 * 16 * PAGE), ..Settings::default() };
        settings.nand.pages_per_block = 16;
        settings.nand.channels = 2;
        settings.host.command_queue = command_queue;
        let mut ssd = Ssd::new("queue", settings, 3).expect("good settings");
        let read = |page: u64| Request {
            offset_bytes: page * PAGE,
            length_bytes: PAGE as u32,
            ..Request::default()
        };
        let alone = serve(&mut ssd, Op::Read, 0);
        let begin = ssd.now().0;
        ssd.submit(&[read(0), read(1)]).expect("valid");
        let mut done: Vec<Completion> = Vec::new();
        ssd.reap(2, Time::NEVER, &mut done).expect("served");
        (alone, done[1].completed.0 - begin)
    };
    let (alone, together) = last_ns(true);
    assert!(together < 2 * alone, "{together}, alone {alone}");
    assert_eq!(last_ns(false), (alone, 2 * alone));
}

/// What the host wrote last shifts where folded pages go, page by page of a program. A read that waited for
/// the program of another page would make most of these folds twenty times as slow.
#[test]
fn a_fold_is_as_fast_wherever_its_pages_go() {
    let keys = [("capacity", "1GiB"), ("slc_cache.size", "256MiB"), ("buffer", "none"), ("nand.dies", "4")];
    let keys = keys.map(|(key, value)| (key.to_string(), value.to_string()));
    let Ok(Profile::Ssd(settings)) = Profile::find("nvme-tlc-2024", &keys) else { panic!("a drive") };
    let write = |offset_bytes: u64, length_bytes: u32| Request {
        offset_bytes,
        length_bytes,
        op: Op::Write,
        ..Request::default()
    };
    let folded = |pages: u64| {
        let mut ssd = Ssd::new("fold", (*settings).clone(), 1).expect("the settings are right");
        for piece in 0..8 << 10 {
            ssd.serve(&write(piece << 17, 1 << 17)).expect("a fill");
        }
        for page in 0..pages {
            ssd.serve(&write(page << 12, 1 << 12)).expect("a page");
        }
        let before = ssd.nand().counts().programs_for(Cause::Gc);
        let rested = Time(ssd.now().0 + 300_000_000);
        ssd.wait_until(rested);
        ssd.serve(&Request { length_bytes: 4096, ..Request::default() }).expect("a read");
        ssd.nand().counts().programs_for(Cause::Gc) - before
    };
    let all: Vec<u64> = (0..8).map(folded).collect();
    let (least, most) = (*all.iter().min().expect("eight"), *all.iter().max().expect("eight"));
    assert!(least > 10_000 && (most - least) * 20 < most, "pages folded in 0.2 s: {all:?}");
}
