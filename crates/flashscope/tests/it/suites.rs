//! Suites by name and as files: on rigs, files and loop devices, with one plan, guard, resume and result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use flashscope_bench::Suites;

use crate::common::kernel::{Loop, requires};
use crate::common::{Ended, call, folder, scratch, start, stored_runs, text, wait_for};
use serde_json::Value;

const SHORT: &str = "# A line for each.\n\
    fill bs=1MiB\n\
    burst rw=randwrite bs=4KiB ios=64\n\
    run after rw=write bs=32KiB ios=256 window=64ios   # four windows\n\
    idle 10ms\n\
    run reads rw=randread bs=4KiB ios=128 repeats=2\n\
    fill bs=1MiB\n\
    scale sizes rw=read bs=32KiB to=128KiB ios=32\n";

#[test]
fn every_suite_says_something_of_a_virtual_device_in_all_forms() {
    let scratch = scratch();
    let suites = Suites::builtin();
    for suite in suites.iter().map(|suite| &*suite.name).filter(|name| *name != "uflip") {
        let arguments = [
            "run",
            "rig:plain",
            "--suite",
            suite,
            "--quick",
            "--size",
            "64MiB",
            "--seed",
            "3",
            "--details",
            "-o",
        ];
        let run = call(&folder(&scratch), &[&arguments[..], &[suite]].concat()).well();
        assert!(run.out.contains("Findings") && run.out.contains(&format!("suite {suite}")), "{}", run.out);
        let shown = call(&folder(&scratch), &["show", suite, "--details"]).well();
        assert_eq!(shown.out, run.out, "{suite}: what is stored says the same");
        let json = call(&folder(&scratch), &["show", suite, "--json"]).well().json();
        assert_eq!(json["suite"], suite);
        assert!(json["reading"]["tables"].as_array().is_some_and(|tables| !tables.is_empty()));
        let page = fs::read_to_string(scratch.path(suite).join("report.html")).expect("a page");
        assert!(page.contains("Findings") && page.contains(&format!("suite {suite}")), "{suite}");
    }
}

#[test]
fn a_file_and_the_same_as_toml_are_the_same_suite() {
    let scratch = scratch();
    fs::write(scratch.path("short.suite"), SHORT).expect("written");
    let toml = "[[step]]\ndo = \"fill\"\nbs = \"1MiB\"\n\
        [[step]]\ndo = \"burst\"\nrw = \"randwrite\"\nbs = \"4KiB\"\nios = 64\n\
        [[step]]\ndo = \"run\"\nname = \"after\"\nrw = \"write\"\n\
        bs = \"32KiB\"\nios = 256\nwindow = \"64ios\"\n\
        [[step]]\ndo = \"idle\"\nfor = \"10ms\"\n\
        [[step]]\ndo = \"run\"\nname = \"reads\"\nrw = \"randread\"\n\
        bs = \"4KiB\"\nios = 128\nrepeats = 2\n\
        [[step]]\ndo = \"fill\"\nbs = \"1MiB\"\n\
        [[step]]\ndo = \"scale\"\nname = \"sizes\"\nrw = \"read\"\n\
        bs = \"32KiB\"\nto = \"128KiB\"\nios = 32\n";
    fs::write(scratch.path("short.toml"), toml).expect("written");
    let mut both = Vec::new();
    for (file, name) in [("./short.suite", "lines"), ("./short.toml", "toml")] {
        let arguments = ["run", "rig:plain", "--suite", file, "--size", "64MiB", "--seed", "3", "-o", name];
        call(&folder(&scratch), &arguments).well();
        both.push(
            stored_runs(&scratch.path(name))
                .into_iter()
                .map(|mut run| {
                    // Names of files apart.
                    run["run"]["records"] = Value::Null;
                    run
                })
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(both[0], both[1]);
    let names: Vec<&str> = both[0].iter().filter_map(|run| run["experiment"]["micro"].as_str()).collect();
    assert_eq!(names[..3], ["after", "reads", "reads"]);
    let sizes = names.iter().filter(|name| **name == "sizes").count();
    assert!((3..=9).contains(&sizes), "to 128 KiB in any case, beyond while it pays: {sizes}");
    let windows = both[0][0]["run"]["windows"].as_array().expect("windows");
    assert!(windows.len() == 4 && windows.iter().all(|window| window["ios"] == 64), "{windows:?}");
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_line_and_the_known_words() {
    let scratch = scratch();
    let cases: [(&str, &[&str]); 16] = [
        (
            "fill\nfil bs=1MiB\n",
            &["line 2", "unknown act 'fil'", "fill, trim, enforce, burst, idle, run, scale"],
        ),
        ("run a rw=read bz=4KiB\n", &["line 1", "unknown key 'bz' of run", "window", "shift"]),
        ("\n\nrun a rw=sideways\n", &["line 3", "sideways", "randwrite"]),
        ("run rw=read\n", &["line 1", "it needs a name"]),
        ("run a rw=read runtime=5s ios=3\n", &["line 1", "exclude one another"]),
        ("burst rw=randwrite\nrun a rw=read ios=5\n", &["line 1", "a burst needs a length"]),
        ("fill\n", &["line 1", "nothing is measured after this"]),
        ("run a rw=read ios=9\nrun a rw=read ios=9\n", &["line 2", "line 1 also has a run named a/SR/32KiB"]),
        // What only the target shows has its line too.
        ("fill\nrun a rw=read bs=3 ios=9\n", &["line 2", "512-byte sector"]),
        ("fill\nrun a rw=read size=64MiB offset=1MiB ios=9\n", &["line 2", "measured 64MiB", "--size"]),
        ("\nfill bs=100\nrun a rw=read ios=9\n", &["line 2", "512-byte sector"]),
        ("fill bs=0\nrun a rw=read ios=9\n", &["line 1", "bs"]),
        ("burst rw=randwrite bs=3 ios=5\nrun a rw=read ios=9\n", &["line 1", "512-byte sector"]),
        ("fill\nscale a rw=read bs=128MiB ios=5\n", &["line 2", "bs=128MiB", "or less"]),
        (
            "run a rw=read ios=9 repeats=4000000000\n",
            &["line 1", "repeats=4000000000: write a number from 1 to 1000"],
        ),
        ("# nothing\n", &["file is empty", "run reads"]),
    ];
    for (content, words) in cases {
        fs::write(scratch.path("bad.suite"), content).expect("written");
        let arguments = ["run", "rig:plain", "--size", "64MiB", "--suite", "./bad.suite", "-o", "never"];
        call(&folder(&scratch), &arguments).failed(2, words);
    }
    // A table has the line at which it begins.
    let tables: [(&str, &[&str]); 4] = [
        ("do = \"ruin\"", &["line 4", "unknown act 'ruin'"]),
        ("do = \"run\"\nname = \"a\"\nrw = \"read\"\nbs = \"3\"\nios = 9", &["line 4", "512-byte sector"]),
        ("do = \"fill\"\nbz = 5", &["line 4", "unknown key 'bz' of fill"]),
        ("do = \"fill", &["line 5"]),
    ];
    for (table, words) in tables {
        let content = format!("[[step]]\ndo = \"fill\"\n\n[[step]]\n{table}\n");
        fs::write(scratch.path("bad.toml"), content).expect("written");
        let arguments = ["run", "rig:plain", "--size", "64MiB", "--suite", "bad.toml", "-o", "never"];
        call(&folder(&scratch), &arguments).failed(2, words);
    }
    assert!(!scratch.path("never").exists());
}

#[test]
fn flags_that_mean_nothing_to_a_suite_are_refused_by_name() {
    let scratch = scratch();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["--suite", "ajwani", "--only", "locality"], &["--only", "ajwani"]),
        (&["--suite", "ajwani", "--full"], &["--full"]),
        (&["--suite", "rewrite", "--state", "random"], &["--state"]),
        (&["--suite", "snia-pts", "--bs", "4k"], &["--bs", "it has fixed IO sizes"]),
        (&["--suite", "snia-pts", "--precision", "1%"], &["--precision"]),
        (&["--suite", "snia-pts", "--set", "tests=iosp"], &["iosp", "iops, throughput"]),
        (&["--suite", "snail"], &["unknown suite 'snail'", "snia-pts"]),
        (&["--set", "round=1s"], &["--suite"]),
    ];
    for (flags, words) in cases {
        call(&folder(&scratch), &[&["run", "rig:plain"], flags].concat()).failed(2, words);
    }
    call(&folder(&scratch), &["create", "target", "64MiB"]).well();
    let dry = ["run", "target", "--suite", "almost-sequential", "--dry-run"];
    call(&folder(&scratch), &dry).failed(2, &["all runs", "--write"]);
}

#[test]
fn a_dry_run_says_no_figure_that_another_contradicts() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "target", "64MiB"]).well();
    call(&folder(&scratch), &["create", "small", "8MiB"]).well();
    fs::write(scratch.path("timed.suite"), "run w rw=write bs=4k runtime=5s\n").expect("written");
    for target in ["sim:nvme-tlc-2024?capacity=1GiB", "target"] {
        for suite in ["uflip", "ajwani", "snia-pts", "modern", "./timed.suite"] {
            let leave = if target == "target" { &["--write"][..] } else { &[] };
            let dry = ["run", target, "--suite", suite, "--quick", "--dry-run", "--json"];
            let json = call(&folder(&scratch), &[&dry[..], leave].concat()).well().json();
            let [least, about, most] = ["written_bytes_min", "written_bytes", "written_bytes_max"]
                .map(|key| json[key].as_u64().expect("bytes"));
            assert!(least <= about && about <= most, "{suite} on {target}: {least} {about} {most}");
            assert!(!json["plan"].to_string().contains("at least 0 B"), "{suite} on {target}: {json}");
        }
    }
    // Of five tests everything is written twice before, and by write saturation four times.
    for settings in [&["--set", "round=1ms"][..], &[]] {
        let dry = ["run", "target", "--suite", "snia-pts", "--write", "--dry-run", "--json"];
        let json = call(&folder(&scratch), &[&dry[..], settings].concat()).well().json();
        let [least, about, most] = ["written_bytes_min", "written_bytes", "written_bytes_max"]
            .map(|key| json[key].as_u64().expect("bytes"));
        assert!(least >= 14 * (64 << 20) && least <= about && about <= most, "{least} {about} {most}");
    }
    for suite in ["uflip", "snia-pts", "./timed.suite"] {
        let dry = ["run", "small", "--suite", suite, "--write", "--dry-run"];
        call(&folder(&scratch), &dry).failed(2, &["8MiB of small", "at least 16MiB", "at least 16MiB"]);
    }
}

#[test]
fn a_run_is_not_finished_as_another_suite() {
    let scratch = scratch();
    let arguments = ["run", "rig:plain", "--quick", "--only", "baseline", "--size", "16MiB", "-o", "begun"];
    call(&folder(&scratch), &arguments).well();
    let resumed = |suite| call(&folder(&scratch), &["run", "--resume", "begun", "--suite", suite]);
    resumed("modern").failed(2, &["the suite uflip, not of modern", "leave out --suite", "--resume"]);
    resumed("uflip").well();
}

#[test]
fn a_suite_on_a_file_is_interrupted_and_finished_like_uflip() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "target", "64MiB"]).well();
    let long =
        SHORT.to_string() + "run last rw=randread bs=4KiB ios=4096 thinktime=200us\nrun end rw=read ios=16\n";
    fs::write(scratch.path("long.suite"), long).expect("written");
    let result = scratch.path("part");
    let arguments = ["run", "target", "--suite", "./long.suite", "--write", "--seed", "5", "-o", "part"];
    let child = start(&folder(&scratch), &arguments);
    wait_for("the first runs", || stored_runs(&result).len() >= 5);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
    let ended: Ended = child.wait_with_output().expect("it ends").into();
    let before = stored_runs(&result).len();
    ended.failed(130, &["--resume"]);
    // What the file says now is not what was begun.
    fs::write(scratch.path("long.suite"), "run other rw=read ios=5\n").expect("written");
    call(&folder(&scratch), &["run", "--resume", "part", "--write"]).well();
    let all = stored_runs(&result);
    let names: Vec<&str> = all.iter().filter_map(|run| run["experiment"]["micro"].as_str()).collect();
    assert!(names.contains(&"end") && !names.contains(&"other"), "{names:?}");
    // The first chain was whole: it is not measured again. The second is, from its fill on.
    assert_eq!(names.iter().filter(|name| **name == "after").count(), 1, "{names:?}");
    assert!(names[before..].contains(&"sizes"), "{names:?}");
    let shown = call(&folder(&scratch), &["show", "part", "--json"]).well().json();
    assert_eq!(shown["complete"], true);
    // A run that was measured again counts once.
    let named =
        |run: &Value| (format!("{} {}", run["experiment"], run["repeat"]), run["run"]["ios"].as_u64());
    let last: BTreeMap<_, _> = all.iter().map(named).collect();
    assert_eq!(shown["ios"].as_u64(), last.values().copied().sum());
}

#[test]
fn a_suite_runs_on_a_loop_device_and_says_what_fresh_means_there() {
    if !requires(&["losetup"]) {
        return;
    }
    let scratch = scratch();
    let image = scratch.image("disk", 64 << 20);
    let disk = Loop::attach(&image, &[]);
    // A loop device's serial is its backing file.
    let serial = text(&image).to_string();
    let arguments =
        ["run", disk.name(), "--suite", "rewrite", "--quick", "--write", "--repeats", "1", "-o", "loop"];
    let all = ["--details", "--confirm", &serial];
    let run = call(&folder(&scratch), &[&arguments[..], &all].concat()).well();
    assert!(run.out.contains("everything was discarded") || run.out.contains("written once in order"));
    assert!(run.out.contains("includes all threads of this program"), "{}", run.out);
}

/// Each suite at its shortest, with the settings that make it so.
const SHORTEST: [(&str, &[&str]); 6] = [
    ("uflip", &["--only", "granularity", "--budget", "3s"]),
    ("ajwani", &["--set", "runtime=5ms", "--set", "phase=2ms", "--set", "long=200"]),
    ("rewrite", &["--set", "ios=64"]),
    ("almost-sequential", &["--set", "passes=2"]),
    ("snia-pts", &["--set", "round=1ms", "--set", "rounds=5", "--set", "cycles=1"]),
    (
        "modern",
        &[
            "--set",
            "time=10ms",
            "--set",
            "rest=1ms",
            "--set",
            "idles=1ms",
            "--set",
            "rates=1",
            "--set",
            "buffer_max=2MiB",
        ],
    ),
];

/// Names of all experiments, but for discards, which not everything takes.
fn experiments(result: &Path) -> std::collections::BTreeSet<String> {
    let name = |run: Value| {
        let experiment = &run["experiment"];
        let micro = experiment["micro"].as_str().expect("a name").to_string();
        format!("{micro}/{}/{}", experiment["curve"], experiment["label"])
    };
    stored_runs(result)
        .into_iter()
        .map(name)
        .filter(|name| !name.contains("trim") && !name.contains("fresh"))
        .collect()
}

#[test]
fn every_suite_does_on_a_file_and_a_loop_device_what_it_does_on_a_simulated_one() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "file", "32MiB"]).well();
    let image = scratch.image("disk", 32 << 20);
    let disk = requires(&["losetup"]).then(|| Loop::attach(&image, &[]));
    for (suite, settings) in SHORTEST {
        let mut targets = vec![("sim:x25m-2009?capacity=32MiB", vec![]), ("file", vec!["--write"])];
        if let Some(disk) = &disk {
            targets.push((disk.name(), vec!["--write", "--confirm", text(&image)]));
        }
        let mut done = Vec::new();
        for (place, (target, leave)) in targets.iter().enumerate() {
            let result = format!("{suite}-{place}");
            let common = ["run", target, "--suite", suite, "--quick", "--repeats", "1", "-o", &result];
            let run = call(&folder(&scratch), &[&common[..], settings, leave].concat()).well();
            assert!(!run.out.is_empty(), "{suite} on {target}");
            done.push(experiments(&scratch.path(&result)));
        }
        if suite == "uflip" {
            // A budget ends it where time is real.
            continue;
        }
        for (other, (target, _)) in done[1..].iter().zip(&targets[1..]) {
            // Rounds and doublings end where the device's numbers say.
            let same = done[0].intersection(other).count();
            assert!(same * 4 >= done[0].len() * 3, "{suite} on {target}: {:?}\n{other:?}", done[0]);
        }
    }
}
