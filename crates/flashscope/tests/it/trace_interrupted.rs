//! Ctrl-C ends whatever reads a trace, also where the trace tells of no request for hours.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, flashscope, start, wait_for};

/// So many requests, and behind them a hole of a TiB: a line of zeros that no lenient reader gets through.
fn endless(scratch: &Scratch) {
    let mut file = File::create(scratch.path("endless.csv")).unwrap();
    writeln!(file, "time_us,op,offset_bytes,length_bytes").unwrap();
    for number in 0..500 {
        writeln!(file, "{number},write,{},4096", number * 4096).unwrap();
    }
    file.set_len(1 << 40).unwrap();
}

/// Whether the process has read from a file of this name for a while.
fn reads(child: &Child, name: &str) -> bool {
    let folder = format!("/proc/{}/fd", child.id());
    let Ok(files) = std::fs::read_dir(folder) else { return false };
    let targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    targets.into_iter().any(|target| target.ends_with(name))
}

/// Sends the signal once it is in the middle of reading; it has to end far sooner than the trace does.
fn interrupted(mut child: Child, name: &str) -> Ended {
    wait_for("the trace to be opened", || reads(&child, name) || child.try_wait().unwrap().is_some());
    std::thread::sleep(Duration::from_millis(300));
    if child.try_wait().unwrap().is_some() {
        panic!("it ended by itself: {:?}", Ended::from(child.wait_with_output().unwrap()));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    wait_for("its end", || child.try_wait().unwrap().is_some());
    child.wait_with_output().unwrap().into()
}

/// Files of an output that is not whole, or whole against all expectation.
fn left_by(scratch: &Scratch) -> Vec<String> {
    let files = std::fs::read_dir(scratch.path("")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(".part") || name.starts_with("out")).collect()
}

/// What it was about to replace is still there, and nothing else.
#[test]
fn an_interrupted_conversion_leaves_no_part_whatever_signal_ends_it() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    endless(&scratch);
    for (signal, output) in [("-INT", "out.csv"), ("-TERM", "out.csv.zst"), ("-HUP", "out.parquet")] {
        std::fs::write(scratch.path(output), "old").unwrap();
        let mut child = start(&scratch.path(""), &["trace", "convert", "endless.csv", output, "--lenient"]);
        let is_part = |name: &String| name.starts_with(&format!("{output}.")) && name.ends_with(".part");
        wait_for("its part", || left_by(&scratch).iter().any(is_part));
        // The second signal ends it wherever it is.
        for _ in 0..2 {
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        }
        wait_for("its end", || child.try_wait().unwrap().is_some());
        let ended: Ended = child.wait_with_output().unwrap().into();
        assert_eq!(ended.status, 130, "{signal}: {ended:?}");
        assert_eq!(left_by(&scratch), [output], "{signal}: {ended:?}");
        assert_eq!(std::fs::read(scratch.path(output)).unwrap(), b"old", "{signal}");
        std::fs::remove_file(scratch.path(output)).unwrap();
    }
}

#[test]
fn every_command_on_a_trace_ends_at_ctrl_c_where_no_request_comes() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    endless(&scratch);
    let target = "sim:bplru-board";
    let compact = ["--fit", "compact"];
    let commands: [&[&str]; 7] = [
        &["trace", "stats", "endless.csv", "--lenient"],
        &["trace", "convert", "endless.csv", "out.csv", "--lenient"],
        &["trace", "cut", "endless.csv", "out.csv", "--lenient", compact[0], compact[1]],
        &["replay", "endless.csv", target, "--lenient"],
        &["replay", "endless.csv", target, "--lenient", compact[0], compact[1]],
        &["sim", "--trace", "endless.csv", "--lenient", "-o", "kept"],
        &["sim", "--trace", "endless.csv", "--lenient", compact[0], compact[1], "--json"],
    ];
    for command in commands {
        let ended = interrupted(start(&scratch.path(""), command), "endless.csv");
        assert_eq!(ended.status, 130, "{command:?}: {ended:?}");
        assert!(!ended.err.contains("panicked"), "{command:?}: {ended:?}");
        if command.contains(&"convert") {
            assert!(ended.err.contains("interrupted: out.csv was not written"), "{command:?}: {ended:?}");
        }
        assert_eq!(left_by(&scratch), Vec::<String>::new(), "{command:?}");
    }
    let shown = call(&scratch.path(""), &["show", "kept", "--json"]).well().json();
    assert!(
        shown["devices"][0]["ios"].as_u64() > Some(0) && shown["devices"][0]["complete"] == false,
        "{shown:#}"
    );
    let records = shown["devices"][0]["records"].as_str().expect("its IOs are kept");
    assert!(scratch.path("kept").join(records).is_file());
}

#[test]
fn a_pipe_that_brings_nothing_holds_up_no_interruption() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let pipe = scratch.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let stats = || start(&scratch.path(""), &["trace", "stats", "pipe"]);
    assert_eq!(interrupted(stats(), "pipe").status, 130, "no program is writing to");
    let child = stats();
    wait_for("the pipe to be opened", || reads(&child, "pipe"));
    let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
    writeln!(writer, "time_us,op,offset_bytes,length_bytes").unwrap();
    assert_eq!(interrupted(child, "pipe").status, 130, "somebody has it open and does not write");
}

#[test]
fn a_named_pipe_is_read_to_its_end() {
    let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let pipe = scratch.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = flashscope(&["trace", "stats", "pipe", "--json"]);
    let child = command.current_dir(scratch.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
    writeln!(writer, "time_us,op,offset_bytes,length_bytes").unwrap();
    for number in 0..300 {
        if number % 100 == 0 {
            std::thread::sleep(Duration::from_millis(150));
        }
        writeln!(writer, "{number},read,{},512", number * 512).unwrap();
    }
    drop(writer);
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.well().json()["requests"], 300);
}
