//! Records that no device would see neither panic nor hang.

use flashscope_core::request::Op;
use flashscope_core::seed::Random;
use flashscope_trace::Record;
use flashscope_trace::stats::Limits;

use super::{summary, summary_within};

#[test]
fn nothing_is_described_as_nothing() {
    let found = summary(&[]);
    assert_eq!((found.requests, found.footprint_bytes, found.devices.len()), (0, 0, 0));
    assert_eq!((found.addresses, found.map, found.inter_arrival), (None, None, None));
    assert_eq!(found.sequential.sequential_share, 0.0);
}

#[test]
fn a_single_request_at_the_end_of_all_addresses_and_times() {
    let record = Record {
        time_ns: u64::MAX,
        offset_bytes: u64::MAX - 512,
        length_bytes: 512,
        latency_ns: Some(u64::MAX),
        op: Op::Write,
        ..Record::default()
    };
    let found = summary(&[record]);
    assert_eq!((found.requests, found.written_bytes), (1, 512));
    // It touches parts of two sectors: the last one begins at 2^64 - 512.
    assert_eq!(found.footprint_bytes, 1024);
    assert_eq!(found.addresses.unwrap().end_bytes, u64::MAX);
}

#[test]
fn a_request_longer_than_any_device_is_cut_and_told() {
    let record = Record { length_bytes: u64::MAX, ..Record::default() };
    let found = summary(&[record, record]);
    assert_eq!((found.reads, found.cut_requests, found.footprint_bytes), (2, 2, 1 << 30));
    let whole = Record { length_bytes: 1 << 30, ..Record::default() };
    assert_eq!(summary(&[whole]).cut_requests, 0);
}

#[test]
fn flushes_and_empty_requests_touch_nothing() {
    let of = |op| Record { op, ..Record::default() };
    let trim = Record { length_bytes: 1 << 40, ..of(Op::Trim) };
    let found = summary(&[of(Op::Flush), of(Op::Read), of(Op::Write), trim]);
    assert_eq!((found.requests, found.footprint_bytes, found.cut_requests), (4, 0, 0));
    assert_eq!(found.trimmed_bytes, 1 << 40);
}

#[test]
fn any_times_in_any_order_are_described() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut one = || Record {
            time_ns: random.next_u64() >> random.below(64),
            offset_bytes: random.next_u64() >> (1 + random.below(63)),
            length_bytes: random.next_u64() >> (34 + random.below(30)),
            latency_ns: (random.below(2) == 0).then(|| random.next_u64() >> random.below(64)),
            device: random.below(70_000) as u32,
            op: Op::ALL[random.below(4) as usize],
            ..Record::default()
        };
        let records: Vec<_> = (0..500).map(|_| one()).collect();
        let found = summary_within(Limits { regions_max: 1, blocks_max: 1 }, &records);
        let times = || records.iter().map(|record| record.time_ns);
        assert_eq!(Some(found.times.first_time_ns), times().min());
        assert_eq!(Some(found.times.last_time_ns), times().max());
        assert_eq!(found.timeline.requests.iter().sum::<u64>(), 500);
    }
}
