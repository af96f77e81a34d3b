//! Two ways to the same: booking where it is exact, and queues of events.

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Completion, Flags, Op, Request, Target, Time};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::nand::geometry::{PartialPage, Planes};
use flashscope_sim::nand::{AgingSettings, BackEnd, SchedulerSettings};
use flashscope_sim::settings::Initial;
use flashscope_sim::ssd::background::When;
use flashscope_sim::testing::ftls_of_any_order;
use flashscope_sim::{Settings, Ssd};

const PAGE: u64 = 2048;

fn one_of<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize]
}

/// A small device of any kind. Half of them have one die.
fn any_device(random: &mut Random) -> Settings {
    let mut settings = Settings {
        capacity: Bytes((64 + random.below(128)) * 8 * PAGE),
        over_provisioning: 0.5 + random.unit(),
        ftl: one_of(random, &ftls_of_any_order()).0.into(),
        buffer: if random.below(2) == 0 { "none".into() } else { one_of(random, BUFFERS).0.into() },
        initial: one_of(random, &[Initial::Empty, Initial::Full, Initial::Random]),
        ..Settings::default()
    };
    let nand = &mut settings.nand;
    nand.page = Bytes(PAGE);
    nand.pages_per_block = 8;
    nand.endurance_erases = 1 << 30;
    nand.pages_per_program = one_of(random, &[1, 1, 2]);
    nand.planes = one_of(random, &[1, 1, 2]);
    if random.below(2) == 0 {
        (nand.channels, nand.dies) = (1 + random.below(3) as u32, 1 + random.below(3) as u32);
        nand.stripe = one_of(random, &[0, nand.planes]);
    }
    nand.plane_mode = one_of(random, &[Planes::InStep, Planes::Independent]);
    nand.cache_program = random.below(3) == 0;
    nand.second_program_us = one_of(random, &[0.0, 0.0, 0.0, 700.0]);
    nand.second_program_after = 1 + random.below(3) as u32;
    let moves_alone = nand.second_program_us == 0.0
        && nand.pages_per_program == 1
        && (nand.planes == 1 || nand.plane_mode == Planes::Independent);
    nand.copy_back = moves_alone && random.below(2) == 0;
    nand.read_us = (0..1 + random.below(2)).map(|_| random.below(80) as f64).collect();
    nand.program_us = (0..1 + random.below(2)).map(|_| 1.0 + random.below(900) as f64).collect();
    nand.erase_us = 1.0 + random.below(2_000) as f64;
    nand.transfer_us = random.below(40) as f64;
    nand.partial_page = one_of(random, &[PartialPage::ReadModifyWrite, PartialPage::Whole]);
    settings.page.frontiers = 1 + random.below(2) as u32;
    settings.host.command_us = one_of(random, &[0.0, 0.0, 8.0, 60.0]);
    settings.host.parallel_commands = 1 + random.below(4) as u32;
    settings.host.mb_s = one_of(random, &[0.0, 0.0, 25.0, 400.0]);
    settings.host.command_queue = random.below(4) > 0;
    settings.host.power_loss_protection = random.below(8) == 0;
    settings.ram.size = Bytes((1 + random.below(30)) * PAGE);
    settings.ram.access_us = one_of(random, &[0.0, 0.0, 3.0]);
    settings.ram.write_behind = Bytes(random.below(8) * PAGE);
    settings.ram.read_ahead = Bytes(one_of(random, &[0, 0, 4 * PAGE]));
    settings.slc_cache.size = Bytes(16 * PAGE);
    settings.slc_cache.dynamic_size = Bytes(one_of(random, &[0, 64 * PAGE]));
    if random.below(3) == 0 {
        settings.aging = any_age(random);
    }
    settings
}

/// Blocks that take longer or less with every erase, some of them with pages that are read again.
fn any_age(random: &mut Random) -> AgingSettings {
    let mut aging = AgingSettings { at_erases: vec![2, 9], ..AgingSettings::default() };
    aging.erases_before = random.below(6) as u32;
    aging.program_factor = vec![1.0, 0.5 + random.unit()];
    aging.erase_factor = vec![0.5 + random.unit(), 2.0];
    if random.below(2) == 0 {
        aging.retries = vec![vec![random.unit(), 2.0 * random.unit()]];
    }
    aging
}

/// One in 16 is a flush, one in 16 a write that must be durable.
fn any_request(random: &mut Random, size_bytes: u64) -> Request {
    let request = flashscope_sim::testing::random_request(random, size_bytes);
    match random.below(16) {
        0 => Request { op: Op::Flush, ..Request::default() },
        1 if request.op == Op::Write => Request { flags: Flags::FUA, ..request },
        _ => request,
    }
}

/// Random requests, up to `depth` in flight, with pauses.
fn completions(ssd: &mut Ssd, depth: usize, ios: usize, seed: u64) -> Vec<Completion> {
    let (mut random, mut out, mut tags) = (Random::new(seed), Vec::new(), 0);
    let size_bytes = ssd.info().size_bytes;
    while tags < ios {
        let batch = 1 + random.below(depth as u64) as usize;
        let requests: Vec<Request> = (0..batch)
            .map(|i| Request { tag: (tags + i) as u32, ..any_request(&mut random, size_bytes) })
            .collect();
        ssd.submit(&requests).unwrap_or_else(|error| panic!("{error}"));
        tags += batch;
        let until = if random.below(3) == 0 { ssd.now().0 + random.below(1 << 22) } else { u64::MAX };
        let in_flight = tags - out.len();
        let min = in_flight.saturating_sub(random.below(depth as u64) as usize);
        ssd.reap(min, Time(until), &mut out).unwrap_or_else(|error| panic!("{error}"));
    }
    ssd.reap(tags - out.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    out
}

/// What two devices with the same settings did, one booked and one with queues; none if the settings were
/// refused.
fn both_ways(settings: &Settings, depth: usize, seed: u64) -> Option<[(Vec<Completion>, String); 2]> {
    let ssd = |back_end| Ssd::builder("any", settings.clone()).seed(seed).back_end(back_end).build().ok();
    let (booked, queued) = (ssd(BackEnd::Booking)?, ssd(BackEnd::Events)?);
    Some([booked, queued].map(|mut ssd| {
        let mut done = completions(&mut ssd, depth, 150, seed);
        done.sort_by_key(|done| done.tag);
        (done, format!("{:?} {:?}", ssd.nand().counts(), ssd.report()))
    }))
}

/// Where booking is chosen it gives the times of queues to the nanosecond, background work included.
fn agree_where_it_is_booked(first: u64, devices: u64) {
    let (mut booked, mut busy) = (0, 0);
    for seed in first.. {
        let mut random = Random::new(derive(seed, 1));
        let mut settings = any_device(&mut random);
        if random.below(3) == 0 {
            settings.background.when = When::Idle;
            settings.background.after_us = random.below(300) as f64;
            settings.background.beside_reads = random.below(2) == 0;
            settings.page.idle_blocks = 4;
        }
        if !settings.is_booking_exact() {
            continue;
        }
        let depth = 1 + random.below(24) as usize;
        let Some([booking, events]) = both_ways(&settings, depth, seed) else { continue };
        let differs = booking.0.iter().zip(&events.0).find(|(booked, queued)| booked != queued);
        assert_eq!(differs, None, "seed {seed}, depth {depth}: {settings:?}");
        assert_eq!(booking.1, events.1, "seed {seed}, depth {depth}: {settings:?}");
        booked += 1;
        busy += u64::from(booking.0.iter().any(|done| done.completed > done.submitted));
        if booked == devices {
            break;
        }
    }
    assert!(busy > devices / 2, "time went by in {busy} of {devices}");
}

/// When requests come in the same order both ways do the same, whatever it takes and in whatever order the
/// dies serve it. (Background work, and
/// merges of other banks while one is waited for, depend on time.)
fn count_the_same(first: u64, devices: u64) {
    let mut compared = 0;
    for seed in first.. {
        let mut random = Random::new(derive(seed, 2));
        let settings = any_device(&mut random);
        let depth = 1 + random.below(24) as usize;
        let scheduler = super::any_scheduler(&mut random);
        let ssd = |scheduler, back_end| {
            let settings = Settings { scheduler, ..settings.clone() };
            Ssd::builder("any", settings).seed(seed).back_end(back_end).build().ok()
        };
        let booked = ssd(SchedulerSettings::default(), BackEnd::Booking);
        let (Some(mut booked), Some(mut queued)) = (booked, ssd(scheduler.clone(), BackEnd::Events)) else {
            continue;
        };
        let size_bytes = booked.info().size_bytes;
        let requests: Vec<Request> =
            (0..150).map(|tag| Request { tag, ..any_request(&mut random, size_bytes) }).collect();
        for batch in requests.chunks(depth) {
            for ssd in [&mut booked, &mut queued] {
                let mut out = Vec::new();
                ssd.submit(batch).unwrap_or_else(|error| panic!("{error}"));
                ssd.reap(batch.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(out.len(), batch.len(), "seed {seed}: every request is answered");
            }
        }
        let [booked, queued] = [booked, queued].map(|ssd| format!("{:?}", ssd.report()));
        assert_eq!(booked, queued, "seed {seed}, depth {depth}: {scheduler:?} {settings:?}");
        compared += 1;
        if compared == devices {
            break;
        }
    }
}

#[test]
fn booking_and_events_agree_where_booking_is_used() {
    agree_where_it_is_booked(0, 400);
}

#[test]
fn booking_and_events_count_the_same() {
    count_the_same(0, 400);
}

#[test]
#[ignore = "a minute"]
fn booking_and_events_agree_over_ten_thousand_devices() {
    let first = std::env::var("FLASHSCOPE_SEED").map_or(1_000_000, |seed| seed.parse().expect("a number"));
    agree_where_it_is_booked(first, 10_000);
    count_the_same(first, 10_000);
}
