//! `measure --fail-if` and `run --fail-if`: three answers, three exit statuses.

use crate::common::python::{python_ok, python_with};
use crate::common::{Ended, call, folder, scratch, text};

/// Single random reads of a rig that takes about 500 us for each.
fn measured(more: &[&str]) -> Ended {
    let scratch = scratch();
    let arguments = ["measure", "rig:mtron", "--rw", "randread", "--seed", "1", "-o", "result"];
    call(&folder(&scratch), &[&arguments[..], more].concat())
}

#[test]
fn a_condition_that_holds_ends_with_5_and_one_that_does_not_with_0() {
    let yes = measured(&["--fail-if", "mean > 100us"]);
    yes.failed(5, &[]);
    let no =
        measured(&["--fail-if", "mean > 10ms", "--fail-if", "iops < 10", "--fail-if", "p50 >= 1s"]).well();
    assert!(no.out.contains("fail if mean > 10ms: no, "), "{}", no.out);
    assert!(no.out.contains("fail if iops < 10: no, ") && no.out.contains("95 % CI"), "{}", no.out);
    measured(&["--fail-if", "mean > 10ms", "--fail-if", "mean > 100us"]).failed(5, &[]);
}

#[test]
fn what_the_interval_does_not_tell_ends_with_6() {
    // Its middle is surely in the interval, to the nanosecond in which it is written.
    let mean_ms = measured(&["--json"]).well().json()["mean_ms"].as_f64().expect("a mean");
    let middle = format!("mean > {}ns", (mean_ms * 1e6).round());
    let untold = measured(&["--json", "--fail-if", &middle]);
    let document = untold.json();
    assert_eq!(document["fail_if"][0]["answer"], "straddles", "{document}");
    assert_eq!(document["fail_if"][0]["unit"], "ms");
    untold.failed(6, &[]);
    let few = measured(&["--number-ios", "100", "--fail-if", "p99.99 > 1s"]);
    assert!(few.out.contains("fail if p99.99 > 1s: unknown"), "{}", few.out);
    few.failed(6, &[]);
}

/// Thirty of 2,000 reads are slow, and none of the first 1,500: the mean of all is 100 us.
#[test]
fn what_stalls_that_were_not_seen_could_change_ends_with_6() {
    let scratch = scratch();
    let same = |kind: &str| format!("{kind} = [[\"0\", \"100us\"]]\n");
    let latency = ["sequential_read", "random_read", "sequential_write", "random_write"].map(same).concat();
    let cycle = "[cycle.random_read]\nperiod = 2000\ndear = 30\ncheap_factor = 0.5\n";
    let rig = format!("size = \"1GiB\"\n[latency]\n{latency}{cycle}[noise]\nspread = \"5%\"\n");
    std::fs::write(scratch.path("cycle.toml"), rig).unwrap();
    let measure = ["measure", "rig:cycle.toml", "--rw", "randread", "--bs", "4k", "--seed", "1"];
    let short = [&measure[..], &["--number-ios", "1500", "--fail-if", "mean < 90us"]].concat();
    let short = call(&folder(&scratch), &short);
    assert!(short.out.contains("stalls too rare to be seen could change it"), "{}", short.out);
    short.failed(6, &[]);
    call(&folder(&scratch), &[&measure[..], &["--fail-if", "mean < 90us"]].concat()).well();
}

#[test]
fn a_condition_that_is_none_is_refused_before_anything_is_measured() {
    for (condition, words) in [
        ("p99", "such as p99 > 2ms"),
        ("p98 > 2ms", "choose one of mean, p50"),
        ("p99 > 2", "'2'"),
        ("iops < many", "'many'"),
    ] {
        measured(&["--fail-if", condition]).failed(2, &["--fail-if", words]);
    }
}

/// A short run of a rig that reads 2,000 times a second at random, and whose random writes are 403 us but for
/// one in three, which takes 26 ms.
const RUN: [&str; 9] =
    ["run", "rig:mtron", "--quick", "--only", "granularity", "--seed", "1", "-o", "result"];

#[test]
fn a_run_is_judged_by_its_four_numbers() {
    let scratch = scratch();
    let run = |name: &str, conditions: &[&str]| {
        let conditions = conditions.iter().flat_map(|condition| ["--fail-if", condition]);
        let words: Vec<&str> = RUN[..8].iter().copied().chain([name]).chain(conditions).collect();
        call(&folder(&scratch), &words)
    };
    let no = run("a", &["random read p99 > 2ms", "sequential write MB/s < 20", "read mean > 5ms"]).well();
    assert!(no.out.contains("fail if random read p99 > 2ms: no, random read 5"), "{}", no.out);
    assert!(
        no.out.contains("fail if sequential write mb_s < 20: no, sequential write 81.9 MB/s"),
        "{}",
        no.out
    );
    let yes = run("b", &["p99 > 20ms", "random iops < 1"]).failed(5, &[]);
    assert!(yes.out.contains("fail if p99 > 20ms: yes, random write 26."), "{}", yes.out);
    assert!(yes.out.contains("fail if random iops < 1: no, "), "{}", yes.out);
    let few = run("c", &["sequential read p99.99 > 1s", "random read mean > 530us"]).failed(6, &[]);
    assert!(few.out.contains("unknown, too few IOs"), "{}", few.out);
    // 5,120 reads of 500 us: three stalls of 100 ms would add an eighth.
    assert!(few.out.contains("random read mean > 530us: unknown, stalls too rare"), "{}", few.out);
}

#[test]
fn what_a_run_did_not_measure_is_unknown_or_refused() {
    let scratch = scratch();
    let at = folder(&scratch);
    call(&at, &["create", "file", "16MiB"]).well();
    let run = ["run", "file", "--quick", "--only", "granularity", "--budget", "2s", "-o", "result"];
    let reads_only = call(&at, &[&run[..], &["--fail-if", "random write mean > 1h"]].concat()).failed(6, &[]);
    assert!(
        reads_only.out.contains("random write mean > 1h: unknown, it was not measured"),
        "{reads_only:?}"
    );
    for (more, words) in [
        (["--suite", "load", "--fail-if", "p99 > 2ms"], "leave out --suite"),
        (["--dry-run", "-q", "--fail-if", "p99 > 2ms"], "--dry-run"),
        (["-q", "-v", "--fail-if", "randm read p99 > 2ms"], "unknown word 'randm'"),
        (["-q", "-v", "--fail-if", "random read p98 > 2ms"], "unknown metric 'p98'"),
    ] {
        call(&at, &[&["run", "rig:mtron"][..], &more].concat()).failed(2, &[words]);
    }
}

/// By hand: the nearest rank of all rounds together, of a pattern that has no warm-up here.
#[test]
fn a_percentile_of_a_run_is_that_of_the_ios_of_all_rounds() {
    let Some(python) = python_with("duckdb") else { return };
    let scratch = scratch();
    let condition = ["--json", "--fail-if", "sequential write p99 > 1s"];
    let document = call(&folder(&scratch), &[&RUN[..], &condition].concat()).well().json();
    let answer = &document["fail_if"][0];
    let [value, low, high] = ["value", "low", "high"].map(|key| answer[key].as_f64().expect("a number"));
    let program = "
import duckdb, sys
print(duckdb.sql(f\"\"\"select quantile_disc(response_ns, 0.99), count(*), count(distinct filename)
    from read_parquet('{sys.argv[1]}/ios/*-baseline-SW-*.parquet', filename = true)\"\"\").fetchall()[0])";
    let all = python_ok(&python, program, &[text(&scratch.path("result"))]);
    let all: Vec<f64> = all.trim().trim_matches(['(', ')']).split(", ").map(|n| n.parse().unwrap()).collect();
    assert_eq!(all[2], 5.0, "five rounds");
    assert_eq!((value * 1e6).round(), all[0], "{answer}");
    let headline = &document["headline"][2];
    assert_eq!(headline["name"], "sequential write");
    let p99_ms = headline["percentiles_ms"]["p99"].as_f64().expect("many IOs");
    assert_eq!((p99_ms * 1e6).round(), all[0], "{headline}");
    assert_eq!(headline["ios"].as_f64(), Some(all[1]));
    assert!(low <= value && value <= high && low > 0.0, "{answer}");
    assert_eq!((&answer["of"], &answer["answer"]), (&"sequential write".into(), &"fails".into()));
}
