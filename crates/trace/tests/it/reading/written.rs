//! The same requests, written in other units: read right, or refused; never read wrong in silence.

use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::{Record, Records, open_bytes};
use proptest::prelude::*;

/// The requests of a plain workload: time, operation, offset, length.
fn requests(seed: u64, count: u64, gap_ns: u64, is_streaming: bool) -> Vec<Record> {
    let mut random = Random::new(seed);
    // A clock that has run for a thousand seconds has a date's digits, in microseconds: nobody could tell.
    let (mut time_ns, mut next) = (random.below(1 << 39), 0);
    (0..count)
        .map(|_| {
            time_ns += random.below(2 * gap_ns) / 1_000_000 * 1_000_000;
            let length_bytes = if is_streaming { 512 << 10 } else { 4096 << random.below(5) };
            let offset_bytes = if is_streaming { next } else { random.below(1 << 26) * 4096 };
            next = offset_bytes + length_bytes;
            let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
            Record { time_ns, op, offset_bytes, length_bytes, ..Record::default() }
        })
        .collect()
}

/// A table: the order of its columns, its separator and its words for the operation.
type Table = fn(time: String, op: Op, offset: u64, length: u64) -> String;

const TABLES: &[(&str, Table)] = &[
    ("disksim", |time, op, offset, length| {
        format!("{time} 0 {offset} {length} {}", u8::from(op == Op::Read))
    }),
    ("spc", |time, op, offset, length| format!("0,{offset},{length},{},{time}", letter(op, "RW"))),
    ("alibaba", |time, op, offset, length| format!("3,{},{offset},{length},{time}", letter(op, "RW"))),
    ("cloudphysics-csv", |time, op, offset, length| format!("{time},{offset},{},{length}", letter(op, "rw"))),
    ("tencent", |time, op, offset, length| {
        format!("{time},{offset},{length},{},1063", u8::from(op == Op::Write))
    }),
    ("k5cloud", |time, op, offset, length| format!("7,{time},{},{offset},{length}", letter(op, "RW"))),
    ("systor17", |time, op, offset, length| format!("{time},0.1,{},0,{offset},{length}", letter(op, "RW"))),
    ("msr", |time, op, offset, length| {
        let word = if op == Op::Read { "Read" } else { "Write" };
        format!("{time},hm,0,{word},{offset},{length},100")
    }),
];

fn letter(op: Op, both: &str) -> &str {
    if op == Op::Read { &both[..1] } else { &both[1..] }
}

/// In units of so many powers of ten of a nanosecond, with a fraction or without.
fn time(time_ns: u64, places: u32, fraction: bool) -> String {
    let unit = 10_u64.pow(places);
    let (whole, rest) = (time_ns / unit, time_ns % unit);
    if fraction && places > 0 {
        format!("{whole}.{rest:0width$}", width = places as usize)
    } else {
        whole.to_string()
    }
}

/// What is read of a text; none if it is refused.
fn read(text: &str) -> Option<Vec<Record>> {
    let mut trace = open_bytes(text.to_string(), None, false).ok()?;
    let (mut records, mut batch) = (Vec::new(), Vec::new());
    loop {
        match trace.next_batch(&mut batch) {
            Ok(0) => return Some(records),
            Ok(_) => records.extend_from_slice(&batch),
            Err(_) => return None,
        }
    }
}

/// Times count from the first: what a clock began with is nobody's concern.
fn keys(records: &[Record], unit_ns: u64) -> Vec<(u64, Op, u64, u64)> {
    let ticks = |record: &Record| record.time_ns / unit_ns;
    let key = |record: &Record| {
        let time_ns = (ticks(record) - ticks(&records[0])) * unit_ns;
        (time_ns, record.op, record.offset_bytes, record.length_bytes)
    };
    records.iter().map(key).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_same_requests_in_any_units_are_read_right_or_refused(
        seed: u64,
        // One or two may lie where chance makes another unit likely: certainty is no more than that.
        count in 4_u64..60,
        gap_log in 17_u32..34,
        is_streaming: bool,
        table in 0..TABLES.len(),
        address in 0..2_usize,
        length in 0..2_usize,
        unit in 0..4_usize,
        fraction: bool,
        epoch_s in prop_oneof![Just(0_u64), Just(1_577_808_144)],
    ) {
        let places = [0, 3, 6, 9][unit];
        let fraction = fraction && places > 0;
        let (name, line) = TABLES[table];
        let mut expected = requests(seed, count, 1 << gap_log, is_streaming);
        expected.iter_mut().for_each(|record| record.time_ns += epoch_s * 1_000_000_000);
        let text: String = expected
            .iter()
            .map(|record| {
                let [offset, length] = [(record.offset_bytes, address), (record.length_bytes, length)]
                    .map(|(bytes, unit)| bytes / [1, 512][unit]);
                line(time(record.time_ns, places, fraction), record.op, offset, length) + "\n"
            })
            .collect();
        let Some(found) = read(&text) else { return Ok(()) };
        // Digits that the file does not hold are not read.
        let unit_ns = if fraction { 1 } else { 10_u64.pow(places) };
        let [expected, found] = [expected, found].map(|all| keys(&all, unit_ns));
        let units = ([1, 512][address], [1, 512][length], places);
        prop_assert_eq!(found, expected, "{} in bytes, bytes, powers of ten of a ns {:?}", name, units);
    }
}

/// The public traces themselves are read without further words.
#[test]
fn what_the_data_tell_is_not_asked_for() {
    let mut all = requests(1, 40, 1 << 24, false);
    all.iter_mut().for_each(|record| record.time_ns += 1_577_808_144_000_000_000);
    let text = |at: usize, places: u32, fraction: bool, units: [u64; 2]| -> String {
        let line = |record: &Record| {
            let (offset, length) = (record.offset_bytes / units[0], record.length_bytes / units[1]);
            (TABLES[at].1)(time(record.time_ns, places, fraction), record.op, offset, length) + "\n"
        };
        all.iter().map(line).collect()
    };
    for (at, places, fraction, units) in
        [(2, 3, false, [1, 1]), (4, 9, false, [512, 512]), (6, 9, true, [1, 1])]
    {
        assert_eq!(
            read(&text(at, places, fraction, units)).map(|all| all.len()),
            Some(40),
            "{}",
            TABLES[at].0
        );
    }
}
