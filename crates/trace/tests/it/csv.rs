//! Our own CSV: columns in any order and unit, names that hold anything, and nothing that is guessed.

use std::io::Cursor;

use crate::common::Shared;
use flashscope_core::request::{Flags, Op};
use flashscope_core::seed::Random;
use flashscope_trace::{Compress, Loss, Losses, Process, Record, Records, TraceError, Writer, open};

fn read(text: &str, lenient: bool) -> Result<(Vec<Record>, Vec<String>), TraceError> {
    let mut reader = open(Cursor::new(text.as_bytes().to_vec()), Some("csv"), lenient)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch)? > 0 {
        all.extend_from_slice(&batch);
    }
    Ok((all, reader.devices().to_vec()))
}

fn written(records: &[Record], devices: &[String]) -> (String, Losses) {
    let output = Shared::default();
    let mut writer = Writer::new(output.clone(), "csv", Compress::No).unwrap();
    writer.write(records, devices).unwrap();
    let losses = writer.finish().unwrap();
    let bytes = output.take();
    (String::from_utf8(bytes).unwrap(), losses)
}

/// The fields of a line as another program would split them: commas within double quotes do not count.
fn split(line: &str) -> Vec<&str> {
    let mut within = false;
    line.split(|c| {
        within ^= c == '"';
        c == ',' && !within
    })
    .collect()
}

#[test]
fn shuffled_columns_read_the_same() {
    let path = format!("{}/samples/named-columns.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let expected = read(&text, false).unwrap();
    assert_eq!(expected.0.len(), 40);
    let rows: Vec<_> = text.lines().map(split).collect();
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut order: Vec<usize> = (0..rows[0].len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        let line = |row: &Vec<&str>| order.iter().map(|&at| row[at]).collect::<Vec<_>>().join(" , ");
        let shuffled: Vec<_> = rows.iter().map(line).collect();
        assert_eq!(read(&shuffled.join("\r\n"), false).unwrap(), expected, "seed {seed}: {}", shuffled[0]);
    }
}

#[test]
fn units_are_those_of_the_names() {
    let whole = Record {
        time_ns: 1_500_000_000,
        offset_bytes: 4096,
        length_bytes: 512,
        latency_ns: Some(2_500_000),
        op: Op::Write,
        ..Record::default()
    };
    for text in [
        "time_ns,op,offset_bytes,length_bytes,latency_ns\n1500000000,write,4096,512,2500000",
        "time_us,op,sector,length_bytes,latency_us\n1500000,W,8,512,2500",
        "time_ms,op,offset_bytes,sectors,latency_ms\n1500.0,w,4096,1,2.5",
        "time_s,op,sector,sectors,latency_s\n1.5,write,8,1,0.0025",
        "\u{feff}\"time_s\", op ,sector,sectors,latency_s\r\n 1.500000000 , \"write\",8,1, 0.00250 \r\n",
    ] {
        assert_eq!(read(text, false), Ok((vec![whole], vec!["0".into()])), "{text}");
    }
}

#[test]
fn blanks_are_what_is_not_known() {
    let text = "time_ns,op,offset_bytes,length_bytes,latency_ns,device,fua,sync,pid,process\n\
                7,flush,,,,sda,,,,\n7,read,0,512,,sda,true,false,,x\n\n7,trim,0,512,0,sda,0,1,3,\n";
    let (records, devices) = read(text, false).unwrap();
    assert_eq!(devices, ["sda"]);
    let common = Record { time_ns: 7, ..Record::default() };
    let io = Record { length_bytes: 512, ..common };
    assert_eq!(
        records,
        [
            Record { op: Op::Flush, ..common },
            Record { op: Op::Read, flags: Flags::FUA, process: Process::new(0, b"x"), ..io },
            Record {
                op: Op::Trim,
                flags: Flags::SYNC,
                latency_ns: Some(0),
                process: Process::new(3, b""),
                ..io
            },
        ]
    );
}

#[test]
fn any_name_comes_back() {
    let devices: Vec<_> =
        ["7,3", "", " a ", "\"", "a\"\"b,", "#1", "\t", "sd\u{e4}", "time_ns"].map(String::from).into();
    let names: [&[u8]; 7] = [b"", b"a b", b"\"", b",,", b" x", b"kworker/0:1H", b"'; --"];
    let records: Vec<_> = (0..devices.len() * names.len())
        .map(|at| Record {
            length_bytes: 512,
            device: (at % devices.len()) as u32,
            process: Process::new(at as u32, names[at / devices.len()]),
            ..Record::default()
        })
        .collect();
    let (text, losses) = written(&records, &devices);
    assert_eq!(losses.iter().count(), 0);
    assert_eq!(read(&text, false), Ok((records, devices)));
}

#[test]
fn a_line_end_in_a_name_is_a_loss() {
    let record = Record { length_bytes: 512, process: Process::new(1, b"a\nb"), ..Record::default() };
    let (text, losses) = written(&[record], &["x\r".into()]);
    assert_eq!((losses.of(Loss::Process), losses.of(Loss::Device)), (1, 1));
    let (records, devices) = read(&text, false).unwrap();
    assert_eq!((records[0].process.name(), &devices[..]), (&b"a b"[..], &["x ".to_string()][..]));
}

#[test]
fn joined_files_are_read_on() {
    let one = "time_ns,op,offset_bytes,length_bytes\n1,read,0,512\n";
    assert_eq!(read(&one.repeat(3), false).unwrap().0.len(), 3);
    let other = "time_us,op,offset_bytes,length_bytes\n1,read,0,512\n";
    let error = read(&format!("{one}{other}"), false).unwrap_err();
    assert!(matches!(error, TraceError::Line { line: 3, .. }), "{error}");
}

#[test]
fn columns_that_are_not_known_are_refused_with_those_that_are() {
    for (names, problem) in [
        ("time,op,offset_bytes,length_bytes", "none of time_ns|us|ms|s, device, op, offset_bytes, sector"),
        ("time_ns,op,offset_bytes,length_bytes,cpu", "latency_ns|us|ms|s, fua, sync, pid, process"),
        ("time_ns,op,offset_bytes,length_bytes,", "none of time_ns"),
        ("time_ns,op,offset_bytes", "does not name all"),
        ("op,offset_bytes,length_bytes", "does not name all"),
        ("time_ns,time_us,op,offset_bytes,length_bytes", "twice"),
        ("time_ns,op,offset_bytes,sector,sectors", "twice"),
        ("time_ns,op,offset_bytes,length_bytes,fua,fua", "twice"),
    ] {
        let error = read(&format!("# a comment\n{names}\n1,read,0,512\n"), false).unwrap_err();
        let TraceError::Line { line: 2, problem: said, text } = &error else { panic!("{names}: {error}") };
        assert!(said.contains(problem), "{names}: {said}");
        assert_eq!(text, names);
    }
    // Without names there is nothing to go by, however lenient.
    assert!(matches!(read("1,read,0,512\n", true), Err(TraceError::NoRequests { bad_lines: 1, .. })));
    let both = "time_ns,op,offset_bytes,length_bytes,fua,sync\n1,read,0,512,1,1\n";
    assert_eq!(read(both, false).unwrap().0[0].flags, Flags(Flags::FUA.0 | Flags::SYNC.0));
}
