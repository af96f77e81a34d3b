//! A trace as a source of requests: order, due times, one device, nothing beyond the target, nothing wrapped.

use std::io::Cursor;

use flashscope_core::{Op, Request, RequestSource, TargetInfo};
use flashscope_trace::transform::Sort;
use flashscope_trace::{Ahead, Records, TraceError, TraceSource, open};

const GIB: u64 = 1 << 30;

fn target(size_bytes: u64, logical_block_bytes: u32) -> TargetInfo {
    TargetInfo {
        name: "test".into(),
        size_bytes,
        logical_block_bytes,
        virtual_time: true,
        engine: "none".into(),
        queue_depth_max: 1,
        placements: 1,
        zones: None,
    }
}

/// A line of tracefs: time in seconds, device, RWBS, sector, sectors.
fn line(time: &str, device: &str, rwbs: &str, sector: u64, sectors: u64) -> String {
    let bytes = sectors * 512;
    format!("dd-1 [000] ..... {time}: block_rq_issue: {device} {rwbs} {bytes} () {sector} + {sectors} [dd]\n")
}

fn source(text: &str, info: &TargetInfo, device: Option<&str>) -> TraceSource {
    let reader = open(Cursor::new(text.as_bytes().to_vec()), Some("tracefs"), false).unwrap();
    TraceSource::new(reader, info, device)
}

/// All requests, asked for `batch` at a time.
fn drain(source: &mut TraceSource, batch: usize) -> Vec<Request> {
    let (mut all, mut requests) = (Vec::new(), vec![Request::default(); batch]);
    loop {
        let count = source.fill(&mut requests);
        all.extend_from_slice(&requests[..count]);
        if count < batch {
            assert_eq!(source.fill(&mut requests), 0, "0 ever after");
            return all;
        }
    }
}

#[test]
fn the_install_sample_comes_whole_and_in_order_whatever_the_batch() {
    fn is_send<T: Send>(_: &T) {}
    for batch in [1, 64, 1000] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/install-ext3.tracefs.gz");
        let reader = open(std::fs::File::open(path).unwrap(), None, false).unwrap();
        let mut source = TraceSource::new(reader, &target(GIB, 512), None);
        is_send(&source);
        let requests = drain(&mut source, batch);
        assert_eq!(source.error(), None);
        assert_eq!(requests.len(), 13_333);
        let written: u64 =
            requests.iter().filter(|r| r.op == Op::Write).map(|r| u64::from(r.length_bytes)).sum();
        assert_eq!(written, 494_641_152);
        assert_eq!(requests[0].due.0, 0);
        // 1743.629896 - 1671.543852
        assert_eq!(requests[13_332].due.0, 72_086_044_000);
    }
}

#[test]
fn due_times_count_from_the_first_request_and_never_go_back() {
    let text = line("5.000001", "8,0", "W", 0, 8)
        + &line("5.000003", "8,0", "FF", 0, 0)
        + &line("5.000002", "8,0", "RFS", 8, 8)
        + &line("6.000000", "8,0", "D", 16, 8);
    let mut source = source(&text, &target(GIB, 512), None);
    let requests: Vec<_> = drain(&mut source, 3)
        .iter()
        .map(|r| (r.op.name(), r.offset_bytes, r.length_bytes, r.flags.0, r.due.0))
        .collect();
    assert_eq!(
        requests,
        [
            ("write", 0, 4096, 0, 0),
            ("flush", 0, 0, 0, 2000),
            ("read", 4096, 4096, 3, 2000),
            ("trim", 8192, 4096, 0, 999_999_000),
        ]
    );
    assert_eq!(source.trace().counts().unsorted, 1);
}

#[test]
fn a_request_longer_than_32_bits_is_split_without_a_gap() {
    let sectors = (9 * GIB + 4096) / 512;
    let text = line("1.0", "8,0", "D", 8, sectors) + &line("2.0", "8,0", "W", 0, 8);
    let requests = drain(&mut source(&text, &target(1 << 40, 4096), None), 2);
    let (last, trims) = requests.split_last().unwrap();
    assert_eq!((last.op, last.length_bytes, last.due.0), (Op::Write, 4096, 1_000_000_000));
    let mut next = 4096;
    for trim in trims {
        assert_eq!((trim.op, trim.offset_bytes, trim.due.0), (Op::Trim, next, 0));
        next += u64::from(trim.length_bytes);
        assert_eq!(next % 4096, 0);
    }
    assert_eq!(next, 4096 + 9 * GIB + 4096);
}

#[test]
fn a_request_beyond_the_target_ends_the_source_and_is_named() {
    let text =
        line("1.0", "8,0", "W", 2040, 8) + &line("1.1", "8,0", "W", 2041, 8) + &line("1.2", "8,0", "W", 0, 8);
    let mut source = source(&text, &target(1 << 20, 512), None);
    assert_eq!(drain(&mut source, 64).len(), 1, "the one that ends with the target");
    assert_eq!(
        source.error().unwrap().to_string(),
        "request 2 of the trace: write of 4096 bytes at offset 1044992: it lies beyond the target's 1048576 \
         bytes; use a larger target, or fit the trace to it first"
    );
}

#[test]
fn a_request_across_the_targets_blocks_is_refused() {
    for (sector, sectors) in [(8, 1), (1, 8)] {
        let mut source = source(&line("1.0", "8,0", "R", sector, sectors), &target(GIB, 4096), None);
        assert_eq!(drain(&mut source, 1).len(), 0);
        assert!(matches!(source.error(), Some(TraceError::Request { record: 1, .. })));
    }
}

#[test]
fn devices_are_not_mixed() {
    let text =
        line("1.0", "8,0", "W", 0, 8) + &line("3.0", "8,16", "W", 8, 8) + &line("4.0", "8,16", "W", 16, 8);
    let mut all = source(&text, &target(GIB, 512), None);
    assert_eq!(drain(&mut all, 64).len(), 1);
    let message = all.error().unwrap().to_string();
    assert!(
        message.starts_with("request 2 of the trace") && message.contains("second device, 8,16"),
        "{message}"
    );

    let mut second = source(&text, &target(GIB, 512), Some("8,16"));
    let due: Vec<u64> = drain(&mut second, 64).iter().map(|request| request.due.0).collect();
    assert_eq!((due, second.error()), (vec![0, 1_000_000_000], None));

    let mut none = source(&text, &target(GIB, 512), Some("8,1"));
    assert_eq!(drain(&mut none, 64).len(), 0);
    let message = "the trace has no request of device '8,1'; choose one of 8,0 8,16";
    assert_eq!(none.error().unwrap().to_string(), message);
}

#[test]
fn a_bad_line_ends_the_source_after_the_requests_before_it() {
    let text = line("1.0", "8,0", "W", 0, 8).repeat(1500) + "garbage\n" + &line("1.0", "8,0", "W", 0, 8);
    let mut source = source(&text, &target(GIB, 512), None);
    assert_eq!(drain(&mut source, 64).len(), 1500);
    assert!(matches!(source.error(), Some(TraceError::Line { line: 1501, .. })));
}

#[test]
fn long_requests_come_in_pieces_that_are_due_together() {
    let text = line("1.0", "8,0", "WS", 8, 20) + &line("1.5", "8,0", "FF", 0, 0);
    let requests = drain(&mut source(&text, &target(GIB, 512), None).in_pieces(4096), 64);
    let seen: Vec<_> =
        requests.iter().map(|r| (r.op, r.offset_bytes, r.length_bytes, r.flags.0, r.due.0)).collect();
    let write = |offset, length| (Op::Write, offset, length, 2, 0);
    let flush = (Op::Flush, 0, 0, 0, 500_000_000);
    assert_eq!(seen, [write(4096, 4096), write(8192, 4096), write(12288, 2048), flush]);
}

#[test]
fn the_depth_of_each_request_follows_from_the_latencies() {
    // Start, latency: 0 to 10; 1 to 3; 2 to 2.5; 3 to 4 (the second has just ended); 20 to 21.
    let text = "0.0 ; 0 ; 8 ; R ; 0.0 ; 10.0\n1.0 ; 0 ; 8 ; R ; 0.0 ; 2.0\n2.0 ; 0 ; 8 ; R ; 0.0 ; 0.5\n\
                3.0 ; 0 ; 8 ; R ; 0.0 ; 1.0\n20.0 ; 0 ; 8 ; R ; 0.0 ; 1.0\n";
    let open_load =
        |text: &str| open(Cursor::new(text.as_bytes().to_vec()), Some("blkreplay"), false).unwrap();
    let mut source = TraceSource::new(open_load(text), &target(GIB, 512), None).with_depths();
    let depths: Vec<_> = drain(&mut source, 64).iter().map(|request| request.depth).collect();
    assert_eq!(depths, [1, 2, 3, 2, 1]);
    let text = text.replace("0.5", "0.0");
    let mut source = TraceSource::new(open_load(&text), &target(GIB, 512), None).with_depths();
    assert_eq!(drain(&mut source, 64).len(), 2);
    let error = source.error().unwrap().to_string();
    assert!(error.contains("request 3") && error.contains("no latency"), "{error}");
}

#[test]
fn a_request_that_goes_late_is_done_when_the_trace_says() {
    // Begun at 5, 4, 0, 5.5, 8; done at 6, 6.5, 10, 14.5, 21.
    let text = "5.0 ; 0 ; 8 ; R ; 0.0 ; 1.0\n4.0 ; 0 ; 8 ; R ; 0.0 ; 2.5\n0.0 ; 0 ; 8 ; R ; 0.0 ; 10.0\n\
                5.5 ; 0 ; 8 ; R ; 0.0 ; 9.0\n8.0 ; 0 ; 8 ; R ; 0.0 ; 13.0\n";
    let open_load = || open(Cursor::new(text.as_bytes().to_vec()), Some("blkreplay"), false).unwrap();
    let depths = |trace: Box<dyn Records>| {
        let mut source = TraceSource::new(trace, &target(GIB, 512), None).with_depths();
        drain(&mut source, 64).iter().map(|request| request.depth).collect::<Vec<_>>()
    };
    // At 8 only the third and fourth are still in flight, however late they went.
    assert_eq!(depths(Box::new(open_load())), [1, 2, 3, 4, 3]);
    assert_eq!(depths(Box::new(Sort::new(open_load(), 100))), [1, 2, 3, 4, 3]);
}

#[test]
fn a_source_that_runs_ahead_gives_the_same_requests_and_its_error() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/install-ext3.tracefs.gz");
    let install = || {
        TraceSource::new(
            open(std::fs::File::open(path).unwrap(), None, false).unwrap(),
            &target(GIB, 512),
            None,
        )
    };
    let expected = drain(&mut install(), 64);
    for batch in [1, 64, 5000] {
        let mut ahead = Ahead::start(install()).unwrap();
        let mut requests = Vec::new();
        let mut some = vec![Request::default(); batch];
        while let count @ 1.. = ahead.fill(&mut some) {
            requests.extend_from_slice(&some[..count]);
        }
        assert_eq!(ahead.fill(&mut some), 0);
        assert_eq!(requests, expected, "batches of {batch}");
        assert_eq!(ahead.finish().trace().counts().records, 13_333);
    }
    // Stopped in the middle it ends, with whatever it has read.
    let mut ahead = Ahead::start(install()).unwrap();
    assert_eq!(ahead.fill(&mut [Request::default(); 10]), 10);
    assert!(ahead.finish().trace().counts().records > 0);
    let text = line("1.0", "8,0", "W", 0, 8) + "garbage\n";
    let mut ahead = Ahead::start(source(&text, &target(GIB, 512), None)).unwrap();
    assert_eq!(ahead.fill(&mut [Request::default(); 10]), 1);
    assert!(matches!(ahead.finish().error(), Some(TraceError::Line { line: 2, .. })));
}
