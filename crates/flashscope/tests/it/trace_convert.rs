//! `flashscope trace convert`: other programs agree on what was written, and no half file is ever left.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::kernel::{Scratch, requires, run};
use crate::common::{call, text};
use flashscope_core::number::count;
use flashscope_trace::FORMATS;
use serde_json::Value;

/// A sample of the crate that reads traces.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples").join(name)
}

/// 22,389 writes, 32 reads and 42 flushes within a minute; counts and bytes are those of awk on the sample.
const UNTAR: &str = "untar-ext3-flush.tracefs.gz";
const WRITES: (u64, u64) = (22_389, 269_144_064);
const READS: (u64, u64) = (32, 254_976);
const FLUSHES: u64 = 42;

#[test]
fn what_was_written_is_recognised_and_written_the_same_again() {
    let scratch = Scratch::new();
    let convert = |input: &str, output: &str, format: &str, more: &[&str]| {
        call(&scratch.path(""), &[&["trace", "convert", input, output, "--to", format], more].concat()).well()
    };
    for format in FORMATS.iter().filter(|format| format.is_written()) {
        let said = convert(text(&sample(UNTAR)), "one", format.name, &[]).err;
        let flushes = if said.contains(&format!("flushes dropped: {FLUSHES}")) { 0 } else { FLUSHES };
        let written = WRITES.0 + READS.0 + flushes;
        let written = format!("{} requests written to one as ", count(written));
        assert!(said.contains(&written), "{said}");
        let sniffed = call(&scratch.path(""), &["trace", "sniff", "one"]).well().out;
        assert!(sniffed.starts_with(&format!("one: {}, ", format.name)), "{sniffed}");
        // Some formats leave the unit of time to be guessed: who knows the format says so.
        convert("one", "two", format.name, &["--from", format.name]);
        let [one, two] = ["one", "two"].map(|name| fs::read(scratch.path(name)).unwrap());
        assert!(one == two && one.len() > 50_000, "{}: {} and {}", format.name, one.len(), two.len());
    }
}

#[test]
fn awk_counts_the_same_requests_and_bytes_in_simulators_files() {
    let scratch = Scratch::new();
    // Type or flags, and the size in sectors.
    let awk = "{ n[$5]++; bytes[$5] += 512 * $4 } END { print n[0], bytes[0], n[1], bytes[1], NR }";
    for name in ["untar.mqsim", "untar.disksim"] {
        let said = call(&scratch.path(""), &["trace", "convert", text(&sample(UNTAR)), name]).well().err;
        assert!(said.contains(&format!("flushes dropped: {FLUSHES}")), "{said}");
        let counted = run("awk", &[awk, text(&scratch.path(name))]);
        let expected = format!("{} {} {} {} {}", WRITES.0, WRITES.1, READS.0, READS.1, WRITES.0 + READS.0);
        assert_eq!(counted.trim(), expected, "{name}");
    }
}

/// What fio did with a log.
fn fio(scratch: &Scratch, log: &str, options: &[&str]) -> Value {
    let disk = scratch.image("disk", 1 << 30);
    let log = format!("--read_iolog={}", text(&scratch.path(log)));
    let disk = [format!("--filename={}", text(&disk)), format!("--replay_redirect={}", text(&disk))];
    let always = ["--name=replay", "--ioengine=psync", "--output-format=json", &log, &disk[0], &disk[1]];
    let out = run("fio", &[&always, options].concat());
    // Complaints would stand before it.
    assert!(out.starts_with('{'), "{out}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    json["jobs"][0].clone()
}

#[test]
fn fio_replays_the_log_that_was_written() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    call(&scratch.path(""), &["trace", "convert", text(&sample(UNTAR)), "untar.iolog"]).well();
    let done = fio(&scratch, "untar.iolog", &["--replay_no_stall=1"]);
    assert_eq!(done["error"], 0);
    for (side, (requests, bytes)) in [("read", READS), ("write", WRITES), ("trim", (0, 0))] {
        assert_eq!(done[side]["total_ios"], requests, "{side}");
        assert_eq!(done[side]["io_bytes"], bytes, "{side}");
    }
    assert_eq!(done["sync"]["total_ios"], FLUSHES);
}

#[test]
fn fio_keeps_every_pause_the_first_one_too() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    let lines = "5000000000 4 0 8 0\n5200000000 4 8 8 0\n5400000000 4 16 8 1\n";
    fs::write(scratch.path("pauses.mqsim"), lines).unwrap();
    call(&scratch.path(""), &["trace", "convert", "pauses.mqsim", "pauses.iolog"]).well();
    // Two pauses of 200 ms. A busy machine only ever makes it longer.
    let spent_ms = fio(&scratch, "pauses.iolog", &[])["job_runtime"].as_u64().expect("a number");
    assert!(spent_ms >= 400, "{spent_ms} ms");
}

#[test]
fn a_failed_conversion_leaves_everything_as_it_was() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let good = "1 4 0 8 0\n".repeat(5000);
    fs::write(scratch.path("good.mqsim"), &good).unwrap();
    fs::write(scratch.path("bad.mqsim"), format!("{good}1 4 0 8 7\n")).unwrap();
    fs::write(scratch.path("old.iolog"), "old").unwrap();
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let convert = |input: &str, output: &str| call(&folder, &["trace", "convert", input, output]);
    convert("bad.mqsim", "new.iolog").failed(1, &["bad.mqsim: line 5001: ", "the type"]);
    convert("bad.mqsim", "old.iolog").failed(1, &["line 5001"]);
    assert_eq!((names(), fs::read_to_string(scratch.path("old.iolog")).unwrap()), (before, "old".into()));
    convert("good.mqsim", "old.iolog").well();
    let new = fs::read_to_string(scratch.path("old.iolog")).unwrap();
    assert_eq!(new.lines().count(), 5000 + 4, "a heading, add, open and close");
    // Whoever reads along has what was in order.
    let piped =
        call(&folder, &["trace", "convert", "bad.mqsim", "-", "--to", "mqsim"]).failed(1, &["line 5001"]);
    assert_eq!(piped.out, good.replace("1 4", "0 4"));
}

#[test]
fn every_format_has_a_row_in_the_documents_table() {
    let table = include_str!("../../../../docs/traces.md");
    for format in FORMATS {
        let rows = table.lines().filter(|line| line.starts_with(&format!("| `{}` |", format.name))).count();
        assert_eq!(rows, 1, "{}", format.name);
    }
}

#[test]
fn a_trace_of_which_nothing_is_left_replaces_no_file() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    fs::write(scratch.path("flushes.iolog"), "fio version 3 iolog\n1 f sync\n2 f sync\n").unwrap();
    fs::write(scratch.path("old.mqsim"), "old").unwrap();
    let said = ["no request of the trace is left", "mqsim cannot hold", "--to", "flushes dropped: 2"];
    call(&folder, &["trace", "convert", "flushes.iolog", "old.mqsim"]).failed(2, &said);
    let said = [
        "no request of the trace is left; select more of the trace",
        "requests dropped: other operations: 2",
    ];
    call(&folder, &["trace", "cut", "flushes.iolog", "old.mqsim", "--op", "read"]).failed(2, &said);
    call(&folder, &["trace", "cut", "flushes.iolog", "new.mqsim", "--op", "read"]).failed(2, &said);
    assert_eq!(fs::read_to_string(scratch.path("old.mqsim")).unwrap(), "old");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no part is left");
}

#[test]
fn the_trace_itself_is_never_overwritten() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    fs::write(scratch.path("a.mqsim"), "1 4 0 8 0\n").unwrap();
    fs::hard_link(scratch.path("a.mqsim"), scratch.path("b.mqsim")).unwrap();
    std::os::unix::fs::symlink("a.mqsim", scratch.path("c.mqsim")).unwrap();
    for output in ["a.mqsim", "./a.mqsim", "b.mqsim", "c.mqsim"] {
        call(&folder, &["trace", "convert", "a.mqsim", output]).failed(2, &["is the input file"]);
    }
    assert_eq!(fs::read_to_string(scratch.path("a.mqsim")).unwrap(), "1 4 0 8 0\n");
    // A link stays one; what it points to is replaced.
    fs::write(scratch.path("d.mqsim"), "7 4 0 8 0\n").unwrap();
    call(&folder, &["trace", "convert", "d.mqsim", "c.mqsim"]).well();
    assert!(scratch.path("c.mqsim").is_symlink());
    assert_eq!(fs::read_to_string(scratch.path("a.mqsim")).unwrap(), "0 4 0 8 0\n");
    assert_eq!(fs::read_to_string(scratch.path("b.mqsim")).unwrap(), "1 4 0 8 0\n");
    call(&folder, &["trace", "convert", "a.mqsim", "/dev/null", "--to", "mqsim"]).well();
    call(&folder, &["trace", "convert", "a.mqsim", ".", "--to", "mqsim"]).failed(2, &["a folder"]);
}
