//! How punctual replays are, beside fio's: 50,000 writes of 4 KiB, 100 µs apart, on a loop device over tmpfs.
//!
//! `sudo cargo bench -p flashscope --bench replay [-- SECONDS]`; with SECONDS, a trace of that length with a
//! request every 100 ms instead, and how far it is behind at its end. Needs root for the loop device, and
//! fio for the comparison.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

const REQUESTS: u64 = 50_000;
const GAP_US: u64 = 100;
const SIZE_BYTES: u64 = 1 << 30;
const ROUNDS: usize = 3;

fn main() {
    let seconds = std::env::args().skip(1).find_map(|word| word.parse::<u64>().ok());
    let folder = Path::new("/dev/shm").join(format!("flashscope-replay-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder in memory");
    match (LoopDevice::new(&folder), seconds) {
        (None, _) => println!("no loop device can be made here: run it as root"),
        (Some(device), None) => beside_fio(&folder, &device),
        (Some(device), Some(seconds)) => long(&folder, &device, seconds),
    }
    let _ = fs::remove_dir_all(&folder);
}

/// Both replay the same trace in turn.
fn beside_fio(folder: &Path, device: &LoopDevice) {
    let trace = write_trace(folder, REQUESTS, GAP_US);
    for round in 1..=ROUNDS {
        let ours = replay(&trace, device);
        let at = |key: &str| ours.pointer(key).and_then(Value::as_f64).expect("a number");
        let (wall_s, trace_s, p95_us) = (at("/wall_s"), at("/trace_s"), at("/lateness_us/p95"));
        let is_held = (wall_s / trace_s - 1.0).abs() < 0.01 && p95_us < 100.0;
        let (p50_us, p99_us) = (at("/lateness_us/p50"), at("/lateness_us/p99"));
        let verdict = if is_held { "held" } else { "missed" };
        println!(
            "round {round}: flashscope {wall_s:.3} s of {trace_s:.3}, late by {p50_us:.1} µs, 95 % within \
             {p95_us:.0}, 99 % within {p99_us:.0} µs: {verdict}"
        );
        match fio_s(folder, device) {
            Some(wall_s) => println!("round {round}: fio        {wall_s:.3} s of {trace_s:.3}"),
            None => println!("round {round}: fio is not there, or failed"),
        }
    }
}

/// A long trace: deadlines must not drift.
fn long(folder: &Path, device: &LoopDevice, seconds: u64) {
    let trace = write_trace(folder, seconds * 10 + 1, 100_000);
    let ours = replay(&trace, device);
    let at = |key: &str| ours.pointer(key).and_then(Value::as_f64).expect("a number");
    // All of it: the last request's lateness and response time included.
    let behind_ms = (at("/wall_s") - at("/trace_s")) * 1e3;
    let verdict = if behind_ms < 1.0 { "held" } else { "missed" };
    println!("{:.1} s of trace took {behind_ms:.3} ms more, at most 1: {verdict}", at("/trace_s"));
    println!("lateness in µs: {}", ours["lateness_us"]);
}

/// Writes of 4 KiB at scattered places.
fn write_trace(folder: &Path, requests: u64, gap_us: u64) -> PathBuf {
    let lines = (0..requests).map(|i| {
        let time_us = i * gap_us;
        let sector = i * 7919 % (SIZE_BYTES / 4096) * 8;
        format!("{}.{:06} ; {sector} ; 8 ; W ; 0.0 ; 0.0\n", time_us / 1_000_000, time_us % 1_000_000)
    });
    let path = folder.join("trace.load");
    fs::write(&path, lines.collect::<String>()).expect("a trace");
    path
}

fn replay(trace: &Path, device: &LoopDevice) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flashscope"));
    command.arg("replay").arg(trace).arg(&device.path).args(["--write", "--json", "--quiet", "--confirm"]);
    let output = command.arg(&device.backing).output().expect("flashscope starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

/// What fio takes for the same trace, as its own log of version 3, with psync, its best engine for this.
fn fio_s(folder: &Path, device: &LoopDevice) -> Option<f64> {
    let log = folder.join("trace.iolog");
    let mut convert = Command::new(env!("CARGO_BIN_EXE_flashscope"));
    convert.args(["trace", "convert", "--quiet"]).arg(folder.join("trace.load")).arg(&log);
    assert!(convert.status().expect("flashscope starts").success());
    let mut fio = Command::new("fio");
    fio.args(["--name=replay", "--ioengine=psync", "--direct=1", "--output-format=json"]);
    fio.arg(format!("--read_iolog={}", log.display()));
    fio.arg(format!("--replay_redirect={}", device.path.display()));
    let begun = Instant::now();
    let output = fio.output().ok()?;
    let whole_s = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value = serde_json::from_str(&text[text.find('{')?..]).ok()?;
    let runtime_ms = document["jobs"][0]["write"]["runtime"].as_f64()?;
    output.status.success().then_some((runtime_ms / 1e3).min(whole_s))
}

/// A loop device over a file in memory; gone with it.
struct LoopDevice {
    path: PathBuf,
    backing: PathBuf,
}

impl LoopDevice {
    fn new(folder: &Path) -> Option<LoopDevice> {
        let backing = folder.join("backing");
        fs::File::create(&backing).and_then(|file| file.set_len(SIZE_BYTES)).ok()?;
        let mut losetup = Command::new("losetup");
        let output = losetup.args(["-f", "--show", "--direct-io=on"]).arg(&backing).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        output.status.success().then_some(LoopDevice { path, backing })
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.path).status();
    }
}
