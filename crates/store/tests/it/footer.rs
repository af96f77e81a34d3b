//! A footer with other words says the same of the same columns, and no damage to a file ends in a panic.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::Scratch;
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, Rw, Time};
use flashscope_store::{Footer, Origin, Recorder, Responses, ResultFile};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

fn written(scratch: &Scratch) -> PathBuf {
    let path = scratch.path("ios.parquet");
    let pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
    let origin = Origin { experiment: "drive of Ada/RW".into(), has_due: true, ..Origin::default() };
    let source = Box::new(PatternSource::new(&pattern, 0, 1));
    let mut recorder = Recorder::create(&path, vec![source], &origin).expect("a file");
    for index in 0..5000 {
        recorder.push(Record::new(Time(index * 1000), Nanos(100 + index % 7), 0, index));
    }
    recorder.finish().expect("it is written");
    path
}

fn nameless(path: &Path) -> Result<Footer, String> {
    Footer::reworded(&ResultFile::named(path), &mut |text| text.replace("Ada", "x"))
        .map_err(|error| error.to_string())
}

#[test]
fn words_are_others_and_columns_the_same() {
    let scratch = Scratch::new();
    let path = written(&scratch);
    let footer = nameless(&path).expect("a footer");
    let mut bytes = fs::read(&path).expect("the file");
    bytes.truncate(footer.columns_bytes as usize);
    bytes.extend(&footer.bytes);
    let other = scratch.path("other.parquet");
    fs::write(&other, bytes).expect("a file");
    let reader = SerializedFileReader::new(File::open(&other).expect("a file")).expect("Parquet");
    let about = reader.metadata().file_metadata().key_value_metadata().expect("words").clone();
    assert!(about.iter().any(|pair| pair.value.as_deref() == Some("drive of x/RW")));
    assert!(about.iter().all(|pair| !pair.value.as_deref().unwrap_or("").contains("Ada")));
    let [own, others] =
        [&path, &other].map(|path| Responses::read(&ResultFile::named(path), 100).expect("its IOs"));
    assert_eq!((own.mean_ns, own.max_ns), (others.mean_ns, others.max_ns));
}

/// Not one of them may panic, and what is refused is refused with the file's name and what to do.
#[test]
fn no_damage_ends_in_a_panic() {
    let scratch = Scratch::new();
    let path = written(&scratch);
    let whole = fs::read(&path).expect("the file");
    let footer_bytes = whole.len() - nameless(&path).expect("a footer").columns_bytes as usize;
    let overwritten = (0..900u64).map(|i| {
        let mut bytes = whole.clone();
        let at = whole.len() - 1 - derive(9, i) as usize % footer_bytes;
        match i % 3 {
            0 => bytes[at] ^= 1 << (i / 3 % 8),
            1 => bytes[at] = derive(10, i) as u8,
            _ => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
        }
        bytes
    });
    let cut = (0..whole.len()).step_by(whole.len() / 100).map(|length| whole[..length].to_vec());
    let mut refused = 0;
    for bytes in overwritten.chain(cut) {
        fs::write(&path, bytes).expect("a file");
        if let Err(error) = nameless(&path) {
            assert!(
                error.contains("ios.parquet") && error.contains("measure that experiment again"),
                "{error}"
            );
            refused += 1;
        }
    }
    assert!(refused > 300, "{refused} of them are refused, seed 9");
}

#[test]
fn another_kind_of_file_is_refused_by_the_name_of_its_column() {
    let scratch = Scratch::new();
    let path = scratch.path("foreign.parquet");
    let schema = parse_message_type("message m { required int64 submit_ns; required int64 salary; }");
    let file = File::create(&path).expect("a file");
    let properties = Arc::new(WriterProperties::builder().build());
    SerializedFileWriter::new(file, Arc::new(schema.expect("a schema")), properties)
        .and_then(SerializedFileWriter::close)
        .expect("a file of Parquet");
    let error = nameless(&path).expect_err("it is no file of IOs");
    assert!(error.contains("foreign.parquet") && error.contains("unknown column salary"), "{error}");
}
