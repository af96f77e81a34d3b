//! The parts of this crate in flashscope's test kit.

use flashscope_core::Bytes;
use flashscope_sim::ftl::page::PageFtl;
use flashscope_sim::testing::{Kit, check_buffer, check_policy, small_device};
use flashscope_sim::{Settings, SimError, Ssd};
use own_ftl::{CScan, CScanOptions, RingLog, RingLogOptions, Window, WindowedGreedy};

const SEED: u64 = 11;
const RESERVE: RingLogOptions = RingLogOptions { reserve_blocks: 2 };
const AT_ONCE: CScanOptions = CScanOptions { pages_at_once: 4 };

#[test]
fn the_ftl_is_one() {
    let kit = Kit::new(Ssd::builder("own", small_device()).ftl::<RingLog>(RESERVE), SEED);
    kit.check();
    kit.goes_on_after_a_save(500);
}

#[test]
fn the_buffer_is_one_by_itself_and_before_any_ftl() {
    for pages in [1, 3, 24] {
        check_buffer::<CScan>(&Settings::default(), &AT_ONCE, pages, SEED);
    }
    let log_block = Settings { ftl: "log-block".into(), ..small_device() };
    for settings in [small_device(), log_block] {
        Kit::new(Ssd::builder("own", settings).buffer::<CScan>(AT_ONCE), SEED).check();
    }
    let both = Ssd::builder("own", small_device()).ftl::<RingLog>(RESERVE).buffer::<CScan>(AT_ONCE);
    Kit::new(both, SEED).check();
}

#[test]
fn the_victim_policy_is_one() {
    let window = Window { blocks: 8 };
    check_policy::<WindowedGreedy>(&window, SEED);
    let kit = Kit::new(Ssd::builder("own", small_device()).ftl::<PageFtl<WindowedGreedy>>(window), SEED);
    kit.check();
    kit.goes_on_after_a_save(500);
}

#[test]
fn a_report_names_the_parts() {
    let window = Window { blocks: 8 };
    let page = Ssd::builder("own", small_device()).ftl::<PageFtl<WindowedGreedy>>(window);
    let report = page.build().expect("good settings").report();
    assert_eq!((report.ftl.as_str(), report.gc.as_deref()), ("page", Some("windowed-greedy")));
    let both = Ssd::builder("own", small_device()).ftl::<RingLog>(RESERVE).buffer::<CScan>(AT_ONCE);
    let report = both.build().expect("good settings").report();
    assert_eq!((report.ftl.as_str(), report.buffer.as_str()), ("ring-log", "c-scan"));
}

#[test]
fn a_state_is_loaded_into_the_parts_that_saved_it_and_no_others() {
    let ring_log = Ssd::builder("own", small_device()).ftl::<RingLog>(RESERVE);
    let bytes = ring_log.build().expect("good settings").save();
    assert!(matches!(Ssd::load(&bytes), Err(SimError::State { .. })));
    let again = Ssd::<RingLog>::restore(&bytes).expect("its own state");
    assert_eq!(again.settings().ftl, "ring-log");
}

/// Settings of one's own are checked by one's own constructor.
#[test]
fn bad_options_are_refused() {
    let mut settings = small_device();
    settings.ram.size = Bytes(1 << 16);
    let none_leaves = Ssd::builder("own", settings).buffer::<CScan>(CScanOptions { pages_at_once: 0 });
    assert!(none_leaves.build().is_err_and(|error| error.to_string().starts_with("pages_at_once")));
}
