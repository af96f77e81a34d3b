//! Every IO is kept, in a file that others can read, and what goes wrong on the way is said.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::common::{Scratch, Tiny, skip};
use flashscope_core::seed::Random;
use flashscope_core::{
    Bytes, Mix, Nanos, Op, Pattern, PatternSource, Record, Request, RequestSource, Rw, Time,
};
use flashscope_store::ios::{Io, IoFile, Parts};
use flashscope_store::{Origin, Recorder, Responses, ResultFile, StoreError, Written};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

/// A row as the file should have it: submit, response, operation, offset, length, stream.
type Row = (i64, i64, String, i64, i64, i32);

/// Two streams of mixed operations; completions out of order, response times of all magnitudes.
fn mixed(ios: u64, seed: u64) -> (Vec<Box<dyn RequestSource + Send>>, Vec<Record>, Vec<Row>) {
    let mix = Some(Mix::ratio(Rw::RandWrite, 3));
    let pattern = Pattern { mix, numjobs: 2, ..Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(4 << 30)) };
    let source = |job| PatternSource::new(&pattern, job, seed);
    let mut random = Random::new(seed);
    let mut requests = [Vec::new(), Vec::new()];
    for (job, requests) in requests.iter_mut().enumerate() {
        requests.resize(ios as usize, Request::default());
        source(job as u32).fill(requests);
    }
    let mut order: Vec<(u16, u64)> = (0..ios).flat_map(|i| [(0, i), (1, i)]).collect();
    for i in 0..order.len() {
        let other = (i + random.below(32) as usize).min(order.len() - 1);
        order.swap(i, other);
    }
    let mut records = Vec::new();
    let mut rows = Vec::new();
    for (n, (stream, index)) in order.into_iter().enumerate() {
        let magnitude = random.below(39);
        let response = random.below(1 << magnitude);
        let submitted = n as u64 * 1000 + random.below(5000);
        let request = requests[usize::from(stream)][index as usize];
        records.push(Record::new(Time(submitted), Nanos(response), stream, index));
        let length = i64::from(request.length_bytes);
        let op = request.op.name().to_string();
        let offset = request.offset_bytes as i64;
        rows.push((submitted as i64, response as i64, op, offset, length, i32::from(stream)));
    }
    (vec![Box::new(source(0)), Box::new(source(1))], records, rows)
}

fn record(path: &Path, ios: u64, seed: u64) -> (Written, Vec<Row>) {
    let (sources, records, rows) = mixed(ios, seed);
    let origin =
        Origin { experiment: "mix/RR-RW/3".into(), pattern: "rw=randread".into(), ..Origin::default() };
    let mut recorder = Recorder::create(path, sources, &origin).unwrap();
    records.into_iter().for_each(|record| recorder.push(record));
    (recorder.finish().unwrap(), rows)
}

fn read(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let row = |row: parquet::errors::Result<parquet::record::Row>| {
        let row = row.unwrap();
        let long = |i| row.get_long(i).unwrap();
        (long(0), long(1), row.get_string(2).unwrap().clone(), long(3), long(4), row.get_int(5).unwrap())
    };
    reader.get_row_iter(None).unwrap().map(row).collect()
}

#[test]
fn every_io_comes_back_as_it_was_whatever_the_number_of_ios() {
    let scratch = Scratch::new();
    // Around the borders of blocks, pages and row groups.
    for ios in [0, 1, 2, 16, 33, 64, 65, 300, 32_768, 40_000] {
        let path = scratch.path("ios.parquet");
        let (written, rows) = record(&path, ios, 11 + ios);
        assert_eq!(written.ios, 2 * ios);
        assert_eq!(written.bytes, fs::metadata(&path).unwrap().len());
        assert_eq!(read(&path), rows, "{ios} IOs a stream");
    }
}

#[test]
fn a_file_of_several_row_groups_comes_back_as_it_was() {
    let scratch = Scratch::new();
    let path = scratch.path("ios.parquet");
    let (written, rows) = record(&path, 550_000, 3);
    assert_eq!(written.ios, 1_100_000);
    assert!(read(&path) == rows);
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    assert_eq!(reader.num_row_groups(), 2);
    let about = reader.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(about.iter().any(|pair| pair.value.as_deref() == Some("mix/RR-RW/3")));
    let responses = Responses::read(&ResultFile::named(&path), 1000).unwrap();
    assert_eq!((responses.mean_ns.len(), responses.bin_ios), (1000, 1100));
    let first = rows[..1100].iter().map(|row| row.1).max().unwrap();
    assert_eq!(responses.max_ns[0], first as f64);
}

/// Each seventh of them, in two streams out of order.
#[test]
fn an_io_that_failed_has_no_row_and_those_around_it_keep_their_addresses() {
    let scratch = Scratch::new();
    for ios in [1, 64, 300, 40_000] {
        let (sources, records, rows) = mixed(ios, 5);
        let path = scratch.path("ios.parquet");
        let mut recorder = Recorder::create(&path, sources, &Origin::default()).unwrap();
        let mut expected = Vec::new();
        for (n, (record, row)) in records.into_iter().zip(rows).enumerate() {
            if n % 7 == 3 {
                let index = record.index_near(n as u64 / 2);
                recorder.push(Record::failed(record.submitted(), record.stream(), index));
            } else {
                recorder.push(record);
                expected.push(row);
            }
        }
        assert_eq!(recorder.finish().unwrap().ios, expected.len() as u64);
        assert!(read(&path) == expected, "{ios} IOs a stream");
    }
}

/// Where all IOs are of one kind, the file's own range of the column says so, and its names are not looked
/// at. Parquet's reader of rows is the oracle.
#[test]
fn operations_are_read_as_written_whether_there_is_one_kind_or_several() {
    let scratch = Scratch::new();
    for (kept, range) in [("read", ["read", "read"]), ("write", ["write", "write"]), ("", ["read", "write"])]
    {
        let (sources, records, rows) = mixed(40_000, 7);
        let path = scratch.path("ios.parquet");
        let mut recorder = Recorder::create(&path, sources, &Origin::default()).unwrap();
        for (n, (record, row)) in records.into_iter().zip(rows).enumerate() {
            let is_kept = kept.is_empty() || row.2 == kept;
            let failed =
                || Record::failed(record.submitted(), record.stream(), record.index_near(n as u64 / 2));
            recorder.push(if is_kept { record } else { failed() });
        }
        recorder.finish().unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let of_column = reader.metadata().row_group(0).column(2).statistics().unwrap();
        let ends = [of_column.min_bytes_opt(), of_column.max_bytes_opt()];
        assert_eq!(ends, range.map(|name| Some(name.as_bytes())));
        let file = IoFile::open(&ResultFile::named(&path)).unwrap();
        let (mut batches, mut ios) = (file.batches(Parts::All), Vec::new());
        while let Some(batch) = batches.next_batch().unwrap() {
            let row = |io: &Io| {
                let [submit, response] = [io.submit_ns, io.response_ns].map(|ns| ns as i64);
                let (offset, length) = (io.offset_bytes as i64, i64::from(io.length_bytes));
                (submit, response, io.op.name().to_string(), offset, length, i32::from(io.stream))
            };
            ios.extend(batch.iter().map(row));
        }
        assert!(ios == read(&path) && !ios.is_empty(), "only '{kept}'");
    }
}

#[test]
fn random_writes_take_at_most_16_bytes_an_io() {
    let scratch = Scratch::new();
    for (name, response_ns, spread_ns) in [("0.1 ms", 100_000, 1 << 17), ("27 ms", 27_000_000, 1 << 25)] {
        let path = scratch.path("ios.parquet");
        let pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(4 << 40));
        let source: Box<dyn RequestSource + Send> = Box::new(PatternSource::new(&pattern, 0, 1));
        let mut recorder = Recorder::create(&path, vec![source], &Origin::default()).unwrap();
        let (mut random, mut submitted) = (Random::new(5), Time(0));
        for index in 0..300_000 {
            let response = Nanos(response_ns + random.below(spread_ns));
            recorder.push(Record::new(submitted, response, 0, index));
            submitted += response + Nanos(random.below(200));
        }
        let Written { ios, bytes } = recorder.finish().unwrap();
        let each = bytes as f64 / ios as f64;
        crate::common::say(&format!("random writes of {name} over 4 TiB: {each:.2} bytes an IO"));
        assert!(each <= 16.0, "{each} bytes an IO at {name}");
    }
}

#[test]
fn until_it_is_finished_a_file_has_another_name() {
    let scratch = Scratch::new();
    let path = scratch.path("ios.parquet");
    let (sources, records, _) = mixed(100, 1);
    let mut recorder = Recorder::create(&path, sources, &Origin::default()).unwrap();
    assert!(!path.exists() && scratch.path("ios.parquet.partial").exists());
    recorder.push(records[0]);
    drop(recorder);
    assert!(
        path.exists() && !scratch.path("ios.parquet.partial").exists(),
        "a dropped one keeps what it has"
    );
    assert_eq!(read(&path).len(), 1);
}

#[test]
fn nothing_is_written_while_a_run_goes_on() {
    let scratch = Scratch::new();
    let path = scratch.path("ios.parquet");
    let (sources, records, rows) = mixed(100_000, 1);
    let mut recorder = Recorder::create(&path, sources, &Origin::default()).unwrap();
    let begun = fs::metadata(scratch.path("ios.parquet.partial")).unwrap().len();
    records.iter().for_each(|record| recorder.push(*record));
    // Two chunks and more were handed over; there was time to write them.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(fs::metadata(scratch.path("ios.parquet.partial")).unwrap().len(), begun);
    recorder.finish().unwrap();
    assert!(read(&path) == rows);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_names_it() {
    let error = Recorder::create("/nowhere/at/all.parquet".as_ref(), vec![], &Origin::default());
    let text = error.err().unwrap().to_string();
    assert!(text.contains("/nowhere/at/all.parquet") && text.contains("No such file"), "{text}");
}

#[test]
fn a_full_disk_is_seen_while_the_run_goes_on_and_leaves_what_was_there() {
    let scratch = Scratch::new();
    let Some(tiny) = Tiny::mount("4m", scratch.path("tiny")) else { return };
    let earlier = tiny.path("earlier.parquet");
    let (_, rows) = record(&earlier, 1000, 2);
    let path = tiny.path("ios.parquet");
    let pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(4 << 40));
    let source: Box<dyn RequestSource + Send> = Box::new(PatternSource::new(&pattern, 0, 1));
    let mut recorder = Recorder::create(&path, vec![source], &Origin::default()).unwrap();
    let mut pushed = 0;
    while !recorder.has_failed() && pushed < 50_000_000 {
        recorder.push(Record::new(Time(pushed * 7919), Nanos(pushed % 9973), 0, pushed));
        pushed += 1;
    }
    assert!(recorder.has_failed(), "a 4 MiB disk held {pushed} IOs");
    let error = recorder.finish().unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, StoreError::File { .. }), "{text}");
    for part in ["ios.parquet", "No space left", "free some space"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!path.exists() && !tiny.path("ios.parquet.partial").exists(), "its room is free again");
    assert!(read(&earlier) == rows, "what was there is untouched");
}

#[test]
fn sources_that_are_not_those_of_the_run_are_found_out() {
    let scratch = Scratch::new();
    let (sources, ..) = mixed(10, 1);
    let mut recorder = Recorder::create(&scratch.path("a.parquet"), sources, &Origin::default()).unwrap();
    recorder.push(Record::new(Time(0), Nanos(1), 2, 0));
    let text = recorder.finish().unwrap_err().to_string();
    assert!(text.contains("stream 2") && text.contains("a.parquet"), "{text}");
}

/// Reads the file three ways and prints a line for each: rows, and sums that no wrong value survives.
const READERS: &str = r#"
import sys, duckdb, pandas, polars
path = sys.argv[1]
names = ["submit_ns", "response_ns", "op", "offset_bytes", "length_bytes", "stream"]
def show(rows):
    assert list(rows[0].keys()) == names, rows[0]
    for row in rows:
        print(",".join(str(row[name]) for name in names))
relation = duckdb.sql(f"select * from '{path}'")
show([dict(zip(relation.columns, row)) for row in relation.fetchall()])
show(pandas.read_parquet(path).to_dict("records"))
show(polars.read_parquet(path).to_dicts())
"#;

#[test]
fn duckdb_pandas_and_polars_read_the_same_rows() {
    let python = std::env::var("FLASHSCOPE_PYTHON").unwrap_or("python3".into());
    let has = Command::new(&python).args(["-c", "import duckdb, pandas, pyarrow, polars"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        skip(&format!("{python} has no duckdb, pandas, pyarrow and polars (set FLASHSCOPE_PYTHON)"));
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.path("ios.parquet");
    let (_, rows) = record(&path, 5000, 17);
    let output = Command::new(&python).arg("-c").arg(READERS).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |(submit, response, op, offset, length, stream): &Row| {
        format!("{submit},{response},{op},{offset},{length},{stream}")
    };
    let expected: Vec<String> = rows.iter().map(line).collect();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3 * expected.len());
    for (reader, lines) in ["DuckDB", "pandas", "polars"].iter().zip(lines.chunks(expected.len())) {
        assert!(lines.iter().eq(&expected), "{reader} reads other rows");
    }
    assert_eq!(Op::ALL.len(), 4);
}
