//! Parquet, the lossless form: other readers see the same table, tables of other writers are read, and what
//! is wrong with one is named.

use std::fs::File;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::common::Shared;
use flashscope_core::request::{Flags, Op};
use flashscope_core::seed::Random;
use flashscope_trace::{
    Compress, Loss, Losses, Process, Record, Records, TraceError, Writer, open, open_bytes, open_file,
};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const DEVICES: [&str; 3] = ["7,3", "nvme0n1", "sda"];
const SEED: u64 = 26;

/// Everything that a record can be, to the ends of the numbers.
fn records(count: u64) -> Vec<Record> {
    let mut random = Random::new(SEED);
    let mut any = move || random.below(u64::MAX) >> random.below(64);
    (0..count)
        .map(|number| {
            let op = Op::ALL[any() as usize % 4];
            let length_bytes = if op == Op::Flush { 0 } else { 1 + (any() >> 1) };
            let offset_bytes = if op == Op::Flush { 0 } else { any().min(u64::MAX - length_bytes) };
            Record {
                time_ns: any(),
                offset_bytes,
                length_bytes,
                latency_ns: (number % 3 > 0).then(&mut any),
                device: any() as u32 % 3,
                process: match any() % 3 {
                    0 => Process::default(),
                    1 => Process::new(any() as u32, "bücher".as_bytes()),
                    _ => Process::new(0, b"kworker/0:1H"),
                },
                op,
                flags: Flags(any() as u8 % 4),
            }
        })
        .collect()
}

fn write(records: &[Record]) -> (Vec<u8>, Losses) {
    let output = Shared::default();
    let mut writer = Writer::new(output.clone(), "parquet", Compress::No).unwrap();
    for batch in records.chunks(1024) {
        writer.write(batch, &DEVICES.map(String::from)).unwrap();
    }
    let losses = writer.finish().unwrap();
    let bytes = output.take();
    (bytes, losses)
}

/// Records with the names of their devices, and what ended them.
fn read(trace: Result<Box<dyn Records>, TraceError>) -> (Vec<(Record, String)>, Option<TraceError>) {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    let mut trace = match trace {
        Ok(trace) => trace,
        Err(error) => return (all, Some(error)),
    };
    loop {
        let result = trace.next_batch(&mut batch);
        let name = |record: &Record| trace.devices()[record.device as usize].clone();
        all.extend(batch.iter().map(|record| (Record { device: 0, ..*record }, name(record))));
        match result {
            Ok(0) => return (all, None),
            Ok(_) => {}
            Err(error) => return (all, Some(error)),
        }
    }
}

fn named(records: &[Record]) -> Vec<(Record, String)> {
    let name = |record: &Record| DEVICES[record.device as usize].to_string();
    records.iter().map(|record| (Record { device: 0, ..*record }, name(record))).collect()
}

#[test]
fn several_row_groups_lose_nothing() {
    let records = records(300_000);
    let (bytes, losses) = write(&records);
    assert_eq!(losses.iter().count(), 0);
    assert!(read(open_bytes(bytes, None, false)) == (named(&records), None), "seed {SEED}");
}

#[test]
fn a_name_that_is_no_utf8_is_counted() {
    let record = Record { length_bytes: 512, process: Process::new(7, b"tar\xff"), ..Record::default() };
    let (bytes, losses) = write(&[record]);
    assert_eq!(losses.of(Loss::Process), 1);
    assert_eq!(read(open_bytes(bytes, None, false)).0[0].0.process.name(), "tar\u{fffd}".as_bytes());
}

#[test]
fn a_pipe_and_a_compression_around_it_are_refused_with_a_way_out() {
    let (bytes, _) = write(&records(10));
    for format in [None, Some("parquet")] {
        let mut pipe = open(Cursor::new(bytes.clone()), format, false).unwrap();
        let error = pipe.next_batch(&mut Vec::new()).unwrap_err();
        assert_eq!(error, TraceError::NotSeekable { format: "parquet" });
    }
    for compress in [Compress::Gzip, Compress::Zstd, Compress::Xz] {
        let error = Writer::new(Vec::new(), "parquet", compress).err();
        assert_eq!(error, Some(TraceError::CompressedTwice { format: "parquet" }));
    }
}

/// A table of four columns and one row; a `None` is null.
fn table(columns: &str, time: i64, op: Option<&str>, range: [i64; 2]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message t {{ {columns} }}")).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let numbers = [time, range[0], range[1]];
    for number in &numbers[..1] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[*number], None, None).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    let level = i16::from(op.is_some());
    let values: Vec<_> = op.map(ByteArray::from).into_iter().collect();
    column.typed::<ByteArrayType>().write_batch(&values, Some(&[level]), None).unwrap();
    column.close().unwrap();
    for number in &numbers[1..] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[*number], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

const COLUMNS: &str = "required int64 time_ns; optional binary op (STRING); required int64 offset_bytes; \
                       required int64 length_bytes;";

#[test]
fn each_field_of_a_row_is_checked() {
    let read_of = |time, op, range| read(open_bytes(table(COLUMNS, time, op, range), None, false));
    let write =
        Record { time_ns: 5, offset_bytes: 4096, length_bytes: 512, op: Op::Write, ..Record::default() };
    assert_eq!(read_of(5, Some("write"), [4096, 512]), (vec![(write, "0".into())], None));
    for (time, op, range, said) in [
        (-1, Some("write"), [0, 512], "negative"),
        (5, Some("write"), [-1, 512], "negative"),
        (5, Some("write"), [0, -1], "negative"),
        (5, Some("write"), [0, 0], "length is zero"),
        (5, Some("flush"), [0, 512], "flush has a range"),
        (5, Some("Write"), [0, 512], "op is not one of"),
        (5, None, [0, 512], "op is not one of"),
    ] {
        let Some(TraceError::Line { line: 1, problem, .. }) = read_of(time, op, range).1 else {
            panic!("{said}")
        };
        assert!(problem.contains(said), "{problem}");
    }
    // The same bits, as numbers without a sign.
    let unsigned = COLUMNS.replace("offset_bytes", "offset_bytes (INTEGER(64,false))");
    let (_, error) = read(open_bytes(table(&unsigned, 5, Some("write"), [-1, 512]), None, false));
    assert!(matches!(error, Some(TraceError::Line { problem, .. }) if problem.contains("64 bits")));
}

#[test]
fn tables_that_are_no_traces_are_refused_by_the_column() {
    for (columns, said) in [
        (COLUMNS.replace("length_bytes", "bytes"), "it has no column length_bytes"),
        (
            COLUMNS.replace("length_bytes", "length_bytes (TIMESTAMP(NANOS,true))"),
            "length_bytes is not of whole",
        ),
        (COLUMNS.replace("required int64 length", "repeated int64 length"), "length_bytes is a list"),
    ] {
        let is_list = columns.contains("repeated");
        let bytes = if is_list { repeated(&columns) } else { table(&columns, 5, Some("read"), [0, 512]) };
        let error = read(open_bytes(bytes, None, false)).1.unwrap().to_string();
        assert!(error.contains(said), "{error}, not {said}");
    }
}

/// An empty group of such columns would not be opened: one row with an empty list.
fn repeated(columns: &str) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message t {{ {columns} }}")).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    for number in 0..4 {
        let mut column = group.next_column().unwrap().unwrap();
        match number {
            1 => column.typed::<ByteArrayType>().write_batch(&[], Some(&[0]), None).unwrap(),
            3 => column.typed::<Int64Type>().write_batch(&[], Some(&[0]), Some(&[0])).unwrap(),
            _ => column.typed::<Int64Type>().write_batch(&[1], None, None).unwrap(),
        };
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn a_table_cut_anywhere_is_an_error() {
    let (bytes, _) = write(&records(1000));
    for length in (4..bytes.len()).step_by(211).chain([bytes.len() - 1]) {
        let (_, error) = read(open_bytes(bytes[..length].to_vec(), None, true));
        assert!(matches!(error, Some(TraceError::Read { .. })), "{length} of {}: {error:?}", bytes.len());
    }
}

/// A folder of its own, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("flashscope-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const READERS: &str = r#"
import sys
import duckdb, polars
path, copy = sys.argv[1:]
def show(rows):
    for row in rows:
        print(",".join("" if value is None else str(value) for value in row))
show(duckdb.sql(f"select * from '{path}'").fetchall())
show(polars.read_parquet(path).rows())
duckdb.sql(f"copy (select * from '{path}') to '{copy}' (format parquet)")
"#;

#[test]
fn duckdb_and_polars_see_the_same_and_what_duckdb_writes_is_a_trace() {
    let python = std::env::var("FLASHSCOPE_PYTHON").unwrap_or("python3".into());
    let has = Command::new(&python).args(["-c", "import duckdb, polars"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{python} has no duckdb and polars");
        return;
    }
    let scratch = Scratch::new("parquet");
    let (path, copy) = (scratch.0.join("a.parquet"), scratch.0.join("b.parquet"));
    let records = records(5000);
    std::fs::write(&path, write(&records).0).unwrap();
    let output = Command::new(&python).arg("-c").arg(READERS).args([&path, &copy]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let expected: Vec<String> = records.iter().map(line).collect();
    assert_eq!(lines.len(), 2 * expected.len());
    for (reader, lines) in ["DuckDB", "polars"].iter().zip(lines.chunks(expected.len())) {
        for (line, expected) in lines.iter().zip(&expected) {
            assert_eq!(line, expected, "{reader}, seed {SEED}");
        }
    }
    let from = |path: &Path| read(open_file(File::open(path).unwrap(), None, false));
    assert!(from(&copy) == (named(&records), None), "DuckDB's copy");
}

/// A row as Python prints it.
fn line(record: &Record) -> String {
    let Record { time_ns, offset_bytes, length_bytes, latency_ns, device, process, op, flags } = record;
    let truth = |flag: Flags| if flags.0 & flag.0 != 0 { "True" } else { "False" };
    let device = DEVICES[*device as usize];
    let latency = latency_ns.map(|ns| ns.to_string()).unwrap_or_default();
    let pid = if process.pid == 0 { String::new() } else { process.pid.to_string() };
    let name = String::from_utf8_lossy(process.name());
    let (fua, sync) = (truth(Flags::FUA), truth(Flags::SYNC));
    format!("{time_ns},{device},{op},{offset_bytes},{length_bytes},{latency},{fua},{sync},{pid},{name}")
}
