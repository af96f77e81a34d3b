//! What is wrong with an input is named, with its line and text; a lenient reader counts it. Never a panic.

use std::io::{Cursor, Read, Write};

use flashscope_trace::{Reader, Record, Records, TraceError, open};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;

const LINE: &str =
    "  tar-31   [001] .....  1025.899728: block_rq_issue: 7,3 WS 4096 () 1572872 + 8 be,0,4 [tar]";
const LOAD: &str = "  0.449518165 ;  37766917 ;   14 ; W ; 0.0 ; 0.25";

fn read(
    input: impl Read + Send + 'static,
    format: Option<&str>,
    lenient: bool,
) -> Result<(Vec<Record>, Reader), TraceError> {
    let mut reader = open(input, format, lenient)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch)? > 0 {
        all.extend_from_slice(&batch);
    }
    Ok((all, reader))
}

fn text(text: &str) -> Cursor<Vec<u8>> {
    Cursor::new(text.as_bytes().to_vec())
}

fn error(input: &str, format: &str) -> TraceError {
    read(text(input), Some(format), false).err().unwrap_or_else(|| panic!("{format} reads `{input}`"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

/// `count` good lines of tracefs, each an own second.
fn good_lines(count: usize) -> String {
    (0..count).map(|second| LINE.replace("1025.", &format!("{second}.")) + "\n").collect()
}

#[test]
fn the_first_bad_line_is_named_after_the_good_ones() {
    let input = good_lines(70_000) + "  tar-31 [001] garbage\n" + &good_lines(1000);
    let mut reader = open(text(&input), None, false).unwrap();
    let (mut batch, mut good) = (Vec::new(), 0);
    let error = loop {
        match reader.next_batch(&mut batch) {
            Ok(count) => good += count,
            Err(error) => break error,
        }
    };
    assert_eq!(good + batch.len(), 70_000);
    assert_eq!(
        error.to_string(),
        "line 70001: not a line of this format: `  tar-31 [001] garbage`; \
         fix it, or read leniently to skip it"
    );
    assert_eq!(reader.next_batch(&mut batch), Err(error), "and it stays so");
    assert_eq!(batch, []);
}

#[test]
fn a_lenient_reader_counts_bad_lines_and_keeps_the_first() {
    let bad = ["garbage".to_string(), LINE.replace("WS", "ZA"), LINE.replace("[tar]", "[ta")];
    let input = good_lines(3) + &bad.join("\n") + "\n" + &good_lines(2);
    let (records, reader) = read(text(&input), Some("tracefs"), true).unwrap();
    let counts = reader.counts();
    assert_eq!((records.len(), counts.records, counts.bad_lines, counts.lines), (5, 5, 3, 8));
    assert_eq!((counts.unsorted, counts.other_lines), (1, 0), "the last two begin at 0 s again");
    assert!(matches!(reader.first_bad_line(), Some(TraceError::Line { line: 4, .. })));
}

#[test]
fn each_field_of_tracefs_is_checked() {
    for (from, to, problem) in [
        ("tar-31 ", "tar ", "no process number"),
        ("tar-31 ", "tar-4294967296 ", "no process number"),
        ("[001] ", "", "no process number"),
        ("1025.899728", "-1025.899728", "the time is not in seconds"),
        ("1025.899728", "1025.", "the time is not in seconds"),
        // A clock that counts ticks.
        ("1025.899728", "1025899728", "the time is not in seconds"),
        ("1025.899728", "99999999999.0", "the time is not in seconds"),
        ("7,3", "7:3", "not major,minor"),
        ("7,3", "7,-3", "not major,minor"),
        ("WS", "QS", "the operation"),
        ("4096", "-4096", "the bytes"),
        ("4096", "4095", "do not agree"),
        ("()", "", "(command)"),
        ("1572872", "-1", "the sector"),
        ("1572872", "18446744073709551616", "the sector"),
        ("1572872", "36028797018963967", "64 bits"),
        ("+ 8", "- 8", "no +"),
        ("+ 8", "+ x", "the number of sectors"),
        ("4096 () 1572872 + 8", "0 () 1572872 + 18446744073709551615", "64 bits"),
        ("4096 () 1572872 + 8", "0 () 1572872 + 0", "the length is zero"),
        ("WS", "FF", "a flush has a length"),
        (" [tar]", "", "cut short"),
        ("tar]", "ta", "cut short"),
        ("+ 8 be,0,4 [tar]", "+ 8", "cut short"),
        (LINE, "CPU:1 [LOST 1234 EVENTS]", "the kernel lost events"),
    ] {
        let bad = LINE.replace(from, to);
        assert_ne!(bad, LINE);
        let TraceError::Line { line: 2, problem: said, text } = error(&format!("{LINE}\n{bad}"), "tracefs")
        else {
            panic!("{bad}")
        };
        assert!(said.contains(problem), "{bad}: {said}");
        assert_eq!(text, bad);
    }
}

#[test]
fn each_field_of_blkreplay_is_checked() {
    for (from, to, problem) in [
        ("0.449518165", "-0.449518165", "the start"),
        ("0.449518165", "18446744073.709551616", "the start"),
        ("37766917", "-37766917", "the sector"),
        ("37766917", "36028797018963968", "64 bits"),
        ("37766917", "37766917.5", "the sector"),
        ("14", "0", "the length is zero"),
        ("14", "0x14", "the length"),
        ("W", "?", "the operation"),
        ("W", "N", "operation N"),
        ("W", "F", "a flush has a length"),
        ("0.0 ;", "-0.1 ;", "the delay"),
        ("0.25", "0.", "the duration"),
        ("0.25", "0.25 ; 7", "the duration"),
        (" ; 0.25", "", "the delay"),
        (" ; W ; 0.0 ; 0.25", "", "the length"),
        (LOAD, "any other text", "the start"),
    ] {
        let bad = LOAD.replace(from, to);
        assert_ne!(bad, LOAD);
        let TraceError::Line { line: 3, problem: said, .. } =
            error(&format!("a header\n{LOAD}\n{bad}"), "blkreplay")
        else {
            panic!("{bad}")
        };
        assert!(said.contains(problem), "{bad}: {said}");
    }
    let first_is_bad = format!("any header\nstart ; sector; length\n{}", LOAD.replace("14", "x"));
    assert!(matches!(error(&first_is_bad, "blkreplay"), TraceError::Line { line: 3, .. }));
    assert!(matches!(error(&LOAD.replace("0.44", "-0.44"), "blkreplay"), TraceError::Line { line: 1, .. }));
}

#[test]
fn what_is_no_trace_at_all_is_told_with_a_way_out() {
    let opened = |bytes: &[u8], format| open(Cursor::new(bytes.to_vec()), format, false).err().unwrap();
    assert_eq!(opened(b"", None), TraceError::Empty);
    assert_eq!(opened(b"", Some("tracefs")), TraceError::Empty);
    assert_eq!(opened(&gzip(b""), None), TraceError::Empty);
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    assert!(matches!(opened(&binary, None), TraceError::Unrecognised { .. }));
    assert!(matches!(opened(b"a,b,c\n1,2,3\n", None), TraceError::Unrecognised { .. }));
    let unknown = opened(b"x", Some("tracesf")).to_string();
    assert!(unknown.starts_with("unknown trace format 'tracesf'; choose one of tracefs, "), "{unknown}");
    let TraceError::Compressed { method, .. } = opened(b"BZh91AY", None) else { panic!("bzip2") };
    assert_eq!(method, "bzip2");
    for cut in [&b"\x28\xb5\x2f\xfd.."[..], b"\xfd7zXZ\0", b"\x1f\x8b\x08\0"] {
        assert!(matches!(opened(cut, None), TraceError::Read { .. }), "{cut:?}");
    }
    let only_comments = error("# tracer: nop\n#\n", "tracefs");
    assert_eq!(only_comments, TraceError::NoRequests { format: "tracefs", lines: 2, bad_lines: 0 });
    let all_bad = read(text("x\ny\nz"), Some("tracefs"), true).err().unwrap();
    assert_eq!(all_bad, TraceError::NoRequests { format: "tracefs", lines: 3, bad_lines: 3 });
}

#[test]
fn a_gzip_file_cut_anywhere_is_an_error() {
    let whole = gzip(good_lines(5000).as_bytes());
    assert_eq!(read(Cursor::new(whole.clone()), None, false).unwrap().0.len(), 5000);
    for length in (2..whole.len()).step_by(97).chain([whole.len() - 1]) {
        for lenient in [false, true] {
            let error = read(Cursor::new(whole[..length].to_vec()), Some("tracefs"), lenient).err();
            assert!(matches!(error, Some(TraceError::Read { .. })), "{length} of {}", whole.len());
        }
    }
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 0x55;
    assert!(read(Cursor::new(damaged), Some("tracefs"), true).is_err());
    let two = [whole.clone(), whole].concat();
    assert_eq!(read(Cursor::new(two), None, false).unwrap().0.len(), 10_000, "members follow each other");
}

/// The records before the error, and the error.
fn read_to_error(bytes: &[u8]) -> (Vec<Record>, TraceError) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    let mut reader = match open(Cursor::new(bytes.to_vec()), Some("tracefs"), false) {
        Ok(reader) => reader,
        Err(error) => return (all, error),
    };
    loop {
        let result = reader.next_batch(&mut batch);
        all.extend_from_slice(&batch);
        if let Err(error) = result {
            return (all, error);
        }
    }
}

#[test]
fn what_was_uncompressed_before_a_cut_is_read_and_its_last_line_is_named() {
    for count in [300, 40_000] {
        let plain = good_lines(count);
        let (whole, _) = read(text(&plain), None, false).unwrap();
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
        xz.write_all(plain.as_bytes()).unwrap();
        let packed =
            [gzip(plain.as_bytes()), zstd::encode_all(plain.as_bytes(), 1).unwrap(), xz.finish().unwrap()];
        for (kind, packed) in packed.iter().enumerate() {
            let mut most = 0;
            for end in (1..20).map(|part| packed.len() * part / 20).chain([packed.len() - 1]) {
                let (records, error) = read_to_error(&packed[..end]);
                let TraceError::Read { line, .. } = error else { panic!("{kind}: {error}") };
                assert_eq!(records.len() as u64, line, "{kind}: a line each, cut at {end}");
                assert_eq!(records, whole[..records.len()], "{kind}: cut at {end}");
                if kind == 0 {
                    let mut known = Vec::new();
                    assert!(flate2::read::GzDecoder::new(&packed[..end]).read_to_end(&mut known).is_err());
                    assert_eq!(line, known.iter().filter(|byte| **byte == b'\n').count() as u64, "at {end}");
                }
                most = most.max(records.len());
            }
            // A short trace may be one block, of which nothing is known before its end.
            assert!(count < 1000 || most >= count / 2, "{kind}: {most} of {count} lines");
        }
    }
}

#[test]
fn a_line_without_end_is_one_bad_line() {
    let long = "x".repeat(1 << 20);
    let input = format!("{LINE}\n{long}\n{LINE}\n");
    let TraceError::Line { line, problem, text: shown } = error(&input, "tracefs") else { panic!() };
    assert_eq!((line, problem.as_str(), shown.len()), (2, "longer than 64 KiB", 203));
    let (records, reader) = read(text(&input), Some("tracefs"), true).unwrap();
    assert_eq!((records.len(), reader.counts().bad_lines, reader.counts().lines), (2, 1, 3));
}

#[test]
fn other_lines_of_a_trace_are_no_requests() {
    let input = [
        "# tracer: nop",
        "",
        "cpus=2",
        " <idle>-0     [000] d.h..  10.000001: block_rq_complete: 7,3 W () 0 + 8 none,0,0 [0]",
        " sg_inq-77    [000] .....  10.000002: block_rq_issue: 8,16 N 96 (12 00 60) 0 + 0 none,0,0 [sg_inq]",
        " Web Content [1-99 ( 98) [003] dN.3. 10.000003: block_rq_issue: 8,0 R 0 () 16 + 8 [Web Content [1]",
        " dd  42 [000] 10.000004000: block:block_rq_issue: 259,1 DS 4096 () 8 + 8 be,0,4 [dd]\r",
        " dd-43 [000] ..... 10.000005: block_rq_issue: 8,0 FWFS 4096 () 24 + 8 be,0,4 [dd]",
        " dd-43 [000] ..... 10.000006: block_rq_issue: 8,0 F 0 () 18446744073709551615 + 0 [dd]",
    ];
    let (records, reader) = read(text(&input.join("\n")), Some("tracefs"), false).unwrap();
    let seen: Vec<_> = records
        .iter()
        .map(|r| (r.op.name(), r.offset_bytes, r.length_bytes, r.flags.0, r.device, r.process.pid, r.time_ns))
        .collect();
    assert_eq!(
        seen,
        [
            ("read", 16 * 512, 4096, 0, 0, 99, 10_000_003_000),
            ("trim", 8 * 512, 4096, 2, 1, 42, 10_000_004_000),
            ("flush", 0, 0, 0, 0, 43, 10_000_005_000),
            ("write", 24 * 512, 4096, 3, 0, 43, 10_000_005_000),
            ("flush", 0, 0, 0, 0, 43, 10_000_006_000),
        ]
    );
    assert_eq!(records[0].process.name(), b"Web Content [1");
    assert_eq!(reader.devices(), ["8,0", "259,1"]);
    let counts = reader.counts();
    assert_eq!((counts.lines, counts.other_lines, counts.is_last_line_open), (9, 5, true));
}

#[test]
fn zeroes_on_a_range_are_a_write_and_a_command_without_one_is_no_request() {
    // As a kernel prints them: the bytes of the first are those that the driver sends.
    let input = [
        " mkfs-7 [000] ..... 10.000001: block_rq_issue: 8,0 N 512 () 2048 + 4096 none,0,0 [mkfs]",
        " mkfs-7 [000] ..... 10.000002: block_rq_issue: 8,0 N 0 () 0 + 0 none,0,0 [mkfs]",
        " mkfs-7 [000] ..... 10.000009: block_rq_complete: 8,0 N () 2048 + 4096 none,0,0 [0]",
    ];
    let (records, reader) = read(text(&input.join("\n")), Some("tracefs"), false).unwrap();
    let seen: Vec<_> =
        records.iter().map(|r| (r.op.name(), r.offset_bytes, r.length_bytes, r.flags.0)).collect();
    assert_eq!(seen, [("write", 1 << 20, 2 << 20, 0)]);
    assert_eq!(records[0].latency_ns, Some(8_000));
    assert_eq!(reader.counts().other_lines, 2);
}

/// Gives its bytes a few at a time, as a pipe may.
struct Trickle(Vec<u8>, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.0.len().min(self.1).min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0.drain(..length);
        Ok(length)
    }
}

/// Lines of all kinds, whole and damaged.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(LINE.as_bytes().to_vec()),
        Just(LOAD.as_bytes().to_vec()),
        (Just(LINE), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(line, at, byte)| {
            let mut line = line.as_bytes().to_vec();
            let at = at.index(line.len());
            line[at] = byte;
            line
        }),
        (Just(LOAD), any::<prop::sample::Index>(), "[0-9;.-]{0,30}").prop_map(|(line, at, more)| {
            let (before, after) = line.split_at(at.index(line.len()));
            format!("{before}{more}{after}").into_bytes()
        }),
        proptest::collection::vec(any::<u8>(), 0..200),
        (60_000usize..80_000).prop_map(|length| vec![b' '; length]),
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic_and_the_size_of_reads_does_not_matter(
        bytes in lines(), piece in 1usize..5000, lenient: bool,
        damage in any::<Option<prop::sample::Index>>(),
    ) {
        let mut compressed = gzip(&bytes);
        if let Some(at) = damage {
            let at = at.index(compressed.len());
            compressed[at] ^= 0x10;
        }
        let _ = read(Cursor::new(compressed), None, lenient);
        for format in [None, Some("tracefs"), Some("blkreplay")] {
            let whole = read(Cursor::new(bytes.clone()), format, lenient);
            let trickled = read(Trickle(bytes.clone(), piece), format, lenient);
            match (whole, trickled) {
                (Ok((records, reader)), Ok((same, pieces))) => {
                    prop_assert_eq!(records, same);
                    prop_assert_eq!(reader.counts(), pieces.counts());
                    let counts = reader.counts();
                    prop_assert!(counts.lines >= counts.bad_lines + counts.other_lines);
                }
                (whole, trickled) => prop_assert_eq!(whole.err(), trickled.err()),
            }
        }
    }
}

#[test]
fn only_the_first_byte_order_mark_is_one_however_the_bytes_arrive() {
    let mark = "\u{feff}";
    for text in [mark.repeat(4), format!("{mark}{mark}1,2\n"), format!("1\n{mark}2")] {
        let whole = read(Cursor::new(text.clone().into_bytes()), Some("msr"), true).err();
        let trickled = read(Trickle(text.into_bytes(), 1), Some("msr"), true).err();
        assert!(whole.is_some());
        assert_eq!(whole, trickled);
    }
}
