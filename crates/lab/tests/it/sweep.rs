//! A sweep: one device for each set of settings that differs, warm-ups, what ends one early, and the same
//! numbers from the same seed.

use flashscope_core::{Bytes, Pattern};
use flashscope_lab::sweep::{Entry, SimReport, StoredSweep, Work};
use flashscope_lab::{ErrorKind, Interrupt, PlannedSweep, SweepResult, SweepSpec, simulate};

use crate::kernel::Scratch;
use crate::{names, reports};

/// Random writes to a device of 64 MiB that is soon full.
fn small(pattern: &str) -> SweepSpec {
    let pattern: Pattern = format!("rw=randwrite bs=4k {pattern}").parse().unwrap();
    SweepSpec {
        capacity: vec![Bytes(64 << 20)],
        over_provisioning: vec![0.2],
        work: Work::Pattern(pattern),
        seed: Some(1),
        ..SweepSpec::default()
    }
}

fn one(spec: &SweepSpec) -> SimReport {
    let [report] = reports(spec).try_into().expect("one device");
    report
}

fn set(key: &str, value: &str) -> (String, String) {
    (key.into(), value.into())
}

fn is_complete(entries: &[Entry]) -> Vec<bool> {
    entries.iter().map(Entry::is_complete).collect()
}

#[test]
fn a_list_that_means_nothing_to_a_device_does_not_multiply_it() {
    let ftl = names(["page", "log-block"]);
    let found = reports(&SweepSpec { ftl, gc: names(["greedy", "fifo"]), ..small("number_ios=50") });
    let kinds: Vec<_> =
        found.iter().map(|report| (report.device.ftl.as_str(), report.device.gc.as_deref())).collect();
    assert_eq!(kinds, [("page", Some("greedy")), ("page", Some("fifo")), ("log-block", None)]);
    let buffer_size = vec![Bytes(1 << 20), Bytes(2 << 20)];
    let buffer = names(["none", "lru"]);
    let found = reports(&SweepSpec { buffer, buffer_size, ..small("number_ios=50") });
    let sizes: Vec<_> =
        found.iter().map(|report| (report.device.buffer.as_str(), report.device.buffer_bytes)).collect();
    assert_eq!(sizes, [("none", 0), ("lru", 1 << 20), ("lru", 2 << 20)]);
    one(&SweepSpec { buffer: names(["lru", "lru"]), ..small("number_ios=50") });
}

#[test]
fn a_list_that_means_nothing_to_any_device_is_reported() {
    let spec = SweepSpec { gc: names(["greedy", "fifo"]), ..small("number_ios=50") };
    let planned = PlannedSweep::new(&spec, false, &Interrupt::new()).unwrap();
    assert!(planned.ignores_gc() && !planned.ignores_buffer_size());
    assert_eq!(planned.cases().len(), 1);
}

#[test]
fn ios_to_ignore_are_a_warm_up() {
    let ignored = one(&small("number_ios=500 ignore_ios=100"));
    assert_eq!((ignored.warmup_ios, ignored.ios, ignored.device.host_writes), (100, 400, 400));
    let warmed = one(&SweepSpec { warmup_ios: Some(100), ..small("number_ios=500") });
    let counts = |report: &SimReport| {
        (report.device.block_erases, report.device.page_programs, report.simulated_s.to_bits())
    };
    assert_eq!(counts(&ignored), counts(&warmed));
}

#[test]
fn a_warm_up_takes_no_time_of_what_is_measured() {
    // 100 IOs that come one each 10 ms, whatever was before: 99 gaps and the last response.
    for (pattern, warmup_ios) in [("number_ios=100", None), ("number_ios=300", Some(200))] {
        let spec = small(&format!("{pattern} rate_iops=100"));
        let buffer = names(["lru"]);
        let report = one(&SweepSpec { buffer, final_flush: false, warmup_ios, ..spec });
        assert_eq!(report.ios, 100);
        assert!((0.98..=1.1).contains(&report.simulated_s), "{pattern}: {}", report.simulated_s);
    }
}

/// Uniform writes over twice the buffer: LRU holds a random half, and half of them hit from the first on.
/// Each miss evicts a page, which may be of the warm-up; the flush at the end writes all the buffer holds.
#[test]
fn a_warm_up_leaves_the_buffer_warm() {
    let pattern: Pattern = "rw=randwrite bs=2k size=32m number_ios=32000".parse().unwrap();
    let spec = SweepSpec {
        ftl: names(["page"]),
        buffer: names(["lru"]),
        buffer_size: vec![Bytes(16 << 20)],
        warmup_ios: Some(30_000),
        work: Work::Pattern(pattern),
        ..small("")
    };
    for seed in 1..=3 {
        let device = one(&SweepSpec { seed: Some(seed), ..spec.clone() }).device;
        let deviation = (2_000.0_f64 * 0.5 * 0.5).sqrt();
        let hits = device.buffer_hits;
        assert!((hits as f64 - 1_000.0).abs() < 5.0 * deviation, "seed {seed}: {hits} hits of 2,000 writes");
        let causes = device.programs_by_cause;
        let all = [causes.host, causes.gc, causes.merge, causes.padding, causes.map, causes.wear];
        assert_eq!(all.iter().sum::<u64>(), device.page_programs, "seed {seed}");
        assert_eq!(causes.host, 2_000 - hits + (16 << 20) / 2048, "seed {seed}");
    }
}

#[test]
fn a_seed_gives_the_same_result_on_any_number_of_cores() {
    let with = |seed, jobs| {
        let spec = SweepSpec {
            buffer: names(["lru", "bplru"]),
            buffer_size: vec![Bytes(1 << 20), Bytes(2 << 20)],
            set: vec![set("initial", "random")],
            capacity: vec![Bytes(16 << 20)],
            seed: Some(seed),
            jobs: Some(jobs),
            ..small("number_ios=2000")
        };
        let timeless = |report| SimReport { requests_per_cpu_s: None, ..report };
        format!("{:?}", reports(&spec).into_iter().map(timeless).collect::<Vec<_>>())
    };
    let first = with(7, 1);
    assert_eq!(first, with(7, 1));
    assert_eq!(first, with(7, 2));
    assert_ne!(first, with(8, 2));
}

/// The page FTL takes all writes; blocks of the other wear out.
#[test]
fn a_sweep_that_fails_keeps_what_ended_before() {
    let scratch = Scratch::new();
    let spec = SweepSpec {
        ftl: names(["page", "log-block"]),
        set: vec![set("nand.endurance_erases", "40")],
        jobs: Some(1),
        ..small("number_ios=20000")
    };
    let planned = PlannedSweep::new(&spec, true, &Interrupt::new()).unwrap();
    let folder = scratch.path("kept");
    let SweepResult { entries, error } = planned.run(Some(&folder), None, &mut |_| {}, &Interrupt::new());
    let error = error.expect("it wears out");
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(error.message().contains("endurance"), "{error:?}");
    assert_eq!(is_complete(&entries), [true, false]);
    let stored = StoredSweep::read(&folder).unwrap().expect("it is kept");
    assert_eq!(is_complete(&stored.entries), [true, false]);
}

#[test]
fn an_interruption_keeps_what_was_simulated_and_says_what_was_not() {
    let scratch = Scratch::new();
    let buffer = names(["none", "lru", "fab"]);
    // Long enough that the second is at work when the first is heard of.
    let spec = SweepSpec { buffer, jobs: Some(1), ..small("number_ios=400000") };
    let interrupt = Interrupt::new();
    let planned = PlannedSweep::new(&spec, true, &interrupt).unwrap();
    let folder = scratch.path("kept");
    let mut after_the_first = |entries: &[Entry]| {
        if entries.iter().any(Entry::is_complete) {
            interrupt.set();
        }
    };
    let SweepResult { entries, error } = planned.run(Some(&folder), None, &mut after_the_first, &interrupt);
    assert!(error.is_none(), "an interruption is no failure: {error:?}");
    assert_eq!(is_complete(&entries), [true, false, false]);
    let stored = StoredSweep::read(&folder).unwrap().expect("it is kept");
    assert_eq!(is_complete(&stored.entries), [true, false, false]);
    let alone = one(&SweepSpec { buffer: names(["none"]), ..spec });
    let first = entries[0].report().unwrap();
    assert_eq!((first.device.page_programs, first.ios), (alone.device.page_programs, 400_000));
}

/// Four streams of unlike speed, two pages an IO: with a handle each nothing is moved, with one for all
/// something is.
#[test]
fn handles_of_a_pattern_reach_the_ftl() {
    let with = |placement: &str| {
        let pattern = format!("random=streams:4:1 {placement} number_ios=50000");
        one(&SweepSpec { ftl: names(["fdp"]), ..small(&pattern) }).device
    };
    let (apart, together) = (with("placement=part"), with(""));
    let pages = |used: flashscope_sim::ftl::PlacementUse| used.host_pages;
    let [apart_pages, together_pages] =
        [&apart, &together].map(|device| pages(device.placement.clone().expect("it knows handles")));
    assert_eq!(apart_pages.iter().sum::<u64>(), 100_000);
    assert_eq!(apart_pages.iter().filter(|pages| **pages > 10_000).count(), 4, "{apart_pages:?}");
    assert_eq!(together_pages[0], 100_000);
    let [apart_moved, together_moved] = [apart, together].map(|device| device.programs_by_cause.gc);
    assert!(apart_moved == 0 && together_moved > 1_000, "{apart_moved}, {together_moved}");
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_simulated() {
    let refused = |spec: SweepSpec, words: &[&str]| {
        let error = simulate(&spec, &Interrupt::new()).expect_err("it cannot be");
        assert_eq!(error.kind(), ErrorKind::Usage, "{error:?}");
        for word in words {
            assert!(error.message().contains(word), "'{word}' is missing in: {error:?}");
        }
    };
    let small = || small("number_ios=100");
    refused(SweepSpec { ftl: names(["pagee"]), ..small() }, &["pagee", "log-block"]);
    refused(SweepSpec { buffer: names(["bplruu"]), ..small() }, &["bplruu", "fab", "bplru"]);
    refused(SweepSpec { profile: "bplru-bord".into(), ..small() }, &["bplru-bord", "bplru-board"]);
    refused(SweepSpec { profile: "hdd-7200".into(), ..small() }, &["hard disk"]);
    for depth in [0, u32::MAX] {
        let work = Work::Trace(Box::new(crate::sample("install-ext3")), depth);
        refused(SweepSpec { work, ..small() }, &["iodepth", "1 to 4096"]);
    }
    let placed = self::small("number_ios=100 placement=1");
    refused(placed, &["placement", "knows no placement handles"]);
    let placed = self::small("number_ios=100 placement=8");
    refused(SweepSpec { ftl: names(["fdp"]), ..placed }, &["needs 9 handles", "knows 8"]);
    refused(SweepSpec { jobs: Some(0), ..small() }, &["jobs", "at least 1"]);
    refused(SweepSpec { warmup_ios: Some(100), ..small() }, &["100"]);
    refused(SweepSpec { over_provisioning: vec![f64::NAN], ..small() }, &["over_provisioning"]);
    refused(SweepSpec { over_provisioning: vec![-0.1], ..small() }, &["over_provisioning"]);
    refused(SweepSpec { capacity: vec![Bytes(u64::MAX)], ..small() }, &["capacity"]);
    refused(SweepSpec { capacity: vec![Bytes(0)], ..small() }, &["capacity"]);
}
