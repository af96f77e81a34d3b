//! What is printed is written for the person who asked: commands that can be copied, remarks on what was
//! asked for, and nothing of how flashscope is built.

use std::fs;

use crate::common::kernel::Scratch;
use crate::common::{call, ended, flashscope, folder, scratch};
use serde_json::Value;

fn manifest(scratch: &Scratch, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(scratch.path(name).join("manifest.json")).unwrap()).unwrap()
}

/// Runs a printed command line as a shell would.
fn in_a_shell(scratch: &Scratch, line: &str) -> i32 {
    let program = env!("CARGO_BIN_EXE_flashscope");
    let line = line.replacen("flashscope", &format!("'{program}'"), 1);
    let mut shell = std::process::Command::new("sh");
    ended(shell.args(["-c", &line]), &folder(scratch)).status
}

#[test]
fn printed_commands_can_be_copied_whatever_the_path() {
    let scratch = scratch();
    for name in ["it's mine $(x)", "./-dash"] {
        let made = call(&folder(&scratch), &["create", name, "32MiB"]).well();
        let line = made.out.trim().split_once("try: ").expect("a command").1;
        assert_eq!(in_a_shell(&scratch, &format!("{line} --dry-run")), 0, "{line}");
    }
    let run = [
        "run",
        "./-dash",
        "--quick",
        "--write",
        "--only",
        "order",
        "--budget",
        "1ms",
        "--details",
        "-o",
        "of it",
    ];
    let stopped = call(&folder(&scratch), &run).well();
    let line = stopped.err.trim().split_once("resume it with: ").expect("a command").1;
    assert!(line.contains("'of it' --write"), "{line}");
    assert!(
        stopped.out.contains("--resume 'of it' --write") && !stopped.out.contains("DIR"),
        "{}",
        stopped.out
    );
    let shown = call(&folder(&scratch), &["show", "of it", "--details"]).well().out;
    assert!(shown.contains("--resume 'of it' --write") && !shown.contains("DIR"), "{shown}");
    assert_eq!(in_a_shell(&scratch, &format!("{line} --budget 1ms")), 0, "{line}");
}

#[test]
fn the_engines_of_all_runs_are_in_the_manifest() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "mine", "32MiB"]).well();
    let engine = |name: &str, arguments: &[&str]| {
        let all = [&["run", "mine", "--quick", "--budget", "1ms", "-o", name, "--only"], arguments].concat();
        call(&folder(&scratch), &all).well();
        manifest(&scratch, name)["engine"].as_str().expect("a text").to_string()
    };
    assert_eq!(engine("single", &["order"]), "sync");
    let both = "sync for single IOs, io_uring for up to 32 in flight";
    assert_eq!(engine("deep", &["queue-depth"]), both);
    assert_eq!(engine("sync", &["queue-depth", "--engine", "sync"]), both);
    assert_eq!(engine("ring", &["queue-depth", "--engine", "io_uring"]), "io_uring");
}

#[test]
fn two_measurements_without_a_difference_are_compared_all_the_same() {
    let scratch = scratch();
    for (name, seed) in [("a", "1"), ("b", "2")] {
        let arguments = ["measure", "rig:mtron", "--rw", "randwrite", "--seed", seed, "-o", name];
        call(&folder(&scratch), &arguments).well();
    }
    call(&folder(&scratch), &["measure", "rig:mtron", "--bs", "4k", "-o", "c"]).well();
    let same = call(&folder(&scratch), &["compare", "a", "b"]).well().out;
    for word in ["measure/RW/32KiB", "9.0", "x1.00 (", "the same (weak)", "no supported difference"] {
        assert!(same.contains(word), "'{word}' is missing in: {same}");
    }
    let json = call(&folder(&scratch), &["compare", "a", "b", "--json"]).well().json();
    let [one] = &json["experiments"].as_array().expect("a list")[..] else { panic!("{json:#}") };
    assert_eq!((&one["experiment"], &one["verdict"]), (&"measure/RW/32KiB".into(), &"same".into()));
    assert!(one["ratio"]["ci_low"].as_f64() <= one["ratio"]["value"].as_f64(), "{one}");
    let other = call(&folder(&scratch), &["compare", "a", "c"]).well().out;
    for word in ["1 experiment only in A: measure/RW/32KiB", "1 experiment only in B: measure/SR/4KiB"] {
        assert!(other.contains(word), "'{word}' is missing in: {other}");
    }
}

#[test]
fn only_what_was_asked_for_is_missed() {
    let scratch = scratch();
    let arguments = ["run", "rig:plain", "--quick", "--only", "baseline", "--json"];
    let json = call(&folder(&scratch), &arguments).well().json();
    let warnings = json["warnings"].to_string();
    assert!(!warnings.contains("Not measured"), "{warnings}");
    call(&folder(&scratch), &["create", "mine", "32MiB"]).well();
    let arguments = ["run", "mine", "--quick", "--only", "baseline", "--json"];
    let warnings = call(&folder(&scratch), &arguments).well().json()["warnings"].to_string();
    assert!(warnings.contains("seq write, rand write") && warnings.contains("--write"), "{warnings}");
    for key in ["_ms", "_mib", "_factor", "pause", "locality"] {
        assert!(!warnings.contains(key), "{key} in {warnings}");
    }
}

#[test]
fn the_disk_below_a_file_is_not_taken_for_the_file() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "mine", "1MiB"]).well();
    let checked = call(&folder(&scratch), &["check", "mine"]).well().out;
    assert!(checked.contains("mine: a regular file, 1 MiB"), "{checked}");
    for line in checked.lines().filter(|line| line.contains("serial") || line.contains("model")) {
        assert!(line.trim().starts_with("disk's "), "{line}");
    }
}

#[test]
fn lines_are_as_wide_as_the_person_says_where_the_terminal_does_not() {
    let scratch = scratch();
    let mut command = flashscope(&["run", "rig:plain", "--quick", "--only", "baseline"]);
    let out = ended(command.env("COLUMNS", "70"), &folder(&scratch)).well().out;
    let longest = out.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| (60..=70).contains(&longest)), "{longest:?} in {out}");
    for senseless in ["0", "wide"] {
        let mut command = flashscope(&["run", "rig:plain", "--quick", "--only", "baseline"]);
        let out = ended(command.env("COLUMNS", senseless), &folder(&scratch)).well().out;
        assert!(out.lines().any(|line| line.chars().count() > 80), "{out}");
    }
}

/// Where a text goes and what the person says decide on its colours.
#[test]
fn colours_are_there_where_they_are_wanted() {
    let scratch = scratch();
    let out = |flags: &[&str], variable: (&str, &str)| {
        let measure = ["measure", "rig:plain", "--rw", "randread", "--seed", "1"];
        let mut command = flashscope(&[&measure[..], flags].concat());
        ended(command.env(variable.0, variable.1), &folder(&scratch)).well().out
    };
    let plain = out(&[], ("TERM", "xterm"));
    assert!(!plain.contains('\u{1b}'), "no terminal, no colour");
    let painted = out(&["--color", "always"], ("NO_COLOR", "1"));
    assert!(painted.contains("\u{1b}[1m"), "what is asked for outweighs the environment: {painted}");
    assert_eq!(out(&["--color", "never"], ("TERM", "xterm")), plain);
}
