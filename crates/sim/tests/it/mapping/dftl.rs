use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op};
use flashscope_sim::Ssd;
use flashscope_sim::ftl::dftl::DftlFtl;
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::{Initial, Settings};

use super::harness::{Drive, PAGE_BYTES, serves_random_work, small, survives_power_loss};

fn cached(entries: u32) -> impl Fn(&mut Settings) {
    move |settings| settings.dftl.cached_entries = entries
}

/// 4 translation pages of 512 entries each, 2048 logical pages, empty, without a collection for long.
fn four_translation_pages(entries: u32) -> Drive {
    let mut settings = small("dftl", Initial::Empty);
    settings.nand.pages_per_block = 64;
    settings.capacity = Bytes(2048 * PAGE_BYTES);
    settings.dftl.cached_entries = entries;
    Drive::new(settings)
}

fn map_traffic(drive: &Drive) -> (u64, u64) {
    (drive.counts().reads_for(Cause::Map), drive.counts().programs_for(Cause::Map))
}

#[test]
fn every_read_returns_the_last_write() {
    for entries in [1, 2, 16, 100_000] {
        serves_random_work(cached(entries), "dftl");
    }
}

#[test]
fn it_comes_back_after_a_loss_of_power() {
    for entries in [1, 16, 100_000] {
        survives_power_loss::<DftlFtl>(cached(entries), "dftl");
    }
}

#[test]
fn the_least_over_provisioning_is_enough() {
    let least = |settings: &mut Settings| {
        settings.capacity = Bytes(PAGE_BYTES * 8 * 100);
        settings.over_provisioning = 0.07;
        settings.dftl.cached_entries = 8;
    };
    serves_random_work(least, "dftl");
    survives_power_loss::<DftlFtl>(least, "dftl");
}

#[test]
fn a_map_that_is_cached_whole_is_never_read_or_written() {
    let mut drive = four_translation_pages(2048);
    for page in 0..2048 {
        drive.write(page, 1);
        drive.serve(Op::Read, page, 1);
    }
    assert_eq!(map_traffic(&drive), (0, 0));
    assert_eq!(drive.write_amplification(), 1.0);
}

#[test]
fn a_changed_entry_leaves_with_all_others_of_its_translation_page() {
    let mut drive = four_translation_pages(4);
    // Four entries of the first translation page, then one of the second: the first is written, new, with
    // all four.
    (0..4).for_each(|page| drive.write(page, 1));
    assert_eq!(map_traffic(&drive), (0, 0));
    drive.write(512, 1);
    assert_eq!(map_traffic(&drive), (0, 1));
    // Three clean entries leave for three of the second translation page, which is not in flash yet.
    (513..516).for_each(|page| drive.write(page, 1));
    assert_eq!(map_traffic(&drive), (0, 1));
    // Page 0 again: the second translation page is written, the first one read.
    drive.serve(Op::Read, 0, 1);
    assert_eq!(map_traffic(&drive), (1, 2));
    // Pages 1 and 2 are to be read again, and push out entries that are clean now.
    drive.serve(Op::Read, 1, 1);
    drive.serve(Op::Read, 2, 1);
    assert_eq!(map_traffic(&drive), (3, 2));
    // Page 0 is still there; writing it changes its entry. To push it out later costs a read and a program.
    drive.write(0, 1);
    assert_eq!(map_traffic(&drive), (3, 2));
    (1024..1030).for_each(|page| drive.serve(Op::Read, page, 1));
    assert_eq!(map_traffic(&drive), (3, 2), "an entry that was used twice is protected from a scan");
}

#[test]
fn without_collections_a_random_write_costs_two_reads_and_a_program_of_the_map() {
    // One cached entry, and page after page of different translation pages, all of them in flash: each write
    // writes back the entry of the one before (a read and a program) and reads its own.
    let mut drive = four_translation_pages(1);
    for i in 0..8 {
        drive.write(i % 4 * 512, 1);
    }
    let before = map_traffic(&drive);
    for i in 8..16 {
        drive.write(i % 4 * 512, 1);
    }
    let after = map_traffic(&drive);
    assert_eq!((after.0 - before.0, after.1 - before.1), (16, 8));
}

#[test]
fn with_the_map_cached_it_collects_like_the_page_ftl() {
    let work = |ftl: &str| {
        let mut settings = small(ftl, Initial::Full);
        settings.nand.pages_per_block = 32;
        settings.capacity = Bytes(32 * 300 * PAGE_BYTES);
        settings.over_provisioning = 0.25;
        settings.dftl.cached_entries = u32::MAX;
        let mut drive = Drive::new(settings);
        let mut random = Random::new(5);
        let pages = u64::from(drive.ssd.logical_pages());
        (0..4 * pages).for_each(|_| drive.write(random.below(pages), 1));
        assert_eq!(drive.counts().programs_for(Cause::Map), 0);
        drive.write_amplification()
    };
    let (dftl, page) = (work("dftl"), work("page"));
    // It has the map's blocks, the rebuild's and an own frontier less: about 2 % of 375.
    assert!(dftl >= page && dftl < 1.15 * page, "dftl {dftl}, page {page}");
}

#[test]
fn sequential_writes_cost_a_program_of_the_map_for_each_translation_page() {
    let mut drive = four_translation_pages(64);
    (0..2048).for_each(|page| drive.write(page, 1));
    // With 64 entries cached, a translation page is written each time that the oldest is a changed one: every
    // 64 pages, and the last 64 stay in the cache.
    let (_, programs) = map_traffic(&drive);
    assert_eq!(programs, 2048 / 64 - 1);
    assert_eq!(drive.counts().programs_for(Cause::Host), 2048);
}

#[test]
fn no_cache_is_refused() {
    let mut settings = small("dftl", Initial::Empty);
    settings.dftl.cached_entries = 0;
    let problem = Ssd::new("small", settings, 1).map(|_| ()).unwrap_err().to_string();
    assert!(problem.starts_with("dftl.cached_entries"), "{problem}");
}
