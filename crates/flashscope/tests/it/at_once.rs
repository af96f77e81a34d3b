//! Jobs at the same time, as fio has them without `stonewall`: commands of a shell, or one command.

use std::fs;

use serde_json::Value;

use crate::common::call;
use crate::common::kernel::Scratch;
use crate::schemas::check_document;

#[test]
fn jobs_that_run_at_once_are_processes_with_a_result_each() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let job = "[global]\nioengine=null\nbs=4k\nsize=64m\n[a/b]\nrw=randread\niodepth=4\n[a.b]\nrw=randwrite\n\
               startdelay=100ms\n[c]\nstonewall\nrw=read\n";
    fs::write(scratch.path("job.fio"), job).expect("written");
    let told = call(&folder, &["import", "job.fio"]).well();
    let lines: Vec<&str> = told.out.lines().collect();
    assert_eq!(lines.len(), 4, "{told:?}");
    assert!(lines[0].starts_with("flashscope measure null: ") && lines[0].ends_with("-q -o fio-a-b & p1=$!"));
    assert!(lines[1].starts_with("sleep 0.1 && flashscope ") && lines[1].ends_with("-o fio-a-b-2 & p2=$!"));
    assert_eq!(lines[2], "failed=0; wait $p1 || failed=$?; wait $p2 || failed=$?; (exit $failed)");
    assert!(lines[3].contains("--rw read") && !lines[3].contains('&'));
    assert!(told.err.contains("[a.b] at once: beside [a/b]"), "{told:?}");
    run_by_shell(&folder, &told.out);
    for name in ["fio-a-b", "fio-a-b-2"] {
        let runs = fs::read_to_string(scratch.path(name).join("runs.jsonl")).expect("a result each");
        let run: Value = serde_json::from_str(&runs).expect("JSON");
        assert_eq!(run["run"]["ios"], 16384, "{name}");
    }
    // Their folders are there: the same again is refused, and the shell hears of it.
    let again = by_shell(&folder, &lines[..3].join("\n"));
    assert_eq!(again.status.code(), Some(2), "{}", String::from_utf8_lossy(&again.stderr));
    fs::write(scratch.path("own.fio"), "[x]\nrw=write\nsize=1m\n[y]\nrw=write\nsize=2m\n").expect("written");
    let own = call(&folder, &["import", "own.fio"]).well().out;
    assert!(own.contains("measure x.0.0 ") && own.contains("measure y.0.0 "), "a file each: {own}");
    // One of them alone is a command alone.
    let one = call(&folder, &["import", "job.fio", "--job", "a.b"]).well().out;
    assert!(one.lines().count() == 1 && !one.contains('&'), "{one}");
}

/// What a shell makes of the printed lines.
fn run_by_shell(folder: &std::path::Path, lines: &str) {
    let output = by_shell(folder, lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn by_shell(folder: &std::path::Path, lines: &str) -> std::process::Output {
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_flashscope")).parent().expect("a folder");
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", lines]).current_dir(folder).env("PATH", path).output().expect("a shell")
}

/// As fio's examples `flow` and `exitwhat` do.
#[test]
fn jobs_that_share_a_file_are_one_command_with_a_result_each() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    call(&folder, &["create", "target", "16MiB"]).well();
    let job = "[global]\nfilename=target\ndirect=1\nbs=4k\nsize=4m\nexitall\n\
               [it's one]\nrw=write\nflow=1\nnumber_ios=200\nexit_what=stonewall\n\
               [eight]\nrw=randread\nnew_group\nnorandommap\ntime_based\nruntime=60\nflow=8\n\
               ioengine=libaio\niodepth=16\n";
    fs::write(scratch.path("job.fio"), job).expect("written");
    let told = call(&folder, &["import", "job.fio"]).well();
    assert_eq!(told.out.lines().count(), 1, "{told:?}");
    assert!(
        told.out.starts_with("flashscope measure target --job ") && told.out.trim_end().ends_with(" --write")
    );
    assert!(told.err.contains("[eight] at once: beside [it's one], in one process"), "{told:?}");
    run_by_shell(&folder, &format!("{} -o out", told.out.trim_end()));
    let ios = |name: &str| {
        let runs = fs::read_to_string(scratch.path(name).join("runs.jsonl")).expect("a result each");
        let run: Value = serde_json::from_str(&runs).expect("JSON");
        run["run"]["ios"].as_u64().expect("a count")
    };
    let [one, eight] = [ios("out-it-s-one"), ios("out-eight")];
    assert!(one == 200 && eight >= 8 * 200 - 16, "{eight}");
    let page = call(&folder, &["show", "out-eight", "--json"]).well().json();
    assert_eq!(page["ios"].as_u64(), Some(eight));
    let two = ["measure", "target", "--job", "a: rw=read number_ios=5", "--job", "b: rw=read number_ios=5"];
    let found = call(&folder, &[&two[..], &["--json", "-o", "two"]].concat()).well().json();
    let names: Vec<&str> =
        found["jobs"].as_array().expect("jobs").iter().filter_map(|job| job["name"].as_str()).collect();
    assert_eq!((names, found["jobs"][1]["result"]["ios"].as_u64()), (vec!["a", "b"], Some(5)), "{found:#}");
    check_document("measure", &found["jobs"][1]["result"]);
    // Five IOs tell nothing of a rate; the command ends with the worst of both.
    let condition = ["--fail-if", "iops < 1", "-o", "two-again"];
    call(&folder, &[&two[..], &condition].concat()).failed(6, &[]);
    call(&folder, &[&two[..], &["--bs", "4k"]].concat()).failed(2, &["--bs", "--job"]);
    call(&folder, &["measure", "target", "--job", "rw=read"]).failed(2, &["--job", "no name"]);
}
