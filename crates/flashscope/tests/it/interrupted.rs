//! A run that does not come to its end keeps what it measured, says why, and can be finished.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};

use crate::common::kernel::{Loop, Mounted, Scratch, requires};
use crate::common::{Ended, call, folder, start, stored_runs, text, wait_for};
use serde_json::Value;

const MIB: u64 = 1 << 20;

/// A folder on a disk, with a file of flashscope's own.
fn scratch_with_target() -> Scratch {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    call(&folder(&scratch), &["create", "target", "64MiB"]).well();
    scratch
}

/// Its experiments, each with its round, those that were broken off left out, sorted.
fn finished(result: &Path) -> Vec<String> {
    let all = stored_runs(result);
    let whole = all.iter().filter(|run| run["run"]["outcome"]["stopped_because"] != "interrupted");
    let mut names: Vec<_> = whole.map(|run| format!("{} {}", run["experiment"], run["repeat"])).collect();
    names.sort();
    names
}

/// That are planned; what is not precise enough gets more.
const ROUNDS: u32 = 3;

fn round(name: &str) -> u32 {
    name.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Rough means will do: what is asked is what is kept.
const RUN: [&str; 13] = [
    "run",
    "target",
    "--quick",
    "--write",
    "--only",
    "alignment",
    "--precision",
    "50%",
    "--repeats",
    "3",
    "--seed",
    "5",
    "-o",
];

fn interrupt(child: Child, signal: &str) -> Ended {
    let id = child.id().to_string();
    let status = Command::new("kill").args([signal, &id]).status().expect("kill is there");
    assert!(status.success());
    child.wait_with_output().expect("it ends").into()
}

/// Starts a run and stops it by `signal` once it has finished `count` experiments.
fn stopped(scratch: &Scratch, name: &str, count: usize, signal: &str) -> Ended {
    let child = start(&folder(scratch), &[&RUN[..], &[name]].concat());
    wait_for("some experiments", || stored_runs(&scratch.path(name)).len() >= count);
    interrupt(child, signal)
}

/// Experiments of the plan of [`RUN`], from a run that nobody disturbed.
fn undisturbed(scratch: &Scratch) -> Vec<String> {
    call(&folder(scratch), &[&RUN[..], &["whole"]].concat()).well();
    finished(&scratch.path("whole"))
}

#[test]
fn after_an_interruption_or_a_kill_resume_finishes_the_run() {
    let scratch = scratch_with_target();
    let all = undisturbed(&scratch);
    for (name, signal) in [("once", "-INT"), ("killed", "-KILL")] {
        let result = scratch.path(name);
        let ended = stopped(&scratch, name, 3, signal);
        let kept = finished(&result);
        assert!(kept.len() >= 3 && kept.len() < all.len(), "{signal}: {} kept", kept.len());
        if signal == "-INT" {
            assert!(ended.out.len() > 100, "what there is is shown: {ended:?}");
            ended.failed(130, &["Interrupted", "--resume", name]);
            let shown = call(&folder(&scratch), &["show", name, "--json"]).well().json();
            assert_eq!(shown["complete"], false, "the result is marked");
        } else {
            let shown = call(&folder(&scratch), &["show", name, "--json"]).well().json();
            assert_eq!(shown["complete"], false, "what was finished before the kill is shown, and marked");
        }
        call(&folder(&scratch), &["run", "--resume", name]).failed(2, &["--write"]);
        call(&folder(&scratch), &["run", "--resume", name, "--write"]).well();
        let (found, planned) = (finished(&result), |names: &[String]| {
            names.iter().filter(|name| round(name) < ROUNDS).cloned().collect::<Vec<_>>()
        });
        assert_eq!(planned(&found), planned(&all), "{signal}: each experiment once in a round, none lost");
        assert!(found.windows(2).all(|two| two[0] != two[1]), "{signal}: no round twice: {found:#?}");
        let resumed = stored_runs(&result);
        assert!(kept.iter().all(|run| finished(&result).contains(run)));
        let shown = call(&folder(&scratch), &["show", name, "--json"]).well().json();
        assert_eq!(shown["complete"], true);
        let again = call(&folder(&scratch), &["run", "--resume", name, "--write"]).well();
        assert_eq!(stored_runs(&result).len(), resumed.len(), "nothing is left to do: {again:?}");
    }
}

/// The line that is printed is run as it is, by a shell.
#[test]
fn the_command_that_is_printed_finishes_a_run_of_somebody_elses_file() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    fs::write(scratch.path("target"), vec![7; 64 * MIB as usize]).unwrap();
    let leave = ["--overwrite-existing-data", "-o", "it's mine"];
    let child = start(&folder(&scratch), &[&RUN[..12], &leave[..]].concat());
    wait_for("some experiments", || stored_runs(&scratch.path("it's mine")).len() >= 2);
    let ended = interrupt(child, "-INT").failed(130, &["resume it with: "]);
    let (_, printed) = ended.err.rsplit_once("resume it with: ").expect("it was just seen");
    let printed = printed.lines().next().expect("a line");
    let program = Path::new(env!("CARGO_BIN_EXE_flashscope")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", printed]).env("PATH", path).current_dir(folder(&scratch));
    let resumed: Ended = shell.output().expect("a shell").into();
    let resumed = resumed.well();
    let shown = call(&folder(&scratch), &["show", "it's mine", "--json"]).well().json();
    assert_eq!(shown["complete"], true, "{printed}: {resumed:?}");
}

#[test]
fn the_file_stays_ours_after_a_kill() {
    let scratch = scratch_with_target();
    let child = start(&folder(&scratch), &[&RUN[..], &["killed"]].concat());
    wait_for("the state", || scratch.path("killed/enforced-pieces").exists());
    interrupt(child, "-KILL");
    call(&folder(&scratch), &["check", "target"]).well();
}

#[test]
fn an_interrupted_measurement_is_kept() {
    let scratch = scratch_with_target();
    let arguments = ["measure", "target", "--bs", "4k", "--rw", "randread", "--runtime", "10min"];
    let child = start(&folder(&scratch), &[&arguments[..], &["--json", "-o", "part"]].concat());
    wait_for("the recording", || fs::read_dir(scratch.path("part/ios")).is_ok_and(|dir| dir.count() > 0));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let ended = interrupt(child, "-INT");
    assert_eq!(ended.status, 130, "{ended:?}");
    let json = ended.json();
    assert_eq!(json["stopped_because"], "interrupted");
    assert!(json["ios"].as_u64() > Some(0), "{json:#}");
    let shown = call(&folder(&scratch), &["show", "part", "--json"]).well().json();
    assert_eq!((&shown["ios"], &shown["records"]), (&json["ios"], &json["records"]));
    assert!(scratch.path("part").join(json["records"].as_str().unwrap()).is_file());
}

#[test]
fn a_budget_that_is_too_small_is_said_and_can_be_finished() {
    let scratch = scratch_with_target();
    let run = ["run", "target", "--quick", "--only", "baseline", "--json", "-o", "short", "--budget", "1ms"];
    let short = call(&folder(&scratch), &run).well();
    assert_eq!(short.json()["complete"], false);
    short.failed(0, &["budget", "--resume", "short"]);
    let strict = ["measure", "target", "--bs", "4k", "--budget", "1ms", "--json", "--strict"];
    let ended = call(&folder(&scratch), &strict);
    assert_eq!(ended.status, 4, "{ended:?}");
    let json = ended.json();
    assert_eq!(json["stopped_because"], "budget");
    assert!(json["missing"].is_string(), "it says what the run was too short for: {json:#}");
}

/// The results' disk fills up in the middle of a run.
#[test]
fn a_full_disk_for_the_results_loses_no_finished_run() {
    if !requires(&["mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = scratch.path("small");
    let _mounted = Mounted::memory("192k", small.clone());
    let result = small.join("result");
    let run = ["run", "rig:plain", "--seed", "1", "--json", "-o", text(&result)];
    let ended = call(&folder(&scratch), &run);
    let kept = stored_runs(&result).len();
    assert!(kept > 0, "{ended:?}");
    let json = ended.json();
    assert!(json["ios"].as_u64() > Some(0), "what was measured is shown");
    ended.failed(1, &[text(&result), "free some space", "--resume"]);
    let all = call(&folder(&scratch), &["show", text(&result)]);
    assert!(all.status == 0, "{all:?}");
    let shown = stored_runs(&result).len();
    assert_eq!(shown, kept, "a look changes nothing");
    assert!(Command::new("mount").args(["-o", "remount,size=64m"]).arg(&small).status().unwrap().success());
    call(&folder(&scratch), &["run", "--resume", text(&result), "--quiet"]).well();
    assert!(stored_runs(&result).len() > kept, "with more room it is finished");
    // The run that met the full disk, whose IOs could not be kept, was measured again.
    let all = stored_runs(&result);
    let place = |run: &Value| format!("{} {}", run["experiment"], run["repeat"]);
    let kept: Vec<String> = all.iter().filter(|run| !run["run"]["records"].is_null()).map(place).collect();
    assert!(
        all.iter().all(|run| kept.contains(&place(run))),
        "{} of {} have their IOs",
        kept.len(),
        all.len()
    );
}

/// What is said to be there is there: single IOs, the summary alone, no page.
#[test]
fn a_measurement_on_a_full_disk_names_what_it_left_behind() {
    if !requires(&["mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = scratch.path("small");
    let _mounted = Mounted::memory("128k", small.clone());
    let measure = |ios: &str, more: &[&str]| {
        let result = small.join("result");
        let _ = fs::remove_dir_all(&result);
        let _ = fs::remove_dir_all(small.join("result-a"));
        let of_all = ["measure", "null:", "--write", "-o", text(&result)];
        match more {
            [] => call(&folder(&scratch), &[&of_all[..], &["--number-ios", ios]].concat()),
            _ => call(&folder(&scratch), &[&of_all[..], more].concat()),
        }
    };
    let files = |name: &str| fs::read_dir(small.join(name).join("ios")).expect("a folder").count();
    let without_page = measure("20", &[]).well();
    assert!(
        without_page.err.contains("no report.html") && !without_page.err.contains("(page:"),
        "{without_page:?}"
    );
    assert_eq!(files("result"), 1);
    measure("100000", &[])
        .failed(1, &["the summary of 100,000 IOs", "the single IOs are not", "free some space"]);
    assert_eq!((files("result"), stored_runs(&small.join("result")).len()), (0, 1));
    let job = ["--job", "a: rw=read number_ios=100000"];
    measure("", &job).failed(1, &["[a] the summary of 100,000 IOs", "the single IOs are not"]);
    assert_eq!((files("result-a"), stored_runs(&small.join("result-a")).len()), (0, 1));
}

#[test]
fn a_disk_that_is_full_from_the_start_is_named() {
    if !requires(&["mount"]) {
        return;
    }
    let scratch = Scratch::new();
    let small = scratch.path("small");
    let _mounted = Mounted::memory("4k", small.clone());
    fs::write(small.join("ballast"), [1; 4096]).unwrap();
    let result = small.join("result");
    let measure = ["measure", "null:", "--number-ios", "10", "-o", text(&result)];
    call(&folder(&scratch), &measure).failed(1, &[text(&result), "No space left", "free some space"]);
}

/// The device loses its second half in the middle of a run.
#[test]
fn an_io_error_in_the_middle_names_the_io_and_keeps_what_was_before() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 32 * MIB), &[]);
    let half = || File::options().write(true).open(&disk.image).unwrap().set_len(16 * MIB).unwrap();
    half();
    let read = ["measure", disk.name(), "--bs", "64k", "--number-ios", "512", "-o", "part"];
    let words = [disk.name(), "read", "16777216", "Input/output error", "256 IOs", "part"];
    call(&folder(&scratch), &read).failed(1, &words);
    let shown = call(&folder(&scratch), &["show", "part", "--json"]).well().json();
    assert_eq!(shown["ios"], 256, "those before the error");
    let run = ["run", disk.name(), "--quick", "--only", "granularity", "--json", "-o", "run"];
    let ended = call(&folder(&scratch), &[&run[..], &["--on-error", "stop"]].concat());
    assert_eq!(ended.json()["complete"], false);
    ended.failed(1, &[disk.name(), "Input/output error", "--resume", "run"]);
    let kept = finished(&scratch.path("run")).len();
    assert!(!stored_runs(&scratch.path("run")).is_empty());
    File::options().write(true).open(&disk.image).unwrap().set_len(32 * MIB).unwrap();
    call(&folder(&scratch), &["run", "--resume", "run"]).well();
    assert!(finished(&scratch.path("run")).len() > kept, "it resumes after the cause is fixed");
}

#[test]
fn a_folder_in_use_is_not_written_by_a_second_run() {
    let scratch = scratch_with_target();
    let child = start(&folder(&scratch), &[&RUN[..], &["busy"]].concat());
    wait_for("the folder", || scratch.path("busy/manifest.json").exists());
    let second = call(&folder(&scratch), &["run", "--resume", "busy", "--write"]);
    assert!([1, 3].contains(&second.status), "{second:?}");
    assert!(second.err.contains("busy") || second.err.contains("target"), "{second:?}");
    interrupt(child, "-INT");
}
