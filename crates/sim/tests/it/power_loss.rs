//! Power may go at any program or erase: what a flush acknowledged is there afterwards, nothing older comes
//! back, and the device works on.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request, Target};
use flashscope_sim::gc::POLICIES;
use flashscope_sim::nand::Cause;
use flashscope_sim::ssd::PowerLoss;
use flashscope_sim::{Settings, Ssd};

const PAGES: u64 = 800;
const SEED: u64 = 77;

fn device(gc: &str, frontiers: u32, buffer: &str) -> Ssd {
    let mut settings = Settings {
        capacity: Bytes(PAGES * 4096),
        over_provisioning: 0.12,
        gc: gc.into(),
        buffer: buffer.into(),
        ..Settings::default()
    };
    settings.page.frontiers = frontiers;
    settings.nand.pages_per_block = 16;
    settings.nand.data = true;
    settings.ram.size = Bytes(32 * 4096);
    Ssd::new("power", settings, SEED).expect("the settings are right")
}

/// The same, where one operation programs four pages: a flush pads what is missing.
fn padding(gc: &str, frontiers: u32, buffer: &str) -> Ssd {
    let mut settings = device(gc, frontiers, buffer).settings().clone();
    settings.nand.pages_per_program = 4;
    settings.over_provisioning = 0.25;
    Ssd::new("padding", settings, SEED).expect("the settings are right")
}

/// Writes of 1 to 4 pages, half of them to a tenth of the device, with trims, reads and flushes in between.
fn request(random: &mut Random) -> Request {
    let op = match random.below(100) {
        0..80 => Op::Write,
        80..86 => Op::Trim,
        86..97 => Op::Read,
        _ => Op::Flush,
    };
    let span = if random.below(2) == 0 { PAGES / 10 } else { PAGES };
    let pages = 1 + random.below(4);
    let page = random.below(span - pages);
    let (offset_bytes, length_bytes) =
        if op == Op::Flush { (0, 0) } else { (page * 4096, pages as u32 * 4096) };
    Request { offset_bytes, length_bytes, op, ..Request::default() }
}

/// Serves requests until the power goes, and gives it back.
fn run_into_the_cut(ssd: &mut Ssd, random: &mut Random, cut: u64) -> PowerLoss {
    ssd.cut_power_after(cut);
    let mut done = Vec::new();
    while !ssd.is_off() {
        let served = ssd.serve_in_turn(&[request(random)], &mut done);
        assert_eq!(served.is_err(), ssd.is_off(), "{served:?}");
    }
    ssd.power_cycle().expect("token mode is on")
}

/// Every read is checked by the oracle.
fn read_all(ssd: &mut Ssd) {
    let all = Request { length_bytes: PAGES as u32 * 4096, op: Op::Read, ..Request::default() };
    ssd.serve_in_turn(&[all], &mut Vec::new()).expect("every page holds what it should");
}

fn assert_nothing_flushed_is_lost(loss: PowerLoss, what: &str) {
    let PowerLoss { flushed_pages_lost, stale_pages, .. } = loss;
    assert_eq!((flushed_pages_lost, stale_pages), (0, 0), "seed {SEED}, {what}");
}

/// Hundreds of cuts, the later ones in what the earlier ones left.
fn cut_again_and_again(mut ssd: Ssd, what: &str) -> u64 {
    let mut random = Random::new(SEED);
    let mut acknowledged_lost = 0;
    for cut in 0..300 {
        let after = cut + random.below(100);
        let loss = run_into_the_cut(&mut ssd, &mut random, after);
        assert_nothing_flushed_is_lost(loss, &format!("{what}, cut {cut} after {after}"));
        acknowledged_lost += loss.acknowledged_pages_lost;
        read_all(&mut ssd);
    }
    assert!(ssd.nand().counts().erases_for(Cause::Gc) > 100, "{what}: the cuts are to hit collections too");
    acknowledged_lost
}

#[test]
fn without_a_buffer_nothing_acknowledged_is_lost_at_any_cut() {
    for (gc, _) in POLICIES {
        for frontiers in [1, 2] {
            let what = format!("{gc}, {frontiers} frontiers");
            assert_eq!(cut_again_and_again(device(gc, frontiers, "none"), &what), 0, "{what}");
        }
    }
}

#[test]
fn what_a_flush_padded_is_there_after_any_cut() {
    for (gc, _) in POLICIES {
        for (frontiers, buffer) in [(1, "none"), (2, "none"), (1, "lru")] {
            let what = format!("{gc}, {frontiers} frontiers, {buffer}, padded");
            cut_again_and_again(padding(gc, frontiers, buffer), &what);
        }
    }
    let mut ssd = padding("greedy", 2, "none");
    let write = Request { length_bytes: 4096, op: Op::Write, ..Request::default() };
    let flush = Request { op: Op::Flush, ..Request::default() };
    ssd.serve_in_turn(&[write, flush], &mut Vec::new()).expect("they are served");
    assert_eq!(ssd.nand().counts().programs_for(Cause::Padding), 3);
}

#[test]
fn a_buffer_loses_only_what_no_flush_followed() {
    for frontiers in [1, 2] {
        let lost = cut_again_and_again(device("greedy", frontiers, "lru"), &format!("lru, {frontiers}"));
        assert!(lost > 0, "a volatile buffer that loses nothing is none");
    }
}

#[test]
fn a_buffer_with_a_capacitor_loses_nothing() {
    let mut settings = device("greedy", 1, "lru").settings().clone();
    settings.ram.survives_power_loss = true;
    let ssd = Ssd::new("capacitor", settings, SEED).expect("the settings are right");
    assert_eq!(cut_again_and_again(ssd, "capacitor"), 0);
}

/// One history, cut after every single operation.
#[test]
fn every_operation_of_a_history_can_be_the_last_one() {
    for frontiers in [1, 2] {
        for cut in 0..400 {
            let mut ssd = device("greedy", frontiers, "none");
            let loss = run_into_the_cut(&mut ssd, &mut Random::new(SEED), cut);
            assert_nothing_flushed_is_lost(loss, &format!("{frontiers} frontiers, after {cut}"));
            assert_eq!(loss.acknowledged_pages_lost, 0, "after {cut}");
        }
    }
}

/// The scan reads what was programmed, torn pages included, and nothing twice. Then what is there is compared
/// with what should be, a read for each page that holds anything: all of them, as nothing is trimmed here.
#[test]
fn the_scan_costs_one_read_for_each_programmed_page() {
    for cut in [0, 17, 200, 500, 1999] {
        let mut ssd = device("greedy", 1, "none");
        let mut random = Random::new(SEED);
        ssd.cut_power_after(cut);
        while !ssd.is_off() {
            let no_trim =
                std::iter::repeat_with(|| request(&mut random)).find(|request| request.op != Op::Trim);
            let _ = ssd.serve_in_turn(&[no_trim.expect("there are others")], &mut Vec::new());
        }
        let before = ssd.nand().counts().reads_for(Cause::Map);
        // What the FTL did in vain after the cut is undone when the power returns.
        let mut restored = ssd.nand().clone();
        restored.restore_power();
        let programmed: u64 = (0..restored.blocks()).map(|block| u64::from(restored.next_page(block))).sum();
        ssd.power_cycle().expect("token mode is on");
        let reads = ssd.nand().counts().reads_for(Cause::Map) - before;
        assert_eq!(reads, programmed + PAGES, "cut after {cut}: {programmed} pages programmed");
    }
}

#[test]
fn without_tokens_there_is_no_rebuild() {
    let mut ssd = Ssd::new("no-tokens", Settings::default(), SEED).expect("the settings are right");
    assert!(ssd.power_cycle().unwrap_err().to_string().contains("nand.data"));
    assert_eq!(ssd.now().0, 0);
}
