//! What `flashscope sim` prints and keeps: the keys of its JSON, its folder, errors that name their remedy.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, text};
use serde_json::Value;

/// Paper 002's rules, and a seed.
const RULES: &str = "--ignore-flush --set host.ignore_reads=true --seed 1";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples").join(name)
}

fn sim(folder: &Path, line: &str) -> Ended {
    let arguments: Vec<&str> = ["sim"].into_iter().chain(line.split_whitespace()).collect();
    call(folder, &arguments)
}

/// The runs of a simulation of paper 002's board.
fn runs(line: &str) -> Vec<Value> {
    let scratch = Scratch::new();
    let ended = sim(&scratch.path(""), &format!("bplru-board --json {line}")).well();
    let document = ended.json();
    assert_eq!(document["schema_version"], 1);
    document["devices"].as_array().expect("a list of runs").clone()
}

#[test]
fn every_key_of_the_interface_is_there() {
    let run = runs("--buffer bplru --rw randwrite --bs 4k --number-ios 50 --seed 1").remove(0);
    let keys = "ftl gc buffer buffer_bytes host_reads host_writes host_read_bytes host_written_bytes \
        page_reads page_programs block_erases merges programs_by_cause reads_by_cause buffer_hits \
        buffer_evictions padding_reads simulated_s throughput_mb_s response_us write_amplification wear \
        requests_per_cpu_s over_provisioning effective_over_provisioning";
    let has = |object: &Value, keys: &str| {
        for key in keys.split_whitespace() {
            assert!(object.get(key).is_some(), "{key} is missing in {object}");
        }
    };
    has(&run, keys);
    has(&run["merges"], "switch partial full");
    has(&run["programs_by_cause"], "host gc merge padding map wear");
    has(&run["reads_by_cause"], "host gc merge padding map wear");
    has(&run["response_us"], "mean p50 p99 p999 max");
    has(&run["wear"], "min mean max");
}

#[test]
fn a_result_folder_keeps_everything_and_can_be_shown_again() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let line = "bplru-board --buffer lru,bplru --buffer-size 1m,2m --rw randwrite --bs 4k --number-ios 500 \
        --seed 1 -o kept --figure sweep.svg";
    let table = sim(&folder, line).well().out;
    let kept = scratch.path("kept");
    let names: Vec<String> = fs::read_dir(&kept)
        .unwrap()
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            let inside = fs::read_dir(&path).into_iter().flatten().map(|entry| entry.unwrap().path());
            inside.chain([path.clone()]).collect::<Vec<_>>()
        })
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    for name in ["manifest.json", "sim.json"] {
        assert!(names.iter().any(|each| each == name), "{name} is missing: {names:?}");
    }
    assert_eq!(names.iter().filter(|name| name.ends_with(".parquet")).count(), 4, "{names:?}");
    let list: Value = serde_json::from_slice(&fs::read(kept.join("sim.json")).unwrap()).unwrap();
    for run in list.as_array().unwrap() {
        let file = run["records"].as_str().expect("a file of IOs");
        assert!(kept.join(file).is_file() && file.starts_with("ios/"), "{file}");
    }
    let picture = fs::read_to_string(scratch.path("sweep.svg")).unwrap();
    for words in ["<svg", ">lru<", ">bplru<", ">1 MiB<", ">2 MiB<", "throughput in MB/s", "block erases"] {
        assert!(picture.contains(words), "{words} is missing in the picture");
    }
    let stored = call(&folder, &["show", "kept"]).well();
    assert_eq!(stored.out, table, "what is shown is what was printed");
    let stored = call(&folder, &["show", "kept", "--json"]).well();
    assert_eq!(stored.json()["devices"].as_array().map(Vec::len), Some(4));
}

/// Arguments after `flashscope sim`, status, words of the message.
type Case = (&'static str, i32, &'static [&'static str]);

const WRONG: &[Case] = &[
    ("bplru-board --set bplru.paddin=false", 2, &["bplru.paddin", "bplru.padding"]),
    ("bplru-board --set bplru.padding=maybe", 2, &["bplru.padding", "maybe", "boolean"]),
    ("bplru-board --buffer bplruu", 2, &["bplruu", "fab", "bplru"]),
    ("bplru-bord", 2, &["bplru-bord", "bplru-board"]),
    ("./misspelt.toml", 2, &["misspelt.toml", "line 3", "pages_per_blok", "pages_per_block"]),
    ("bplru-board --ftl page --over-provisioning 0.0001", 2, &["over_provisioning", "at least 0.0005"]),
    ("bplru-board --over-provisioning 0.0001", 2, &["over_provisioning", "log-block", "at least 0.0020"]),
    ("bplru-board --over-provisioning -0.1", 2, &["over_provisioning", "between 0 and 100"]),
    ("bplru-board --buffer lru --buffer-size 2g", 2, &["ram.size", "2 GiB", "1 GiB"]),
    ("bplru-board --capacity 1000001", 2, &["nand.page, 2KiB", "whole number of pages", "nearest"]),
    ("bplru-board --figure sweep.svg", 2, &["--figure", "--buffer-size 1m,2m,4m"]),
    ("bplru-board --buffer-size 1m,2m --figure nowhere/sweep.svg", 2, &["--figure", "nowhere", "existing"]),
    ("bplru-board --ftl log-block --gc nonsense", 2, &["gc", "nonsense", "greedy, fifo"]),
    ("bplru-board?gc=nonsense", 2, &["gc", "nonsense", "greedy, fifo"]),
    ("bplru-board --ftl page,log-block --over-provisioning 0.0007", 2, &["ftl=log-block", "at least 0.0020"]),
    ("sim:bplru-bord", 2, &["unknown profile 'bplru-bord'", "bplru-board"]),
    ("rig:mtron", 2, &["rig:mtron is not a simulated SSD", "`flashscope measure`"]),
    ("hdd-7200", 2, &["hard disk", "`flashscope measure`"]),
    ("bplru-board --warmup 100", 2, &["a warm-up of 100 IOs", "the pattern has 100", "smaller --warmup"]),
    ("bplru-board --warmup 5 --ignore-ios 5", 2, &["the pattern's ignore_ios", "leave out --warmup"]),
    ("bplru-board --ignore-ios 100", 2, &["number_ios", "more than ignore_ios"]),
];

const WRONG_TRACES: &[Case] = &[
    ("--trace .", 2, &[". is a folder", "name one trace"]),
    ("--trace nowhere", 2, &["cannot read the trace nowhere", "check the path"]),
    ("--trace empty.txt", 2, &["empty.txt: the trace is empty"]),
    ("--trace empty.txt --iodepth 2 --timing on-time", 2, &["--iodepth needs --timing asap"]),
    ("--trace empty.txt --pattern nowhere.toml", 2, &["--pattern belongs to a pattern"]),
];

#[test]
fn what_cannot_work_is_refused_with_its_remedy() {
    let scratch = Scratch::new();
    fs::write(scratch.path("misspelt.toml"), "capacity = \"64MiB\"\n[nand]\npages_per_blok = 64\n").unwrap();
    for (line, status, words) in WRONG {
        let pattern = "--rw randwrite --bs 4k --number-ios 100 --seed 1";
        sim(&scratch.path(""), &format!("{line} {pattern}")).failed(*status, words);
    }
    fs::write(scratch.path("empty.txt"), "").unwrap();
    for (line, status, words) in WRONG_TRACES {
        sim(&scratch.path(""), line).failed(*status, words);
    }
    let setting = "nand.planes=2\ncapacity=1g";
    call(&scratch.path(""), &["sim", "--set", setting]).failed(2, &["nand.planes", "2 lines"]);
}

#[test]
fn garbage_in_a_trace_is_named_by_its_line() {
    let scratch = Scratch::new();
    let packed = sample("install-ext3.tracefs.gz");
    let unpacked = Command::new("gzip").args(["-dc", text(&packed)]).stdin(Stdio::null()).output();
    let once = String::from_utf8(unpacked.expect("gzip runs").stdout).unwrap();
    let lines = once.lines().cycle().take(70_000);
    let mut file = fs::File::create(scratch.path("bad.txt")).unwrap();
    let whole: String =
        lines.chain(["garbage", once.lines().next().unwrap()]).map(|l| format!("{l}\n")).collect();
    file.write_all(whole.as_bytes()).unwrap();
    let line = format!("bplru-board {RULES} --trace bad.txt --json");
    // The trace is read while it runs: it failed, and it was no wrong flag.
    sim(&scratch.path(""), &line).failed(1, &["bad.txt: line 70001", "garbage", "--lenient"]);
    let ended = sim(&scratch.path(""), &format!("{line} --lenient")).well();
    let run = &ended.json()["devices"][0];
    assert_eq!(run["bad_lines"], 1);
    assert_eq!(run["first_bad_line"], "line 70001: not a line of this format: `garbage`");
    let table = sim(&scratch.path(""), &format!("bplru-board {RULES} --trace bad.txt --lenient")).well().out;
    assert!(table.contains("1 unreadable line of the trace skipped; the first: line 70001"), "{table}");
}

#[test]
fn what_was_changed_of_a_trace_is_told() {
    let scratch = Scratch::new();
    // The second write ends at 6 GiB; the device has 4 GiB.
    let lines = "0 0 0 8 0\n1000 0 12582904 8 0\n2000 0 16 8 1\n";
    fs::write(scratch.path("far.mqsim"), lines).unwrap();
    let line = format!("bplru-board {RULES} --trace far.mqsim --op write --fit modulo --repeat 2");
    let told = ["requests dropped: other operations: 2", "passes over the trace: 2"];
    let shown = sim(&scratch.path(""), &line).well().out;
    let json = sim(&scratch.path(""), &format!("{line} --json")).well().json();
    let notes = json["devices"][0]["notes"].as_array().unwrap();
    for words in told {
        let is_told = |note: &&serde_json::Value| note.as_str().is_some_and(|note| note.starts_with(words));
        assert_eq!(notes.iter().filter(is_told).count(), 1, "{words}: {notes:?}");
    }
    for note in notes {
        assert!(shown.contains(note.as_str().unwrap()), "{note}: {shown}");
    }
    assert_eq!(shown.matches("passes over the trace").count(), 1, "{shown}");
    let untouched = sim(&scratch.path(""), &format!("bplru-board {RULES} --rw randwrite --bs 4k --json"));
    assert_eq!(untouched.well().json()["devices"][0]["notes"], serde_json::json!([]));
}
