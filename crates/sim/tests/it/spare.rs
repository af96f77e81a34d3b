//! What an FTL makes of the flash that it is given beyond the capacity, what its map costs, and what all of
//! it takes in energy.

use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Control, Io, Limits, PatternSource, Stream, drive};
use flashscope_sim::Ssd;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::nand::EnergySettings;
use flashscope_sim::settings::Settings;
use flashscope_sim::ssd::report::DeviceReport;

const PAGE: u64 = 4096;
const PAGES_PER_BLOCK: u32 = 64;
const SEED: u64 = 11;

fn settings(ftl: &str, over_provisioning: f64, capacity: u64) -> Settings {
    let mut settings =
        Settings { ftl: ftl.into(), over_provisioning, capacity: Bytes(capacity), ..Settings::default() };
    settings.nand.pages_per_block = PAGES_PER_BLOCK;
    settings.nand.endurance_erases = u32::MAX;
    settings.zns.zone_size = Bytes(1 << 20);
    settings.chunk.size = Bytes(2 * u64::from(PAGES_PER_BLOCK) * PAGE);
    settings
}

/// After `ios` more writes of a page.
fn written(ssd: &mut Ssd, rw: Rw, ios: u64) -> DeviceReport {
    let size = Bytes(ssd.settings().capacity.0);
    let pattern = Pattern { bs: Bytes(PAGE), number_ios: Some(ios), ..Pattern::baseline(rw, Bytes(0), size) };
    ssd.restart();
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, SEED), pacing: pattern.pacing() }];
    drive(ssd, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue).expect("it is served");
    ssd.report()
}

fn device(settings: Settings) -> Ssd {
    Ssd::new("test", settings, SEED).expect("the settings are right")
}

#[test]
fn spare_blocks_have_one_use_each() {
    for (ftl, _) in FTLS {
        for over_provisioning in [0.3, 0.6] {
            let ssd = device(settings(ftl, over_provisioning, 32 << 20));
            let spare = ssd.report().spare;
            let used = spare.log_blocks + spare.cache_blocks + spare.map_blocks + spare.reserve_blocks;
            assert_eq!(used + spare.unused_blocks + spare.room_blocks(), spare.blocks, "{ftl}: {spare:?}");
            assert_eq!(spare.blocks, ssd.geometry().blocks - 128, "{ftl}: 128 blocks are the capacity");
            let collects = ["page", "multi-stream", "fdp", "hot-cold", "slc-cache", "dftl"].contains(ftl);
            assert_eq!(spare.room_blocks() > 0, collects, "{ftl}: {spare:?}");
        }
    }
}

/// With L logs over N logical blocks, a random write finds no log of its block N - L times of N, and then one
/// is merged: every page of its block is programmed again. Logs do not fill: each is gone after some N / L
/// writes to others.
#[test]
fn log_blocks_follow_from_the_spare_flash_and_merges_from_the_log_blocks() {
    let (logical, per_block) = (512.0, f64::from(PAGES_PER_BLOCK));
    for over_provisioning in [0.07, 0.28] {
        let mut ssd = device(settings("log-block", over_provisioning, 128 << 20));
        written(&mut ssd, Rw::RandWrite, 2_000);
        let report = written(&mut ssd, Rw::RandWrite, 20_000);
        let logs = report.spare.log_blocks;
        assert_eq!(logs + 1, report.spare.blocks, "one is for merges");
        let expected = 1.0 + (1.0 - f64::from(logs) / logical) * per_block;
        let found = report.write_amplification.expect("it wrote");
        assert!((found / expected - 1.0).abs() < 0.02, "{over_provisioning}: {found}, expected {expected}");
    }
}

#[test]
fn ftls_that_log_write_less_with_more_spare_flash() {
    for ftl in ["log-block", "fast", "superblock"] {
        let [little, much] = [0.07, 0.28].map(|over_provisioning| {
            let mut ssd = device(settings(ftl, over_provisioning, 128 << 20));
            written(&mut ssd, Rw::RandWrite, 60_000);
            let report = written(&mut ssd, Rw::RandWrite, 40_000);
            assert_eq!(report.spare.unused_blocks, 0, "{ftl}");
            report.write_amplification.expect("it wrote")
        });
        assert!(much < 0.85 * little, "{ftl}: {little} with 7 %, {much} with 28 %");
    }
}

#[test]
fn what_is_set_is_used_and_the_rest_is_told() {
    let mut seven = settings("log-block", 0.28, 32 << 20);
    seven.log_block.log_blocks = 7;
    let spare = device(seven).report().spare;
    assert_eq!((spare.log_blocks, spare.reserve_blocks), (7, 1));
    assert_eq!(spare.unused_blocks, spare.blocks - 8);
}

/// Of look-ups that are as likely for each page, a cache has as many as its share of the pages, whatever its
/// policy; of a scan that is longer than it, none but what it protects; and all once it holds everything.
#[test]
fn a_cached_map_counts_its_hits() {
    let pages = 8192;
    let cached = |entries: u32| {
        let mut settings = settings("dftl", 0.28, u64::from(pages) * PAGE);
        settings.dftl.cached_entries = entries;
        device(settings)
    };
    let hits = |report: &DeviceReport| {
        let map = report.map.expect("it has one");
        assert_eq!(map.lookups, Some(report.host_writes));
        map.hits.expect("it is cached") as f64 / report.host_writes as f64
    };
    let mut ssd = cached(1024);
    written(&mut ssd, Rw::RandWrite, 20_000);
    let random = hits(&written(&mut ssd, Rw::RandWrite, 100_000));
    // Four standard deviations of 100,000 draws.
    assert!((random - 0.125).abs() < 4.0 * (0.125_f64 * 0.875 / 1e5).sqrt(), "{random}");
    // Of the pages used again before, the protected half of the cache stays through a scan.
    let kept = hits(&written(&mut ssd, Rw::Write, u64::from(pages)));
    assert!((kept - 512.0 / f64::from(pages)).abs() < 0.01, "{kept}");
    let mut scanned = cached(1024);
    written(&mut scanned, Rw::Write, u64::from(pages));
    assert_eq!(hits(&written(&mut scanned, Rw::Write, u64::from(pages))), 0.0);
    let mut whole = cached(pages);
    written(&mut whole, Rw::Write, u64::from(pages));
    assert_eq!(hits(&written(&mut whole, Rw::RandWrite, 10_000)), 1.0);
    // 16 bytes for 2 entries and their pages' numbers, and 8 translation pages of 1,024 entries each.
    assert_eq!(cached(2).report().map.map(|map| map.ram_bytes), Some(16 + 4 * 8));
}

#[test]
fn energy_is_counts_times_joules() {
    let mut known = settings("page", 0.28, 32 << 20);
    assert_eq!(written(&mut device(known.clone()), Rw::RandWrite, 100).energy, None, "nothing is known");
    known.energy = EnergySettings { read_uj: 2.0, program_uj: 50.0, erase_uj: 1_000.0 };
    let report = written(&mut device(known), Rw::RandWrite, 20_000);
    let energy = report.energy.expect("it is known");
    assert!(report.page_reads > 0 && report.block_erases > 0, "it collected");
    let expected = 2e-6 * report.page_reads as f64
        + 50e-6 * report.page_programs as f64
        + 1e-3 * report.block_erases as f64;
    assert!((energy.total_j / expected - 1.0).abs() < 1e-12, "{energy:?}");
}

#[test]
fn what_a_device_cannot_use_is_told() {
    let clipped = |ftl: &str, change: &dyn Fn(&mut Settings)| {
        let mut settings = settings(ftl, 0.28, 32 << 20);
        change(&mut settings);
        let all = device(settings).report().clipped;
        all.into_iter().map(|one| (one.key, one.asked, one.used)).collect::<Vec<_>>()
    };
    let told = |key: &str, asked: &str, used: &str| vec![(key.into(), asked.into(), used.into())];
    let cache = |size: u64| move |settings: &mut Settings| settings.slc_cache.size = Bytes(size);
    assert_eq!(clipped("slc-cache", &cache(1 << 40)), told("slc_cache.size", "1TiB", "32MiB"));
    assert_eq!(clipped("slc-cache", &cache(32 << 20)), []);
    assert_eq!(clipped("page", &cache(1 << 40)), [], "it has none");
    let entries = |entries: u32| move |settings: &mut Settings| settings.dftl.cached_entries = entries;
    assert_eq!(clipped("dftl", &entries(9000)), told("dftl.cached_entries", "9000", "8192"));
    assert_eq!(clipped("dftl", &entries(8192)), []);
    let pages = |settings: &mut Settings| settings.banked_log.random_pages = 65;
    assert_eq!(clipped("banked-log", &pages), told("banked_log.random_pages", "65", "64"));
    // 36 spare blocks, of which 4 are log blocks and 2 for merges.
    let put_off = |settings: &mut Settings| settings.banked_log.put_off = 31;
    assert_eq!(clipped("banked-log", &put_off), told("banked_log.put_off", "31", "30"));
}
