//! `flashscope reproduce --on` a real file or loop device: the same studies with the guard and the
//! confirmation of `run`. What the studies find there is asked of `flashscope-papers`.

use crate::common::kernel::{Loop, Scratch, requires};
use crate::common::{Ended, call, folder, interrupt, scratch, start, text, wait_for};
use serde_json::Value;

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
fn studies_run_on_a_confirmed_loop_device() {
    if !requires(&["losetup"]) {
        return;
    }
    let scratch = scratch();
    let image = scratch.image("disk", 32 << 20);
    let disk = Loop::attach(&image, &[]);
    let studies = "ajwani-chunks ajwani-misaligned bplru-power-loss";
    let line = format!("{studies} --on {} --write {BRIEFLY} --json", disk.name());
    reproduce(&scratch, &line).failed(3, &["--confirm"]);
    let claims = claims(&reproduce(&scratch, &format!("{line} --confirm {}", text(&image))).well());
    all_are_told(&claims);
    assert!(claims.iter().any(|claim| claim["measured"].is_number()), "{claims:?}");
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
        ("ajwani-steady --on file --seeds 2", 2, &["--seeds", "--repeats"]),
        ("ajwani-steady --seeds 0", 2, &["--seeds"]),
        ("ajwani-steady --on sim:x25m-2009 --sensitivity", 2, &["--sensitivity", "--on"]),
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
