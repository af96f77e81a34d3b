//! `flashscope replay` as a person calls it: on files, on simulated devices, with the answer checked by other
//! means than flashscope's own.

use std::fs;
use std::path::Path;

use crate::common::kernel::Scratch;
use crate::common::{Ended, call};
use serde_json::Value;

const MIB: usize = 1 << 20;

fn sample(name: &str) -> String {
    format!("{}/../trace/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A blkreplay trace: start in seconds, offset and length in bytes, operation, latency in seconds.
fn trace(folder: &Path, name: &str, requests: &[(f64, usize, usize, char, f64)]) -> String {
    let line = |(start, offset, length, op, latency): &(f64, usize, usize, char, f64)| {
        format!("{start:.9} ; {} ; {} ; {op} ; 0.0 ; {latency:.9}\n", offset / 512, length / 512)
    };
    let text: String = requests.iter().map(line).collect();
    fs::write(folder.join(name), text).unwrap();
    name.into()
}

/// A file that may be written.
fn target(folder: &Path, name: &str, mib: usize) {
    call(folder, &["create", name, &format!("{mib}MiB")]).well();
}

fn replay(folder: &Path, arguments: &[&str]) -> Ended {
    call(folder, &[&["replay"], arguments].concat())
}

fn number(document: &Value, key: &str) -> f64 {
    document.pointer(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{key} in {document}"))
}

#[test]
fn requests_go_at_their_time_and_lateness_is_told() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    // Reads a millisecond apart on a device that takes longer: they queue, and none is late.
    let requests: Vec<_> = (0..500).map(|i| (100.0 + i as f64 / 1e3, i * 4096, 4096, 'R', 0.0)).collect();
    trace(folder, "t.load", &requests);
    let result = replay(folder, &["t.load", "sim:x25m-2009?capacity=1GiB", "--json"]).well().json();
    assert_eq!(number(&result, "/trace_s"), 0.499);
    assert_eq!(number(&result, "/lateness_us/max"), 0.0);
    assert_eq!(number(&result, "/on_time_share"), 1.0);
    assert!((0.499..0.5).contains(&number(&result, "/wall_s")), "{result}");
    assert!(result["verdict"].as_str().unwrap().starts_with("on time: 100 %"), "{result}");
    // With one in flight on a slow device each waits for the one before: the last is late by all of it.
    let slow = ["t.load", "rig:mtron", "--iodepth", "1", "--json", "--strict"];
    let ended = replay(folder, &slow);
    assert_eq!(ended.status, 0, "{ended:?}");
    let writes: Vec<_> =
        (0..500).map(|i| (i as f64 / 1e3, (i * 7919 % 500) * 32768, 32768, 'W', 0.0)).collect();
    trace(folder, "w.load", &writes);
    let ended = replay(folder, &["w.load", "rig:mtron", "--iodepth", "1", "--json", "--strict"]);
    assert_eq!(ended.status, 4, "late, and --strict: {ended:?}");
    let result = ended.json();
    let (wall_s, trace_s) = (number(&result, "/wall_s"), number(&result, "/trace_s"));
    let last_late_s = number(&result, "/lateness_us/max") / 1e6;
    assert!(result["verdict"].as_str().unwrap().starts_with("late: "), "{result}");
    assert!(wall_s > 2.0 * trace_s, "{result}");
    assert!((wall_s - trace_s - last_late_s).abs() < 0.05, "what is late adds up: {result}");
}

#[test]
fn nothing_is_written_without_leave_and_nothing_is_begun_that_cannot_end() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    trace(folder, "t.load", &[(0.0, 0, 4096, 'R', 0.0), (0.0, 4096, 4096, 'W', 0.0)]);
    target(folder, "disk", 1);
    let before = fs::read(folder.join("disk")).unwrap();
    replay(folder, &["t.load", "disk"]).failed(2, &["--write", "--read-only"]);
    let result = replay(folder, &["t.load", "disk", "--read-only", "--json"]).well().json();
    assert_eq!((number(&result, "/requests"), number(&result, "/left_out")), (1.0, 1.0));
    // A trace that turns out to be bad, or too large for the target, at its last request.
    trace(folder, "far.load", &[(0.0, 0, 4096, 'W', 0.0), (0.0, MIB, 4096, 'W', 0.0)]);
    replay(folder, &["far.load", "disk", "--write"]).failed(1, &["far.load", "request 2", "beyond"]);
    let bad = fs::read_to_string(folder.join("t.load")).unwrap() + "garbage\n";
    fs::write(folder.join("bad.load"), bad).unwrap();
    replay(folder, &["bad.load", "disk", "--write"]).failed(1, &["bad.load", "line 3", "--lenient"]);
    assert!(fs::read(folder.join("disk")).unwrap() == before, "nothing was written");
    let result = replay(folder, &["bad.load", "disk", "--write", "--lenient", "--json"]).well().json();
    assert_eq!(number(&result, "/bad_lines"), 1.0);
    assert!(result["first_bad_line"].as_str().unwrap().contains("line 3"), "{result}");
    assert!(fs::read(folder.join("disk")).unwrap() != before, "now it was");
}

#[test]
fn a_result_folder_holds_every_io_and_is_shown_again() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    let postmark = sample("postmark-ext3.tracefs.gz");
    let flags = [&postmark, "sim:bplru-board", "-o", "result"];
    let shown = replay(folder, &flags).well().out;
    assert!(shown.contains("16,379 requests") && shown.contains("lateness"), "{shown}");
    assert_eq!(call(folder, &["show", "result"]).well().out, shown);
    let stored = call(folder, &["show", "result", "--json"]).well().json();
    assert_eq!(number(&stored, "/requests"), 16_379.0);
    assert!(folder.join("result/ios/replay.parquet").metadata().unwrap().len() > 10_000);
}

#[test]
fn a_trace_is_fitted_to_a_smaller_target_and_told_what_was_changed() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    target(folder, "disk", 1);
    let writes: Vec<_> = (0..64).map(|i| (0.0, i * MIB, 8192, 'W', 0.0)).collect();
    trace(folder, "t.load", &writes);
    let flags = ["t.load", "disk", "--write", "--verify", "--timing", "asap", "--json"];
    replay(folder, &flags).failed(1, &["request 2", "--fit modulo"]);
    let with = |more: &[&str]| replay(folder, &[&flags, more].concat()).well().json();
    // A mebibyte apart, they all come to lie on the first 16 sectors of a mebibyte.
    let modulo = with(&["--fit", "modulo"]);
    assert_eq!(number(&modulo, "/verified_blocks"), 16.0, "{modulo}");
    assert_ne!(modulo["notes"].as_array().unwrap().len(), 0, "{modulo}");
    // Side by side, they fill 64 times 8 KiB.
    let compact = with(&["--fit", "compact"]);
    assert_eq!(number(&compact, "/verified_blocks"), 64.0 * 16.0, "{compact}");
    assert_eq!(number(&with(&["--fit", "compact", "--repeat", "3"]), "/requests"), 192.0);
    assert_eq!(number(&with(&["--fit", "compact", "--split", "4096"]), "/requests"), 128.0);
    // Simulated, the same.
    let sim = ["sim", "bplru-board?over_provisioning=0.5&capacity=32MiB", "--trace", "t.load", "--json"];
    call(folder, &sim).failed(1, &["t.load", "request 33", "--fit"]);
    let result = call(folder, &[&sim[..], &["--fit", "compact", "--repeat", "2"]].concat()).well().json();
    assert_eq!(result["devices"][0]["host_writes"], 128, "{result}");
    call(folder, &["sim", "bplru-board", "--fit", "compact"]).failed(2, &["--trace"]);
}

#[test]
fn what_was_measured_before_a_failure_is_kept() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    let writes: Vec<_> = (0..20_000).map(|i| (0.0, i * 7919 % 4096 * 4096, 4096, 'W', 0.0)).collect();
    trace(folder, "t.load", &writes);
    let worn = "sim:bplru-board?capacity=32MiB&over_provisioning=0.5&nand.endurance_erases=3";
    let ended = replay(folder, &["t.load", worn, "--timing", "asap", "--json", "-o", "out"]);
    assert_eq!(ended.status, 1, "{ended:?}");
    let result = ended.json();
    assert_eq!(result["complete"], false, "{result}");
    let error = result["error"].as_str().unwrap();
    assert!(error.contains("erase") && ended.err.contains(error), "{error}: {}", ended.err);
    let ios = number(&result, "/ios");
    assert!((100.0..20_000.0).contains(&ios), "{result}");
    assert_eq!(call(folder, &["show", "out", "--json"]).well().json(), result);
    assert!(folder.join("out/ios/replay.parquet").is_file());
}

#[test]
fn a_target_can_be_trimmed_first_and_limits_are_told() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let folder = scratch.path("");
    let folder = folder.as_path();
    target(folder, "disk", 16);
    trace(folder, "t.load", &[(0.0, 0, 4096, 'W', 0.0)]);
    replay(folder, &["t.load", "disk", "--write", "--discard", "--verify", "--json"]).well();
    let data = fs::read(folder.join("disk")).unwrap();
    assert!(data[4096..].iter().all(|byte| *byte == 0), "a hole in a file reads as zeros");
    assert_ne!(data[..4096], data[4096..8192]);
    replay(folder, &["t.load", "null:", "--iodepth", "0"]).failed(2, &["from 1 to 4096"]);
    replay(folder, &["t.load", "null:", "--iodepth", "4294967295"]).failed(2, &["from 1 to 4096"]);
    replay(folder, &["-", "null:"]).failed(2, &["twice", "store it in a file"]);
    replay(folder, &["/dev/stdin", "null:"]).failed(2, &["twice"]);
    replay(folder, &["t.load", "disk", "--write", "--timing", "asap", "--engine", "sync"]).well();
    replay(folder, &["t.load", "disk", "--write", "--engine", "sync"]).failed(2, &["--iodepth 1"]);
}
