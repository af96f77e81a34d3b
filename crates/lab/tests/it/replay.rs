//! Replays on files and simulated devices, their answer checked by other means than the replay's own.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use flashscope_core::Bytes;
use flashscope_lab::replay::{ReplayReport, ReplayResult, replay};
use flashscope_lab::{ErrorKind, Interrupt, ReplayRequest, Result, Timing, TraceInput};
use flashscope_trace::transform::FitMode;
use flashscope_trace::{Pipeline, TraceFile};

use crate::kernel::Scratch;
use crate::sample;

const MIB: usize = 1 << 20;

/// Start in seconds, offset and length in bytes, operation, latency in seconds.
type Line = (f64, usize, usize, char, f64);

/// A folder on a disk that takes direct IO, and traces in it.
struct Bench(Scratch);

impl Bench {
    fn new() -> Bench {
        Bench(Scratch::under(Path::new(env!("CARGO_TARGET_TMPDIR"))))
    }

    /// A trace of blkreplay.
    fn trace(&self, name: &str, requests: &[Line]) -> TraceInput {
        let line = |(start, offset, length, op, latency): &Line| {
            format!("{start:.9} ; {} ; {} ; {op} ; 0.0 ; {latency:.9}\n", offset / 512, length / 512)
        };
        let path = self.0.path(name);
        fs::write(&path, requests.iter().map(line).collect::<String>()).unwrap();
        TraceInput::new(path)
    }

    /// A file that may be written.
    fn disk(&self, mib: u64) -> PathBuf {
        let path = self.0.path("disk");
        flashscope_device::create_file(&path, mib << 20, 1, &mut |_| ControlFlow::Continue(())).unwrap();
        path
    }
}

fn on_file(trace: TraceInput, disk: &Path) -> ReplayRequest {
    let target = disk.to_str().unwrap().into();
    ReplayRequest { write: true, verify: true, ..ReplayRequest::new(trace, target) }
}

fn go(request: &ReplayRequest) -> Result<ReplayResult> {
    replay(request, None, None, &mut |_| {}, &Interrupt::new())
}

fn report(request: &ReplayRequest) -> ReplayReport {
    let result = go(request).unwrap();
    assert!(result.error.is_none(), "{:?}", result.error);
    result.report
}

fn refused(request: &ReplayRequest, kind: ErrorKind, words: &[&str]) {
    let error = go(request).err().expect("it cannot be replayed");
    assert_eq!(error.kind(), kind, "{error:?}");
    for word in words {
        assert!(error.message().contains(word), "'{word}' is missing in: {error:?}");
    }
}

fn asap(trace: TraceInput) -> TraceInput {
    TraceInput { timing: Timing::Asap, ..trace }
}

fn fitted(trace: &TraceInput, pipeline: Pipeline) -> TraceInput {
    TraceInput { pipeline, ..trace.clone() }
}

#[test]
fn what_a_trace_writes_is_on_the_target_and_each_block_holds_its_last_write() {
    let bench = Bench::new();
    // Many writes to few blocks, and a far one, with 64 in flight.
    let mut lines: Vec<Line> =
        (0..2000).map(|i| (0.0, (i * 7 % 16) * 4096, 4096 * (1 + i % 3), 'W', 0.0)).collect();
    lines.push((0.0, 7 * MIB, MIB, 'W', 0.0));
    let disk = bench.disk(8);
    let deep = on_file(asap(bench.trace("t.load", &lines)), &disk);
    let found = report(&ReplayRequest { iodepth: Some(64), ..deep.clone() });
    // 16 blocks, and up to two behind the last one.
    assert_eq!(found.verified_blocks, Some((18 * 4096 + MIB as u64) / 512));
    assert_eq!(found.requests, 2001);
    assert!(found.held_back > 100, "{} waited for an overlapping write", found.held_back);
    // Beside the replay's own proof: every sector begins with the number of its last write, which is that of
    // the trace where no write passes another.
    report(&ReplayRequest { iodepth: Some(1), ..deep });
    let data = fs::read(disk).unwrap();
    for sector in (0..18 * 4096).chain(7 * MIB..8 * MIB).step_by(512) {
        let covers = |(_, offset, length, ..): &Line| (*offset..offset + length).contains(&sector);
        let last = lines.iter().rposition(covers).unwrap() as u64 + 1;
        let stamp = u64::from_le_bytes(data[sector..sector + 8].try_into().unwrap());
        assert_eq!(stamp, last, "the sector at {sector}");
    }
}

#[test]
fn reads_are_checked_against_what_was_written_before_them() {
    let bench = Bench::new();
    // Each block is written, read, written again; the other reads are of what was never written.
    let lines: Vec<Line> = (0..300)
        .map(|i| match i % 3 {
            0 => (0.0, i / 3 % 16 * 4096, 4096, 'W', 0.0),
            1 => (0.0, i / 3 % 16 * 4096, 4096, 'R', 0.0),
            _ => (0.0, (64 + i) * 4096, 4096, 'R', 0.0),
        })
        .collect();
    let request = on_file(asap(bench.trace("t.load", &lines)), &bench.disk(8));
    for iodepth in [1, 32] {
        let found = report(&ReplayRequest { iodepth: Some(iodepth), ..request.clone() });
        assert_eq!(found.verified_read_sectors, Some(100 * 8), "{iodepth} in flight");
        assert_eq!(found.verified_blocks, Some(16 * 8));
    }
}

#[test]
fn what_a_read_only_replay_leaves_out_is_not_told_of() {
    let bench = Bench::new();
    // Far writes, which alone have to be fitted, and near reads.
    let lines: Vec<Line> =
        (0..20)
            .map(|i| {
                if i % 2 == 0 {
                    (0.0, i * 4096, 4096, 'R', 0.0)
                } else {
                    (0.0, (i + 64) * MIB, 4096, 'W', 0.0)
                }
            })
            .collect();
    let fit = Pipeline { fit: Some(FitMode::Modulo), ..Pipeline::default() };
    let trace = fitted(&asap(bench.trace("t.load", &lines)), fit);
    let request = on_file(trace, &bench.disk(8));
    let written = report(&request);
    assert!(written.notes.iter().any(|note| note.starts_with("written: ")), "{:?}", written.notes);
    let reads = report(&ReplayRequest { write: false, verify: false, read_only: true, ..request });
    assert_eq!((reads.requests, reads.left_out), (10, 10));
    assert_eq!(reads.notes, [""; 0], "nothing that was replayed was changed or written");
}

#[test]
fn a_simulated_device_is_verified_by_its_own_marks() {
    let trace = asap(sample("install-ext3"));
    let request = ReplayRequest::new(trace.clone(), "sim:bplru-board".into());
    let request = ReplayRequest { verify: true, seed: Some(1), ..request };
    let found = report(&request);
    // Sectors written at least once, by `zcat | awk | sort -u | wc -l`.
    assert_eq!(found.verified_blocks, Some(957_432));
    assert_eq!((found.requests, found.written_bytes), (13_333, 494_641_152));
    assert_eq!(found, report(&request), "the same seed, the same replay");
    let on_rig = ReplayRequest { verify: true, ..ReplayRequest::new(trace, "rig:mtron".into()) };
    refused(&on_rig, ErrorKind::Usage, &["verify", "stores data"]);
}

#[test]
fn requests_go_at_their_time_and_lateness_adds_up() {
    let bench = Bench::new();
    // Reads a millisecond apart on a device that has room for all of them: none is late.
    let reads: Vec<Line> = (0..500).map(|i| (100.0 + i as f64 / 1e3, i * 4096, 4096, 'R', 0.0)).collect();
    let request = ReplayRequest::new(bench.trace("r.load", &reads), "sim:x25m-2009?capacity=1GiB".into());
    let found = report(&request);
    let late_us = found.lateness_us.expect("requests have times");
    assert_eq!((found.trace_s, late_us.max, found.on_time_share), (0.499, 0.0, Some(1.0)));
    assert!((0.499..0.5).contains(&found.wall_s), "{}", found.wall_s);
    // With one in flight on a slow device each waits for the one before: the last is late by all of it.
    let writes: Vec<Line> =
        (0..500).map(|i| (i as f64 / 1e3, (i * 7919 % 500) * 32768, 32768, 'W', 0.0)).collect();
    let request = ReplayRequest::new(bench.trace("w.load", &writes), "rig:mtron".into());
    let found = report(&ReplayRequest { iodepth: Some(1), ..request });
    assert!(found.wall_s > 2.0 * found.trace_s && found.on_time_share < Some(0.5), "{found:?}");
    let last_late_s = found.lateness_us.unwrap().max / 1e6;
    assert!((found.wall_s - found.trace_s - last_late_s).abs() < 0.05, "{found:?}");
}

#[test]
fn the_queue_depth_of_a_trace_is_kept() {
    let bench = Bench::new();
    // Four at a time in the trace, by its latencies: on a device with four dies they run side by side.
    let read = |start, i: usize| (start, i * 7919 % 65_536 * 4096, 4096, 'R', 0.5);
    let four: Vec<_> = (0..400).map(|i| read((i / 4) as f64, i)).collect();
    let one: Vec<_> = (0..400).map(|i| read(i as f64, i)).collect();
    let by_depth = |lines: &[Line]| {
        let trace = TraceInput { timing: Timing::Depth, ..bench.trace("d.load", lines) };
        let request = ReplayRequest::new(trace, "sim:nvme-tlc-2024?capacity=1GiB".into());
        ReplayRequest { seed: Some(1), ..request }
    };
    let [four_s, one_s] = [&four, &one].map(|lines| report(&by_depth(lines)).wall_s);
    assert!(four_s < 0.5 * one_s, "{four_s} s with four in flight, {one_s} s with one");
    let unknown: Vec<_> = (0..10).map(|i| (i as f64, i * 4096, 4096, 'R', 0.0)).collect();
    refused(&by_depth(&unknown), ErrorKind::Failed, &["d.load", "request 1", "no latency"]);
    let mut request = by_depth(&four);
    request.trace.pipeline.time_scale = Some("0.5".parse().unwrap());
    refused(&request, ErrorKind::Usage, &["time_scale", "depth"]);
}

#[test]
fn nothing_is_written_without_leave_and_nothing_is_begun_that_cannot_end() {
    let bench = Bench::new();
    let lines = [(0.0, 0, 4096, 'R', 0.0), (0.0, 4096, 4096, 'W', 0.0)];
    let disk = bench.disk(1);
    let before = fs::read(&disk).unwrap();
    let leave = on_file(bench.trace("t.load", &lines), &disk);
    refused(&ReplayRequest { write: false, ..leave.clone() }, ErrorKind::Usage, &["allow writing"]);
    let reads = ReplayRequest { write: false, verify: false, read_only: true, ..leave.clone() };
    let found = report(&reads);
    assert_eq!((found.requests, found.left_out, found.written_bytes), (1, 1, 0));
    // A trace that turns out to be too large for the target, or bad, at its last request.
    let far = [(0.0, 0, 4096, 'W', 0.0), (0.0, MIB, 4096, 'W', 0.0)];
    let far = on_file(bench.trace("far.load", &far), &disk);
    refused(&far, ErrorKind::Failed, &["far.load", "request 2", "beyond"]);
    let text = fs::read_to_string(bench.0.path("t.load")).unwrap() + "garbage\n";
    fs::write(bench.0.path("t.load"), text).unwrap();
    refused(&leave, ErrorKind::Failed, &["t.load", "line 3"]);
    assert!(fs::read(&disk).unwrap() == before, "nothing was written");
    let mut lenient = leave;
    lenient.trace.file = TraceFile { lenient: true, ..lenient.trace.file };
    let found = report(&lenient);
    assert_eq!((found.bad_lines, found.written_bytes), (1, 4096));
    assert!(found.first_bad_line.is_some_and(|line| line.contains("line 3")));
    assert!(fs::read(&disk).unwrap() != before, "now it was");
}

#[test]
fn a_trace_is_fitted_to_a_smaller_target() {
    let bench = Bench::new();
    let lines: Vec<Line> = (0..64).map(|i| (0.0, i * MIB, 8192, 'W', 0.0)).collect();
    let trace = asap(bench.trace("t.load", &lines));
    let disk = bench.disk(1);
    refused(&on_file(trace.clone(), &disk), ErrorKind::Failed, &["request 2", "beyond"]);
    let with = |pipeline| report(&on_file(fitted(&trace, pipeline), &disk));
    // A mebibyte apart, they all come to lie on the first 16 sectors of a mebibyte.
    let modulo = with(Pipeline { fit: Some(FitMode::Modulo), ..Pipeline::default() });
    assert_eq!(modulo.verified_blocks, Some(16));
    assert_ne!(modulo.notes.len(), 0, "what was changed is noted");
    // Side by side, they fill 64 times 8 KiB.
    let compact = Pipeline { fit: Some(FitMode::Compact), ..Pipeline::default() };
    assert_eq!(with(compact.clone()).verified_blocks, Some(64 * 16));
    assert_eq!(with(Pipeline { repeat: 3, ..compact.clone() }).requests, 192);
    assert_eq!(with(Pipeline { split: Some(Bytes(4096)), ..compact }).requests, 128);
}

#[test]
fn what_was_measured_before_a_failure_is_kept_and_returned() {
    let bench = Bench::new();
    let lines: Vec<Line> = (0..20_000).map(|i| (0.0, i * 7919 % 4096 * 4096, 4096, 'W', 0.0)).collect();
    let worn = "sim:bplru-board?capacity=32MiB&over_provisioning=0.5&nand.endurance_erases=3";
    let request = ReplayRequest::new(asap(bench.trace("t.load", &lines)), worn.into());
    let folder = bench.0.path("out");
    let result = replay(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).unwrap();
    let error = result.error.expect("it wears out");
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(!result.report.complete && (100..20_000).contains(&result.report.ios), "{:?}", result.report);
    assert_eq!(result.report.error.as_deref(), Some(error.message().as_str()));
    assert_eq!(ReplayReport::read(&folder).unwrap(), Some(result.report));
    assert!(folder.join("ios/replay.parquet").is_file());
}

#[test]
fn a_folder_holds_every_io_and_the_report_without_a_word_of_the_caller() {
    let bench = Bench::new();
    let request = ReplayRequest::new(sample("postmark-ext3"), "sim:bplru-board".into());
    let folder = bench.0.path("kept");
    let result = replay(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new()).unwrap();
    assert_eq!(result.report.requests, 16_379);
    assert_eq!(result.folder.as_ref().map(|kept| kept.path().to_owned()), Some(folder.clone()));
    assert_eq!(ReplayReport::read(&folder).unwrap(), Some(result.report));
    assert!(folder.join("ios/replay.parquet").metadata().unwrap().len() > 10_000);
}
