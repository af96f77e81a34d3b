//! A device some of whose IOs fail: what is measured all the same, and how it says so.

use std::fs::{self, File};

use crate::common::kernel::{Loop, Scratch, requires};
use crate::common::{call, folder, scratch, stored_runs};
use serde_json::Value;

const MIB: u64 = 1 << 20;

/// A loop device whose image shrinks beneath it: reads of its last eighth fail with EIO.
fn failing(scratch: &Scratch) -> Loop {
    let image = scratch.path("disk");
    fs::write(&image, vec![7; 64 * MIB as usize]).unwrap();
    let disk = Loop::attach(&image, &[]);
    File::options().write(true).open(&disk.image).unwrap().set_len(56 * MIB).unwrap();
    disk
}

fn count(errors: &Value) -> u64 {
    errors["count"].as_u64().expect("a count")
}

#[test]
fn a_measurement_stops_at_an_error_or_counts_them_as_it_was_asked() {
    if !requires(&[]) {
        return;
    }
    let scratch = scratch();
    let (disk, at) = (failing(&scratch), folder(&scratch));
    let arguments = ["measure", disk.name(), "--rw", "randread", "--bs", "4k", "--number-ios", "4000"];
    for engine in ["sync", "io_uring"] {
        let with = |more: &[&str]| call(&at, &[&arguments[..], &["--engine", engine], more].concat());
        with(&["-o", &format!("{engine}-stop")])
            .failed(1, &["Input/output error", "measured before the error"]);
        let go_on = ["--on-error", "continue=20%", "--seed", "1", "-o", engine];
        let json = with(&[&go_on[..], &["--json"]].concat()).well().json();
        let (ios, errors) = (json["ios"].as_u64().expect("IOs"), count(&json["io_errors"]));
        assert_eq!(ios + errors, 4_000, "{engine}: each IO is done or failed");
        assert!((350..650).contains(&errors), "{engine}: an eighth of 4,000, {errors}");
        for error in json["io_errors"]["first"].as_array().expect("places") {
            assert!(error["offset_bytes"].as_u64() >= Some(56 * MIB), "{error}");
            assert_eq!((&error["op"], &error["length_bytes"]), (&"read".into(), &4096.into()));
            assert!(error["cause"].as_str().is_some_and(|cause| cause.contains("Input/output")), "{error}");
        }
        assert!(json["mean_ms"].as_f64() > Some(0.0));
        let shown = call(&at, &["show", engine]).well().out;
        assert!(shown.contains("IO errors") && shown.contains(&format!("{errors} of 4,000")), "{shown}");
        let limits = json["limits"].as_array().expect("what keeps the mean from being sure");
        assert!(
            limits.iter().any(|limit| limit["limit"] == "failed" && limit["ios"] == errors),
            "{limits:?}"
        );
        assert_ne!(json["confidence"], "supported");
        let csv = format!("{engine}-csv");
        call(&at, &["export", engine, "--to", "csv", "--ios", "-o", &csv]).well();
        let file = fs::read_dir(scratch.path(&csv).join("ios")).unwrap().next().expect("a file").unwrap();
        let text = fs::read_to_string(file.path()).unwrap();
        let rows: Vec<u64> =
            text.lines().skip(1).map(|row| row.split(',').nth(3).unwrap().parse().unwrap()).collect();
        assert_eq!(rows.len() as u64, ios, "{engine}: what failed has no row");
        assert!(rows.iter().all(|offset| *offset < 56 * MIB), "{engine}: the others have their addresses");
    }
    let strict =
        [&arguments[..], &["--on-error", "continue=20%", "--seed", "1", "--strict", "-o", "strict"]].concat();
    call(&at, &strict).failed(4, &[]);
}

#[test]
fn a_run_goes_on_and_every_view_says_where_ios_failed() {
    if !requires(&[]) {
        return;
    }
    let scratch = scratch();
    let (disk, at) = (failing(&scratch), folder(&scratch));
    let run = ["run", disk.name(), "--quick", "--only", "baseline", "--seed", "1", "--json", "-o"];
    let json = call(&at, &[&run[..], &["run", "--on-error", "continue=30%"]].concat()).well().json();
    assert_eq!(json["complete"], true, "{json:#}");
    let errors = json["io_errors"].as_array().expect("experiments");
    let random = errors.iter().find(|of| of["experiment"] == "baseline/RR/32KiB").expect("it has errors");
    assert!(count(random) > 0 && random["ios"].as_u64() > Some(100), "{random}");
    let stored = stored_runs(&scratch.path("run"));
    let kept: u64 = stored
        .iter()
        .filter(|run| run["run"]["errors"].is_object())
        .map(|run| count(&run["run"]["errors"]))
        .sum();
    assert_eq!(kept, errors.iter().map(count).sum::<u64>(), "the result keeps all of them");
    let shown = call(&at, &["show", "run", "--details"]).well().out;
    assert!(shown.contains("IOs failed and have no response time: "), "{shown}");
    assert!(shown.contains(" ms !") || shown.contains(" µs !"), "the number is marked: {shown}");
    assert!(shown.contains("baseline/RR/32KiB ("), "the place is named: {shown}");
    let page = fs::read_to_string(scratch.path("run/report.html")).unwrap();
    assert!(page.contains("IO errors") && page.contains("some of its IOs failed"), "the page says so");

    let ended = call(&at, &[&run[..], &["all-stop", "--on-error", "stop"]].concat());
    ended.failed(1, &["Input/output error", "--resume all-stop"]);
    // Resumed as it is printed it meets the same IO; told to go on it comes to its end.
    call(&at, &["run", "--resume", "all-stop"]).failed(1, &["Input/output error"]);
    let resumed = call(&at, &["run", "--resume", "all-stop", "--on-error", "continue=30%", "--json"]).well();
    assert_eq!(resumed.json()["complete"], true);
}
