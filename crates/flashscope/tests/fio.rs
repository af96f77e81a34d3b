//! Beside fio on the same target: the baselines must agree. Each program takes turns with the other, for what
//! else happens on the machine is often larger than any difference between them.
//!
//! A binary of its own: beside other tests neither program is as fast as it is.

#[path = "it/common/mod.rs"]
mod common;
#[path = "fio/jobs.rs"]
mod jobs;

use std::fs;
use std::io::Write;
use std::path::Path;

use common::kernel::{Loop, Scratch, requires, run};
use common::{call, text};
use serde_json::Value;

const MIB: u64 = 1 << 20;
const CURVES: [&str; 4] = ["SR", "RR", "SW", "RW"];

/// What is measured, by both.
struct Target {
    name: String,
    confirm: Vec<String>,
    scratch: Scratch,
    _loop: Option<Loop>,
}

impl Target {
    /// A file on the disk that this was built on.
    fn file(size_bytes: u64) -> Target {
        let scratch = Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let file = scratch.path("target");
        call(&scratch.path(""), &["create", text(&file), &size_bytes.to_string()]).well();
        // fio's writes make it somebody else's.
        let confirm = vec!["--overwrite-existing-data".into()];
        Target { name: text(&file).into(), confirm, scratch, _loop: None }
    }

    /// A loop device on memory, past the page cache.
    fn memory(size_bytes: u64) -> Target {
        let scratch = Scratch::new();
        let image = scratch.image("disk", size_bytes);
        let device = Loop::attach(&image, &["--direct-io=on"]);
        let confirm = vec!["--confirm".into(), text(&image).into()];
        Target { name: device.name().into(), confirm, scratch, _loop: Some(device) }
    }

    /// One run of flashscope; its result and the runs that are stored.
    fn flashscope(&self, more: &[&str]) -> (Value, Vec<Value>) {
        let folder = self.scratch.path("result");
        let _ = fs::remove_dir_all(&folder);
        let mut arguments = vec!["run", &self.name, "--quick", "--write", "--json", "-o", text(&folder)];
        arguments.extend(more);
        arguments.extend(self.confirm.iter().map(String::as_str));
        let json = call(&self.scratch.path(""), &arguments).well().json();
        let lines = fs::read_to_string(folder.join("runs.jsonl")).expect("runs are stored");
        (json, lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }

    /// Mean response time of the same requests by fio, in ms.
    fn fio_ms(&self, job: &Job) -> f64 {
        let arguments = [
            "--name=same --ioengine=psync --direct=1 --thread --norandommap --randrepeat=0".to_string(),
            format!("--rw={} --bs=32k --offset={} --size={}", job.rw, job.offset_bytes, job.size_bytes),
            format!("--number_ios={} --io_size={}", job.ios, job.ios * (32 << 10)),
            format!("--output-format=json --filename={}", self.name),
        ]
        .join(" ");
        let out = run("fio", &arguments.split(' ').collect::<Vec<_>>());
        let json: Value = serde_json::from_str(&out[out.find('{').expect("JSON")..]).expect("JSON");
        let side = if job.rw.ends_with("write") { "write" } else { "read" };
        let done = &json["jobs"][0][side];
        assert_eq!(done["total_ios"], job.ios, "fio does as many IOs as flashscope");
        done["lat_ns"]["mean"].as_f64().expect("a mean") / 1e6
    }
}

/// A pattern as fio is told it.
struct Job {
    rw: String,
    offset_bytes: u64,
    size_bytes: u64,
    ios: u64,
}

impl Job {
    /// The one that flashscope ran for `curve`.
    fn of(curve: &str, runs: &[Value]) -> Job {
        let ours =
            |run: &&Value| run["experiment"]["curve"] == curve && run["experiment"]["micro"] == "baseline";
        let run = runs.iter().find(ours).expect("a run of each baseline");
        let pattern = &run["experiment"]["pattern"];
        let bytes = |key: &str| {
            let size = pattern[key].as_str().unwrap_or("0");
            size.parse::<flashscope_core::Bytes>().expect("a size").0
        };
        Job {
            rw: pattern["rw"].as_str().expect("a mode").into(),
            offset_bytes: bytes("offset"),
            size_bytes: bytes("size"),
            ios: run["run"]["ios"].as_u64().expect("a count"),
        }
    }
}

/// The value of one baseline in ms.
fn baseline_ms(json: &Value, curve: &str) -> f64 {
    let key = format!("{}_ms", curve.to_lowercase());
    json["indicators"][&key]["value"].as_f64().unwrap_or_else(|| panic!("{key} in {json:#}"))
}

/// Both in turns: fio, flashscope, fio, ..., fio.
struct Turns {
    fio: [Vec<f64>; 4],
    flashscope: [Vec<f64>; 4],
}

const BASELINES: &[&str] = &["--only", "baseline", "--state", "as-is"];

fn in_turns(target: &Target, jobs: &[Job], fio_runs: usize) -> Turns {
    let mut turns = Turns { fio: Default::default(), flashscope: Default::default() };
    for turn in 0..fio_runs {
        for (means, job) in turns.fio.iter_mut().zip(jobs) {
            means.push(target.fio_ms(job));
        }
        if turn + 1 < fio_runs {
            let (json, _) = target.flashscope(BASELINES);
            for (means, curve) in turns.flashscope.iter_mut().zip(CURVES) {
                means.push(baseline_ms(&json, curve));
            }
        }
    }
    turns
}

fn jobs(runs: &[Value]) -> Vec<Job> {
    CURVES.iter().map(|curve| Job::of(curve, runs)).collect()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

fn spread(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (least, values.iter().copied().fold(0.0, f64::max))
}

/// Wide enough for neighbours of the machine, far too narrow for a wrong unit or a cached read.
fn agrees_roughly(target: &Target) {
    let (_, runs) = target.flashscope(BASELINES);
    let jobs = jobs(&runs);
    let mut tries = Vec::new();
    for _ in 0..3 {
        let turns = in_turns(target, &jobs, 3);
        let fits = turns.fio.iter().zip(&turns.flashscope).all(|(fio, ours)| {
            let (least, most) = spread(fio);
            (0.5 * least..=2.0 * most).contains(&median(ours))
        });
        if fits {
            return;
        }
        tries.push(format!("fio {:.3?} flashscope {:.3?}", turns.fio, turns.flashscope));
    }
    panic!("SR, RR, SW, RW in ms disagree with fio three times on {}: {tries:#?}", target.name);
}

#[test]
fn a_file_is_as_fast_as_fio_finds_it() {
    if requires(&["fio"]) {
        agrees_roughly(&Target::file(64 * MIB));
    }
}

#[test]
fn a_loop_device_is_as_fast_as_fio_finds_it() {
    if requires(&["fio"]) {
        agrees_roughly(&Target::memory(64 * MIB));
    }
}

/// Prints a table and returns how many of the four medians lie within fio's spread.
fn table(name: &str, turns: &Turns) -> usize {
    let mut out = std::io::stderr().lock();
    let mut inside = 0;
    writeln!(out, "{name}, ms       fio: least median most   flashscope: median   single runs inside")
        .unwrap();
    for ((curve, fio), ours) in CURVES.iter().zip(&turns.fio).zip(&turns.flashscope) {
        let (least, most) = spread(fio);
        let within = |ms: &f64| (least..=most).contains(ms);
        let median_ms = median(ours);
        inside += usize::from(within(&median_ms));
        let singles = ours.iter().filter(|ms| within(ms)).count();
        let verdict = if within(&median_ms) { "inside" } else { "OUTSIDE" };
        let fio_ms = median(fio);
        writeln!(
            out,
            "{curve}  {least:9.4} {fio_ms:9.4} {most:9.4}   {median_ms:9.4} {verdict:<8} {singles} of {}",
            ours.len()
        )
        .unwrap();
    }
    inside
}

/// The strict claim. Two programs of equal speed, measured this way on a machine with neighbours, fall out
/// of one another's spread once in ten times and pattern, so a single miss of the eight is no failure.
#[test]
#[ignore = "takes minutes and a quiet machine: cargo test --release --test fio -- --ignored"]
fn a_whole_quick_run_lies_within_the_spread_of_five_fio_runs() {
    if !requires(&["fio"]) {
        return;
    }
    let mut inside = 0;
    for target in [Target::file(256 * MIB), Target::memory(256 * MIB)] {
        let (json, runs) = target.flashscope(&[]);
        assert_eq!(json["complete"], true, "{json:#}");
        inside += table(&target.name, &in_turns(&target, &jobs(&runs), 5));
    }
    assert!(inside >= 7, "{inside} of 8 inside");
}
