//! docs/data.md promises columns and metadata: what is written must be that.

use std::fs::{self, File};
use std::path::Path;

use crate::common::Scratch;
use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, Rw, Time};
use flashscope_store::{Origin, Recorder, SCHEMA_VERSION};
use parquet::basic::{LogicalType, Repetition, Type};
use parquet::file::metadata::FileMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// The cells of the rows of the table whose heading begins with `first`.
fn table(first: &str) -> Vec<Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let rows = page.lines().skip_while(|line| !line.starts_with(&format!("| {first} |"))).skip(2);
    let cells =
        |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// One file as a run or a replay writes it.
fn written(has_due: bool) -> FileMetaData {
    let scratch = Scratch::new();
    let path = scratch.path("ios.parquet");
    let pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 20));
    let origin = Origin { experiment: "baseline/RW/32KiB".into(), has_due, ..Origin::default() };
    let source = Box::new(PatternSource::new(&pattern, 0, 1));
    let mut recorder = Recorder::create(&path, vec![source], &origin).expect("a file");
    recorder.push(Record::new(Time(5), Nanos(7), 0, 0));
    recorder.finish().expect("it is written");
    let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
    reader.metadata().file_metadata().clone()
}

#[test]
fn columns_are_those_of_the_page() {
    let promised: Vec<(String, String)> =
        table("column").iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(promised.len(), 7);
    for has_due in [false, true] {
        let meta = written(has_due);
        let columns = meta.schema_descr().columns().iter().map(|column| {
            assert_eq!(column.self_type().get_basic_info().repetition(), Repetition::REQUIRED, "never null");
            let kind = match (column.physical_type(), column.logical_type_ref()) {
                (Type::INT64, None) => "int64",
                (Type::INT32, None) => "int32",
                (Type::BYTE_ARRAY, Some(LogicalType::String)) => "string",
                other => panic!("{}: {other:?} is not on the page", column.name()),
            };
            (column.name().to_string(), kind.to_string())
        });
        let of_page = promised.iter().filter(|(name, _)| has_due || name != "due_ns").cloned();
        assert_eq!(columns.collect::<Vec<_>>(), of_page.collect::<Vec<_>>());
    }
}

#[test]
fn metadata_keys_are_those_of_the_page() {
    let promised = table("key");
    let meta = written(false);
    let pairs = meta.key_value_metadata().expect("there is some");
    let keys: Vec<&str> = pairs.iter().map(|pair| pair.key.as_str()).collect();
    assert_eq!(keys, promised.iter().map(|row| row[0].as_str()).collect::<Vec<_>>());
    let version =
        pairs.iter().find(|pair| pair.key == "flashscope.schema_version").expect("it has a version");
    assert_eq!(version.value, Some(SCHEMA_VERSION.to_string()));
    assert!(promised[0][1].ends_with(&format!("now {SCHEMA_VERSION}")), "{}", promised[0][1]);
}
