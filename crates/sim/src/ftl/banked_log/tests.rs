use flashscope_core::Bytes;

use super::*;
use crate::ftl::testing;
use crate::nand::Timing;
use crate::settings::Settings;

fn settings(banks: u32, log_blocks: u32, put_off: u32, any_order: bool) -> Settings {
    let interleave = Bytes(512);
    let together = banks > 1;
    let default = BankedLogSettings::default();
    let banked_log =
        BankedLogSettings { banks, interleave, log_blocks, put_off, any_order, together, ..default };
    Settings { banked_log, ..testing::small("banked-log") }
}

/// A full device of 24 blocks of 4 pages.
fn full(settings: &Settings) -> (BankedLogFtl, Nand) {
    let (geometry, logical_pages) = settings.geometry().expect("a good geometry");
    let setup = Setup { settings, geometry, logical_pages, seed: 1 };
    let mut ftl = BankedLogFtl::new(&setup, &()).expect("good settings");
    let mut nand = Nand::new(geometry, Timing::new(&settings.nand), true);
    write(&mut ftl, &mut nand, &(0..logical_pages).collect::<Vec<_>>());
    while (0..settings.banked_log.banks).any(|bank| ftl.tend(&mut nand, bank, Moment::START).is_some()) {}
    nand.restart();
    ftl.restart();
    (ftl, nand)
}

fn write(ftl: &mut BankedLogFtl, nand: &mut Nand, pages: &[Lpn]) {
    for &lpn in pages {
        ftl.write(nand, lpn, 1000 + Token::from(lpn), Cause::Host, Moment::START);
    }
    assert_eq!(nand.fault(), None);
}

/// Page copies and erases so far.
fn costs(nand: &Nand) -> (u64, u64) {
    (nand.counts().programs_for(Cause::Merge), nand.counts().erases_for(Cause::Merge))
}

#[test]
fn every_page_has_one_place_and_pieces_go_to_the_banks_in_turn() {
    for (banks, logical_pages) in [(1, 96), (2, 96), (3, 96), (4, 90)] {
        let mut settings = settings(banks, 1, 0, false);
        settings.capacity = Bytes(logical_pages * 512);
        settings.over_provisioning = 1.0;
        let (ftl, _) = full(&settings);
        let inner: Vec<Lpn> = (0..logical_pages as Lpn).map(|lpn| ftl.deal.inner(lpn)).collect();
        let mut sorted = inner.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..logical_pages as Lpn), "{banks} banks: {inner:?}");
        let bank = |lpn: usize| ftl.bank_of(inner[lpn] / 4) as u32;
        assert!((0..16).all(|lpn| bank(lpn) == lpn as u32 % banks), "{banks} banks: {inner:?}");
    }
}

#[test]
fn merges_are_put_off_until_no_more_may_wait() {
    let (mut ftl, mut nand) = full(&settings(1, 2, 3, false));
    // Five logical blocks: two logs are open, three wait.
    write(&mut ftl, &mut nand, &[0, 4, 8, 12, 16]);
    assert_eq!(costs(&nand), (0, 0));
    write(&mut ftl, &mut nand, &[20]);
    assert_eq!((costs(&nand).0, ftl.merges().full_merges), (4, 1));
}

#[test]
fn a_block_whose_log_waits_gets_another_and_the_older_one_is_merged_first() {
    let (mut ftl, mut nand) = full(&settings(1, 1, 3, false));
    write(&mut ftl, &mut nand, &[5, 8, 6, 12, 5]);
    assert_eq!((ftl.merges().full_merges, ftl.banks[0].closed.len()), (1, 3));
    while ftl.tend(&mut nand, 0, Moment::START).is_some() {}
    assert_eq!(ftl.merges().full_merges, 4);
    assert_eq!(
        [4, 5, 6, 7].map(|lpn| ftl.read(&mut nand, lpn, Cause::Host, Moment::START).token),
        [1004, 1005, 1006, 1007]
    );
}

#[test]
fn the_other_bank_merges_while_a_write_waits() {
    let wait = |together: bool| {
        let mut settings = settings(2, 1, 1, false);
        settings.nand.channels = 2;
        settings.nand.stripe = 1;
        settings.banked_log.together = together;
        let (mut ftl, mut nand) = full(&settings);
        // Two logs of each bank: pages of blocks 0, 2, 4 are even, those of 1, 3, 5 odd.
        write(&mut ftl, &mut nand, &[0, 8, 1, 9]);
        write(&mut ftl, &mut nand, &[16]);
        (ftl.merges().full_merges, ftl.banks[1].closed.len())
    };
    assert_eq!((wait(false), wait(true)), ((1, 1), (2, 0)));
}

#[test]
fn a_log_out_of_order_is_closed_early_where_it_may_take_few_pages() {
    let mut settings = settings(1, 2, 0, false);
    settings.banked_log.random_pages = 2;
    let (mut ftl, mut nand) = full(&settings);
    write(&mut ftl, &mut nand, &[4, 5, 6, 7]);
    assert_eq!(ftl.merges(), Merges { switch_merges: 1, ..Merges::default() });
    write(&mut ftl, &mut nand, &[6, 6, 6]);
    assert_eq!(ftl.merges().full_merges, 1);
}

#[test]
fn idle_time_merges_page_by_page_and_leaves_open_logs_alone() {
    let (mut ftl, mut nand) = full(&settings(1, 1, 3, false));
    write(&mut ftl, &mut nand, &[0, 4]);
    let mut units = Vec::new();
    let mut at = 1_000_000_000;
    while let Some(done) = ftl.tend(&mut nand, 0, Moment::at(at)) {
        let done = nand.time_of(done);
        units.push((costs(&nand), done > at));
        at = done;
    }
    let expected = [(1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)];
    assert_eq!(units, expected.map(|costs| (costs, true)));
    assert_eq!((ftl.merges().full_merges, ftl.banks[0].open.len()), (1, 1));
}

#[test]
fn a_block_written_backwards_costs_one_erase_where_any_order_will_do() {
    for (any_order, expected) in [(true, (0, 1)), (false, (4, 2))] {
        let (mut ftl, mut nand) = full(&settings(1, 1, 0, any_order));
        write(&mut ftl, &mut nand, &[7, 6, 5, 4, 8]);
        while ftl.tend(&mut nand, 0, Moment::START).is_some() {}
        assert_eq!(costs(&nand), expected, "any order: {any_order}");
        assert_eq!(ftl.read(&mut nand, 6, Cause::Host, Moment::START).token, 1006);
    }
}

#[test]
fn blocks_that_share_a_log_are_closed_together_and_merged_one_for_each_log_opened() {
    let mut settings = settings(1, 1, 0, false);
    settings.banked_log.sharers = 2;
    let (mut ftl, mut nand) = full(&settings);
    write(&mut ftl, &mut nand, &[1, 5]);
    assert_eq!((costs(&nand), ftl.banks[0].open.len()), ((0, 0), 1));
    write(&mut ftl, &mut nand, &[9]);
    assert_eq!((ftl.merges().full_merges, ftl.banks[0].closed.len()), (1, 1));
    write(&mut ftl, &mut nand, &[2]);
    assert_eq!((ftl.merges().full_merges, ftl.banks[0].closed.len()), (2, 0));
    assert_eq!(
        [1, 5, 9, 2].map(|lpn| ftl.read(&mut nand, lpn, Cause::Host, Moment::START).token),
        [1001, 1005, 1009, 1002]
    );
}

#[test]
fn a_stream_that_goes_on_in_order_has_a_log_block_to_itself() {
    let mut settings = settings(1, 1, 0, false);
    settings.banked_log.sharers = 4;
    let (mut ftl, mut nand) = full(&settings);
    write(&mut ftl, &mut nand, &[13, 3, 4, 5, 6, 7]);
    assert_eq!(ftl.merges().switch_merges, 1);
    // The same pages not in a row: the log block holds another's page, too.
    let (mut ftl, mut nand) = full(&settings);
    write(&mut ftl, &mut nand, &[13, 4, 5, 6, 7]);
    assert_eq!(ftl.merges().switch_merges, 0);
}

#[test]
fn logs_that_are_full_wait_only_as_far_as_bytes_may() {
    for (pages, merges) in [(0, 0), (4, 1)] {
        let mut settings = settings(1, 2, 3, false);
        settings.banked_log.put_off_bytes = Bytes(pages * 512);
        let (mut ftl, mut nand) = full(&settings);
        write(&mut ftl, &mut nand, &[3, 2, 1, 0, 7, 6, 5, 4, 11]);
        assert_eq!(ftl.merges().full_merges, merges, "{pages} pages");
    }
}

#[test]
fn it_returns_what_was_written_and_survives_power_cuts() {
    for (banks, log_blocks, put_off) in [(1, 1, 0), (1, 3, 4), (2, 1, 1), (2, 2, 2), (3, 1, 0)] {
        for any_order in [false, true] {
            let mut settings = settings(banks, log_blocks, put_off, any_order);
            settings.banked_log.random_pages = log_blocks % 3;
            settings.banked_log.copy_pages = put_off;
            settings.banked_log.sharers = log_blocks;
            settings.banked_log.put_off_bytes = Bytes(u64::from(put_off % 4) * 512);
            testing::returns_what_was_written(&settings);
            testing::survives_power_cuts(&settings, 100);
        }
    }
}
