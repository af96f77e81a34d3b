//! What every FTL and every write buffer must do, asked of every line of the registries in every combination.
//! Token mode checks each read against a plain list of what was written; the flash checks its own rules.

#![allow(clippy::print_stdout)]

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Op, Request, Target, TargetError, Time};
use flashscope_sim::buffer::{AnyBuffer, BUFFERS};
use flashscope_sim::ftl::AnyFtl;
use flashscope_sim::ftl::fdp::Isolation;
use flashscope_sim::gc::{POLICIES, cost_benefit, d_choices, fifo, greedy, random};
use flashscope_sim::nand::NandSettings;
use flashscope_sim::settings::{Initial, Levelling};
use flashscope_sim::ssd::background::When;
use flashscope_sim::testing::{
    Kit, at_work_when_idle, check_policy, exercise, ftls_of_any_order, random_pause, random_request_to,
    serve, small_device,
};
use flashscope_sim::{Settings, SimError, Ssd};

const SEED: u64 = 20_261_121;
const PAGE: u64 = 2048;
const WHEN: [When; 2] = [When::Never, When::Idle];

/// A small device with every mechanism in use.
fn small(ftl: &str, buffer: &str) -> Settings {
    let mut settings = Settings { ftl: ftl.into(), buffer: buffer.into(), ..small_device() };
    settings.chunk.size = Bytes(32 * PAGE);
    settings.slc_cache.size = Bytes(20 * PAGE);
    (settings.multi_stream.streams, settings.fdp.handles) = (4, 4);
    (settings.banked_log.banks, settings.banked_log.interleave) = (2, Bytes(4 * PAGE));
    (settings.banked_log.any_order, settings.banked_log.together) = (true, true);
    (settings.banked_log.sharers, settings.banked_log.put_off_bytes) = (2, Bytes(24 * PAGE));
    settings
}

/// The same, at work in the background too.
fn idle(ftl: &str, buffer: &str) -> Settings {
    at_work_when_idle(small(ftl, buffer))
}

fn kit(settings: Settings, seed: u64) -> Kit<AnyFtl, AnyBuffer> {
    Kit::new(Ssd::builder("test", settings), seed)
}

fn combinations() -> impl Iterator<Item = (&'static str, &'static str)> {
    ftls_of_any_order().into_iter().flat_map(|(ftl, _)| BUFFERS.iter().map(move |(buffer, _)| (ftl, *buffer)))
}

/// A million random operations in all, with trims and flushes: no page is lost, none is stale.
#[test]
fn every_ftl_with_every_buffer_returns_what_was_written() {
    let ios = 1_000_000 / combinations().count() as u64 + 1;
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
        kit(settings, seed).returns_what_was_written(ios);
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
            kit(settings, seed).returns_what_was_written(30_000);
        }
    }
}

#[test]
fn every_victim_policy_picks_each_closed_block_once() {
    check_policy::<greedy::Greedy>(&(), SEED);
    check_policy::<fifo::Fifo>(&(), SEED);
    check_policy::<d_choices::DChoices>(&(), SEED);
    check_policy::<cost_benefit::CostBenefit>(&(), SEED);
    check_policy::<random::Uniform>(&(), SEED);
    assert_eq!(POLICIES.len(), 5, "give the new policy a line here: check_policy::<file::Type>(&(), SEED)");
}

#[test]
fn the_same_seed_gives_the_same_times_and_counts() {
    for (ftl, buffer) in combinations() {
        println!("{ftl} + {buffer}");
        kit(idle(ftl, buffer), SEED).repeats(2_000);
    }
}

/// The power goes at any flash operation. What a flush or FUA acknowledged is there afterwards, nothing older
/// is, and what a volatile buffer loses is counted, not hidden.
#[test]
fn no_ftl_loses_what_was_flushed_when_the_power_goes() {
    for (ftl, _) in ftls_of_any_order() {
        for buffer in ["none", "lru", "bplru"] {
            println!("{ftl} + {buffer}");
            kit(idle(ftl, buffer), SEED).keeps_what_was_flushed(60);
        }
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
    // A block may be a threshold behind what was seen at the last look, and that as much behind the
    // most worn.
    assert!(levelled.0 <= 2 * 8 + 4 && levelled.1 > 0, "{levelled:?}");
    assert!(none.0 > 40 && dynamic.0 > 40, "{none:?} {dynamic:?}");
    assert_eq!((none.1, dynamic.1), (0, 0));
}

#[test]
fn a_saved_device_goes_on_as_if_nothing_had_been() {
    for (ftl, buffer) in combinations() {
        println!("{ftl} + {buffer}");
        kit(idle(ftl, buffer), SEED).goes_on_after_a_save(500);
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

#[test]
fn every_operation_has_its_cause() {
    for (ftl, buffer) in combinations() {
        println!("{ftl} + {buffer}");
        kit(idle(ftl, buffer), SEED).counts_operations_by_cause(if buffer == "none" { 5_000 } else { 500 });
    }
}

/// The device cannot do with so little, or it serves everything: nothing in between.
#[test]
fn any_small_configuration_is_refused_or_serves_everything() {
    let (mut served, mut worn_out, mut refused) = (0, 0, 0);
    for number in 0..600_u64 {
        let seed = derive(SEED, 10_000 + number);
        let mut random = Random::new(seed);
        let mut settings = any(&mut random, number);
        settings.scheduler = crate::under_load::any_scheduler(&mut Random::new(derive(seed, 1)));
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
    let ftls = ftls_of_any_order();
    let ftl = ftls[number as usize % ftls.len()].0;
    let buffer = BUFFERS[(number as usize / ftls.len()) % BUFFERS.len()].0;
    let mut settings = small(ftl, buffer);
    settings.gc = POLICIES[random.below(POLICIES.len() as u64) as usize].0.into();
    settings.initial = [Initial::Full, Initial::Empty, Initial::Random][random.below(3) as usize];
    settings.over_provisioning = [0.03, 0.07, 0.125, 0.2, 0.28, 0.5][random.below(6) as usize];
    settings.nand.planes = one_of(random, &[1, 2, 4, 8]);
    settings.nand.channels = one_of(random, &[1, 2]);
    settings.nand.pages_per_block = one_of(random, &[4, 8, 16]);
    settings.page.frontiers = one_of(random, &[1, 2]);
    settings.multi_stream.streams = 1 + number as u32 % 4;
    settings.multi_stream.shares_relocated = number.is_multiple_of(3);
    settings.fdp.handles = 1 + number as u32 % 4;
    settings.fdp.isolation =
        if number.is_multiple_of(3) { Isolation::Persistent } else { Isolation::Initial };
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
    let pages_max: u32 =
        if ["page", "hot-cold", "multi-stream", "fdp"].contains(&ftl) { 1 << 18 } else { 1 << 14 };
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
    let mut left = ssd.info().size_bytes * 22 / 10;
    let (mut batch, mut out) = (Vec::new(), Vec::new());
    let depth_max = [1, 4, 16][random.below(3) as usize];
    while left > 0 {
        let depth = 1 + random.below(depth_max);
        batch.clear();
        while (batch.len() as u64) < depth {
            let request = random_request_to(ssd.info(), random);
            let op = match (request.op, random.below(10)) {
                (Op::Flush, _) => Op::Flush,
                (_, 0) => Op::Read,
                _ => Op::Write,
            };
            batch.push(Request { op, tag: batch.len() as u32, ..request });
            left = left.saturating_sub(u64::from(request.length_bytes));
        }
        random_pause(ssd, random);
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
    for (ftl, _) in ftls_of_any_order() {
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
        let has_reserve = !["dftl", "replacement-block"].contains(&ftl);
        assert_eq!(matches!(made, Err(SimError::Setting { .. })), has_reserve, "{ftl}");
    }
}
