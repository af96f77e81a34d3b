//! The samples, read as they are. Counts, bytes, first and last record were worked out by hand or with awk
//! from the formats' definitions, not with this reader. One file of rows for each family of formats.

mod binary;
mod captured;
mod clouds;
mod expected;
mod servers;
mod tools;
mod tracers;

use std::fs::File;
use std::io::Read;

use flashscope_core::request::{Flags, Op};
use flashscope_trace::{
    BATCH, Counts, FORMATS, Formats, ReadOptions, Record, Records, open, open_file, sniff, sniff_input,
};

use self::expected::{Expected, Share};

/// All samples.
fn samples() -> impl Iterator<Item = &'static Expected> {
    let tables = [
        binary::SAMPLES,
        captured::SAMPLES,
        clouds::SAMPLES,
        servers::SAMPLES,
        tools::SAMPLES,
        tracers::SAMPLES,
    ];
    tables.into_iter().flatten()
}

fn sample(name: &str) -> File {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Of any certainty: what a format says is held against data in tests of their own.
fn opened(bytes: Vec<u8>) -> Box<dyn Records> {
    let options = ReadOptions { certainty_min: 0.0, ..ReadOptions::default() };
    Formats::builtin().open_bytes_with(bytes, &options).unwrap()
}

fn bytes(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    sample(name).read_to_end(&mut bytes).unwrap();
    bytes
}

fn read_all(mut reader: Box<dyn Records>) -> (Vec<Record>, Box<dyn Records>) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() > 0 {
        assert!(batch.len() <= BATCH + 1);
        all.extend_from_slice(&batch);
    }
    (all, reader)
}

#[test]
fn counts_and_bytes_are_those_worked_out() {
    for expected in samples() {
        let name = expected.name;
        let (records, reader) = read_all(opened(bytes(name)));
        let share = |op| {
            let lengths = records.iter().filter(|record| record.op == op).map(|record| record.length_bytes);
            lengths.fold(Share::default(), |s, bytes| expected::share(s.requests + 1, s.bytes + bytes))
        };
        let flagged =
            |flag: Flags| records.iter().filter(|record| record.flags.0 & flag.0 != 0).count() as u64;
        assert_eq!(reader.format(), expected.format, "{name}");
        assert_eq!(reader.devices(), expected.devices, "{name}");
        assert_eq!(share(Op::Read), expected.reads, "{name}: reads");
        assert_eq!(share(Op::Write), expected.writes, "{name}: writes");
        assert_eq!(share(Op::Trim), expected.trims, "{name}: trims");
        assert_eq!(share(Op::Flush), expected::share(expected.flushes, 0), "{name}: flushes");
        assert_eq!(flagged(Flags::SYNC), expected.sync, "{name}: sync");
        assert_eq!(flagged(Flags::FUA), expected.fua, "{name}: FUA");
        let latency_ns: u64 = records.iter().filter_map(|record| record.latency_ns).sum();
        assert_eq!(latency_ns, expected.latency_ns, "{name}: latencies");
        let end_bytes = records.iter().map(|record| record.offset_bytes + record.length_bytes).max();
        assert_eq!(end_bytes, Some(expected.end_bytes), "{name}");
        expected.first.check(&records[0], reader.devices(), &format!("{name}, first"));
        expected.last.check(&records[records.len() - 1], reader.devices(), &format!("{name}, last"));
        let requests = expected.reads.requests + expected.writes.requests + expected.trims.requests;
        let counts = Counts {
            lines: expected.lines,
            records: requests + expected.flushes,
            other_lines: expected.other_lines,
            unsorted: expected.unsorted,
            ..Counts::default()
        };
        assert_eq!(reader.counts(), counts, "{name}");
    }
}

#[test]
fn every_format_has_a_sample() {
    for format in FORMATS {
        assert!(samples().any(|sample| sample.format == format.name), "{}", format.name);
    }
}

#[test]
fn a_sample_is_recognised_as_what_it_is() {
    for expected in samples() {
        let name = expected.name;
        let all = sniff_input(sample(name)).unwrap();
        let all: Vec<_> = all.iter().map(|(format, percent)| (format.name, *percent)).collect();
        assert_eq!(all[0], (expected.format, expected.sure), "{name}: {all:?}");
        assert!(all[1..].iter().all(|(_, percent)| *percent < expected.sure), "{name}: {all:?}");
    }
}

/// Editors and spreadsheets put it before a text.
#[test]
fn a_byte_order_mark_before_a_text_changes_nothing() {
    for expected in samples() {
        let mut plain = Vec::new();
        sample(expected.name).read_to_end(&mut plain).unwrap();
        if plain.contains(&0) {
            continue;
        }
        let marked = [&b"\xef\xbb\xbf"[..], &plain].concat();
        let (format, percent) = sniff(&marked).unwrap_or_else(|| panic!("{}", expected.name));
        assert_eq!((format.name, percent), (expected.format, expected.sure), "{}", expected.name);
        let (records, reader) = read_all(opened(plain));
        let (of_marked, marked) = read_all(opened(marked));
        assert_eq!((records, reader.counts()), (of_marked, marked.counts()), "{}", expected.name);
    }
}

#[test]
fn a_captured_sample_is_nothing_else() {
    for expected in captured::SAMPLES {
        let mut head = Vec::new();
        let plain = flate2::read::MultiGzDecoder::new(sample(expected.name));
        plain.take(20_000).read_to_end(&mut head).unwrap();
        let (format, percent) = sniff(&head).unwrap();
        assert_eq!((format.name, percent), (expected.format, 100), "{}", expected.name);
        for other in FORMATS.iter().filter(|other| other.name != expected.format) {
            let mut reader = open(std::io::Cursor::new(head.clone()), Some(other.name), true).unwrap();
            assert!(reader.next_batch(&mut Vec::new()).is_err(), "{} as {}", expected.name, other.name);
        }
    }
}

#[test]
fn a_whole_record_as_the_line_says() {
    // mount-6390 [000] ..... 1671.547477: block_rq_issue: 7,3 WS 4096 () 0 + 8 be,0,4 [mount]
    // python3-6412 [000] .N... 1671.871476: block_rq_issue: 7,3 WS 196608 () 75904 + 384 be,0,4 [python3]
    let (records, _) =
        read_all(open_file(sample("install-ext3.tracefs.gz"), Some("tracefs"), false).unwrap());
    let Record { time_ns, offset_bytes, length_bytes, latency_ns, device, process, op, flags } = records[28];
    assert_eq!((time_ns, offset_bytes, length_bytes), (1_671_871_476_000, 75_904 * 512, 196_608));
    assert_eq!((latency_ns, device, op, flags), (None, 0, Op::Write, Flags::SYNC));
    assert_eq!((process.pid, process.name()), (6412, &b"python3"[..]));
}
