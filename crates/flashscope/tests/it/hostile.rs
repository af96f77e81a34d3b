//! Results made up to break whoever opens them: every number of every file, one after the other, is the
//! largest that there is. What is shown may be nonsense; it is shown, or refused with a sentence.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::kernel::Scratch;
use crate::common::{call, text};
use serde_json::{Value, json};

/// The ways to the numbers of a document; all elements of a list are one.
fn numbers(value: &Value, way: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            way.push(name.clone());
            numbers(value, way, found);
            way.pop();
        }),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, way, found)),
        Value::Number(_) if !found.contains(way) => found.push(way.clone()),
        _ => {}
    }
}

fn set(value: &mut Value, way: &[String], to: &Value) {
    match (value, way) {
        (Value::Array(values), _) => values.iter_mut().for_each(|value| set(value, way, to)),
        (Value::Object(fields), [name, rest @ ..]) => {
            fields.get_mut(name).into_iter().for_each(|value| set(value, rest, to));
        }
        (value @ Value::Number(_), []) => *value = to.clone(),
        _ => {}
    }
}

/// The documents of a file: its lines, or all of it.
fn documents(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("text");
    let parse = |text: &str| serde_json::from_str(text).expect("JSON");
    if file.extension().is_some_and(|kind| kind == "jsonl") {
        text.lines().map(parse).collect()
    } else {
        vec![parse(&text)]
    }
}

fn write(file: &Path, documents: &[Value]) {
    let text: String = documents.iter().map(|document| format!("{document}\n")).collect();
    fs::write(file, text).expect("written");
}

/// Sets each number of a file of a result in turn; calls `show`, `report` and `compare` each time.
fn survives(scratch: &Scratch, result: &str, file: &str) {
    let file: PathBuf = scratch.path(result).join(file);
    let whole = documents(&file);
    let mut ways = Vec::new();
    whole.iter().for_each(|document| numbers(document, &mut Vec::new(), &mut ways));
    assert!(ways.len() > 4, "{file:?} holds few numbers");
    for way in ways {
        let mut bent = whole.clone();
        bent.iter_mut().for_each(|document| set(document, &way, &json!(u64::MAX)));
        write(&file, &bent);
        for command in
            [&["show", result][..], &["report", result, "-o", "r.html"], &["compare", result, result]]
        {
            let ended = call(&scratch.path(""), command);
            let is_told = ended.status == 0 || ended.err.starts_with("error: ");
            assert!(is_told && !ended.err.contains("panicked"), "{way:?} {command:?}: {ended:?}");
        }
    }
    write(&file, &whole);
}

#[test]
fn a_run_of_absurd_numbers_is_shown_or_refused() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    // Two repeats: there is something to add up.
    let run = ["run", "rig:plain", "--quick", "--repeats", "2", "--seed", "1", "-o", "run"];
    call(&folder, &[&run[..], &["--only", "baseline,pause,partitioning"]].concat()).well();
    fs::remove_dir_all(scratch.path("run/ios")).expect("the single IOs are not needed");
    for file in ["runs.jsonl", "context.json", "manifest.json"] {
        survives(&scratch, "run", file);
    }
}

#[test]
fn sums_end_at_the_largest_number() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    call(&folder, &["run", "rig:plain", "--quick", "--only", "baseline", "--seed", "1", "-o", "run"]).well();
    let file = scratch.path("run/runs.jsonl");
    let mut runs = documents(&file);
    let way = ["run", "ios"].map(String::from);
    runs.iter_mut().for_each(|run| set(run, &way, &json!(1_u64 << 63)));
    write(&file, &runs);
    let shown = call(&folder, &["show", text(&scratch.path("run")), "--json"]).well().json();
    assert_eq!(shown["ios"].as_u64(), Some(u64::MAX), "four runs of 2^63 IOs");
}

#[test]
fn simulations_replays_and_traces_of_absurd_numbers_are_shown_or_refused() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let words = |line: &str| call(&folder, &line.split_whitespace().collect::<Vec<_>>()).well();
    words("trace generate zipf t.csv --number-ios 400 --seed 1");
    words("trace stats t.csv -o stats");
    words("replay t.csv rig:plain -o replay");
    words("sim bplru-board --buffer none,bplru --rw randwrite --number-ios 200 --seed 1 -o sim");
    for (result, file) in [("stats", "stats.json"), ("replay", "replay.json"), ("sim", "sim.json")] {
        survives(&scratch, result, file);
    }
}
