//! What `runs.jsonl` says of a run, and the rows of the file with its IOs, are two accounts of the same IOs.

use std::fs;
use std::path::Path;

use crate::common::call;
use crate::common::kernel::Scratch;
use serde_json::Value;

/// What a run did: IOs, bytes read and written, and when the last one was done.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    ios: u64,
    read_bytes: u64,
    written_bytes: u64,
    elapsed_ns: u64,
}

fn summarised(run: &Value) -> Done {
    let number = |key: &str| run[key].as_u64().unwrap_or_else(|| panic!("{key} in {run}"));
    Done {
        ios: number("ios"),
        read_bytes: number("read_bytes"),
        written_bytes: number("written_bytes"),
        elapsed_ns: number("elapsed_ns"),
    }
}

/// From the rows of an exported file: `submit_ns,response_ns,op,offset_bytes,length_bytes,stream`.
fn recorded(file: &Path) -> Done {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("submit_ns,response_ns,op,offset_bytes,length_bytes,stream"));
    let mut done = Done::default();
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |place: usize| cells[place].parse::<u64>().expect("a number");
        done.ios += 1;
        *(if cells[2] == "read" { &mut done.read_bytes } else { &mut done.written_bytes }) += number(4);
        done.elapsed_ns = done.elapsed_ns.max(number(0) + number(1));
    }
    done
}

/// Compares all runs of a result; returns how many of them the judge ended with IOs in flight.
fn compared(scratch: &Scratch, result: &str) -> usize {
    let csv = format!("{result}-csv");
    call(&scratch.path(""), &["export", result, "--to", "csv", "--ios", "-o", &csv]).well();
    let runs = fs::read_to_string(scratch.path(result).join("runs.jsonl")).expect("runs");
    let mut drained = 0;
    for line in runs.lines() {
        let finished: Value = serde_json::from_str(line).expect("a line is JSON");
        let run = &finished["run"];
        let records = run["records"].as_str().expect("a file of IOs");
        let rows = recorded(&scratch.path(&csv).join(records).with_extension("csv"));
        assert_eq!(summarised(run), rows, "{records}");
        let judged = run["outcome"]["phases"]["ios"].as_u64().expect("IOs that were judged");
        assert!(judged <= rows.ios, "{records}");
        drained += usize::from(judged < rows.ios);
    }
    drained
}

#[test]
fn a_run_counts_every_io_that_its_file_holds_also_those_in_flight_at_its_end() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let only = "parallelism,queue-depth,baseline";
    call(&folder, &["run", "rig:mtron", "--quick", "--only", only, "--seed", "3", "-o", "many"]).well();
    assert!(compared(&scratch, "many") > 0, "no run had IOs in flight at its end: nothing was tried");
    let deep = ["measure", "sim:bplru-board", "--rw", "randwrite", "--size", "8m", "--iodepth", "16"];
    call(&folder, &[&deep[..], &["--seed", "3", "-o", "deep"]].concat()).well();
    assert_eq!(compared(&scratch, "deep"), 1);
}

#[test]
fn a_run_of_a_fixed_count_or_time_is_counted_whole() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let measure = ["measure", "rig:mtron", "--rw", "randwrite", "--iodepth", "8", "--seed", "3"];
    for (name, end) in [("count", ["--number-ios", "100"]), ("time", ["--runtime", "1s"])] {
        call(&folder, &[&measure[..], &end, &["-o", name]].concat()).well();
        assert_eq!(compared(&scratch, name), 0, "{name}");
    }
}
