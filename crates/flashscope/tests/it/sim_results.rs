//! What `flashscope sim` leaves behind: files that replace nothing else, results that say which device they
//! are from, and failures that cost nothing but themselves.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, text};
use serde_json::Value;

const SMALL: &str = "bplru-board --capacity 64m --over-provisioning 0.2 --rw randwrite --bs 4k --seed 7";
const FEW: &str = "--number-ios 200";

fn sim(folder: &Path, line: &str) -> Ended {
    let line = format!("sim {SMALL} {line}");
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

fn bare(folder: &Path, line: &str) -> Ended {
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn nothing_but_its_own_is_replaced() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    assert!(Command::new("mkfifo").arg(scratch.path("pipe.svg")).status().unwrap().success());
    fs::create_dir(scratch.path("folder.svg")).unwrap();
    fs::write(scratch.path("letter.svg"), "Dear reader").unwrap();
    fs::write(scratch.path("target"), "precious").unwrap();
    symlink("target", scratch.path("link.svg")).unwrap();
    symlink("nowhere", scratch.path("loose.svg")).unwrap();
    let before = names(&folder);
    let lists = "--buffer lru --buffer-size 1m,2m";
    for (name, words) in [
        ("pipe.svg", ["a pipe", "name a file"]),
        ("folder.svg", ["a folder", "name a file"]),
        ("letter.svg", ["it exists and is not", "name another"]),
        ("link.svg", ["it exists and is not", "name another"]),
        ("loose.svg", ["a dangling link", "cannot write"]),
        ("missing/a.svg", ["cannot write", "existing, writable folder"]),
    ] {
        // Refused before anything is simulated: it would take hours.
        let endless = "--number-ios 4000000000";
        sim(&folder, &format!("{endless} --save-state {name}"))
            .failed(2, &["--save-state", name, words[0], words[1]]);
        sim(&folder, &format!("{endless} {lists} --figure {name}"))
            .failed(2, &["--figure", name, words[0], words[1]]);
    }
    sim(&folder, &format!("{FEW} {lists} --figure a.png")).failed(2, &["a.png", ".svg"]);
    assert_eq!(names(&folder), before);
    assert!(fs::symlink_metadata(scratch.path("pipe.svg")).unwrap().file_type().is_fifo());
    assert_eq!(fs::read(scratch.path("letter.svg")).unwrap(), b"Dear reader");
    assert_eq!(fs::read(scratch.path("target")).unwrap(), b"precious");
}

#[test]
fn its_own_is_replaced_through_a_link_and_keeps_its_mode() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    sim(&folder, &format!("{FEW} --save-state first")).well();
    let first = fs::read(scratch.path("first")).unwrap();
    fs::set_permissions(scratch.path("first"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("first", scratch.path("link")).unwrap();
    sim(&folder, "--number-ios 300 --save-state link").well();
    assert!(scratch.path("link").is_symlink());
    assert_ne!(fs::read(scratch.path("first")).unwrap(), first);
    assert_eq!(fs::metadata(scratch.path("first")).unwrap().permissions().mode() & 0o777, 0o640);
    let lists = "--buffer lru --buffer-size 1m,2m --figure a.svg";
    for _ in 0..2 {
        sim(&folder, &format!("{FEW} {lists}")).well();
    }
    assert_eq!(names(&folder), ["a.svg", "first", "link"]);
}

#[test]
fn what_cannot_be_written_at_the_end_costs_no_results() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    // Files of at most 8 KiB: the place is good, and the state does not fit.
    let line = format!(
        "ulimit -f 8; trap '' XFSZ; exec {} sim {SMALL} {FEW} --save-state full",
        text(Path::new(env!("CARGO_BIN_EXE_flashscope")))
    );
    let mut command = Command::new("bash");
    let ended =
        crate::common::ended(command.args(["-c", &line]), &folder).failed(1, &["--save-state", "full"]);
    assert!(ended.out.contains("200 IOs simulated"), "{ended:?}");
    assert_eq!(names(&folder), [] as [String; 0]);
}

#[test]
fn results_say_what_was_set() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let line =
        format!("{FEW} --set log_block.log_blocks=16 --initial random --ignore-flush --buffer none,lru -o a");
    let table = sim(&folder, &line).well().out;
    let header = table.lines().next().unwrap();
    for word in ["host.ignore_flush=true", "initial=random", "log_block.log_blocks=16"] {
        assert!(header.contains(word), "{word} is missing in: {header}");
    }
    assert!(!header.contains("buffer") && !header.contains("over_provisioning"), "{header}");
    assert!(table.contains("; seed 7"), "{table}");
    let entries = &call(&folder, &["show", "a", "--json"]).well().json()["devices"];
    assert_eq!(entries[1]["settings"]["buffer"], "lru");
    assert_eq!(entries[0]["settings"]["log_block.log_blocks"], 16);
    assert_eq!(entries[0]["settings"]["capacity"], "64MiB");
    assert_eq!(entries[0]["settings"].as_object().unwrap().len(), 5, "{entries}");
    // What is set in the target is set as well; what is as the profile says is not.
    let line = "sim bplru-board?nand.pages_per_block=32&buffer=none --rw write --number-ios 9 --json";
    let entries = &bare(&folder, line).well().json()["devices"];
    assert_eq!(entries[0]["settings"].to_string(), "{\"nand.pages_per_block\":32}");
}

#[test]
fn devices_that_are_not_the_same_are_not_compared_in_silence() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    for (name, more) in [("a", ""), ("b", "--set log_block.log_blocks=16"), ("c", "")] {
        sim(&folder, &format!("{FEW} --buffer none,lru {more} -o {name}")).well();
    }
    let view = call(&folder, &["compare", "a", "b"]).well().out;
    assert!(view.contains("differ: log_block.log_blocks 7 | 16"), "{view}");
    let differ = call(&folder, &["compare", "a", "b", "--json"]).well().json();
    assert_eq!(differ["simulations"][0]["settings_differ"].to_string(), "{\"log_block.log_blocks\":[7,16]}");
    let same = call(&folder, &["compare", "a", "c"]).well().out;
    assert!(!same.contains("not the same"), "{same}");
}

#[test]
fn a_saved_device_is_named_in_what_it_gives() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let work = "--rw randwrite --bs 4k --seed 7 --number-ios 100";
    for (state, ios) in [("young", 100), ("old", 5000)] {
        sim(&folder, &format!("--number-ios {ios} --save-state {state}")).well();
        let table = bare(&folder, &format!("sim --load-state {state} {work} -o from-{state}")).well().out;
        assert!(table.contains(&format!("as saved in {state}")), "{table}");
    }
    let entries = &call(&folder, &["show", "from-old", "--json"]).well().json()["devices"];
    assert_eq!(entries[0]["loaded_state"]["file"], "old");
    assert_eq!(entries[0]["settings"]["capacity"], "64MiB");
    let view = call(&folder, &["compare", "from-young", "from-old"]).well().out;
    assert!(view.contains("differ: loaded state"), "{view}");
}

#[test]
fn only_a_saved_state_is_loaded() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    assert!(Command::new("mkfifo").arg(scratch.path("pipe")).status().unwrap().success());
    fs::write(scratch.path("letter"), "Dear reader").unwrap();
    fs::write(scratch.path("head"), "flashscope device state 2\n").unwrap();
    for (name, word) in
        [("pipe", "a pipe"), (".", "a folder"), ("letter", "not a saved state"), ("head", "head")]
    {
        bare(&folder, &format!("sim --load-state {name}")).failed(2, &[word]);
    }
}

#[test]
fn devices_that_fail_say_why_and_leave_no_file_of_ios() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let lists = "--set nand.endurance_erases=40 --ftl log-block --buffer none,lru --jobs 2";
    let ended = sim(&folder, &format!("--number-ios 20000 {lists} -o kept")).failed(1, &["endurance"]);
    assert!(
        ended.out.contains("failed     buffer=none: ") && ended.out.contains("endurance"),
        "{}",
        ended.out
    );
    assert!(call(&folder, &["show", "kept"]).well().out.contains("failed     buffer=none: "));
    let entries = &call(&folder, &["show", "kept", "--json"]).well().json()["devices"];
    assert!(entries[0]["error"].as_str().unwrap().contains("endurance"), "{entries}");
    assert_eq!(entries[0]["complete"], false);
    let whole = names(&scratch.path("kept/ios")).len();
    let records = entries.as_array().unwrap().iter().filter(|entry| entry["records"].is_string()).count();
    assert_eq!(whole, records);

    let line = "tar-31 [001] ..... 1.5: block_rq_issue: 7,3 WS 4096 () 1572872 + 8 be,0,4 [tar]\n";
    fs::write(scratch.path("bad.txt"), format!("{}garbage\n", line.repeat(3000))).unwrap();
    bare(&folder, "sim --trace bad.txt -o bad").failed(1, &["line 3001"]);
    assert_eq!(names(&scratch.path("bad/ios")), [] as [String; 0]);
    let entries = &call(&folder, &["show", "bad", "--json"]).well().json()["devices"];
    assert!(entries[0]["error"].as_str().unwrap().contains("line 3001"), "{entries}");
}

#[test]
fn no_time_gives_no_rate() {
    let scratch = Scratch::new();
    let line = "--rw read --number-ios 3 --set host.ignore_reads=true";
    let runs: Value = bare(&scratch.path(""), &format!("sim {line} --json")).well().json();
    assert_eq!(runs["devices"][0]["simulated_s"], 0.0);
    assert!(runs["devices"][0]["throughput_mb_s"].is_null(), "{runs}");
    let table = bare(&scratch.path(""), &format!("sim {line}")).well().out;
    let row = table.lines().nth(3).unwrap();
    assert!(row.split_whitespace().any(|cell| cell == "–"), "{table}");
}

#[test]
fn a_folder_that_is_taken_is_a_wrong_flag_and_its_remedy_exists() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    sim(&folder, &format!("{FEW} -o kept")).well();
    let ended =
        sim(&folder, &format!("{FEW} -o kept")).failed(2, &["already holds a result", "new folder with -o"]);
    assert!(!ended.err.contains("--resume"), "{}", ended.err);
}

#[test]
fn settings_of_the_other_kind_of_device_are_named_as_such() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    bare(&folder, "measure sim:hdd-7200?ftl=page --rw read").failed(2, &["ftl", "not for a hard disk"]);
    bare(&folder, "sim x25m-2009?disk.rotations_per_minute=5400")
        .failed(2, &["disk.rotations_per_minute", "for a hard disk only"]);
    bare(&folder, "sim hdd-7200 --ftl page").failed(2, &["hard disk", "`flashscope measure`"]);
}

#[test]
fn messages_name_what_was_asked_and_where_a_trace_ends() {
    let scratch = Scratch::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples/install-ext3.tracefs.gz");
    let line = format!("sim --trace {} --warmup 1000000", sample.display());
    bare(&scratch.path(""), &line).failed(2, &["a warm-up of 1000000 IOs", "the trace has 13333"]);
    let cut: PathBuf = scratch.path("cut.gz");
    fs::write(&cut, &fs::read(sample).unwrap()[..500]).unwrap();
    let ended = bare(&scratch.path(""), "sim --trace cut.gz").failed(1, &["cut short or damaged"]);
    assert!(!ended.err.contains("after line 0"), "{}", ended.err);
}
