//! Completions of tracefs find their requests, and records stay in order of issue.

use std::io::Cursor;

use flashscope_core::request::Op;
use flashscope_trace::{BATCH, Record, Records, open};

/// A line of tracefs: so many microseconds, event, device, RWBS, first sector, sectors.
fn line(us: u64, event: &str, device: &str, rwbs: &str, first: u64, count: u64) -> String {
    let (bytes, end) = if event == "issue" { ("0 ", "[tar]") } else { ("", "[0]") };
    let (s, us) = (us / 1_000_000, us % 1_000_000);
    let range = format!("{bytes}() {first} + {count}");
    format!("tar-3 [001] ..... {s}.{us:06}: block_rq_{event}: {device} {rwbs} {range} be,0,4 {end}")
}

fn issue(us: u64, rwbs: &str, first: u64, count: u64) -> String {
    line(us, "issue", "7,3", rwbs, first, count)
}

fn complete(us: u64, rwbs: &str, first: u64, count: u64) -> String {
    line(us, "complete", "7,3", rwbs, first, count)
}

fn records(lines: &[String], lenient: bool) -> Vec<Record> {
    let text = lines.join("\n") + "\n";
    let mut reader = open(Cursor::new(text.into_bytes()), Some("tracefs"), lenient).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() > 0 {
        assert!(batch.len() <= BATCH + 1);
        all.extend_from_slice(&batch);
    }
    assert_eq!(reader.counts().records, all.len() as u64);
    assert_eq!(reader.counts().unsorted, 0);
    all
}

/// Time of issue and latency, in microseconds.
fn times(lines: &[String]) -> Vec<(u64, Option<u64>)> {
    let us = |record: &Record| (record.time_ns / 1000, record.latency_ns.map(|ns| ns / 1000));
    records(lines, false).iter().map(us).collect()
}

#[test]
fn completions_out_of_order_find_their_requests() {
    let lines = [
        issue(1, "W", 0, 8),
        issue(2, "R", 0, 8),
        line(3, "issue", "7,4", "W", 0, 8),
        issue(4, "WS", 8, 8),
        complete(10, "W", 8, 8),
        line(11, "complete", "7,4", "W", 0, 8),
        complete(12, "R", 0, 8),
        complete(13, "W", 0, 8),
    ];
    assert_eq!(times(&lines), [(1, Some(12)), (2, Some(10)), (3, Some(8)), (4, Some(6))]);
}

#[test]
fn of_two_requests_alike_the_older_completes_first() {
    let lines = [
        issue(1, "R", 0, 8),
        issue(2, "R", 0, 8),
        issue(3, "R", 0, 8),
        complete(10, "R", 0, 8),
        complete(20, "R", 0, 8),
        issue(21, "R", 0, 8),
        complete(40, "R", 0, 8),
        complete(80, "R", 0, 8),
    ];
    assert_eq!(times(&lines), [(1, Some(9)), (2, Some(18)), (3, Some(37)), (21, Some(59))]);
}

#[test]
fn a_request_in_parts_is_complete_with_its_last_part() {
    let lines =
        [issue(1, "W", 0, 24), complete(5, "W", 0, 8), complete(6, "W", 8, 8), complete(9, "W", 16, 8)];
    assert_eq!(times(&lines), [(1, Some(8))]);
}

#[test]
fn what_is_requeued_is_one_request() {
    let requeue = |us| line(us, "requeue", "7,3", "W", 0, 8);
    let lines = [
        issue(1, "W", 0, 8),
        requeue(2),
        issue(3, "R", 64, 8),
        issue(4, "W", 0, 8),
        requeue(5),
        issue(6, "W", 0, 8),
        complete(9, "W", 0, 8),
        issue(10, "W", 0, 8),
        complete(12, "W", 0, 8),
        complete(13, "R", 64, 8),
    ];
    assert_eq!(times(&lines), [(1, Some(8)), (3, Some(10)), (10, Some(2))]);
}

#[test]
fn flushes_complete_in_their_order_and_the_ends_of_flushed_writes_are_none() {
    let all = u64::MAX;
    let lines = [
        issue(1, "FF", 0, 0),
        complete(4, "FF", all, 0),
        // The end of a write's flushes, and an empty write that asked for one.
        complete(4, "WS", 8, 0),
        complete(4, "WS", 0, 0),
        issue(5, "FF", 0, 0),
        issue(6, "FF", 0, 0),
        complete(8, "FF", all, 0),
        complete(11, "FF", all, 0),
    ];
    assert_eq!(times(&lines), [(1, Some(3)), (5, Some(3)), (6, Some(5))]);
    // Both are one request to the device: the latency is the write's.
    let lines =
        [issue(1, "FWS", 8, 8), issue(2, "FF", 0, 0), complete(3, "FF", all, 0), complete(7, "FWS", 8, 8)];
    assert_eq!(times(&lines), [(1, None), (1, Some(6)), (2, Some(1))]);
}

#[test]
fn a_completion_that_never_comes_holds_nobody_up_for_ever() {
    let mut lines = vec![issue(0, "W", 1 << 30, 8)];
    for i in 1..40_000 {
        lines.push(issue(10 * i, "W", 8 * i, 8));
        lines.push(complete(10 * i + 3, "W", 8 * i, 8));
    }
    lines.push(complete(1_000_000, "W", 1 << 30, 8));
    let all = times(&lines);
    assert_eq!(all.len(), 40_000);
    assert_eq!(all[0], (0, None), "its completion came too late");
    assert!(all[1..].iter().zip(1..).all(|(time, i)| *time == (10 * i, Some(3))));
}

#[test]
fn many_requests_may_be_in_flight() {
    let issues = (0..10_000).map(|i| issue(i, "W", 8 * i, 8));
    let completions = (0..10_000).rev().map(|i| complete(30_000 - i, "W", 8 * i, 8));
    // Nothing is waited for without a completion among the first thousand; the rest has them all.
    let first = [issue(0, "R", 0, 8), complete(0, "R", 0, 8)];
    let lines: Vec<_> = first.into_iter().chain(issues.clone()).chain(completions.clone()).collect();
    let all = times(&lines);
    assert!(all[1..].iter().zip(0..).all(|(time, i)| *time == (i, Some(30_000 - 2 * i))));
    let late: Vec<_> = issues.chain(completions).collect();
    assert!(times(&late).iter().all(|(_, latency)| latency.is_none()));
}

#[test]
fn where_events_are_lost_nothing_in_flight_has_a_latency() {
    let lines = [
        issue(1, "W", 0, 8),
        complete(2, "W", 0, 8),
        issue(3, "W", 8, 8),
        "CPU:1 [LOST 37 EVENTS]".into(),
        issue(5, "W", 8, 8),
        complete(9, "W", 8, 8),
    ];
    let all = records(&lines, true);
    let latencies: Vec<_> = all.iter().map(|record| record.latency_ns).collect();
    assert_eq!(latencies, [Some(1000), None, Some(4000)]);
}

#[test]
fn all_before_a_bad_line_is_there_in_order() {
    let mut lines = vec![issue(1, "W", 0, 8), complete(2, "W", 0, 8)];
    lines.extend((3..2500).map(|i| issue(i, "W", 8 * i, 8)));
    lines.push("?".into());
    let mut reader = open(Cursor::new(lines.join("\n").into_bytes()), Some("tracefs"), false).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    let error = loop {
        let result = reader.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        if let Err(error) = result {
            break error;
        }
    };
    assert!(error.to_string().starts_with("line 2500: "), "{error}");
    assert_eq!(all.len(), 2498);
    assert!(all.windows(2).all(|pair| pair[0].time_ns < pair[1].time_ns));
    assert!(all.iter().all(|record| record.op == Op::Write));
}
