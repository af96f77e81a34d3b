//! All formats pass the kit that formats of others are tested with, and the kit finds what is wrong.

use std::io::Read;

use flashscope_trace::format::{Claim, Devices, Encoder, Format, LineFormat, Problem, SpaceUnit, TimeUnit};
use flashscope_trace::kit::{Failure, Kit};
use flashscope_trace::{FORMATS, Formats, Losses, ReadOptions, Record};
use proptest::prelude::*;

use crate::common::alone;

/// A sample of each format, and what is bad behind it.
const TABLE: &[(&str, &str, &[u8])] = &[
    ("tracefs", "mp3-ext3.tracefs.gz", GARBAGE),
    ("nvme", "nvme.txt", GARBAGE),
    ("nvme-4k", "nvme-4k.txt", GARBAGE),
    ("blkreplay", "mysql-first-2000.load.gz", GARBAGE),
    ("blktrace", "hand-made.blktrace.0", &[0; 48]),
    ("alibaba", "alibaba.csv", GARBAGE),
    ("tencent", "tencent.csv", GARBAGE),
    ("k5cloud", "k5cloud.csv", GARBAGE),
    ("systor17", "systor17.csv", GARBAGE),
    ("cloudphysics-csv", "cloudphysics.csv", GARBAGE),
    ("vscsi", "hand-made-1.vscsi", &[0xff; 32]),
    ("parquet", "hand-made.parquet", b""),
    ("oraclegeneral-opns", "hand-made.oracleGeneralOpNS", &[0xff; 27]),
    ("oraclegeneral", "hand-made.oracleGeneral", &[0xff; 24]),
    ("msr", "hand-made.msr.csv", GARBAGE),
    ("spc", "hand-made.spc", GARBAGE),
    ("blkparse", "hand-made.blkparse", GARBAGE),
    ("fio-iolog", "hand-made.iolog", GARBAGE),
    ("disksim", "hand-made.disksim", GARBAGE),
    ("mqsim", "hand-made.mqsim", GARBAGE),
    ("fiu", "hand-made.fiu", GARBAGE),
    ("diskmon", "diskmon.log", GARBAGE),
    ("etw", "etw.csv", GARBAGE),
    ("biosnoop", "biosnoop.txt", GARBAGE),
    ("hfplayer", "hfplayer.csv", GARBAGE),
    ("csv", "named-columns.csv", GARBAGE),
];

const GARBAGE: &[u8] = b"\x01 no line of a trace\n";

/// Of a text, whole lines of the first 16 KiB.
fn sample(name: &str) -> Vec<u8> {
    const BYTES: usize = 16 << 10;
    let mut bytes = std::fs::read(format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    if name.ends_with(".gz") {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
        bytes = text;
    }
    // Behind the requests, blkparse sums them up, and anything may stand there.
    if let Some(summary) = memchr::memmem::find(&bytes, b"\nCPU0") {
        bytes.truncate(summary + 1);
    }
    if bytes.len() > BYTES && !bytes.contains(&0) {
        let end = bytes[..BYTES].iter().rposition(|&c| c == b'\n').unwrap();
        bytes.truncate(end + 1);
    }
    bytes
}

fn each(check: impl Fn(Kit<'_>) -> Result<(), Failure>) {
    for format in FORMATS {
        let row = TABLE.iter().find(|(name, ..)| *name == format.name);
        let (_, file, bad) = row.unwrap_or_else(|| panic!("{} is not in the table", format.name));
        check(Kit::new(format, &sample(file), bad)).unwrap();
    }
}

#[test]
fn all_formats_pass_the_kit() {
    each(|kit| kit.check());
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_trace_of_any_format() {
    let name = "kit::memory_does_not_grow_with_the_length_of_a_trace_of_any_format";
    alone(name, || each(|kit| kit.check_memory()));
}

/// What any reader reads, any writer writes, but for what it counts as lost.
#[test]
fn each_sample_goes_through_each_written_format() {
    let mut failures = Vec::new();
    for (format, file, _) in TABLE {
        for written in FORMATS.iter().filter(|written| written.is_written()) {
            // Some samples hold what no device has.
            let options = ReadOptions { certainty_min: 0.0, ..ReadOptions::new(Some(format), false) };
            let mut trace = Formats::builtin().open_bytes_with(sample(file), &options).unwrap();
            let through = Kit::new(written, b"", b"").check_round_trip_of(&mut *trace);
            failures.extend(through.err().map(|failure| format!("{format} through {failure}")));
        }
    }
    assert_eq!(failures, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_request_is_it_comes_back_or_is_counted(seed: u64) {
        for written in FORMATS.iter().filter(|written| written.is_written()) {
            let mut kit = Kit::new(written, b"", b"");
            (kit.seed, kit.records) = (seed, 60);
            prop_assert_eq!(kit.check_round_trip(), Ok(()), "{}", written.name);
        }
    }
}

/// `TIME_NS OFFSET`, each a read of 512 bytes; what is wrong with it depends on `FAULT`.
#[derive(Default)]
struct Faulty<const FAULT: u8> {
    kept: Vec<Record>,
}

const NONE: u8 = 0;
const PANICS: u8 = 1;
const SILENT: u8 = 2;
const KEEPS: u8 = 3;
const CUTS: u8 = 4;

impl<const FAULT: u8> LineFormat for Faulty<FAULT> {
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let text = std::str::from_utf8(line).unwrap_or("?");
        let numbers = text.split_once(' ').and_then(|(time, offset)| {
            let offset: u64 = if FAULT == PANICS { offset.parse().unwrap() } else { offset.parse().ok()? };
            Some((time.parse().ok()?, offset)).filter(|_| offset < 1 << 60)
        });
        let Some((time_ns, offset_bytes)) = numbers else {
            return if FAULT == SILENT { Ok(()) } else { Err("it is not two numbers") };
        };
        let device = devices.number(b"0")?;
        let record = Record { time_ns, offset_bytes, length_bytes: 512, device, ..Record::default() };
        if FAULT == KEEPS {
            self.kept.push(record);
        }
        records.push(record);
        Ok(())
    }
}

/// It counts nothing that it loses.
struct Uncounted<const FAULT: u8>;

impl<const FAULT: u8> Encoder for Uncounted<FAULT> {
    fn batch(&mut self, records: &[Record], _: &[String], out: &mut Vec<u8>, _: &mut Losses) {
        for Record { time_ns, offset_bytes, .. } in records {
            let time_ns = if FAULT == CUTS { time_ns / 1000 } else { *time_ns };
            out.extend_from_slice(format!("{time_ns} {offset_bytes}\n").as_bytes());
        }
    }
}

const fn faulty<const FAULT: u8>() -> Format {
    Format::lines::<Faulty<FAULT>>("faulty", "time ns, offset").sniffed_by(|_| 100).reads(CLAIM)
}

const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Byte, SpaceUnit::Byte);

const LINES: &[u8] = b"1 512\n2 1024\n3 0\n70000000000 4294966784\n";

#[test]
fn the_kit_finds_what_is_wrong() {
    let kit = |format| Kit::new(format, LINES, b"x y\n");
    static GOOD: Format = faulty::<NONE>();
    assert_eq!(kit(&GOOD).check(), Ok(()));
    let what = |checked: Result<(), Failure>| checked.expect_err("a fault").what;
    static PANICKING: Format = faulty::<PANICS>();
    assert!(what(kit(&PANICKING).check_damaged()).contains("it panics"));
    static SILENCE: Format = faulty::<SILENT>();
    assert_eq!(what(kit(&SILENCE).check_bad_line()), "line 5 is bad, and it reads Ok(4)");
    static LOSING: Format = faulty::<CUTS>().written_by(|| Box::new(Uncounted::<CUTS>));
    let lost = what(kit(&LOSING).check_round_trip());
    assert!(lost.contains("comes back elsewhere"), "{lost}");
    static UNKNOWN: Format = faulty::<NONE>().sniffed_by(|_| 0);
    assert_eq!(what(kit(&UNKNOWN).check_sample()), "its sample is recognised as nothing");
    static TACIT: Format = Format::lines::<Faulty<NONE>>("tacit", "time ns, offset").sniffed_by(|_| 100);
    assert!(what(kit(&TACIT).check_sample()).contains("does not say what its units are"));
}

#[test]
fn the_kit_finds_memory_that_grows() {
    alone("kit::the_kit_finds_memory_that_grows", || {
        static KEEPING: Format = faulty::<KEEPS>();
        let failure = Kit::new(&KEEPING, LINES, b"").check_memory().expect_err("it keeps all requests");
        assert!(failure.what.starts_with("a trace ten times as long takes"), "{failure}");
    });
}
