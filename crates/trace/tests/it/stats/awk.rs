//! The samples as awk and sort see them, which know nothing of this crate.

use std::fs::File;
use std::process::Command;

use flashscope_trace::stats::{Limits, Stats, Summary};
use flashscope_trace::{Records, open};

fn path(sample: &str) -> String {
    format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"))
}

fn described(sample: &str) -> Summary {
    let mut trace = open(File::open(path(sample)).unwrap(), None, false).unwrap();
    let (mut stats, mut batch) = (Stats::new(Limits::default()), Vec::new());
    while trace.next_batch(&mut batch).unwrap() > 0 {
        stats.add(&batch);
    }
    stats.summary(&trace, true)
}

/// Puts operation (R, W, F), sector and number of sectors on a line for each request.
const REQUESTS: &str = r#"{ split(substr($0, index($0, "block_rq_issue: ") + 16), f, " ");
    print substr(f[2], 1, 1), f[5], f[7] }"#;

/// What the shell prints, in numbers.
fn numbers(sample: &str, program: &str) -> Vec<u64> {
    let line = format!("gzip -dc '{}' | awk '{REQUESTS}' | {program}", path(sample));
    let out = Command::new("sh").args(["-c", &line]).output().expect("a shell");
    let text = String::from_utf8(out.stdout).expect("numbers are text");
    let numbers = text.split_whitespace().map(|word| word.parse().expect("a number"));
    assert!(out.status.success() && !text.is_empty(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    numbers.collect()
}

const CAPTURED: [&str; 6] = ["compile", "install", "mp3", "postmark", "untar", "untar-flush"];

fn name(workload: &str) -> String {
    match workload.split_once('-') {
        Some((workload, variant)) => format!("{workload}-ext3-{variant}.tracefs.gz"),
        None => format!("{workload}-ext3.tracefs.gz"),
    }
}

#[test]
fn requests_and_bytes_of_every_capture() {
    const SUMS: &str = r#"awk '{ n[$1]++; b[$1] += 512 * $3 }
        END { printf "%d %d %d %d %d %d\n", NR, n["R"], n["W"], n["F"], b["R"], b["W"] }'"#;
    for workload in CAPTURED {
        let found = described(&name(workload));
        let counts = [found.requests, found.reads, found.writes, found.flushes];
        let all = [&counts[..], &[found.read_bytes, found.written_bytes]].concat();
        assert_eq!(all, numbers(&name(workload), SUMS), "{workload}");
    }
}

#[test]
fn footprints_of_small_captures_are_those_of_sort() {
    const SECTORS: &str = "awk '{ for (s = $2; s < $2 + $3; s++) print s }' | sort -u | wc -l";
    for workload in ["compile", "untar-flush"] {
        let found = described(&name(workload));
        let [sectors] = numbers(&name(workload), SECTORS)[..] else { panic!("one number") };
        assert_eq!(found.footprint_bytes, 512 * sectors, "{workload}");
        let [written] = numbers(&name(workload), &format!("grep ^W | {SECTORS}"))[..] else { panic!("one") };
        assert_eq!(found.write_footprint_bytes, 512 * written, "{workload}");
        assert_eq!(found.footprint_error_bytes, 0);
    }
}

#[test]
fn sequential_writes_of_every_capture() {
    const SEQUENTIAL: &str = r#"grep -v ^F | awk '
        { q += ($1 in end) && end[$1] == $2; end[$1] = $2 + $3; n++ } END { print q, n }'"#;
    for workload in CAPTURED {
        let found = described(&name(workload)).sequential.sequential_share;
        let [sequential, all] = numbers(&name(workload), SEQUENTIAL)[..] else { panic!("two numbers") };
        assert_eq!(found, sequential as f64 / all as f64, "{workload}");
    }
}
