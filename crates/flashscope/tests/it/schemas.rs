//! The schemas hold for what is printed, and name all of it: each document is checked here against the one
//! that the program carries, and where Python has the module by `jsonschema` too.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::common::python::{python_ok, python_with};
use crate::common::{call, folder, scratch, text};

/// Commands whose last one prints a document, with the status that it ends with. `file` is a test file,
/// `SAMPLES` the folder of traces.
type Case = (&'static [&'static str], i32);

/// A test for each schema, by its name, and the list of the names.
macro_rules! schemas {
    ($($test:ident, $name:literal, [$(($($command:literal),+ => $status:literal)),* $(,)?];)*) => {
        const TESTED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            holds_for($name, &[$((&[$($command),+], $status)),*]);
        })*
    };
}

schemas! {
    a_run, "run", [
        ("run rig:mtron --quick --json -o r" => 0),
        ("run rig:mtron --quick --only granularity --fail-if iops<2 --json -o r" => 0),
        ("run rig:mtron --quick --only granularity -o r", "show r --json" => 0),
        ("run file --quick --only granularity --budget 1s --json -o r" => 0),
    ];
    a_suite, "suite", [
        ("run rig:plain --suite load --quick --size 16MiB --json -o r" => 0),
        ("run rig:plain --suite rewrite --quick --size 16MiB --json -o r" => 0),
        ("run rig:plain --suite ajwani --quick --size 16MiB --budget 1s --json -o r" => 0),
        ("run rig:plain --suite almost-sequential --quick --size 16MiB -o r", "show r --json" => 0),
    ];
    a_plan, "plan", [
        ("run rig:mtron --dry-run --json" => 0),
        ("run file --write --suite rewrite --dry-run --json" => 0),
    ];
    a_measurement, "measure", [
        ("measure rig:mtron --rw randread --json -o r" => 0),
        ("measure rig:mtron --rw randwrite --json -o r" => 0),
        ("measure rig:mtron --rw randwrite --mix randread:4 --json -o r" => 0),
        ("measure rig:mtron --rw randwrite --fsync 8 --number-ios 500 --json -o r" => 0),
        ("measure rig:mtron --rw read --number-ios 2 --json -o r" => 0),
        ("measure rig:mtron --rw read --bs auto --json -o r" => 0),
        ("measure rig:mtron --rw read --number-ios 300 --rate-iops 100 --json --fail-if iops<5 -o r" => 6),
        ("measure null: --rw randread --number-ios 20000 --json -o r" => 0),
        ("measure file --rw randread --bs 4k --runtime 200ms --json -o r" => 0),
        ("measure file --rw randread --bs 4k --runtime 200ms --numjobs 2 --json -o r" => 0),
        ("measure rig:mtron --rw randread -o r", "show r --json" => 0),
        ("measure rig:mtron --rw read --bs auto -o r", "show r --json" => 0),
    ];
    measurements_at_the_same_time, "measure-jobs", [
        ("measure null: --job a:number_ios=300 --job b:number_ios=200 --json -o r" => 0),
        ("measure null: --job a:number_ios=300 --job b:number_ios=200 --fail-if iops<5 --json -o r" => 6),
    ];
    a_simulation, "sim", [
        ("sim --rw randwrite --bs 4k --number-ios 500 --ftl page,fast --buffer none,bplru --json -o r" => 0),
        ("sim --rw randwrite --number-ios 9999 --set nand.endurance_erases=20 --buffer none,lru --json" => 1),
        ("sim nvme-tlc-2024 --rw randrw --bs 4k --number-ios 500 -o r", "show r --json" => 0),
        ("sim --trace SAMPLES/install-ext3.tracefs.gz --fit modulo --json" => 0),
        ("sim --rw randread --bs 4k --number-ios 100 --save-state s", "sim --load-state s --json" => 0),
    ];
    a_replay, "replay", [
        ("replay SAMPLES/install-ext3.tracefs.gz sim:bplru-board --fit modulo --json" => 0),
        ("replay SAMPLES/hand-made.msr.csv rig:mtron --concatenate --fit modulo --json" => 0),
        ("replay SAMPLES/hand-made.msr.csv rig:mtron --concatenate --fit modulo -o r", "show r --json" => 0),
        ("replay SAMPLES/hand-made.msr.csv file --timing asap --concatenate --fit modulo --write --json"
         => 0),
    ];
    a_description_of_a_trace, "trace-stats", [
        ("trace stats SAMPLES/hand-made.blktrace.0 --json" => 0),
        ("trace stats SAMPLES/mysql-first-2000.load.gz --json" => 0),
        ("trace stats SAMPLES/biosnoop.txt --json" => 0),
        ("trace stats SAMPLES/postmark-ext3.tracefs.gz -o r", "show r --json" => 0),
    ];
    formats_of_traces, "trace-sniff", [
        ("trace sniff SAMPLES/hand-made.msr.csv SAMPLES/systor17.csv --json" => 0),
    ];
    a_comparison, "compare", [
        ("run rig:mtron --quick --only granularity -o a", "run rig:mtron --quick --only locality -o b",
         "compare a b --json" => 0),
        ("run rig:plain --suite rewrite --quick --size 16MiB -o a", "compare a a --json" => 0),
        ("measure rig:mtron --rw randread -o a", "measure rig:mtron --rw randwrite -o b",
         "compare a b --json" => 0),
    ];
    a_comparison_of_simulations, "compare-sim", [
        ("sim --rw randwrite --bs 4k --number-ios 500 -o a",
         "sim --rw randwrite --bs 4k --number-ios 500 --ftl page --set over_provisioning=0.1 -o b",
         "compare a b --json" => 0),
    ];
    claims, "reproduce", [
        ("reproduce ajwani-chips --json" => 0),
        ("reproduce ajwani-interface --on sim:mtron-2009 --json" => 0),
    ];
    sensitivity, "reproduce-sensitivity", [
        ("reproduce ajwani-chips --sensitivity --json" => 0),
    ];
    a_verdict, "check", [
        ("check file --json" => 0),
        ("check rig:mtron --json" => 0),
        ("check /etc/passwd --json" => 3),
    ];
    what_distorts, "doctor", [
        ("doctor --json" => 0),
        ("doctor file --json" => 0),
        ("doctor rig:mtron --json" => 0),
        ("doctor null: --json" => 0),
    ];
    a_page, "report", [
        ("measure rig:mtron --rw randread -o a", "trace stats SAMPLES/biosnoop.txt -o b",
         "report a b --json" => 0),
    ];
}

/// Schemas whose documents need a machine that not everyone has, and the tests that check them.
const TESTED_ELSEWHERE: &[&str] = &["trace-capture"];

#[test]
fn every_schema_is_tested() {
    let scratch = scratch();
    let listed = call(&folder(&scratch), &["list", "schemas"]).well().out;
    let listed: BTreeSet<&str> =
        listed.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, TESTED.iter().chain(TESTED_ELSEWHERE).copied().collect());
    call(&folder(&scratch), &["list", "schemas", "nosuch"]).failed(2, &["'nosuch'", "trace-stats"]);
    call(&folder(&scratch), &["list", "rigs", "run"]).failed(2, &["flashscope list schemas run"]);
}

fn holds_for(name: &str, cases: &[Case]) {
    let schema = schema(name);
    let mut documents = Vec::new();
    for (commands, status) in cases {
        let scratch = scratch();
        let at = folder(&scratch);
        call(&at, &["create", "file", "16MiB"]).well();
        let (last, before) = commands.split_last().expect("a command");
        let run = |line: &str| {
            let words = words(line);
            call(&at, &words.iter().map(String::as_str).collect::<Vec<_>>())
        };
        before.iter().for_each(|line| drop(run(line).well()));
        let ended = run(last).failed(*status, &[]);
        check_all(&schema, &ended.json(), last);
        documents.push(ended.json());
    }
    for key in schema["properties"].as_object().expect("properties").keys() {
        let is_seen = documents.iter().any(|document| document.get(key).is_some());
        assert!(is_seen, "{key} is in the schema {name} and in no document");
    }
    agrees_with_python(&schema, &documents);
}

/// The schema of this name, as the program prints it.
fn schema(name: &str) -> Value {
    let scratch = scratch();
    call(&folder(&scratch), &["list", "schemas", name]).well().json()
}

/// A document must be as the schema of this name says, and have nothing that it does not name.
pub fn check_document(name: &str, document: &Value) {
    let schema = schema(name);
    check_all(&schema, document, name);
    agrees_with_python(&schema, std::slice::from_ref(document));
}

fn words(line: &str) -> Vec<String> {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples");
    let has_seed = ["run", "measure", "sim", "replay", "reproduce"]
        .iter()
        .any(|name| line.starts_with(&format!("{name} ")) && !line.contains("--load-state"));
    let seed = if has_seed { "--seed 1" } else { "" };
    format!("{line} {seed}").replace("SAMPLES", samples).split_whitespace().map(str::to_string).collect()
}

fn check_all(schema: &Value, document: &Value, at: &str) {
    if let Err(problem) = check(schema, schema, document, at) {
        panic!("{problem}");
    }
}

/// Words of a schema that describe and check nothing.
const DESCRIBING: [&str; 4] = ["$schema", "title", "description", "$defs"];
const CHECKING: [&str; 10] = [
    "$ref",
    "anyOf",
    "type",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
];

/// Checks a value, key by key: one that the schema does not name is an error, though readers must bear it.
fn check(whole: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let words = schema.as_object().unwrap_or_else(|| panic!("{at}: no schema"));
    // A document with a schema of its own.
    if words.is_empty() {
        return Ok(());
    }
    for word in words.keys() {
        let is_known = [&DESCRIBING[..], &CHECKING[..]].concat().contains(&word.as_str());
        assert!(is_known, "{at}: {word} is not checked");
    }
    if let Some(place) = words.get("$ref").and_then(Value::as_str) {
        let found = place.strip_prefix('#').and_then(|place| whole.pointer(place));
        return check(whole, found.unwrap_or_else(|| panic!("{place} leads nowhere")), value, at);
    }
    if let Some(choices) = words.get("anyOf").and_then(Value::as_array) {
        let fits: Vec<_> = choices.iter().map(|choice| check(whole, choice, value, at)).collect();
        let problems = || fits.iter().cloned().filter_map(Result::err).collect::<Vec<_>>().join(", or ");
        return if fits.iter().any(Result::is_ok) { Ok(()) } else { Err(problems()) };
    }
    if let Some(choices) = words.get("enum").and_then(Value::as_array) {
        ensure(choices.contains(value), || format!("{at}: {value} is none of {choices:?}"))?;
    }
    if let Some(types) = words.get("type") {
        let types = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
        let is_any = types.iter().any(|name| is_of(value, name.as_str().unwrap_or("")));
        ensure(is_any, || format!("{at}: {value} is no {types:?}"))?;
    }
    check_items(whole, schema, value, at)?;
    check_keys(whole, schema, value, at)
}

fn check_items(whole: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(items) = value.as_array() else { return Ok(()) };
    let [least, most] = ["minItems", "maxItems"].map(|word| schema[word].as_u64());
    let count = items.len() as u64;
    ensure((least.unwrap_or(0)..=most.unwrap_or(u64::MAX)).contains(&count), || {
        format!("{at}: {count} items")
    })?;
    let mut all = items.iter().enumerate();
    all.try_for_each(|(place, item)| check(whole, &schema["items"], item, &format!("{at}[{place}]")))
}

fn check_keys(whole: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Some(object) = value.as_object() else { return Ok(()) };
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        ensure(object.contains_key(key), || format!("{at}: {key} is missing"))?;
    }
    object.iter().try_for_each(|(key, value)| {
        let known = schema["properties"].get(key).or(schema.get("additionalProperties"));
        let known = known.ok_or_else(|| format!("{at}: add {key} to the schema: {value}"))?;
        check(whole, known, value, &format!("{at}.{key}"))
    })
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("{name} is no type"),
    }
}

/// Others read the schema and the documents as we do.
fn agrees_with_python(schema: &Value, documents: &[Value]) {
    let Some(python) = python_with("jsonschema") else { return };
    let scratch = scratch();
    let path = scratch.path("both.json");
    fs::write(&path, serde_json::json!({ "schema": schema, "documents": documents }).to_string()).unwrap();
    let program = "
import json, jsonschema, sys
both = json.load(open(sys.argv[1]))
of = jsonschema.Draft202012Validator
of.check_schema(both['schema'])
for document in both['documents']:
    of(both['schema']).validate(document)
    for key in both['schema']['required']:
        less = {k: v for k, v in document.items() if k != key}
        assert not of(both['schema']).is_valid(less), key
print(len(both['documents']))";
    let checked = python_ok(&python, program, &[text(&path)]);
    assert_eq!(checked.trim(), documents.len().to_string());
}
