//! Binary formats: each field is checked, entries are counted and placed, and what depends on the rest of a
//! trace is right when it is written. Entries are put together here, from their definitions.

use std::collections::HashMap;
use std::io::Cursor;

use crate::common::Shared;
use flashscope_core::Op;
use flashscope_core::seed::Random;
use flashscope_trace::{Compress, Loss, Losses, Record, Records, TraceError, Writer, open, sniff_input};

fn read(bytes: &[u8], format: &str, lenient: bool) -> (Vec<Record>, Option<TraceError>, u64) {
    let mut reader = open(Cursor::new(bytes.to_vec()), Some(format), lenient).unwrap();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        let result = reader.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        match result {
            Ok(0) => return (all, None, reader.counts().bad_lines),
            Ok(_) => {}
            Err(error) => return (all, Some(error), reader.counts().bad_lines),
        }
    }
}

fn problem(bytes: &[u8], format: &str) -> String {
    match read(bytes, format, false).1 {
        Some(TraceError::Entry { problem, .. }) => problem,
        other => panic!("{format}: {other:?}"),
    }
}

/// With these bytes instead of those at `at`.
fn with(entry: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = entry.to_vec();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    changed
}

/// Number 7, 4096 bytes, one piece, WRITE(10), version 1, block 0x1234, 5 s.
fn vscsi_1() -> Vec<u8> {
    let head = b"\x07\0\0\0\0\x10\0\0\x01\0\0\0\x2a\0\0\x01";
    [&head[..], b"\x34\x12\0\0\0\0\0\0", b"\x40\x4b\x4c\0\0\0\0\0"].concat()
}

/// The same, with a response after 255 us.
fn vscsi_2() -> Vec<u8> {
    let head = b"\x2a\0\0\x02\x07\0\0\0\0\x10\0\0\x01\0\0\0";
    [&head[..], b"\x34\x12\0\0\0\0\0\0", b"\x40\x4b\x4c\0\0\0\0\0", b"\xff\0\0\0\0\0\0\0"].concat()
}

#[test]
fn both_versions_of_vscsi_as_their_bytes_say() {
    let record = Record {
        time_ns: 5_000_000_000,
        offset_bytes: 0x1234 * 512,
        length_bytes: 4096,
        op: Op::Write,
        ..Record::default()
    };
    assert_eq!(read(&vscsi_1(), "vscsi", false).0, [record]);
    let answered = Record { latency_ns: Some(255_000), ..record };
    assert_eq!(read(&vscsi_2(), "vscsi", false).0, [answered]);
}

#[test]
fn each_field_of_vscsi_is_checked() {
    let (one, two) = (vscsi_1(), vscsi_2());
    let all_ones = [0xff; 8];
    for (bytes, said) in [
        (with(&one, 15, &[2]), "version 1"),
        (with(&one, 12, &[0xff]), "SCSI command"),
        (with(&one, 13, &[1]), "SCSI command"),
        (with(&one, 12, &[0x42]), "trim"),
        (with(&one, 12, &[0x93]), "trim"),
        (with(&one, 4, &[0, 0, 0, 0]), "length is zero"),
        (with(&one, 16, &all_ones), "range does not fit"),
        (with(&one, 24, &all_ones), "time does not fit"),
        (one[..31].to_vec(), "ends within"),
        ([&two[..], &with(&two, 3, &[1])].concat(), "version 2"),
        ([&two[..], &with(&two, 0, &[0x89])].concat(), "SCSI command"),
        ([&two[..], &with(&two, 8, &[0, 0])].concat(), "length is zero"),
        ([&two[..], &with(&two, 16, &all_ones)].concat(), "range does not fit"),
        ([&two[..], &with(&two, 24, &all_ones)].concat(), "time does not fit"),
        ([&two[..], &with(&two, 32, &all_ones)].concat(), "response time"),
        ([&two[..], &two[..39]].concat(), "ends within"),
    ] {
        let problem = problem(&bytes, "vscsi");
        assert!(problem.contains(said), "{problem}, not {said}");
    }
}

/// 7 s, sector 0x1234, 4096 bytes, no next.
fn oracle() -> Vec<u8> {
    [&b"\x07\0\0\0"[..], b"\x34\x12\0\0\0\0\0\0", b"\0\x10\0\0", &[0xff; 8]].concat()
}

/// The same as a write (13) in namespace 258.
fn oracle_opns() -> Vec<u8> {
    [&b"\x07\0\0\0"[..], b"\x34\x12\0\0\0\0\0\0", b"\0\x10\0\0", b"\x0d\x02\x01", &[0xff; 8]].concat()
}

#[test]
fn values_of_any_length_make_oracle_general_less_likely() {
    let percent = |length: &[u8]| {
        let entries = [&with(&oracle(), 12, length)[..], &oracle()[..]].concat();
        let found = sniff_input(Cursor::new(entries)).unwrap();
        found.iter().find(|(format, _)| format.name == "oraclegeneral").unwrap().1
    };
    assert_eq!((percent(b"\0\x02\0\0"), percent(b"\x01\x02\0\0")), (95, 40));
}

#[test]
fn each_field_of_oracle_general_is_checked() {
    let (short, long) = (oracle(), oracle_opns());
    let next = |number: i64| number.to_le_bytes();
    for (bytes, said) in [
        (with(&short, 12, &[0, 0]), "length is zero"),
        (with(&short, 4, &[0xff; 8]), "not a sector"),
        (with(&short, 16, &next(0)), "not ahead"),
        (with(&short, 16, &next(-2)), "not ahead"),
        ([&short[..], &with(&short, 16, &next(1))].concat(), "not ahead"),
        (short[..23].to_vec(), "ends within"),
    ] {
        let problem = problem(&bytes, "oraclegeneral");
        assert!(problem.contains(said), "{problem}, not {said}");
    }
    for (bytes, said) in [
        (with(&long, 12, &[0, 0]), "length is zero"),
        (with(&long, 16, &[15]), "operation"),
        (with(&long, 16, &[255]), "operation"),
        (with(&long, 19, &next(0)), "not ahead"),
        (long[..26].to_vec(), "ends within"),
    ] {
        let problem = problem(&bytes, "oraclegeneral-opns");
        assert!(problem.contains(said), "{problem}, not {said}");
    }
    for fine in [next(-1), next(2), next(i64::MAX)] {
        assert_eq!(read(&with(&short, 16, &fine), "oraclegeneral", false).1, None);
    }
    let mut reader = open(Cursor::new(long), Some("oraclegeneral-opns"), false).unwrap();
    let mut batch = Vec::new();
    reader.next_batch(&mut batch).unwrap();
    assert_eq!((batch[0].op, reader.devices()), (Op::Write, &["258".to_string()][..]));
}

#[test]
fn a_bad_entry_is_named_with_its_place_and_bytes() {
    let bytes = [vscsi_1(), vscsi_1(), with(&vscsi_1(), 12, &[0xff]), vscsi_1()].concat();
    let (records, error, _) = read(&bytes, "vscsi", false);
    assert_eq!(records.len(), 2);
    let error = error.unwrap().to_string();
    assert!(
        error.starts_with("entry 3, at byte 64: the SCSI command is neither read nor write: `07 00"),
        "{error}"
    );
    let (records, error, bad) = read(&[bytes, vec![1; 31]].concat(), "vscsi", true);
    assert_eq!((records.len(), error, bad), (3, None, 2));
}

fn write(records: &[Record], format: &str) -> (Vec<u8>, Losses) {
    let output = Shared::default();
    let mut writer = Writer::new(output.clone(), format, Compress::No).unwrap();
    for batch in records.chunks(1000) {
        writer.write(batch, &["0".into()]).unwrap();
    }
    let losses = writer.finish().unwrap();
    let bytes = output.take();
    (bytes, losses)
}

#[test]
fn the_next_access_is_that_of_a_slow_reference() {
    const SEED: u64 = 24;
    let mut random = Random::new(SEED);
    // Several pieces of the temporary file, the last one not full; sectors that come back soon, late, never.
    let mut sector = |number| match random.below(3) {
        0 => random.below(50),
        1 => 1000 + random.below(30_000),
        _ => 1_000_000 + number,
    };
    let records: Vec<Record> = (0..40_000)
        .map(|number| Record {
            time_ns: 9_000_000_000 + number * 1_000_000_000,
            offset_bytes: sector(number) * 512,
            length_bytes: 4096,
            ..Record::default()
        })
        .collect();
    let (bytes, losses) = write(&records, "oraclegeneral");
    assert_eq!((bytes.len(), losses.iter().count()), (40_000 * 24, 0));
    let mut expected = vec![-1i64; records.len()];
    let mut last: HashMap<u64, usize> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        if let Some(before) = last.insert(record.offset_bytes, index) {
            expected[before] = index as i64 + 1;
        }
    }
    for (index, (entry, next)) in bytes.chunks(24).zip(expected).enumerate() {
        let number = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap());
        assert_eq!(number(16) as i64, next, "entry {index}, seed {SEED}");
        assert_eq!(number(4) * 512, records[index].offset_bytes);
        assert_eq!(number(0) as u32, index as u32, "seconds from the first request");
    }
}

#[test]
fn what_oracle_general_cannot_say_is_counted() {
    let record = Record { time_ns: 10_000_000_000, length_bytes: 512, ..Record::default() };
    let (bytes, losses) = write(
        &[
            record,
            Record { op: Op::Write, ..record },
            Record { time_ns: 10_000_000_001, ..record },
            Record { time_ns: 9_000_000_000, ..record },
            Record { time_ns: u64::MAX, ..record },
            Record { length_bytes: 1 << 32, ..record },
            Record { offset_bytes: 100, ..record },
        ],
        "oraclegeneral",
    );
    assert_eq!(bytes.len(), 3 * 24);
    let lost: Vec<_> = losses.iter().collect();
    assert_eq!(lost, [(Loss::Range, 2), (Loss::Time, 2), (Loss::TimeDigits, 1), (Loss::Op, 1)]);
}
