//! `trace stats` from outside: its keys, its folder, its screen, and what an interruption leaves.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, flashscope, text, wait_for};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples").join(name)
}

fn stats(folder: &Path, sample: &Path, more: &[&str]) -> Ended {
    call(folder, &[&["trace", "stats", text(sample)][..], more].concat())
}

/// The keys that programs rely on, with the values that awk gives for the capture of a compilation.
#[test]
fn json_has_the_keys_of_the_interface() {
    let scratch = Scratch::new();
    let found = stats(&scratch.path(""), &sample("compile-ext3.tracefs.gz"), &["--json"]).well().json();
    for (key, value) in [
        ("requests", 1320u64),
        ("reads", 77),
        ("writes", 1243),
        ("flushes", 0),
        ("trims", 0),
        ("read_bytes", 533_504),
        ("written_bytes", 74_375_168),
        ("first_time_ns", 1_746_135_525_000),
        ("last_time_ns", 1_829_686_378_000),
        ("bad_lines", 0),
        ("schema_version", 1),
    ] {
        assert_eq!(found[key], value, "{key}");
    }
    assert_eq!(found["format"], "tracefs");
    assert_eq!(found["devices"][0]["name"], "7,3");
    assert!(found["footprint_bytes"].as_u64() >= found["write_footprint_bytes"].as_u64());
    assert!(found["sequential_share"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)));
}

#[test]
fn a_folder_holds_pictures_and_is_shown_again() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let first = stats(&folder, &sample("untar-ext3-flush.tracefs.gz"), &["-o", "out"]).well();
    let pictures = ["sizes", "footprint", "throughput", "gaps", "rewrites", "addresses"];
    for picture in pictures {
        let svg = fs::read_to_string(scratch.path(&format!("out/{picture}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{picture}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{picture}");
    }
    let again = call(&folder, &["show", "out"]).well();
    assert_eq!(first.out, again.out);
    stats(&folder, &sample("compile-ext3.tracefs.gz"), &["-o", "out"]).failed(2, &["out", "-o"]);
}

#[test]
fn the_screen_fits_80_columns_and_has_no_colour_in_a_pipe() {
    let scratch = Scratch::new();
    for name in ["install-ext3.tracefs.gz", "mysql-first-2000.load.gz", "hand-made.msr.csv", "systor17.csv"] {
        let mut command = flashscope(&["trace", "stats", text(&sample(name))]);
        let ended = Ended::from(command.current_dir(scratch.path("")).env("COLUMNS", "80").output().unwrap());
        let shown = ended.well().out;
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        assert!(shown.contains("footprint") && !shown.contains('\x1b'), "{shown}");
    }
}

#[test]
fn a_bad_line_stops_it_unless_lenient_and_an_interruption_is_marked() {
    let scratch = Scratch::new();
    let line = "a-1 [000] ..... 1.000000: block_rq_issue: 7,3 W 4096 () 8 + 8 be,0,4 [a]\n";
    fs::write(scratch.path("bad.txt"), line.repeat(3) + "garbage\n" + line).unwrap();
    let bad = scratch.path("bad.txt");
    stats(&scratch.path(""), &bad, &["--from", "tracefs"]).failed(1, &["line 4", "garbage"]);
    let found = stats(&scratch.path(""), &bad, &["--from", "tracefs", "--lenient", "--json"]).well();
    let found = found.json();
    assert_eq!(
        (&found["bad_lines"], &found["requests"], &found["complete"]),
        (&1.into(), &4.into(), &true.into())
    );

    let mut child = flashscope(&["trace", "stats", "-", "-o", "part", "--json"])
        .current_dir(scratch.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let endless = std::thread::spawn(move || while pipe.write_all(line.repeat(1000).as_bytes()).is_ok() {});
    wait_for("the folder", || scratch.path("part/manifest.json").exists());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    endless.join().unwrap();
    assert_eq!(ended.status, 130, "{}", ended.err);
    let found = ended.json();
    assert_eq!(found["complete"], false);
    assert!(found["requests"].as_u64().unwrap() > 0);
    let kept: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(scratch.path("part/stats.json")).unwrap()).unwrap();
    assert_eq!(kept, found);
}

/// What a command does that is interrupted while it reads this line again and again.
fn interrupted(arguments: &[&str], line: &str) -> Ended {
    let scratch = Scratch::new();
    let mut child = flashscope(arguments)
        .current_dir(scratch.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let lines = line.repeat(1000);
    let written = Arc::new(AtomicUsize::new(0));
    let counter = written.clone();
    // Not without an end, so that a command that does not hear ends too, in another way.
    let writer = std::thread::spawn(move || {
        while counter.fetch_add(lines.len(), Ordering::Relaxed) < 4 << 30
            && pipe.write_all(lines.as_bytes()).is_ok()
        {}
    });
    // More than the pipe holds and sniffing takes: it is reading.
    wait_for("the reader", || written.load(Ordering::Relaxed) > 4 << 20);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    writer.join().unwrap();
    assert_eq!(fs::read_dir(scratch.path("")).unwrap().count(), 0, "nothing is left behind");
    ended
}

#[test]
fn an_interruption_is_heard_though_no_request_comes_through() {
    let write = "a-1 [000] ..... 1.000000: block_rq_issue: 7,3 W 4096 () 8 + 8 be,0,4 [a]\n";
    for (arguments, line) in [
        (&["trace", "stats", "-", "--from", "tracefs"][..], "# nothing but comments\n"),
        (&["trace", "convert", "-", "out.csv", "--from", "tracefs"], "# nothing but comments\n"),
        (&["trace", "cut", "-", "out.csv", "--op", "trim"], write),
    ] {
        interrupted(arguments, line).failed(130, &["interrupted"]);
    }
}
