//! The suite `modern` on drives whose insides are known: what it finds is what was configured.
#![allow(missing_docs, clippy::print_stdout)]

use crate::common::reading::{found, number, says};
use flashscope_analysis::{Finished, Reading};
use flashscope_bench::{Alone, Plan, Scope, Settings, Suites, conduct};
use flashscope_core::{Bytes, Target};
use flashscope_sim::profiles::Profile;
use flashscope_sim::settings::Settings as Device;
use flashscope_sim::{Rig, Ssd, rigs};

fn device(overrides: &[(&str, &str)]) -> Device {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    match Profile::find("nvme-tlc-2024", &overrides) {
        Ok(Profile::Ssd(settings)) => *settings,
        other => panic!("{other:?}"),
    }
}

fn read<T: flashscope_core::Target>(target: T, parts: &str) -> (Vec<Finished>, Reading) {
    let suite = &Suites::builtin().find("modern").expect("a suite").clone();
    let values = [("parts", parts), ("time", "100ms"), ("rest", "20s"), ("rates", "50,500")];
    let values = values.map(|(key, value)| (key.to_string(), value.to_string()));
    let settings = Settings {
        scope: Scope::Table1,
        write: true,
        can_trim: true,
        repeats: 1,
        bs: Bytes(4 << 10),
        ..Settings::default()
    };
    conduct(suite, &values, &mut Alone(target), &settings).expect("it runs")
}

fn state(reading: &Reading, quantity: &str) -> String {
    let table = reading.tables.iter().find(|table| table.id == "found").expect("a table");
    table.cell(quantity, "state").expect("a state").text.clone()
}

/// How sure the sentence about a quantity is.
fn said_as(reading: &Reading, quantity: &str) -> String {
    let is_it = |text: &str| text.to_lowercase().starts_with(&quantity.to_lowercase());
    let sentence = reading.sentences.iter().find(|sentence| is_it(&sentence.text)).expect("a sentence");
    sentence.support().to_string()
}

fn on(device: &Device, parts: &str) -> Reading {
    read(Ssd::new("modern", device.clone(), 1).expect("a device"), parts).1
}

/// Asymptotic bounds of a closed loop of 4 KiB reads: the time of one alone in those of its busiest part.
fn knee(device: &Device) -> f64 {
    let (nand, host) = (&device.nand, &device.host);
    let link_us = 4096.0 / host.mb_s;
    let alone_us = host.command_us + nand.read_us[0] + nand.transfer_us + link_us;
    let dies = f64::from(nand.channels * nand.dies);
    let busiest_us = [
        host.command_us / f64::from(host.parallel_commands),
        (nand.read_us[0] + nand.transfer_us) / dies,
        nand.transfer_us / f64::from(nand.channels),
        link_us,
    ];
    alone_us / busiest_us.into_iter().fold(0.0, f64::max)
}

/// Five drives that differ from the shipped one, and from one another, in all four.
const DRIVES: [&[(&str, &str)]; 5] = [
    &[
        ("capacity", "8GiB"),
        ("slc_cache.size", "512MiB"),
        ("ram.size", "8MiB"),
        ("over_provisioning", "0.15"),
        ("host.parallel_commands", "4"),
        ("nand.dies", "8"),
        ("buffer", "fifo"),
    ],
    &[
        ("capacity", "6GiB"),
        ("slc_cache.size", "1300MiB"),
        ("ram.size", "48MiB"),
        ("over_provisioning", "0.4"),
        ("host.parallel_commands", "6"),
        ("nand.dies", "8"),
        ("buffer", "lru"),
    ],
    &[
        ("capacity", "4GiB"),
        ("slc_cache.size", "300MiB"),
        ("ram.size", "3MiB"),
        ("over_provisioning", "0.2"),
        ("host.parallel_commands", "16"),
        ("nand.dies", "2"),
        ("buffer", "fifo"),
    ],
    &[
        ("capacity", "8GiB"),
        ("slc_cache.size", "2GiB"),
        ("ram.size", "100MiB"),
        ("over_provisioning", "0.1"),
        ("host.parallel_commands", "2"),
        ("nand.dies", "4"),
        ("nand.cell", "qlc"),
        ("nand.program_us", "[1800]"),
    ],
    &[
        ("capacity", "5GiB"),
        ("slc_cache.size", "200MiB"),
        ("ram.size", "24MiB"),
        ("over_provisioning", "0.28"),
        ("host.parallel_commands", "1"),
        ("nand.dies", "4"),
        ("buffer", "lru"),
    ],
];

#[test]
fn cache_knee_buffer_and_spare_flash_of_five_drives_are_found_within_a_tenth() {
    let mut misses = Vec::new();
    for drive in DRIVES {
        let device = device(drive);
        let reading = on(&device, "depth,buffer,fill,spare");
        let depths = reading.tables.iter().find(|table| table.id == "depth").expect("depths");
        for row in &depths.rows {
            let p99 = &row[3];
            let holds = |[low, high]: [f64; 2]| p99.value.is_some_and(|ms| (low..=high).contains(&ms));
            // IOs that wait in the same queues may leave it without one, those that are alone do not.
            let has_one = row[0].text == "1" || p99.interval.is_some();
            assert!(!has_one || p99.interval.is_some_and(holds), "{drive:?}: {row:?}");
        }
        let gib = f64::from(1 << 30);
        for (quantity, truth) in [
            ("queue-depth knee", knee(&device)),
            ("write buffer", device.ram.size.0 as f64 / f64::from(1 << 20)),
            ("SLC cache", device.slc_cache.size.0 as f64 / gib),
            ("effective over-provisioning", 100.0 * device.over_provisioning),
        ] {
            let found = found(&reading, "found", quantity, "value");
            let state = state(&reading, quantity);
            println!("{quantity}: {found:.3?}, configured {truth:.3}: {state}");
            assert_eq!(said_as(&reading, quantity), state, "{quantity}");
            if !found.is_some_and(|found| (found / truth - 1.0).abs() <= 0.1) {
                misses.push(format!("{drive:?}: {quantity} {found:?}, configured {truth}"));
            }
        }
    }
    assert!(misses.is_empty(), "{misses:#?}");
}

#[test]
fn a_drive_without_any_of_it_has_no_number_for_it() {
    let device =
        device(&[("capacity", "2GiB"), ("ftl", "page"), ("buffer", "none"), ("over_provisioning", "0.3")]);
    let reading = on(&device, "buffer,fill,idle");
    assert!(says(&reading, "Idle time makes no writes faster"), "{:?}", reading.sentences);
    assert_eq!(state(&reading, "SLC cache"), "unknown");
    // 64 dies take in what single writes bring: as a small buffer would.
    assert_eq!(state(&reading, "write buffer"), "unknown");
    for quantity in ["SLC cache", "write buffer"] {
        assert_eq!(found(&reading, "found", quantity, "value"), None);
    }
}

#[test]
fn reads_wait_longer_the_more_is_written_beside_them_and_a_flush_costs_its_time() {
    let rig = Rig::new(rigs::get("plain").expect("a rig"), 1);
    let (finished, reading) = read(rig, "tail,flush");
    let write_mb_s = |rate: &str| number(&reading, "tail", rate, "writes");
    assert_eq!(write_mb_s("0MB/s"), 0.0);
    // One IO of 162.5 us at a time: 25.2 MB/s at most, so 50 are not reached.
    assert!(write_mb_s("50MB/s") < 26.0, "{}", write_mb_s("50MB/s"));
    let median = |rate: &str| number(&reading, "tail", rate, "median");
    assert!(median("50MB/s") > 10.0 * median("0MB/s"));
    assert_eq!(found(&reading, "tail", "50MB/s", "p99"), None, "20 reads have none");
    assert!(found(&reading, "flush", "1", "flush").is_none_or(|ms| ms < 0.01), "a rig's flush costs nothing");
    let loaded = finished.iter().find(|done| done.experiment.beside.is_some()).expect("a load");
    assert_eq!(loaded.run.read_bytes, loaded.run.ios * 4096, "only reads are IOs of the run");
}

#[test]
fn idle_time_gives_back_what_was_folded_in_it() {
    // 256 MiB are folded at some 3.3 GB/s once nothing came for a tenth of a second: 10 ms are too short.
    let device = device(&[("capacity", "4GiB"), ("slc_cache.size", "256MiB")]);
    let reading = on(&device, "idle");
    let back = |idle: &str| number(&reading, "idle", idle, "recovered");
    assert!(back("100ms") < 0.01 && (back("1s") / 0.25 - 1.0).abs() < 0.1, "{:?}", reading.tables);
    assert!((back("10s") / back("1s") - 1.0).abs() < 0.05, "there is no more to give");
}

#[test]
fn discards_bring_back_the_speed_that_collecting_takes() {
    let device = device(&[("capacity", "2GiB"), ("slc_cache.size", "64MiB"), ("over_provisioning", "0.1")]);
    let reading = on(&device, "trim");
    assert!(says(&reading, "after a full discard"), "{:?}", reading.sentences);
    assert!(number(&reading, "trim", "1MiB", "mean") > 0.0);
}

#[test]
fn what_was_not_seen_is_not_said_of_a_stick_that_is_too_slow_for_it() {
    let Ok(Profile::Ssd(stick)) = Profile::find("usb-stick-2009", &[("capacity".into(), "512MiB".into())])
    else {
        panic!("a stick")
    };
    let reading = on(&stick, "fill,spare,flush,tail,idle");
    assert_eq!(found(&reading, "found", "SLC cache", "value"), None, "{:?}", reading.sentences);
    assert_eq!(
        found(&reading, "found", "effective over-provisioning", "value"),
        None,
        "{:?}",
        reading.sentences
    );
    // In a tenth of a second it writes once, and never flushes.
    assert_eq!(found(&reading, "flush", "8", "flush"), None);
    assert!(!says(&reading, "A flush after every write"), "{:?}", reading.sentences);
    assert!(!says(&reading, "p99 read latency"), "{:?}", reading.sentences);
    assert!(says(&reading, "Idle time makes no writes faster"), "{:?}", reading.sentences);
}

#[test]
fn a_buffer_of_whole_blocks_is_as_large_as_what_it_can_hold() {
    // Blocks of 16 MiB leave as one: behind any amount that is larger, one block or two are left.
    for buffer in ["fifo", "block-lru", "bplru"] {
        let device = device(&[
            ("capacity", "4GiB"),
            ("slc_cache.size", "512MiB"),
            ("buffer", buffer),
            ("ram.size", "29MiB"),
        ]);
        let reading = on(&device, "buffer,fill");
        let size = found(&reading, "found", "write buffer", "value");
        let is_right = size.is_some_and(|size| (size / 29.0 - 1.0).abs() < 0.1);
        assert!(is_right, "{buffer}: {size:?}, {:?}", reading.sentences);
        let cache = found(&reading, "found", "SLC cache", "value");
        assert!(cache.is_none_or(|cache| (cache / 0.5 - 1.0).abs() < 0.1), "{buffer}: {cache:?}");
    }
}

/// One that was caught: a fill of three levels, where the cache is slower than the link.
#[test]
fn a_cache_slower_than_the_link_is_not_taken_for_the_buffer_before_it() {
    let device = device(&[("capacity", "6GiB"), ("nand.channels", "2"), ("ram.size", "16MiB")]);
    let cache = number(&on(&device, "buffer,fill"), "found", "SLC cache", "value");
    assert!((cache - 1.0).abs() < 0.1, "{cache}");
}

/// And others: what is not determined is unknown, and no number.
#[test]
fn a_cache_that_never_empties_and_a_collector_that_copies_early_leave_spare_flash_unknown() {
    for settings in [
        &[("background.when", "never"), ("over_provisioning", "0.09")][..],
        &[("ftl", "page"), ("gc", "d-choices"), ("over_provisioning", "0.13")],
        &[("ram.serve_reads", "false"), ("over_provisioning", "0.13")],
    ] {
        let device = device(&[&[("capacity", "2GiB"), ("nand.dies", "2")], settings].concat());
        let reading = on(&device, "buffer,fill,spare");
        assert_eq!(
            state(&reading, "effective over-provisioning"),
            "unknown",
            "{settings:?}: {:?}",
            reading.sentences
        );
        assert_eq!(found(&reading, "found", "effective over-provisioning", "value"), None, "{settings:?}");
    }
}

#[test]
fn settings_that_say_nothing_are_refused() {
    let suite = &Suites::builtin().find("modern").expect("a suite").clone();
    for (key, value, words) in [
        ("parts", "depth,fil", "setting parts=fil: write all, or choose from"),
        ("time", "0s", "a time from 1ms to 24h"),
        ("buffer_max", "512KiB", "1MiB or more"),
        ("spare_max", "nan", "0.01 to 4"),
        ("rates", "0", "0.001 to 1000000"),
        ("idles", "soon", "setting idles=soon: "),
    ] {
        let values = [(key.to_string(), value.to_string())];
        let settings =
            Settings { write: true, can_trim: true, repeats: 1, bs: Bytes(4 << 10), ..Settings::default() };
        let rig = Rig::new(rigs::get("plain").expect("a rig"), 1);
        let error =
            conduct(suite, &values, &mut Alone(rig), &settings).expect_err("it is refused").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_plan_counts_the_load_beside_a_run_and_no_data_for_discards() {
    let suite = &Suites::builtin().find("modern").expect("a suite").clone();
    let rig = Rig::new(rigs::get("plain").expect("a rig"), 1);
    let plan = |parts: &str| {
        let values = [("parts".to_string(), parts.to_string())];
        let settings =
            Settings { write: true, can_trim: true, repeats: 1, bs: Bytes(4 << 10), ..Settings::default() };
        Plan::of(suite, &values, rig.info(), &settings).expect("a plan")
    };
    assert_eq!(plan("tail").depth_max(), 33, "one read and 32 writes");
    assert_eq!(plan("trim").io_bytes_max(), 1 << 20, "the fill's; a discard of 512 MiB carries nothing");
}
