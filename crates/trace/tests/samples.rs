//! The samples, read as they are. Counts, bytes, first and last record were worked out with awk from the
//! formats' definitions, not with this reader.

use std::fs::File;

use flashscope_core::request::{Flags, Op};
use flashscope_trace::{BATCH, Counts, FORMATS, Reader, Record, Records, open, sniff};

fn sample(name: &str) -> File {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read_all(mut reader: Reader) -> (Vec<Record>, Reader) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() > 0 {
        assert!(batch.len() <= BATCH + 1);
        all.extend_from_slice(&batch);
    }
    (all, reader)
}

struct Expected {
    name: &'static str,
    format: &'static str,
    device: &'static str,
    reads: u64,
    writes: u64,
    flushes: u64,
    read_bytes: u64,
    written_bytes: u64,
    sync: usize,
    end_bytes: u64,
    first_time_ns: u64,
    last_time_ns: u64,
    other_lines: u64,
}

/// A capture on loop device 7,3.
const fn captured(name: &'static str, requests: [u64; 3], bytes: [u64; 2], sync: usize) -> Expected {
    let ([reads, writes, flushes], [read_bytes, written_bytes]) = (requests, bytes);
    Expected {
        name,
        format: "tracefs",
        device: "7,3",
        reads,
        writes,
        flushes,
        read_bytes,
        written_bytes,
        sync,
        end_bytes: 939_794_432,
        first_time_ns: 0,
        last_time_ns: 0,
        other_lines: 0,
    }
}

const SAMPLES: [Expected; 7] = [
    Expected {
        first_time_ns: 1_746_135_525_000,
        last_time_ns: 1_829_686_378_000,
        ..captured("compile-ext3.tracefs.gz", [77, 1243, 0], [533_504, 74_375_168], 1081)
    },
    Expected {
        end_bytes: 1_061_158_912,
        first_time_ns: 1_671_543_852_000,
        last_time_ns: 1_743_629_896_000,
        ..captured("install-ext3.tracefs.gz", [30, 13_303, 0], [246_784, 494_641_152], 13_098)
    },
    Expected {
        first_time_ns: 1_268_610_052_000,
        last_time_ns: 1_321_822_692_000,
        ..captured("mp3-ext3.tracefs.gz", [25, 870, 0], [226_304, 434_765_824], 280)
    },
    Expected {
        first_time_ns: 1_516_461_185_000,
        last_time_ns: 1_522_476_353_000,
        ..captured("postmark-ext3.tracefs.gz", [25, 16_354, 0], [226_304, 197_308_416], 18)
    },
    Expected {
        end_bytes: 986_546_176,
        first_time_ns: 1_384_129_861_000,
        last_time_ns: 1_442_511_071_000,
        ..captured("untar-ext3-flush.tracefs.gz", [32, 22_389, 42], [254_976, 269_144_064], 22_309)
    },
    Expected {
        end_bytes: 988_487_680,
        first_time_ns: 1_167_525_325_000,
        last_time_ns: 1_225_619_168_000,
        ..captured("untar-ext3.tracefs.gz", [32, 17_446, 0], [254_976, 269_156_352], 17_222)
    },
    Expected {
        name: "mysql-first-2000.load.gz",
        format: "blkreplay",
        device: "0",
        end_bytes: 32556998656,
        first_time_ns: 0,
        last_time_ns: 76_008_869_214,
        // The header, the excerpt's note and the column names.
        other_lines: 35,
        ..captured("", [131, 1869, 0], [1_421_312, 31_461_888], 0)
    },
];

#[test]
fn counts_and_bytes_are_those_of_awk() {
    for expected in &SAMPLES {
        let name = expected.name;
        let (records, reader) = read_all(open(sample(name), None, false).unwrap());
        let of = |op| records.iter().filter(move |record| record.op == op);
        let bytes = |op| of(op).map(|record| record.length_bytes).sum::<u64>();
        assert_eq!(reader.format(), expected.format, "{name}");
        assert_eq!(reader.devices(), [expected.device], "{name}");
        assert_eq!(of(Op::Read).count() as u64, expected.reads, "{name}");
        assert_eq!(of(Op::Write).count() as u64, expected.writes, "{name}");
        assert_eq!(of(Op::Flush).count() as u64, expected.flushes, "{name}");
        assert_eq!(bytes(Op::Read), expected.read_bytes, "{name}");
        assert_eq!(bytes(Op::Write), expected.written_bytes, "{name}");
        assert_eq!(bytes(Op::Flush), 0, "{name}");
        let sync = records.iter().filter(|record| record.flags == Flags::SYNC).count();
        assert_eq!(sync, expected.sync, "{name}");
        let end_bytes = records.iter().map(|record| record.offset_bytes + record.length_bytes).max();
        assert_eq!(end_bytes, Some(expected.end_bytes), "{name}");
        assert_eq!(records[0].time_ns, expected.first_time_ns, "{name}");
        assert_eq!(records[records.len() - 1].time_ns, expected.last_time_ns, "{name}");
        let requests = expected.reads + expected.writes + expected.flushes;
        let counts = Counts {
            lines: requests + expected.other_lines,
            records: requests,
            other_lines: expected.other_lines,
            ..Counts::default()
        };
        assert_eq!(reader.counts(), counts, "{name}");
    }
}

#[test]
fn every_format_has_a_sample_and_is_recognised_by_it_alone() {
    for format in FORMATS {
        assert!(SAMPLES.iter().any(|sample| sample.format == format.name), "{}", format.name);
    }
    for expected in &SAMPLES {
        let mut head = vec![0; 20_000];
        let mut gz = flate2::read::MultiGzDecoder::new(sample(expected.name));
        std::io::Read::read_exact(&mut gz, &mut head).unwrap();
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
    let (records, _) = read_all(open(sample("install-ext3.tracefs.gz"), Some("tracefs"), false).unwrap());
    let Record { time_ns, offset_bytes, length_bytes, latency_ns, device, process, op, flags } = records[28];
    assert_eq!((time_ns, offset_bytes, length_bytes), (1_671_871_476_000, 75_904 * 512, 196_608));
    assert_eq!((latency_ns, device, op, flags), (None, 0, Op::Write, Flags::SYNC));
    assert_eq!((process.pid, process.name()), (6412, &b"python3"[..]));
}
