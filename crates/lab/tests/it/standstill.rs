//! A process that is stopped while an IO is in flight: the pause is no response time of the drive.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use flashscope_analysis::{Limit, Support, Trust, trust};
use flashscope_core::Nanos;
use flashscope_lab::{Interrupt, MeasureRequest, TargetSpec, measure};
use rustix::process::{Pid, Signal, kill_process};

use crate::kernel::Scratch;

const FOLDER: &str = "FLASHSCOPE_TEST_STANDSTILL";

/// The stopped process: measures a file for two seconds, and says what it thinks of it.
#[test]
#[ignore = "started by the test below"]
#[allow(clippy::print_stdout)]
fn a_process_that_measures() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let file = folder.join("file");
    std::fs::write(&file, vec![1; 16 << 20]).unwrap();
    let target = TargetSpec::from(file.to_str().unwrap());
    let pattern = "rw=randread bs=4k size=16m".parse().unwrap();
    let request = MeasureRequest {
        runtime: Some(Nanos::from_s(2)),
        seed: Some(1),
        ..MeasureRequest::new(target, pattern)
    };
    println!("\nbegins");
    let result =
        measure(&request, Some(&folder.join("result")), None, &mut |_| {}, &Interrupt::new()).unwrap();
    let trust = trust(&result.finished[0], &result.context);
    println!("\nsays {}", serde_json::to_string(&trust).unwrap());
}

fn begin(folder: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["standstill::a_process_that_measures", "--exact", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    line_of(&mut said, "begins");
    (child, said)
}

/// The rest of the next line that begins so.
fn line_of(said: &mut impl BufRead, word: &str) -> String {
    let mut lines = said.lines().map(Result::unwrap);
    lines.find_map(|line| line.strip_prefix(word).map(str::to_string)).expect("the process says it")
}

fn stop(child: &Child, span: Duration) {
    let pid = Pid::from_child(child);
    kill_process(pid, Signal::STOP).unwrap();
    sleep(span);
    kill_process(pid, Signal::CONT).unwrap();
}

#[test]
fn a_stop_is_told_from_a_slow_drive() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let (mut child, mut said) = begin(&scratch.path(""));
    // One may fall between two IOs, where it is in no response time.
    for _ in 0..3 {
        sleep(Duration::from_millis(300));
        stop(&child, Duration::from_millis(300));
    }
    let trust: Trust = serde_json::from_str(&line_of(&mut said, "says ")).unwrap();
    assert!(child.wait().unwrap().success());
    let found = trust.limits.iter().find_map(|limit| match limit {
        Limit::StoodStill { total_ns, ios, share } => Some((*total_ns as f64 / 1e6, *ios, *share)),
        _ => None,
    });
    let (total_ms, ios, share) = found.unwrap_or_else(|| panic!("no pause was seen: {trust:?}"));
    assert!((840.0..1500.0).contains(&total_ms) && ios >= 1 && share > 0.1, "{trust:?}");
    assert!(trust.confidence < Support::Supported, "{trust:?}");
}
