//! `flashscope reproduce --on` a real file or loop device: the same studies with the guard and the
//! confirmation of `run`; each works or says in a sentence why not.

use std::path::{Path, PathBuf};

use crate::common::kernel::{Loop, Scratch, requires};
use crate::common::{Ended, call, interrupt, start, text, wait_for};
use serde_json::Value;

fn scratch() -> Scratch {
    Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

fn folder(scratch: &Scratch) -> PathBuf {
    scratch.path("")
}

fn with_file(size: &str) -> Scratch {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "file", size]).well();
    scratch
}

fn reproduce(scratch: &Scratch, line: &str) -> Ended {
    let arguments: Vec<&str> = ["reproduce"].into_iter().chain(line.split_whitespace()).collect();
    call(&folder(scratch), &arguments)
}

fn claims(ended: &Ended) -> Vec<Value> {
    ended.json()["claims"].as_array().expect("a list of claims").clone()
}

/// Studies that between them use everything: times, counts of IOs, bursts, sessions, single IOs, fills.
const STUDIES: &str = "ajwani-table-3-1 ajwani-chunks ajwani-aging ajwani-misaligned ajwani-spikes \
                       bplru-power-loss almost-sequential uflip-startup uflip-alignment";

/// Short, for studies that shall only be seen to run.
const BRIEFLY: &str = "--runtime 100ms --repeats 1";

/// Each claim has a number, or was looked for and not found, or cannot be run; and a reason, unless it holds.
#[track_caller]
fn all_are_told(claims: &[Value]) {
    for claim in claims {
        let is_measured = claim["measured"].is_number();
        let says_why = claim["reason"].as_str().is_some_and(|reason| !reason.is_empty());
        assert!(says_why || claim["verdict"] == "reproduced", "{claim}");
        assert!(is_measured || claim["none"] == true || claim["verdict"] == "not_here", "{claim}");
        assert!(!(is_measured && claim["none"] == true), "{claim}");
    }
}

#[test]
fn studies_run_on_a_file_and_on_a_loop_device() {
    let scratch = with_file("32MiB");
    let on_file = reproduce(&scratch, &format!("{STUDIES} --on file --write {BRIEFLY} --json")).well();
    let claims_of_file = claims(&on_file);
    all_are_told(&claims_of_file);
    let measured = claims_of_file.iter().filter(|claim| claim["measured"].is_number()).count();
    assert!(measured > 25, "{measured} of {} claims measured", claims_of_file.len());
    assert_eq!(std::fs::metadata(scratch.path("file")).unwrap().len(), 32 << 20, "the file keeps its size");
    if !requires(&["losetup"]) {
        return;
    }
    let image = scratch.image("disk", 32 << 20);
    let disk = Loop::attach(&image, &[]);
    let line = format!("{STUDIES} --on {} --write {BRIEFLY} --json", disk.name());
    reproduce(&scratch, &line).failed(3, &["--confirm"]);
    let claims_of_disk = claims(&reproduce(&scratch, &format!("{line} --confirm {}", text(&image))).well());
    all_are_told(&claims_of_disk);
    let ids = |claims: &[Value]| claims.iter().map(|claim| claim["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&claims_of_disk), ids(&claims_of_file));
}

#[test]
fn without_leave_nothing_is_written_and_that_is_said() {
    let scratch = with_file("16MiB");
    let before = std::fs::read(scratch.path("file")).unwrap();
    let ended =
        reproduce(&scratch, &format!("ajwani-list-ranking bplru-power-loss --on file {BRIEFLY} --json"));
    let claims = claims(&ended.well());
    all_are_told(&claims);
    let of = |id: &str| claims.iter().find(|claim| claim["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert!(of("ajwani-list-ranking/days")["measured"].is_number(), "reads alone need no leave");
    assert_eq!(of("bplru-power-loss/saved")["reason"], "it writes: add --write");
    assert!(before == std::fs::read(scratch.path("file")).unwrap(), "the file was written");
}

#[test]
fn what_a_single_real_device_cannot_tell_says_why_in_a_sentence() {
    let scratch = with_file("16MiB");
    for (study, why) in [
        ("ajwani-hard-disk", "compares"),
        ("ajwani-interface", "made of"),
        ("bplru-table-1", "simulated SSD"),
        ("bplru-table-2", "where that ends"),
        ("bplru-prototype", "1 GiB"),
    ] {
        let ended = reproduce(&scratch, &format!("{study} --on file --write {BRIEFLY} --json"));
        for claim in claims(&ended.well()) {
            let reason = claim["reason"].as_str().unwrap_or_default();
            assert!(reason.contains(why) && !reason.contains('\n'), "{study}: {claim}");
        }
    }
}

#[test]
fn wrong_flags_and_unfit_targets_are_refused_before_the_first_io() {
    let scratch = with_file("16MiB");
    std::fs::write(scratch.path("foreign"), vec![7; 32 << 20]).unwrap();
    call(&folder(&scratch), &["create", "small", "8MiB"]).well();
    for (line, status, words) in [
        ("ajwani-steady --on file --write --size 1MiB", 2, &["--size", "16MiB"][..]),
        ("ajwani-steady --on file --write --size 1GiB", 2, &["--size", "16MiB"]),
        ("ajwani-steady --on file --runtime 0s", 2, &["--runtime", "100ms"]),
        ("ajwani-steady --on file --write --runtime 1us", 2, &["--runtime", "100ms"]),
        ("ajwani-steady --on file --repeats 0", 2, &["--repeats"]),
        ("ajwani-steady --on sim:x25m-2009 --size 16MiB", 2, &["--size", "real"]),
        ("ajwani-steady --on sim:x25m-2009 --runtime 1s", 2, &["--runtime", "real"]),
        ("ajwani-steady --on sim:x25m-2009 --repeats 2", 2, &["--repeats", "real"]),
        ("ajwani-steady --runtime 1s", 2, &["--on"]),
        ("ajwani-steady --on null:", 2, &["null:"]),
        ("ajwani-steady --on small --write", 2, &["8MiB", "16MiB"]),
        ("ajwani-steady --on foreign --write", 3, &["--overwrite-existing-data"]),
        ("ajwani-steady --on nothing", 2, &["nothing"]),
    ] {
        reproduce(&scratch, line).failed(status, words);
    }
    assert!(std::fs::read(scratch.path("foreign")).unwrap().iter().all(|byte| *byte == 7));
}

/// A real device never does quite the same again: a verdict shows how far its number may be off.
#[test]
fn on_a_real_device_numbers_have_intervals_and_what_differs_says_what_would_agree() {
    let scratch = with_file("16MiB");
    let line = "ajwani-chunks ajwani-misaligned --on file --write --runtime 100ms";
    let claims = claims(&reproduce(&scratch, &format!("{line} --json")).well());
    all_are_told(&claims);
    let of = |id: &str| claims.iter().find(|claim| claim["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    for id in ["ajwani-chunks/half", "ajwani-chunks/quarter", "ajwani-misaligned/by-2"] {
        let [low, high] = [0, 1].map(|end| of(id)["interval"][end].as_f64().expect("an interval"));
        assert!((low..=high).contains(&of(id)["measured"].as_f64().unwrap()), "{}", of(id));
        assert_eq!(of(id)["repeats"], 3);
    }
    for claim in &claims {
        let reason = claim["reason"].as_str().unwrap();
        assert_eq!(claim["uncertain"] == true, reason.contains("judged otherwise"), "{claim}");
        assert!(claim["verdict"] != "differs" || reason.contains("would agree"), "{claim}");
    }
    let text = reproduce(&scratch, "ajwani-chunks --on file --write --runtime 100ms").well().out;
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no '{words}' in {text}"));
    assert!(place("Run on file, 3 times") < place("As written for the simulated device"), "{text}");
}

/// What was found before Ctrl-C is shown.
#[test]
fn after_an_interruption_the_finished_studies_are_shown() {
    let scratch = with_file("16MiB");
    let ended = interrupted_in_the_second_study(&scratch, &[]);
    assert!(ended.out.contains("ajwani-list-ranking") && !ended.out.contains("ajwani-steady"), "{ended:?}");
    assert!(ended.err.contains("1 of 2 studies"), "{ended:?}");
}

#[test]
fn after_an_interruption_json_says_that_it_is_not_complete() {
    let scratch = with_file("16MiB");
    let document = interrupted_in_the_second_study(&scratch, &["--json"]).json();
    assert_eq!(document["complete"], false);
    let studies = document["claims"].as_array().unwrap().iter().map(|claim| claim["study"].as_str());
    assert!(
        studies.clone().count() > 0 && studies.into_iter().all(|study| study == Some("ajwani-list-ranking"))
    );
}

fn interrupted_in_the_second_study(scratch: &Scratch, more: &[&str]) -> Ended {
    let line = ["reproduce", "ajwani-list-ranking", "ajwani-steady", "--on", "file", "--write"];
    let child = start(&folder(scratch), &[&line[..], &["--runtime", "5s", "--repeats", "1"], more].concat());
    // The first study only reads, the second writes for minutes.
    let before = std::fs::read(scratch.path("file")).unwrap();
    wait_for("a write", || std::fs::read(scratch.path("file")).unwrap() != before);
    let ended = interrupt(child);
    assert_eq!(ended.status, 130, "{ended:?}");
    ended
}
