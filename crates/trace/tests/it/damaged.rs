//! The samples, damaged at random, read as any format: never a panic, never a hang, and the size of reads
//! does not matter.

use std::io::{Cursor, Read};

use flashscope_trace::{Counts, FORMATS, Record, Records, TraceError, open};
use proptest::prelude::*;

type Outcome = Result<(Vec<Record>, Counts), TraceError>;

fn read(input: impl Read + Send + 'static, format: Option<&str>, lenient: bool) -> Outcome {
    let mut reader = open(input, format, lenient)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.next_batch(&mut batch)? > 0 {
        all.extend_from_slice(&batch);
    }
    Ok((all, reader.counts()))
}

/// Gives its bytes a few at a time, as a pipe may.
struct Trickle(Cursor<Vec<u8>>, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(buffer.len());
        self.0.read(&mut buffer[..length])
    }
}

/// The first bytes of every sample, uncompressed.
fn samples() -> Vec<Vec<u8>> {
    let folder = format!("{}/samples", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let head = |path| {
        let mut bytes = std::fs::read(path).unwrap();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
            bytes = plain;
        }
        bytes.truncate(6000);
        bytes
    };
    paths.into_iter().map(head).collect()
}

/// What is put in place of some bytes.
fn damage() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..4),
        "[0-9]{1,25}".prop_map(String::into_bytes),
        "[-+.,;: \t\r\n0-9A-Za-z\\[\\]()]{0,6}".prop_map(String::into_bytes),
    ]
}

/// A sample with some of its bytes replaced.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let places = proptest::collection::vec((any::<prop::sample::Index>(), 0usize..6, damage()), 0..6);
    (prop::sample::select(samples()), places, any::<prop::sample::Index>()).prop_map(
        |(mut bytes, places, end)| {
            for (at, length, new) in places {
                let start = at.index(bytes.len() + 1);
                let end = (start + length).min(bytes.len());
                bytes.splice(start..end, new);
            }
            bytes.truncate(end.index(2 * bytes.len() + 1));
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn damaged_samples_never_panic_and_the_size_of_reads_does_not_matter(
        bytes in damaged(), piece in 1usize..700, lenient: bool,
    ) {
        let names = FORMATS.iter().map(|format| Some(format.name));
        for format in names.chain([None]) {
            let whole = read(Cursor::new(bytes.clone()), format, lenient);
            let trickled = read(Trickle(Cursor::new(bytes.clone()), piece), format, lenient);
            if let Ok((records, counts)) = &whole {
                prop_assert_eq!(counts.records, records.len() as u64);
                prop_assert!(counts.lines >= counts.bad_lines + counts.other_lines);
                for record in records {
                    prop_assert!(record.offset_bytes.checked_add(record.length_bytes).is_some());
                }
            }
            prop_assert_eq!(whole, trickled, "{:?}", format);
        }
    }
}
