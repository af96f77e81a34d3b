//! What the inside of a simulated SSD did, as commands keep it beside the IOs: it adds up to the result, it
//! is small, and folders without it are as good as before.

use std::fs;
use std::path::Path;

use crate::common::call;
use crate::common::kernel::Scratch;
use serde_json::Value;

const SMALL: &str = "bplru-board --capacity 32m --over-provisioning 0.2 --initial random --seed 7";

fn words(folder: &Path, line: &str) -> crate::common::Ended {
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

fn inside(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}")))
        .unwrap()
}

/// The last sample of a column; 0 if nothing of the kind happened.
fn last(inside: &Value, column: &str) -> u64 {
    inside["samples"]
        .get(column)
        .map_or(0, |column| column.as_array().unwrap().last().unwrap().as_u64().unwrap())
}

fn sum(inside: &Value, kind: &str) -> u64 {
    let causes = ["host", "gc", "merge", "padding", "map", "wear"];
    causes.iter().map(|cause| last(inside, &format!("{kind}_{cause}"))).sum()
}

#[test]
fn the_last_sample_of_each_device_of_a_sweep_is_its_entry() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let line = format!("sim {SMALL} --ftl page,log-block --buffer none,bplru --buffer-size 1m");
    let work = "--rw randwrite --bs 6k --number-ios 6000 --warmup 500 --json -o a";
    let document = words(&folder, &format!("{line} {work}")).well().json();
    let entries = document["devices"].as_array().unwrap();
    assert!(entries.len() >= 3, "{} devices", entries.len());
    for entry in entries {
        let file = folder.join("a").join(entry["inside"].as_str().expect("it is kept"));
        let seen = inside(&file);
        let samples = seen["samples"]["time_ns"].as_array().unwrap().len();
        assert!((10..=1024).contains(&samples), "{samples} samples");
        for (column, key) in [
            ("host_reads", "host_reads"),
            ("host_writes", "host_writes"),
            ("host_written_bytes", "host_written_bytes"),
            ("buffer_hits", "buffer_hits"),
            ("buffer_dirty_pages", "buffer_dirty_pages"),
        ] {
            assert_eq!(last(&seen, column), entry[key].as_u64().unwrap(), "{column} of {}", entry["label"]);
        }
        assert_eq!(sum(&seen, "reads"), entry["page_reads"].as_u64().unwrap());
        assert_eq!(sum(&seen, "programs"), entry["page_programs"].as_u64().unwrap());
        assert_eq!(sum(&seen, "erases"), entry["block_erases"].as_u64().unwrap());
        assert_eq!(last(&seen, "merges_full"), entry["merges"]["full"].as_u64().unwrap());
        let simulated_ns = entry["simulated_s"].as_f64().unwrap() * 1e9;
        assert!((last(&seen, "time_ns") as f64 - simulated_ns).abs() < 1.0);
        assert!(fs::metadata(&file).unwrap().len() < 200_000);
    }
    // The same again is the same, byte for byte.
    words(&folder, &format!("{line} {} -o b", work.replace(" -o a", ""))).well();
    for entry in fs::read_dir(folder.join("a/inside")).unwrap() {
        let name = entry.unwrap().file_name();
        let [a, b] = ["a", "b"].map(|dir| fs::read(folder.join(dir).join("inside").join(&name)).unwrap());
        assert_eq!(a, b, "{name:?}");
    }
}

#[test]
fn measure_run_and_replay_keep_it_too_and_rigs_have_none() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let target = "sim:bplru-board?capacity=32m&over_provisioning=0.2&initial=random";
    words(&folder, &format!("measure {target} --rw randwrite --bs 4k --number-ios 900 --seed 3 -o m")).well();
    let seen = inside(&folder.join("m/inside/0000-measure-RW-4KiB-0.json"));
    assert_eq!(last(&seen, "host_writes"), 900);
    // blkreplay: start in seconds, sectors, sectors, operation, zero, latency in seconds.
    let trace = "0.000000000 ; 0 ; 8 ; W ; 0.0 ; 0.001\n0.500000000 ; 0 ; 8 ; R ; 0.0 ; 0.001\n";
    fs::write(scratch.path("t.load"), trace).unwrap();
    words(&folder, &format!("replay t.load {target} --verify --seed 3 -o r")).well();
    let seen = inside(&folder.join("r/inside/replay.json"));
    // What is read back as a proof is no part of the replay.
    assert_eq!((last(&seen, "host_reads"), last(&seen, "host_writes")), (1, 1));
    assert!((last(&seen, "time_ns") as f64) >= 0.5e9);
    words(&folder, "measure rig:mtron --rw randread --number-ios 50 --seed 3 -o rig").well();
    assert!(!folder.join("rig/inside").exists());
}

#[test]
fn a_folder_without_it_is_shown_as_before() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, &format!("sim {SMALL} --buffer lru --rw randwrite --bs 4k --number-ios 500 -o a")).well();
    let shown = words(&folder, "show a").well().out;
    // As older versions left it.
    fs::remove_dir_all(folder.join("a/inside")).unwrap();
    let file = folder.join("a/sim.json");
    let mut entries: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    entries[0].as_object_mut().unwrap().remove("inside").expect("it was there");
    fs::write(&file, entries.to_string()).unwrap();
    assert_eq!(words(&folder, "show a").well().out, shown);
}

/// As of any other damage: on the screen, first thing on the page, and in its place; also beside a whole one.
#[test]
fn a_torn_file_of_the_inside_is_told_and_the_rest_shown() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let target = "sim:bplru-board?capacity=32m&over_provisioning=0.2&initial=random";
    for name in ["a", "b"] {
        words(
            &folder,
            &format!("measure {target} --rw randwrite --bs 4k --number-ios 900 --seed 3 -o {name}"),
        )
        .well();
    }
    let file = folder.join("b/inside/0000-measure-RW-4KiB-0.json");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let told = "0000-measure-RW-4KiB-0.json cannot be read; the device's internals are not shown";
    for (line, times) in [("report a -o a.html", 0), ("report b -o b.html", 1), ("report a b -o ab.html", 1)]
    {
        let ended = words(&folder, line).well();
        assert_eq!(ended.err.matches(told).count(), times, "{line}: {}", ended.err);
        let page = fs::read_to_string(folder.join(line.rsplit(' ').next().unwrap())).unwrap();
        // At the top and in its place, with scripts and without.
        assert_eq!(page.matches(told).count(), 4 * times, "{line}");
        assert_eq!(page.contains("Inside: pages programmed"), !line.starts_with("report b"), "{line}");
    }
}
