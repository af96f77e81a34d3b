//! `flashscope compare` sets two results of a kind side by side, and refuses others by their names.

use crate::common::call;
use crate::common::kernel::Scratch;

#[test]
fn results_that_cannot_be_compared_are_refused_with_what_they_are_and_what_to_do() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let words = |line: &str| call(&folder, &line.split_whitespace().collect::<Vec<_>>());
    words("trace generate zipf t.csv --number-ios 400 --seed 1").well();
    words("trace stats t.csv -o trace").well();
    words("replay t.csv rig:plain -o replay").well();
    words("sim bplru-board --buffer none --rw randwrite --number-ios 200 --seed 1 -o sim").well();
    words("run rig:plain --quick --only baseline --seed 1 -o run").well();
    words("measure rig:plain --rw randread --seed 1 -o measure").well();
    let kinds = [
        ("run", "a run"),
        ("measure", "a measurement"),
        ("sim", "simulations"),
        ("replay", "a replay"),
        ("trace", "the description of a trace"),
    ];
    for (a, kind_a) in kinds {
        for (b, kind_b) in kinds {
            let compared = words(&format!("compare {a} {b}"));
            if a == b && ["run", "measure", "sim"].contains(&a) {
                compared.well();
                continue;
            }
            let named = format!("{a} holds {kind_a}, {b} {kind_b}; ");
            let measured = ["run", "measure"];
            let (with_a, with_b) = (measured.contains(&a) && b == "sim", a == "sim" && measured.contains(&b));
            let remedy = if with_a || with_b { "flashscope run sim:PROFILE" } else { "flashscope report" };
            compared.failed(2, &[&named, remedy]);
            let report = words(&format!("report {a} {b} -o both.html --force"));
            assert_eq!(report.status, 0, "what is advised works: {report:?}");
        }
    }
}

#[test]
fn rows_of_two_keys_have_both_and_different_suites_are_called_that() {
    let scratch = Scratch::new();
    let shortest = ["--set", "tests=latency", "--set", "round=1ms", "--set", "rounds=5"];
    for (result, rig, suite, settings) in [
        ("fast", "rig:plain", "snia-pts", &shortest[..]),
        ("slow", "rig:mtron", "snia-pts", &shortest[..]),
        ("other", "rig:plain", "rewrite", &["--set", "ios=64"]),
    ] {
        let arguments = ["run", rig, "--suite", suite, "--quick", "--size", "16MiB", "-o", result];
        call(&scratch.path(""), &[&arguments[..], settings].concat()).well();
    }
    let compare =
        |b: &str, more: &[&str]| call(&scratch.path(""), &[&["compare", "fast", b], more].concat()).well();
    let found = compare("slow", &["--json"]).json()["found"].clone();
    let rows = found.as_array().expect("numbers").iter().filter(|twin| twin["table"] == "latency");
    let names: Vec<String> = rows.map(|twin| format!("{} {}", twin["row"], twin["column"])).collect();
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert!(names.len() > 6 && once.len() == names.len(), "{names:?}");
    let shown = compare("other", &[]).out;
    assert!(shown.contains("A snia-pts, B rewrite"), "{shown}");
    assert_eq!(compare("other", &["--json"]).json()["b"]["suite"], "rewrite");
    assert!(!compare("slow", &[]).out.contains("Different suites"));
}

#[test]
fn what_a_suite_found_stands_side_by_side() {
    let scratch = Scratch::new();
    for (result, rig) in [("fast", "rig:plain"), ("slow", "rig:mtron")] {
        let arguments = ["run", rig, "--suite", "rewrite", "--quick", "--size", "64MiB", "-o", result];
        call(&scratch.path(""), &arguments).well();
    }
    let compare =
        |more: &[&str]| call(&scratch.path(""), &[&["compare", "fast", "slow"], more].concat()).well();
    let found = compare(&["--json"]).json()["found"].clone();
    let found = found.as_array().expect("numbers of both");
    assert!(!found.is_empty());
    for twin in found {
        let [a, b] = ["a", "b"].map(|key| twin[key]["value"].as_f64().expect("a number"));
        let is_ratio = twin["unit"] != "%" && a > 0.0 && b > 0.0;
        let (known, other) = if is_ratio { ("ratio", "difference") } else { ("difference", "ratio") };
        let change = if is_ratio { b / a } else { b - a };
        assert!(twin[known].as_f64() == Some(change) && twin[other].is_null(), "{twin}");
    }
    let shown = compare(&[]).out;
    assert!(shown.contains("B / A") && shown.contains(found[0]["row"].as_str().expect("words")), "{shown}");
}
