//! What every FTL and every write buffer must do, asked of every line of the registries in every combination.
//! Token mode checks each read against a plain list of what was written; the flash checks its own rules.

#![allow(clippy::print_stdout)]

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Completion, Op, Request, Target, TargetError, Time};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::nand::{Cause, NandSettings};
use flashscope_sim::settings::{Initial, Levelling};
use flashscope_sim::ssd::background::When;
use flashscope_sim::{Settings, SimError, Ssd};

const SEED: u64 = 20_261_121;
const PAGE: u64 = 2048;
const WHEN: [When; 2] = [When::Never, When::Idle];

/// A small device with every mechanism in use: 128 logical blocks of 16 pages, a quarter of it spare.
fn small(ftl: &str, buffer: &str) -> Settings {
    let mut settings = Settings {
        capacity: Bytes(128 * 16 * PAGE),
        over_provisioning: 0.25,
        ftl: ftl.into(),
        buffer: buffer.into(),
        ..Settings::default()
    };
    settings.nand.page = Bytes(PAGE);
    settings.nand.pages_per_block = 16;
    settings.nand.endurance_erases = 1 << 30;
    settings.nand.data = true;
    settings.ram.size = Bytes(64 * PAGE);
    settings.chunk.size = Bytes(32 * PAGE);
    settings.page.idle_blocks = 12;
    settings.slc_cache.size = Bytes(20 * PAGE);
    (settings.banked_log.banks, settings.banked_log.interleave) = (2, Bytes(4 * PAGE));
    (settings.banked_log.any_order, settings.banked_log.together) = (true, true);
    (settings.banked_log.sharers, settings.banked_log.put_off_bytes) = (2, Bytes(24 * PAGE));
    settings
}

/// The same, at work in the background too.
fn idle(ftl: &str, buffer: &str) -> Settings {
    let mut settings = small(ftl, buffer);
    settings.background.when = When::Idle;
    settings.background.beside_reads = true;
    settings.host.command_queue = false;
    settings
}

/// A random request: writes of up to six pages that need not be whole, reads, trims, flushes.
fn request(random: &mut Random, size_bytes: u64) -> Request {
    let op = match random.below(100) {
        0..60 => Op::Write,
        60..94 => Op::Read,
        94..99 => Op::Trim,
        _ => return Request { op: Op::Flush, ..Request::default() },
    };
    let length_bytes = (1 + random.below(24)) * 512;
    let offset_bytes = random.below((size_bytes - length_bytes) / 512 + 1) * 512;
    Request { op, offset_bytes, length_bytes: length_bytes as u32, ..Request::default() }
}

fn serve(ssd: &mut Ssd, request: Request, out: &mut Vec<Completion>) {
    ssd.prepare(&[request]);
    ssd.submit(&[request]).unwrap_or_else(|error| panic!("{error}"));
    ssd.reap(1, Time::NEVER, out).unwrap();
}

/// Now and then idle time, from less than a flash operation to hundreds of them.
fn pause(ssd: &mut Ssd, random: &mut Random) {
    if random.below(4) == 0 {
        let bits = 10 + random.below(19);
        let idle_ns = random.below(1 << bits);
        let now = ssd.now();
        ssd.wait_until(Time(now.0 + idle_ns));
    }
}

/// Random requests, then every page is read.
fn exercise(ssd: &mut Ssd, ios: u64, seed: u64) -> Vec<Completion> {
    let (mut random, mut out) = (Random::new(seed), Vec::new());
    let size_bytes = ssd.info().size_bytes;
    for _ in 0..ios {
        pause(ssd, &mut random);
        serve(ssd, request(&mut random, size_bytes), &mut out);
    }
    for page in 0..size_bytes / PAGE {
        let all = Request { offset_bytes: page * PAGE, length_bytes: PAGE as u32, ..Request::default() };
        serve(ssd, all, &mut out);
    }
    out
}

fn combinations() -> impl Iterator<Item = (&'static str, &'static str)> {
    FTLS.iter().flat_map(|(ftl, _)| BUFFERS.iter().map(move |(buffer, _)| (*ftl, *buffer)))
}

/// A million random operations in all, with trims and flushes: no page is lost, none is stale.
#[test]
fn every_ftl_with_every_buffer_returns_what_was_written() {
    let ios = 1_000_000 / (FTLS.len() * BUFFERS.len()) as u64 + 1;
    for (number, (ftl, buffer)) in combinations().enumerate() {
        let seed = derive(SEED, number as u64);
        println!("{ftl} + {buffer}, seed {seed}");
        let mut settings = small(ftl, buffer);
        settings.initial = [Initial::Full, Initial::Empty, Initial::Random][number % 3];
        settings.ram.cache_reads = number % 2 == 1;
        settings.ram.read_ahead = Bytes(number as u64 % 3 * 4 * PAGE);
        let levellings = [Levelling::None, Levelling::Dynamic, Levelling::Static];
        settings.wear.levelling = levellings[number / 3 % if ftl == "page" { 3 } else { 2 }];
        settings.wear.threshold_erases = 5;
        settings.background.when = WHEN[number / 2 % 2];
        let mut ssd = Ssd::new("test", settings, seed).unwrap_or_else(|error| panic!("{error}"));
        exercise(&mut ssd, ios, seed);
    }
}

#[test]
fn every_victim_policy_returns_what_was_written() {
    for (number, (gc, _)) in POLICIES.iter().enumerate() {
        let seed = derive(SEED, 1000 + number as u64);
        println!("{gc}, seed {seed}");
        for frontiers in [1, 2] {
            let mut settings = Settings { gc: (*gc).into(), ..small("page", "none") };
            settings.page.frontiers = frontiers;
            settings.background.when = WHEN[(number + frontiers as usize) % 2];
            let mut ssd = Ssd::new("test", settings, seed).unwrap_or_else(|error| panic!("{error}"));
            exercise(&mut ssd, 30_000, seed);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_times_and_counts() {
    for (ftl, buffer) in combinations() {
        let run = || {
            let mut ssd = Ssd::new("test", idle(ftl, buffer), SEED).unwrap();
            (exercise(&mut ssd, 2_000, SEED), format!("{:?}", ssd.report()))
        };
        assert_eq!(run(), run(), "{ftl} + {buffer}");
    }
}

/// The power goes at any flash operation. What a flush or FUA acknowledged is there afterwards, nothing
/// older is,
/// and what a volatile buffer loses is counted, not hidden.
#[test]
fn no_ftl_loses_what_was_flushed_when_the_power_goes() {
    for (ftl, _) in FTLS {
        for buffer in ["none", "lru", "bplru"] {
            let mut ssd = Ssd::new("test", idle(ftl, buffer), SEED).unwrap();
            let mut random = Random::new(SEED);
            for cut in 0..60 {
                cut_power(&mut ssd, &mut random, 3 * cut + cut % 7, &format!("{ftl} + {buffer}, cut {cut}"));
            }
        }
    }
}

fn cut_power(ssd: &mut Ssd, random: &mut Random, after: u64, what: &str) {
    ssd.cut_power_after(after);
    let mut out = Vec::new();
    while !ssd.is_off() {
        pause(ssd, random);
        let request = request(random, ssd.info().size_bytes);
        if ssd.submit(&[request]).is_ok() {
            ssd.reap(1, Time::NEVER, &mut out).unwrap();
        }
    }
    let loss = ssd.power_cycle().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((loss.flushed_pages_lost, loss.stale_pages), (0, 0), "{what}: {loss:?}");
    if ssd.settings().buffer == "none" {
        assert_eq!(loss.acknowledged_pages_lost, 0, "{what}: {loss:?}");
    }
}

/// Nine tenths of the device never change. Without static levelling their blocks hardly wear.
#[test]
fn static_wear_levelling_bounds_the_spread_and_its_cost_is_counted() {
    let spread = |levelling: Levelling| {
        let mut settings = small("page", "none");
        (settings.wear.levelling, settings.wear.threshold_erases) = (levelling, 8);
        let mut ssd = Ssd::new("test", settings, SEED).unwrap();
        let (mut random, mut out) = (Random::new(SEED), Vec::new());
        let hot_pages = u64::from(ssd.logical_pages()) / 10;
        for _ in 0..60_000 {
            let offset_bytes = random.below(hot_pages) * PAGE;
            let write =
                Request { op: Op::Write, offset_bytes, length_bytes: PAGE as u32, ..Request::default() };
            serve(&mut ssd, write, &mut out);
        }
        exercise(&mut ssd, 0, SEED);
        let report = ssd.report();
        (report.wear.max - report.wear.min, report.programs_by_cause.wear)
    };
    let (none, dynamic, levelled) =
        (spread(Levelling::None), spread(Levelling::Dynamic), spread(Levelling::Static));
    // A block may be a threshold behind what was seen at the last look, and that as much behind the most
    // worn.
    assert!(levelled.0 <= 2 * 8 + 4 && levelled.1 > 0, "{levelled:?}");
    assert!(none.0 > 40 && dynamic.0 > 40, "{none:?} {dynamic:?}");
    assert_eq!((none.1, dynamic.1), (0, 0));
}

/// A saved device goes on exactly as the one that was not saved.
#[test]
fn a_saved_device_goes_on_as_if_nothing_had_been() {
    for (ftl, buffer) in combinations() {
        let mut ssd = Ssd::new("test", idle(ftl, buffer), SEED).unwrap();
        exercise(&mut ssd, 500, SEED);
        let bytes = ssd.save();
        let mut again = Ssd::load(&bytes).unwrap_or_else(|error| panic!("{ftl} + {buffer}: {error}"));
        assert!(again.save() == bytes, "{ftl} + {buffer}: the same device gives the same bytes");
        assert_eq!(exercise(&mut ssd, 500, 7), exercise(&mut again, 500, 7), "{ftl} + {buffer}");
        assert!(again.save() == ssd.save(), "{ftl} + {buffer}");
    }
}

#[test]
fn a_cut_or_changed_state_is_refused() {
    let bytes = Ssd::new("test", small("page", "none"), SEED).unwrap().save();
    for cut in [0, 7, 8, 30, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(Ssd::load(&bytes[..cut]), Err(SimError::State { .. })), "cut to {cut}");
    }
    for place in (0..bytes.len()).step_by(bytes.len() / 50) {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        assert!(matches!(Ssd::load(&changed), Err(SimError::State { .. })), "changed at {place}");
    }
}

/// One flash program for each page that the host wrote, whatever else the FTL programs.
#[test]
fn without_a_buffer_every_host_page_is_programmed_once() {
    for (ftl, _) in FTLS {
        let mut ssd = Ssd::new("test", idle(ftl, "none"), SEED).unwrap();
        let (mut random, mut out, mut pages) = (Random::new(SEED), Vec::new(), 0);
        for _ in 0..5_000 {
            pause(&mut ssd, &mut random);
            let request = request(&mut random, ssd.info().size_bytes);
            if request.op == Op::Write {
                let end = request.offset_bytes + u64::from(request.length_bytes);
                pages += end.div_ceil(PAGE) - request.offset_bytes / PAGE;
            }
            serve(&mut ssd, request, &mut out);
        }
        assert_eq!(ssd.nand().counts().programs_for(Cause::Host), pages, "{ftl}");
    }
}

/// The device cannot do with so little, or it serves everything: nothing in between.
#[test]
fn any_small_configuration_is_refused_or_serves_everything() {
    let (mut served, mut worn_out, mut refused) = (0, 0, 0);
    for number in 0..600_u64 {
        let seed = derive(SEED, 10_000 + number);
        let mut random = Random::new(seed);
        let settings = any(&mut random, number);
        let what = format!("configuration {number}: {settings:?}");
        match Ssd::new("grid", settings, seed) {
            Ok(mut ssd) => match overwrite(&mut ssd, &mut random, &what) {
                None => served += 1,
                Some(error) => {
                    assert_wear_out(&ssd, &error, &what);
                    worn_out += 1;
                }
            },
            Err(SimError::Setting { remedy, .. }) => {
                assert!(!remedy.is_empty());
                refused += 1;
            }
            Err(other) => panic!("{what}: {other}"),
        }
    }
    let all = format!(
        "{served} served everything, {worn_out} wore out, {refused} were refused before the first IO"
    );
    println!("{all}");
    assert!(served + refused >= 550 && served >= 470, "{all}");
    assert!((10..50).contains(&worn_out), "some of the flash is to wear out: {all}");
}

/// The only end that a device may come to: a block took its last erase, and the error says so.
fn assert_wear_out(ssd: &Ssd, error: &TargetError, what: &str) {
    let limit = ssd.settings().nand.endurance_erases;
    assert!(limit <= 64, "{what}: {error}");
    assert!(error.to_string().contains("worn out") && error.remedy.contains("endurance"), "{what}: {error}");
    let most = (0..ssd.geometry().blocks).map(|block| ssd.nand().erases(block)).max();
    assert!(most > Some(limit), "{what}: {most:?} erases at most");
}

fn any(random: &mut Random, number: u64) -> Settings {
    let one_of = |random: &mut Random, list: &[u32]| list[random.below(list.len() as u64) as usize];
    let ftl = FTLS[number as usize % FTLS.len()].0;
    let buffer = BUFFERS[(number as usize / FTLS.len()) % BUFFERS.len()].0;
    let mut settings = small(ftl, buffer);
    settings.gc = POLICIES[random.below(POLICIES.len() as u64) as usize].0.into();
    settings.initial = [Initial::Full, Initial::Empty, Initial::Random][random.below(3) as usize];
    settings.over_provisioning = [0.03, 0.07, 0.125, 0.2, 0.28, 0.5][random.below(6) as usize];
    settings.nand.planes = one_of(random, &[1, 2, 4, 8]);
    settings.nand.channels = one_of(random, &[1, 2]);
    settings.nand.pages_per_block = one_of(random, &[4, 8, 16]);
    settings.page.frontiers = one_of(random, &[1, 2]);
    settings.background.when = WHEN[random.below(2) as usize];
    settings.page.idle_blocks = random.below(20) as u32;
    settings.banked_log.banks = one_of(random, &[1, 2]);
    settings.banked_log.log_blocks = one_of(random, &[1, 4]);
    settings.banked_log.put_off = one_of(random, &[0, 3]);
    settings.banked_log.any_order = random.below(2) == 0;
    settings.banked_log.together = random.below(2) == 0;
    settings.banked_log.sharers = one_of(random, &[1, 2, 4]);
    settings.banked_log.put_off_bytes = Bytes(random.below(3) * 8 * PAGE);
    settings.background.beside_reads = random.below(2) == 0;
    settings.host.command_queue = random.below(2) == 0;
    settings.nand.dies = one_of(random, &[1, 1, 2]);
    settings.nand.pages_per_program = one_of(random, &[1, 1, 2, 4]);
    settings.nand.stripe = stripe(random, &settings.nand);
    if random.below(8) == 0 {
        settings.nand.endurance_erases = one_of(random, &[4, 16, 64]);
        settings.wear.levelling = [Levelling::None, Levelling::Dynamic][random.below(2) as usize];
    }
    let stripe = settings.nand.stripe_blocks();
    // Copies of whole blocks make large devices slow, and so does a map in flash: they get the smaller ones.
    let pages_max: u32 = if ["page", "hot-cold"].contains(&ftl) { 1 << 18 } else { 1 << 14 };
    let planes = settings.nand.planes * settings.nand.dies * settings.nand.channels;
    let superblocks = (16_u32 << random.below(8)) * planes / stripe;
    let superblocks = superblocks.min(pages_max / (settings.nand.pages_per_block * stripe)).clamp(16, 4096);
    let block_bytes = u64::from(settings.nand.pages_per_block * stripe) * PAGE;
    settings.capacity = Bytes(u64::from(superblocks) * block_bytes);
    settings.ram.size = Bytes((16 + random.below(200)) * PAGE);
    settings.chunk.size = Bytes(block_bytes);
    settings
}

/// All planes, the planes of one die, or a block of one plane.
fn stripe(random: &mut Random, nand: &NandSettings) -> u32 {
    [0, 0, nand.planes, 1][random.below(4) as usize]
}

/// Writes 2.2 times the capacity in random pieces, up to 16 in flight, and reads in between. The error that
/// ended it, if one did.
fn overwrite(ssd: &mut Ssd, random: &mut Random, what: &str) -> Option<TargetError> {
    let (size_bytes, mut left) = (ssd.info().size_bytes, ssd.info().size_bytes * 22 / 10);
    let (mut batch, mut out) = (Vec::new(), Vec::new());
    let depth_max = [1, 4, 16][random.below(3) as usize];
    while left > 0 {
        let depth = 1 + random.below(depth_max);
        batch.clear();
        while (batch.len() as u64) < depth {
            let request = request(random, size_bytes);
            if request.op == Op::Flush {
                continue;
            }
            let op = if random.below(10) == 0 { Op::Read } else { Op::Write };
            batch.push(Request { op, tag: batch.len() as u32, ..request });
            left = left.saturating_sub(u64::from(request.length_bytes));
        }
        pause(ssd, random);
        if let Err(error) = ssd.submit(&batch) {
            return Some(error);
        }
        ssd.reap(batch.len(), Time::NEVER, &mut out).unwrap();
        out.sort_unstable_by_key(|done| done.tag);
        let tags = out.iter().map(|done| done.tag);
        assert!(tags.eq(batch.iter().map(|request| request.tag)), "{what}: every request is served once");
        out.clear();
    }
    None
}

/// Absurd numbers are refused like small ones, whatever they add up to.
#[test]
fn reserves_beyond_all_blocks_are_refused() {
    for (ftl, _) in FTLS {
        let mut settings = small(ftl, "none");
        settings.page.reserve_blocks = u32::MAX;
        settings.log_block.log_blocks = u32::MAX;
        settings.fast.log_blocks = u32::MAX;
        settings.banked_log.log_blocks = u32::MAX;
        settings.superblock.update_blocks = u32::MAX;
        settings.block.open_blocks = u32::MAX;
        settings.hybrid.open_blocks = u32::MAX;
        settings.chunk.open_chunks = u32::MAX;
        let made = Ssd::new("test", settings, SEED);
        let has_reserve = !["dftl", "replacement-block"].contains(ftl);
        assert_eq!(matches!(made, Err(SimError::Setting { .. })), has_reserve, "{ftl}");
    }
}
