//! What is damaged: the samples, each to its first 16 KiB.

use std::fs::File;
use std::io::Read;

use flashscope_trace::kit::Damage;
use flashscope_trace::{Compress, FORMATS, Records, Writer, open_file, sniff_input};

/// Of a sample, its begin is taken.
const SAMPLE_BYTES: u64 = 16 << 10;

/// The samples of a format, and of the others.
pub fn inputs(format: &str, seed: u64) -> Damage {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let folder = format!("{}/samples", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the samples").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    for path in paths {
        let found = sniff_input(File::open(&path).expect("a sample"));
        let is_own = found.is_ok_and(|found| found[0].0.name == format);
        let list = if is_own { &mut own } else { &mut others };
        list.push(begin(File::open(&path).expect("a sample")));
    }
    let is_whole = format == "parquet";
    if is_whole {
        own.push(table());
    }
    // A seed of its own for each format.
    let place = FORMATS.iter().position(|known| known.name == format).unwrap_or(0) as u64;
    let damage = Damage::new(own, others, seed.wrapping_add(place << 56));
    if is_whole { damage.of_the_whole() } else { damage }
}

/// The uncompressed begin.
fn begin(file: File) -> Vec<u8> {
    let mut magic = [0; 2];
    let mut bytes = Vec::new();
    let is_gzip =
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut magic, 0).is_ok() && magic == [0x1f, 0x8b];
    let file: Box<dyn Read> = match is_gzip {
        true => Box::new(flate2::read::MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    file.take(SAMPLE_BYTES).read_to_end(&mut bytes).expect("a whole sample");
    bytes
}

/// A table as flashscope writes it.
fn table() -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("fuzz-{}.parquet", std::process::id()));
    let sample = format!("{}/samples/hand-made.parquet", env!("CARGO_MANIFEST_DIR"));
    let mut trace = open_file(File::open(sample).expect("a sample"), None, false).expect("a trace");
    let mut batch = Vec::new();
    trace.next_batch(&mut batch).expect("records");
    let file = File::create(&path).expect("a temporary file");
    let mut writer = Writer::new(file, "parquet", Compress::No).expect("a writer");
    writer.write(&batch, trace.devices()).expect("room");
    writer.finish().expect("room");
    let bytes = std::fs::read(&path).expect("what was written");
    let _ = std::fs::remove_file(&path);
    bytes
}
