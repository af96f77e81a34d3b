//! What suites say where little was measured, nothing written or a run broken off, and of wrong settings.

use std::fs;

use crate::common::call;
use crate::common::kernel::Scratch;
use serde_json::Value;

/// Calls with words between blanks.
fn words(scratch: &Scratch, line: &str) -> crate::common::Ended {
    call(&scratch.path(""), &line.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn without_leave_to_write_nothing_is_called_fresh_or_used() {
    let scratch = Scratch::new();
    words(&scratch, "create target 16MiB").well();
    let run = words(&scratch, "run target --suite rewrite --quick --set ios=64 --details -o found").well();
    let page = fs::read_to_string(scratch.path("found/report.html")).expect("a page");
    let begin = page.find("Findings").expect("a section");
    let compared = words(&scratch, "compare found found --details").well().out;
    for text in [&run.out, &compared, &page[begin..]] {
        for word in ["fresh", "Fresh", "used over", "ms used", "µs used", "lost, %", "IOPS lost"] {
            assert!(!text.contains(word), "{word}: {}", &text[text.find(word).unwrap_or(0)..][..80]);
        }
    }
    assert!(run.out.contains("mean, ms") && run.out.contains("writing is allowed"), "{}", run.out);
    assert!(compared.contains("RR · mean, ms"), "{compared}");
}

#[test]
fn a_test_that_was_broken_off_is_not_judged_and_its_chain_is_said_to_begin_again() {
    let scratch = Scratch::new();
    let begun =
        "run rig:plain --suite snia-pts --quick --size 16MiB --set tests=iops --set round=50ms --seed 1";
    let cut = words(&scratch, &format!("{begun} --budget 1600ms -o cut")).well();
    let text = fs::read_to_string(scratch.path("cut/runs.jsonl")).expect("runs");
    let runs: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let whole: Vec<&Value> =
        runs.iter().filter(|run| run["run"]["outcome"]["stopped_because"] != "budget").collect();
    let rounds = whole.iter().filter(|run| run["experiment"]["curve"] == "0/100 4KiB").count();
    assert!((1..5).contains(&rounds), "{rounds} rounds");
    assert!(cut.out.contains(&format!("no verdict: {rounds} of at least 5 rounds")), "{}", cut.out);
    for verdict in ["not reached", "not reached in", "Every test reached"] {
        assert!(!cut.out.contains(verdict), "{verdict}: {}", cut.out);
    }
    let again = format!("The runs of pts-iops depend on each other and start again: {}", whole.len());
    assert!(cut.err.contains(&again), "{again} is missing in {}", cut.err);
    let resumed = words(&scratch, "run --resume cut").well();
    assert!(resumed.err.contains(&again), "{again} is missing in {}", resumed.err);
    assert!(resumed.out.contains("Every test reached"), "{}", resumed.out);
    // They are.
    let all = fs::read_to_string(scratch.path("cut/runs.jsonl")).expect("runs").lines().count();
    assert_eq!(all, runs.len() + 5 * 9, "five rounds of nine cells");
    assert!(!words(&scratch, "run --resume cut").well().err.contains("start again"));
}

#[test]
fn a_chunk_that_is_too_large_is_told_which_fit() {
    let scratch = Scratch::new();
    words(&scratch, "create target 64MiB").well();
    for bs in ["64MiB", "100MiB"] {
        let run = format!("run target --suite almost-sequential --write --bs {bs} -o never");
        words(&scratch, &run).failed(2, &["64MiB of target", "IOs of 1MiB or less", "--bs"]);
    }
    words(&scratch, "run target --suite almost-sequential --write --bs 1MiB --dry-run").well();
}

#[test]
fn a_setting_is_given_once_and_refused_in_words() {
    let scratch = Scratch::new();
    let refused = |set: &str, words: &[&str]| {
        let line = format!("run rig:plain --suite {set} -o never");
        let ended = call(&scratch.path(""), &line.split_whitespace().collect::<Vec<_>>());
        for rust in ["invalid digit", "invalid float", "empty string"] {
            assert!(!ended.err.contains(rust), "{}", ended.err);
        }
        ended.failed(2, words);
    };
    let orders = "almost-sequential --set";
    refused(&format!("{orders} passes=2 --set passes=3"), &["passes is given twice (2, 3)"]);
    refused(&format!("{orders} passes=x"), &["passes=x: write a number from 2 to 1000"]);
    refused(&format!("{orders} passes="), &["passes=: write a number from 2 to 1000"]);
    refused("modern --set rates=1,x", &["--set rates=x", "not a number", "10,50,100"]);
    refused("modern --quick --set spare_max=x", &["--set spare_max=x", "not a number", "such as 1"]);
    refused("ajwani --set long=x", &["long=x: write a number from 0"]);
    let list = words(&scratch, "list suites").well().out;
    assert!(list.contains("passes=4") && list.contains("; 3 with --quick"), "{list}");
}

#[test]
fn what_has_a_unit_of_its_own_keeps_it_and_per_cents_are_set_apart_in_points() {
    let scratch = Scratch::new();
    let drive = "sim:x25m-2009?capacity=32MiB";
    for (result, device) in [("a", "sim:nvme-tlc-2024?capacity=1GiB"), ("b", drive)] {
        let modern = "--suite modern --quick --size 16MiB --set parts=depth --set time=10ms --set rest=1ms";
        words(&scratch, &format!("run {device} {modern} -o modern-{result}")).well();
    }
    for (result, device) in [("a", "rig:plain"), ("b", drive)] {
        let rewrite = "--suite rewrite --quick --size 16MiB --set ios=64";
        words(&scratch, &format!("run {device} {rewrite} -o rewrite-{result}")).well();
    }
    let modern = words(&scratch, "compare modern-a modern-b --details").well().out;
    assert!(modern.contains("knee · value, IOs in flight"), "{modern}");
    let rewrite = words(&scratch, "compare rewrite-a rewrite-b --details").well().out;
    let longer: Vec<&str> = rewrite.lines().filter(|line| line.contains("increase, %")).collect();
    let is_apart = |line: &&str| line.contains(" points") || line.trim_end().ends_with('=');
    assert!(!longer.is_empty() && longer.iter().all(is_apart), "{rewrite}");
    assert!(![" x-", "x0.00"].iter().any(|odd| rewrite.contains(odd)), "{rewrite}");
}
