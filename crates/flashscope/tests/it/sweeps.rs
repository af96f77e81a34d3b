//! Sweeps of `flashscope sim`: their table and picture, what is missing after an interruption, traces from a
//! pipe, and two result folders side by side.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, ended, flashscope, start, wait_for};
use serde_json::Value;

/// A device of 64 MiB that is soon full, and a pattern.
const SMALL: &str = "bplru-board --capacity 64m --over-provisioning 0.2 --rw randwrite --bs 4k --seed 1";
/// Many times as many as are done before a test interrupts them.
const ENDLESS: &str = "--number-ios 50000000";

fn words(line: &str) -> Vec<&str> {
    ["sim"].into_iter().chain(line.split_whitespace()).collect()
}

fn sim(folder: &Path, line: &str) -> Ended {
    call(folder, &words(line))
}

fn list(ended: &Ended) -> Vec<Value> {
    let document = ended.json();
    assert_eq!(document["schema_version"], 1);
    document["devices"].as_array().expect("a list of runs").clone()
}

fn column(runs: &[Value], keys: &[&str]) -> Vec<String> {
    let row = |run: &Value| keys.iter().map(|key| run[*key].to_string()).collect::<Vec<_>>().join(" ");
    runs.iter().map(row).collect()
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples/install-ext3.tracefs.gz")
}

fn interrupt(child: Child) -> Ended {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
    child.wait_with_output().expect("it ends").into()
}

/// What is kept of a sweep at work.
fn kept(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("sim.json")).unwrap_or_else(|_| "[]".into());
    serde_json::from_str(&text).expect("whole at any moment")
}

#[test]
fn a_list_that_means_nothing_to_any_device_is_said() {
    let scratch = Scratch::new();
    let ended = sim(&scratch.path(""), &format!("{SMALL} --number-ios 50 --gc greedy,fifo --json")).well();
    assert_eq!(list(&ended).len(), 1);
    assert!(ended.err.contains("--gc has no effect"), "{}", ended.err);
}

#[test]
fn capacities_have_their_column_and_are_not_in_the_header() {
    let scratch = Scratch::new();
    let line = "bplru-board --over-provisioning 0.2 --rw randwrite --bs 4k --number-ios 50 --capacity";
    let one = sim(&scratch.path(""), &format!("{line} 64m")).well().out;
    assert!(one.contains("sim:bplru-board · 64 MiB") && !one.contains("capacity"), "{one}");
    let two = sim(&scratch.path(""), &format!("{line} 64m,128m")).well().out;
    let lines: Vec<&str> = two.lines().collect();
    assert_eq!(lines[0], "  sim:bplru-board · rw=randwrite bs=4KiB number_ios=50");
    assert!(lines[2].trim_start().starts_with("capacity"), "{two}");
    assert!(lines[3].contains("64 MiB") && lines[4].contains("128 MiB"), "{two}");
}

#[test]
fn a_device_without_a_buffer_is_a_level_line_over_sizes() {
    let scratch = Scratch::new();
    let line = format!("{SMALL} --number-ios 50 --buffer none,lru --buffer-size 1m,2m,4m --figure a.svg");
    sim(&scratch.path(""), &line).well();
    let picture = fs::read_to_string(scratch.path("a.svg")).unwrap();
    let dots = picture.matches("stroke-linecap=\"round\"").count();
    assert_eq!(dots, 2 * (3 + 3), "three sizes of two devices in two panels");
}

#[test]
fn a_warm_up_as_long_as_the_trace_is_said_with_the_counts() {
    let scratch = Scratch::new();
    let line = format!("bplru-board --trace {} --warmup 13333", sample().display());
    let words = ["a warm-up of 13333 IOs", "the trace has 13333", "smaller --warmup"];
    sim(&scratch.path(""), &line).failed(2, &words);
}

#[test]
fn an_interrupted_sweep_says_everywhere_what_is_missing() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let lists = "--ftl page --buffer none,lru --buffer-size 1m,2m --jobs 1";
    let line = format!("{SMALL} {ENDLESS} {lists} -o kept --figure a.svg");
    let child = start(&folder, &words(&line));
    let file =
        scratch.path("kept/ios/0000-sim-capacity-64MiB-over_provisioning-0.2-ftl-page-buffer-none.parquet");
    let file = file.with_extension("parquet.partial");
    wait_for("a million IOs", || file.metadata().is_ok_and(|metadata| metadata.len() > 1 << 16));
    assert_eq!(column(&kept(&scratch.path("kept")), &["complete"]), ["false", "false", "false"]);
    let ended = interrupt(child);
    assert_eq!(ended.status, 130, "{ended:?}");
    for text in
        ["PARTIAL: 0 of 3 simulations", "interrupted buffer=none", "not run    buffer=lru ram.size=1MiB"]
    {
        assert!(ended.out.contains(text), "'{text}' is missing in {}", ended.out);
    }
    assert!(!ended.out.contains(" 0 IOs") && ended.out.contains("INTERRUPTED"), "{}", ended.out);
    let stored = call(&folder, &["show", "kept"]).well();
    assert_eq!(stored.out, ended.out);
    let entries = list(&call(&folder, &["show", "kept", "--json"]).well());
    assert_eq!(column(&entries, &["complete"]), ["false", "false", "false"]);
    assert!(entries[0]["ios"].as_u64().unwrap() > 0);
    assert_eq!(column(&entries[1..], &["ios", "throughput_mb_s"]), ["null null", "null null"]);
    assert!(!scratch.path("a.svg").exists(), "nothing came to its end");
}

#[test]
fn filling_a_large_device_is_interrupted_at_once() {
    let scratch = Scratch::new();
    let line = "x25m-2009 --initial random --rw randwrite --bs 4k --number-ios 1 --json -o kept";
    let child = start(&scratch.path(""), &words(line));
    wait_for("the folder", || !kept(&scratch.path("kept")).is_empty());
    std::thread::sleep(std::time::Duration::from_millis(200));
    let ended = interrupt(child);
    assert_eq!(ended.status, 130, "{ended:?}");
    // A device that was filled to its end would have numbers.
    assert_eq!(column(&list(&ended), &["complete", "ios", "block_erases"]), ["false null null"]);
}

#[test]
fn a_trace_from_a_pipe_is_simulated_once_and_refused_for_more() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let piped = |line: &str| {
        let mut gzip = Command::new("gzip").arg("-dc").arg(sample()).stdout(Stdio::piped()).spawn().unwrap();
        let mut command = flashscope(&words(&format!("bplru-board --json --seed 1 --trace {line}")));
        let result = ended(command.stdin(gzip.stdout.take().unwrap()), &folder);
        // It holds the pipe's end: gzip would wait for a reader.
        drop(command);
        let _ = gzip.wait();
        result
    };
    for name in ["-", "/dev/stdin"] {
        assert_eq!(list(&piped(name).well())[0]["ios"], 13_333);
        for more in ["--buffer none,lru", "-o kept"] {
            piped(&format!("{name} {more}")).failed(2, &["is a pipe", "store it in a file"]);
        }
    }
    // Standard input may be a file, which can be read again.
    let mut command = flashscope(&words("bplru-board --json --trace - --buffer none,lru"));
    let twice = ended(command.stdin(File::open(sample()).unwrap()), &folder).well();
    assert_eq!(column(&list(&twice), &["ios"]), ["13333", "13333"]);
}

#[test]
fn a_target_is_taken_for_its_profile() {
    let scratch = Scratch::new();
    let line = "sim:bplru-board?buffer=lru --rw randwrite --bs 4k --number-ios 50 --json";
    let run = &list(&sim(&scratch.path(""), line).well())[0];
    assert_eq!((&run["profile"], &run["buffer"]), (&"bplru-board".into(), &"lru".into()));
}

#[test]
fn folders_of_simulations_are_compared_device_by_device() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let few = format!("{SMALL} --number-ios 500");
    sim(&folder, &format!("{few} --buffer lru,fab -o a")).well();
    sim(&folder, &format!("{few} --buffer lru,bplru -o b")).well();
    let same = call(&folder, &["compare", "a", "a", "--json"]).well().json();
    assert_eq!(column(same["simulations"].as_array().unwrap(), &["throughput_ratio"]), ["1.0", "1.0"]);
    let both = call(&folder, &["compare", "a", "b", "--json"]).well().json();
    let labels = |key: &str| both[key].to_string();
    assert_eq!(both["simulations"].as_array().unwrap().len(), 1);
    assert!(labels("only_a").contains("buffer=fab") && labels("only_b").contains("buffer=bplru"), "{both}");
    let view = call(&folder, &["compare", "a", "b"]).well().out;
    assert!(view.contains("1 simulation only in B:") && view.contains("x1.00"), "{view}");
    // Two single devices are a pair, whatever they are called.
    sim(&folder, &format!("{few} --ftl page -o page")).well();
    sim(&folder, &format!("{few} --ftl block -o block")).well();
    let pair = call(&folder, &["compare", "page", "block", "--json"]).well().json();
    let [a, b] = ["a", "b"].map(|side| pair["simulations"][0][side]["throughput_mb_s"].as_f64().unwrap());
    assert!(a > b, "{pair}");
}

#[test]
fn a_folder_of_simulations_is_nothing_else() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    sim(&folder, &format!("{SMALL} --number-ios 50 -o sim")).well();
    call(&folder, &["measure", "rig:mtron", "--rw", "read", "--number-ios", "64", "-o", "measured"]).well();
    call(&folder, &["compare", "sim", "measured"]).failed(2, &["sim holds simulations", "the same kind"]);
    call(&folder, &["run", "--resume", "sim"]).failed(2, &["holds simulations", "simulate again"]);
    fs::write(scratch.path("sim/sim.json"), "[{\"profile\": \"old\"}]").unwrap();
    call(&folder, &["show", "sim"]).failed(1, &["sim.json", "another version", "simulate again"]);
}
