//! Planes that work on their own, data that come beside a program, copies that stay on their die.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::nand::geometry::Planes;
use flashscope_sim::settings::Initial;
use flashscope_sim::testing::{ftls_of_any_order, random_request};
use flashscope_sim::{Settings, SimError, Ssd};

const PAGE: u64 = 4096;
const TRANSFER_NS: u64 = 20_000;
const PROGRAM_NS: u64 = 300_000;
const READ_NS: u64 = 50_000;

/// Page-mapped flash without link or controller, which is empty.
fn flash(channels: u32, dies: u32, planes: u32) -> Settings {
    let mut settings = Settings { capacity: Bytes(64 << 20), over_provisioning: 0.3, ..Settings::default() };
    settings.initial = Initial::Empty;
    let nand = &mut settings.nand;
    (nand.channels, nand.dies, nand.planes) = (channels, dies, planes);
    nand.pages_per_block = 32;
    nand.transfer_us = TRANSFER_NS as f64 / 1e3;
    nand.program_us = vec![PROGRAM_NS as f64 / 1e3];
    nand.read_us = vec![READ_NS as f64 / 1e3];
    settings
}

fn ssd(settings: &Settings) -> Ssd {
    Ssd::new("modes", settings.clone(), 1).unwrap_or_else(|error| panic!("{error}"))
}

fn page(op: Op, number: u64, tag: u32) -> Request {
    Request { op, offset_bytes: number * PAGE, length_bytes: PAGE as u32, tag, ..Request::default() }
}

/// When each of the requests is done that come at time 0.
fn done_ns(ssd: &mut Ssd, requests: &[Request]) -> Vec<u64> {
    let start = ssd.now();
    ssd.submit(requests).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::<Completion>::new();
    ssd.reap(requests.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    out.sort_by_key(|done| done.tag);
    out.iter().map(|done| done.completed.since(start).0).collect()
}

/// What random requests, up to 16 in flight, end at, and the counts.
fn run(settings: &Settings, seed: u64) -> (Vec<Completion>, String) {
    let mut ssd = ssd(settings);
    let (mut random, mut out) = (Random::new(seed), Vec::new());
    let size_bytes = ssd.info().size_bytes;
    for tag in 0..600 {
        let request = Request { tag, ..random_request(&mut random, size_bytes) };
        ssd.submit(&[request]).unwrap_or_else(|error| panic!("{error}"));
        while tag as usize + 1 >= out.len() + 16 {
            ssd.reap(1, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    ssd.reap(600 - out.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    out.sort_by_key(|done| done.tag);
    (out, format!("{:?}", ssd.nand().counts()))
}

#[test]
fn planes_that_work_on_their_own_are_as_good_as_dies() {
    for (channels, dies, planes, stripe) in [(1, 1, 2, 0), (2, 2, 2, 0), (2, 1, 4, 4), (2, 2, 2, 1)] {
        let mut by_planes = flash(channels, dies, planes);
        by_planes.nand.stripe = stripe;
        let mut by_dies = flash(channels, dies * planes, 1);
        by_dies.nand.stripe = stripe;
        let in_step = run(&by_planes, 7);
        by_planes.nand.plane_mode = Planes::Independent;
        let (independent, dies) = (run(&by_planes, 7), run(&by_dies, 7));
        assert_eq!(independent, dies, "{channels} channels, {planes} planes, stripe {stripe}");
        assert_ne!(independent.0, in_step.0, "{channels} channels, {planes} planes, stripe {stripe}");
    }
}

/// Groups of four pages that are written one after the other to one die: what is longer decides, and not the
/// sum.
#[test]
fn data_that_come_beside_a_program_cost_no_time_of_their_own() {
    const GROUPS: u64 = 200;
    for (program_us, is_bus_bound) in [(300.0, false), (80.0, false), (40.0, true)] {
        let mut settings = flash(1, 1, 1);
        settings.nand.pages_per_program = 4;
        settings.nand.program_us = vec![program_us];
        let requests: Vec<Request> =
            (0..4 * GROUPS).map(|number| page(Op::Write, number, number as u32)).collect();
        let (transfers_ns, program_ns) = (4 * TRANSFER_NS, (program_us * 1e3) as u64);
        let plain = done_ns(&mut ssd(&settings), &requests);
        assert_eq!(plain[requests.len() - 1], GROUPS * (transfers_ns + program_ns));
        settings.nand.cache_program = true;
        let cached = done_ns(&mut ssd(&settings), &requests);
        // The first data and the last program have nothing beside them.
        let each_ns = transfers_ns.max(program_ns);
        assert_eq!(cached[requests.len() - 1], transfers_ns + (GROUPS - 1) * each_ns + program_ns);
        assert_eq!(transfers_ns > program_ns, is_bus_bound);
    }
}

/// A read keeps its turn and waits for the cells; what was sent before it is programmed first.
#[test]
fn a_read_waits_for_the_programs_whose_data_came_before_it() {
    let mut settings = flash(1, 1, 1);
    settings.nand.cache_program = true;
    let write = |number| page(Op::Write, number, number as u32);
    let requests = [write(0), write(1), page(Op::Read, 0, 2), write(3)];
    let second_ns = TRANSFER_NS + 2 * PROGRAM_NS;
    let read_ns = second_ns + READ_NS + TRANSFER_NS;
    let expected = [TRANSFER_NS + PROGRAM_NS, second_ns, read_ns, read_ns + TRANSFER_NS + PROGRAM_NS];
    assert_eq!(done_ns(&mut ssd(&settings), &requests), expected);
}

/// One page of a full device is written anew in place: all others of its block move to another one.
#[test]
fn a_page_that_stays_on_its_die_crosses_the_bus_for_nothing_else() {
    for (channels, stripe) in [(1, 0), (2, 0), (2, 1)] {
        let mut settings = flash(channels, 1, 1);
        (settings.ftl, settings.initial) = ("block".into(), Initial::Full);
        settings.block.open_blocks = 0;
        settings.nand.stripe = stripe;
        let plain = done_ns(&mut ssd(&settings), &[page(Op::Write, 0, 0)])[0];
        settings.nand.copy_back = true;
        let mut ssd = ssd(&settings);
        let copied_back = done_ns(&mut ssd, &[page(Op::Write, 0, 0)])[0];
        let moves = ssd.nand().counts().programs() - 1;
        assert_eq!(moves, u64::from(ssd.geometry().pages_per_block) - 1);
        // Reads come first, as they all wait for nothing; then programs. With one die all is a sum.
        if channels == 1 {
            let erase_ns = 1_500_000;
            let sum = |copy_ns| TRANSFER_NS + PROGRAM_NS + moves * copy_ns + erase_ns;
            assert_eq!(plain, sum(READ_NS + PROGRAM_NS + 2 * TRANSFER_NS));
            assert_eq!(copied_back, sum(READ_NS + PROGRAM_NS));
        }
        assert!(copied_back <= plain, "{channels} channels, stripe {stripe}: {copied_back} of {plain}");
    }
}

/// Groups of two pages on one die: the second pass of each comes after the first one of the `after`th behind
/// it, and those that are left come when the block is full.
#[test]
fn a_second_pass_takes_the_die_and_the_bus_once_more() {
    const SECOND_NS: u64 = 700_000;
    for after in [1, 3] {
        let mut settings = flash(1, 1, 1);
        settings.nand.pages_per_program = 2;
        settings.nand.second_program_us = SECOND_NS as f64 / 1e3;
        settings.nand.second_program_after = after as u32;
        let groups = u64::from(settings.nand.pages_per_block) / 2;
        let mut ssd = ssd(&settings);
        let requests: Vec<Request> =
            (0..2 * groups).map(|number| page(Op::Write, number, number as u32)).collect();
        let first = done_ns(&mut ssd, &requests);
        let (first_ns, second_ns) = (2 * TRANSFER_NS + PROGRAM_NS, 2 * TRANSFER_NS + SECOND_NS);
        for group in 0..groups {
            let passes = group.saturating_sub(after);
            let done_ns = (group + 1) * first_ns + passes * second_ns;
            assert_eq!(first[2 * group as usize + 1], done_ns, "after {after}, group {group}");
        }
        // The next block begins when the last passes of this one are over.
        let rest_ns = groups * (first_ns + second_ns) - first[requests.len() - 1];
        let more = [page(Op::Write, 100, 0), page(Op::Write, 101, 1)];
        assert_eq!(done_ns(&mut ssd, &more)[1], rest_ns + first_ns, "after {after}");
    }
}

#[test]
fn what_is_between_its_passes_is_read_from_the_controller() {
    let mut settings = flash(1, 1, 1);
    settings.nand.second_program_us = 700.0;
    settings.nand.second_program_after = 2;
    let mut ssd = ssd(&settings);
    let read_ns = READ_NS + TRANSFER_NS;
    for (written, expected_ns) in [(0, [0, 0]), (1, [0, 0]), (2, [read_ns, 0]), (3, [read_ns, read_ns])] {
        done_ns(&mut ssd, &[page(Op::Write, written, 0)]);
        let later = Time(ssd.now().0 + 10_000_000);
        ssd.wait_until(later);
        for (number, expected_ns) in expected_ns.into_iter().enumerate() {
            let number = (number as u64).min(written);
            let took_ns = done_ns(&mut ssd, &[page(Op::Read, number, 0)])[0];
            assert_eq!(took_ns, expected_ns, "page {number} after {written}");
        }
    }
    assert_eq!(ssd.nand().counts().reads(), 3, "the others were no reads of the flash");
}

/// In token mode, where every read is checked, and with collections, merges and age.
#[test]
fn no_mode_changes_what_is_counted_and_what_is_read() {
    let mut faster = 0;
    for (ftl, _) in ftls_of_any_order() {
        for seed in 0..4 {
            let mut settings = flash(2, 1, 2);
            settings.capacity = Bytes(2 << 20);
            settings.nand.pages_per_block = 8;
            settings.over_provisioning = 1.0;
            settings.slc_cache.size = Bytes(512 << 10);
            settings.initial = Initial::Full;
            settings.nand.endurance_erases = 1 << 20;
            (settings.ftl, settings.nand.data) = (ftl.into(), seed % 2 == 0);
            settings.nand.stripe = [0, 2][seed as usize / 2];
            settings.nand.plane_mode = Planes::Independent;
            let plain = run(&settings, seed);
            settings.nand.copy_back = true;
            let copied_back = run(&settings, seed);
            settings.nand.cache_program = true;
            let both = run(&settings, seed);
            assert_eq!((&plain.1, &plain.1), (&copied_back.1, &both.1), "{ftl}, seed {seed}");
            let last = |done: &[Completion]| done.iter().map(|done| done.completed).max();
            faster += u32::from(last(&both.0) < last(&plain.0));
            // Tokens are looked at beside, and change no time.
            settings.nand.data = !settings.nand.data;
            assert_eq!(run(&settings, seed), both, "{ftl}, seed {seed}");
            settings.nand.copy_back = false;
            settings.nand.second_program_us = 400.0;
            let (two_passes, one_pass) = (programs_and_erases(&settings, seed), {
                settings.nand.second_program_us = 0.0;
                programs_and_erases(&settings, seed)
            });
            assert_eq!(two_passes, one_pass, "{ftl}, seed {seed}");
        }
    }
    assert!(faster > 40, "{faster} became faster");
}

/// Reads of the controller's copies are none of the flash.
fn programs_and_erases(settings: &Settings, seed: u64) -> [u64; 2] {
    let mut ssd = ssd(settings);
    let (mut random, size_bytes) = (Random::new(seed), ssd.info().size_bytes);
    for tag in 0..600 {
        done_ns(&mut ssd, &[Request { tag, ..random_request(&mut random, size_bytes) }]);
    }
    [ssd.nand().counts().programs(), ssd.nand().counts().erases()]
}

fn refused_key(change: impl FnOnce(&mut Settings)) -> String {
    let mut settings = flash(1, 1, 2);
    change(&mut settings);
    match Ssd::new("modes", settings, 1) {
        Err(SimError::Setting { key, .. }) => key,
        _ => "none".into(),
    }
}

#[test]
fn a_mode_that_cannot_be_is_refused() {
    assert_eq!(refused_key(|s| s.nand.copy_back = true), "nand.copy_back");
    let alone = |s: &mut Settings| (s.nand.plane_mode, s.nand.copy_back) = (Planes::Independent, true);
    assert_eq!(refused_key(alone), "none");
    assert_eq!(
        refused_key(|s| {
            alone(s);
            s.nand.pages_per_program = 2;
        }),
        "nand.copy_back"
    );
    assert_eq!(
        refused_key(|s| {
            alone(s);
            (s.aging.at_erases, s.aging.retries) = (vec![1], vec![vec![1.0]]);
        }),
        "nand.copy_back"
    );
    assert_eq!(
        refused_key(|s| {
            alone(s);
            s.nand.second_program_us = 100.0;
        }),
        "nand.copy_back"
    );
    for us in [-1.0, f64::NAN, 2e6] {
        assert_eq!(refused_key(|s| s.nand.second_program_us = us), "nand.second_program_us");
    }
    assert_eq!(refused_key(|s| s.nand.second_program_after = 0), "nand.second_program_after");
    let serial = flashscope_sim::nand::timing::TimingMode::Serial;
    assert_eq!(
        refused_key(|s| {
            (s.nand.timing, s.nand.plane_mode) = (serial, Planes::Independent);
        }),
        "nand.plane_mode"
    );
    assert_eq!(
        refused_key(|s| {
            (s.nand.timing, s.nand.cache_program) = (serial, true);
        }),
        "nand.cache_program"
    );
    assert_eq!(
        refused_key(|s| {
            s.nand.cache_program = true;
            (s.scheduler.read_priority, s.scheduler.suspend_programs) = (true, true);
        }),
        "nand.cache_program"
    );
}
