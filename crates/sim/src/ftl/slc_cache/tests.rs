//! How much a cache takes, how fast it is, and that it loses nothing.

use flashscope_core::{Request, Target, Time};

use super::*;
use crate::Ssd;
use crate::ftl::testing;
use crate::settings::Initial;

const PAGE: u64 = 512;

/// 24 blocks of 4 pages; a cache of 3 blocks, with 2 pages in each.
fn small(when: When) -> Settings {
    let mut settings = testing::small("slc-cache");
    settings.slc_cache.size = Bytes(6 * PAGE);
    settings.background.when = when;
    settings
}

fn write(ssd: &mut Ssd, pages: std::ops::Range<u64>) -> Vec<u64> {
    let mut out = Vec::new();
    for page in pages {
        let op = flashscope_core::Op::Write;
        let (offset_bytes, length_bytes) = (page * PAGE, PAGE as u32);
        let request = Request { op, offset_bytes, length_bytes, ..Request::default() };
        ssd.serve_in_turn(&[request], &mut out).unwrap_or_else(|error| panic!("{error}"));
    }
    out.iter().map(|done| done.completed.since(done.submitted).0 / 1_000).collect()
}

/// Transfer 20 µs; 200 µs in SLC mode, 800 µs in MLC mode.
#[test]
fn writes_are_fast_until_the_cache_is_full_and_again_once_it_had_time() {
    let mut ssd = Ssd::new("test", small(When::Idle), 1).expect("a device");
    assert_eq!(write(&mut ssd, 0..8), [220, 220, 220, 220, 220, 220, 820, 820]);
    let now = ssd.now();
    ssd.wait_until(Time(now.0 + 1_000_000_000));
    assert_eq!(write(&mut ssd, 20..27), [220, 220, 220, 220, 220, 220, 820]);
}

#[test]
fn idle_time_gives_back_as_much_as_could_be_folded_in_it() {
    let mut ssd = Ssd::new("test", small(When::Idle), 1).expect("a device");
    write(&mut ssd, 0..8);
    // Two pages are read and written, and their block erased: 2 x (45 + 820) + 1500 µs.
    let now = ssd.now();
    ssd.wait_until(Time(now.0 + 4_000_000));
    let times = write(&mut ssd, 20..24);
    assert_eq!(times.iter().filter(|us| **us > 800).count(), 2, "{times:?}");
}

#[test]
fn without_work_in_the_background_a_full_cache_folds_before_a_write() {
    let mut ssd =
        Ssd::new("test", Settings { initial: Initial::Empty, ..small(When::Never) }, 1).expect("a device");
    let times = write(&mut ssd, 0..8);
    assert_eq!(times[..6], [220; 6], "{times:?}");
    assert!(times[6] > 2 * 865 + 1_500, "a block was folded first: {times:?}");
    assert_eq!(times[7], 220);
}

/// As many fast writes as fit into three blocks of its own, and two more for each block that is lent
/// while the device is not too full for it.
#[test]
fn an_empty_device_has_a_larger_cache_than_a_full_one() {
    for (written, until) in [(0, 1.0), (0, 0.5), (20, 1.0), (20, 0.5), (40, 0.5)] {
        let mut settings = Settings { initial: Initial::Empty, ..small(When::Idle) };
        settings.slc_cache.dynamic_size = Bytes(20 * PAGE);
        settings.slc_cache.dynamic_until = until;
        let mut ssd = Ssd::new("test", settings, 1).expect("a device");
        let until_pages = (until * f64::from(ssd.logical_pages())).floor();
        write(&mut ssd, 0..written);
        let now = ssd.now();
        ssd.wait_until(Time(now.0 + 10_000_000_000));
        let pages = u64::from(ssd.logical_pages()) - written;
        let times = write(&mut ssd, written..written + pages.min(50));
        let fast = times.iter().take_while(|us| **us == 220).count();
        let (mut expected, mut lent) = (6, 0.0);
        while lent < (10.0 * (1.0 - f64::from(written as u32 + expected) / until_pages)).floor() {
            (expected, lent) = (expected + 2, lent + 1.0);
        }
        assert_eq!(fast, expected as usize, "{written} of {until_pages} pages written before");
    }
}

#[test]
fn a_dynamic_cache_returns_what_was_written_and_survives_power_cuts() {
    for when in [When::Never, When::Idle] {
        for initial in [Initial::Empty, Initial::Full] {
            let mut settings = Settings { initial, ..small(when) };
            settings.slc_cache.dynamic_size = Bytes(30 * PAGE);
            testing::returns_what_was_written(&settings);
            testing::survives_power_cuts(&settings, 150);
        }
    }
}

#[test]
fn it_returns_what_was_written_and_survives_power_cuts() {
    for when in [When::Never, When::Idle] {
        testing::returns_what_was_written(&small(when));
        testing::survives_power_cuts(&small(when), 150);
    }
}
