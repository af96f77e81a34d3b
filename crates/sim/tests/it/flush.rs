//! A flush programs what has been begun: it is never faster than the flash, what it pads is counted, and a
//! capacitor makes it free.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Flags, Op, Request, Target, Time};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::nand::{Cause, Cell};
use flashscope_sim::settings::Initial;
use flashscope_sim::testing::ftls_of_any_order;
use flashscope_sim::{Settings, Ssd};

const PAGE: u64 = 4096;

/// TLC of two planes with four pages to a program: 600 us for eight pages, 2.5 us on the bus for each.
fn tlc(ftl: &str) -> Settings {
    let mut settings = Settings { ftl: ftl.into(), capacity: Bytes(32 << 20), ..Settings::default() };
    settings.over_provisioning = 0.3;
    settings.initial = Initial::Empty;
    settings.nand.cell = Cell::Tlc;
    (settings.nand.planes, settings.nand.pages_per_program) = (2, 4);
    settings.nand.pages_per_block = 64;
    (settings.nand.program_us, settings.nand.transfer_us) = (vec![600.0], 2.5);
    settings
}

fn device(settings: &Settings) -> Ssd {
    Ssd::new("flush", settings.clone(), 1).expect("the settings are right")
}

fn page(lpn: u64, flags: Flags) -> Request {
    let (offset_bytes, length_bytes) = (lpn * PAGE, PAGE as u32);
    Request { offset_bytes, length_bytes, op: Op::Write, flags, ..Request::default() }
}

fn flush() -> Request {
    Request { op: Op::Flush, ..Request::default() }
}

/// Virtual time of `pairs`, one after the other: the write of a page, then a flush; or a write that must be
/// durable by itself.
fn pairs_ns(ssd: &mut Ssd, pairs: u64, fua: bool, mut lpn: impl FnMut(u64) -> u64) -> u64 {
    let began = ssd.now().0;
    for pair in 0..pairs {
        let flags = if fua { Flags::FUA } else { Flags(0) };
        ssd.serve(&page(lpn(pair), flags)).expect("it is written");
        if !fua {
            ssd.serve(&flush()).expect("it is flushed");
        }
    }
    ssd.now().0 - began
}

#[test]
fn a_pair_takes_the_transfers_of_its_group_and_one_program() {
    for fua in [false, true] {
        let mut ssd = device(&tlc("page"));
        let took_ns = pairs_ns(&mut ssd, 500, fua, |pair| pair);
        assert_eq!(took_ns, 500 * (8 * 2_500 + 600_000), "fua {fua}: 1,613 pairs a second");
        let counts = ssd.nand().counts();
        assert_eq!((counts.programs_for(Cause::Host), counts.programs_for(Cause::Padding)), (500, 7 * 500));
    }
}

/// Where pages have their places nothing is padded: the program takes as long, and the place stays free.
#[test]
fn ftls_with_fixed_places_program_what_there_is() {
    let mut ssd = device(&tlc("block"));
    let took_ns = pairs_ns(&mut ssd, 64, false, |pair| pair);
    // The last page of each group programs it by itself, and leaves the flush nothing to do.
    assert_eq!(took_ns, 64 * (2_500 + 600_000));
    assert_eq!(ssd.nand().counts().programs(), 64);
}

#[test]
fn a_capacitor_makes_flushes_free() {
    let mut settings = tlc("page");
    settings.host.power_loss_protection = true;
    for fua in [false, true] {
        let mut ssd = device(&settings);
        let with = pairs_ns(&mut ssd, 400, fua, |pair| pair);
        let mut unflushed = device(&settings);
        for lpn in 0..400 {
            unflushed.serve(&page(lpn, Flags(0))).expect("it is written");
        }
        assert_eq!(with, unflushed.now().0, "fua {fua}");
        assert_eq!(ssd.nand().counts().programs_for(Cause::Padding), 0);
    }
}

/// The first pages of a group are done when they are in the register. A flush that comes while its last page
/// starts the program waits for it, for they are in the flash no earlier.
#[test]
fn a_flush_waits_for_the_program_of_pages_that_were_acknowledged() {
    let mut ssd = device(&tlc("page"));
    for lpn in 0..7 {
        ssd.serve(&page(lpn, Flags(0))).expect("it is written");
    }
    assert_eq!(ssd.now().0, 7 * 2_500, "seven are in the register");
    let last = Request { tag: 1, ..page(7, Flags(0)) };
    ssd.submit(&[last, Request { tag: 2, ..flush() }]).expect("both are taken");
    let mut out = Vec::new();
    ssd.reap(2, Time::NEVER, &mut out).expect("both are done");
    assert!(out.iter().all(|done| done.completed.0 == 8 * 2_500 + 600_000), "{out:?}");
    assert_eq!(ssd.nand().counts().programs_for(Cause::Padding), 0, "the group was complete");
}

#[test]
fn a_flush_after_which_nothing_was_written_has_nothing_to_do() {
    let mut ssd = device(&tlc("page"));
    pairs_ns(&mut ssd, 3, false, |pair| pair);
    let before = (ssd.now(), ssd.nand().counts().programs());
    ssd.serve(&flush()).expect("it is flushed");
    assert_eq!((ssd.now(), ssd.nand().counts().programs()), before);
}

fn any(random: &mut Random, number: usize) -> Settings {
    let one_of = |random: &mut Random, list: &[u32]| list[random.below(list.len() as u64) as usize];
    let ftls = ftls_of_any_order();
    let ftl = ftls[number % ftls.len()].0;
    let mut settings = Settings { ftl: ftl.into(), over_provisioning: 0.6, ..Settings::default() };
    settings.buffer = BUFFERS[random.below(BUFFERS.len() as u64) as usize].0.into();
    settings.initial = [Initial::Empty, Initial::Full, Initial::Random][random.below(3) as usize];
    let nand = &mut settings.nand;
    (nand.channels, nand.dies) = (one_of(random, &[1, 2, 4]), one_of(random, &[1, 2]));
    (nand.planes, nand.pages_per_program) = (one_of(random, &[1, 2, 4]), one_of(random, &[1, 2, 4]));
    nand.cell = [Cell::Slc, Cell::Mlc, Cell::Tlc, Cell::Qlc][random.below(4) as usize];
    nand.pages_per_block = 32;
    nand.stripe = [0, nand.planes][random.below(2) as usize];
    let superblock = u64::from(nand.pages_per_block * nand.stripe_blocks()) * PAGE;
    settings.capacity = Bytes(24 * superblock);
    settings.chunk.size = Bytes(superblock);
    settings.slc_cache.size = Bytes(3 * superblock);
    settings.ram.size = Bytes(64 * PAGE);
    settings.ram.write_behind = Bytes(random.below(2) * 16 * PAGE);
    settings
}

/// One page is written before each flush, so each pair needs a program of its own, and none is faster than
/// the fastest cells.
#[test]
fn pairs_are_never_faster_than_the_flash() {
    let seed = 20_26;
    let mut random = Random::new(seed);
    for number in 0..1_000 {
        let settings = any(&mut random, number);
        let what = format!("seed {seed}, {number}: {} {} {:?}", settings.ftl, settings.buffer, settings.nand);
        let mut ssd = device(&settings);
        let pages = settings.capacity.0 / PAGE;
        let sequential = random.below(2) == 0;
        let fua = random.below(4) == 0;
        let mut places = random.clone();
        let took_ns = pairs_ns(&mut ssd, 40, fua, |pair| if sequential { pair } else { places.below(pages) });
        let fastest_us = settings.nand.programs_us().into_iter().fold(f64::INFINITY, f64::min);
        let slc_us = if settings.ftl == "slc-cache" { settings.slc_cache.program_us } else { fastest_us };
        let least_ns = 40.0 * 1e3 * fastest_us.min(slc_us);
        assert!(took_ns as f64 >= least_ns, "{what}: {took_ns} ns, at least {least_ns}");
    }
}
