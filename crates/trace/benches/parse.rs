//! How fast traces are read, on one core, in processor time: megabytes of uncompressed text a second.
//!
//! `cargo bench -p flashscope-trace [-- NAME]` reads those whose name contains NAME.
#![allow(clippy::print_stdout)]

use std::io::{Cursor, Read};

use flashscope_trace::{BATCH, Compress, Records, Writer, open, open_file};
use rustix::time::{ClockId, clock_gettime};

/// The text of a sample is read again and again until it makes this much.
const TEXT_BYTES: usize = 256 << 20;
/// The best of so many rounds counts: other processes only ever slow one down.
const ROUNDS: usize = 5;
const TEXT_MB_PER_S: f64 = 500.0;
const BINARY_MB_PER_S: f64 = 2000.0;

const HEADING: &[u8] = b"start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n";

const FIO_HEADING_BYTES: usize = "fio version 3 iolog\n".len();

/// Sample, format.
const CASES: &[(&str, &str)] = &[
    ("install-ext3.tracefs.gz", "tracefs"),
    ("untar-ext4-completions.tracefs.gz", "tracefs"),
    ("mysql-first-2000.load.gz", "blkreplay"),
    ("alibaba.csv", "alibaba"),
    ("tencent.csv", "tencent"),
    ("k5cloud.csv", "k5cloud"),
    ("systor17.csv", "systor17"),
    ("cloudphysics.csv", "cloudphysics-csv"),
    ("diskmon.log", "diskmon"),
    ("etw.csv", "etw"),
    ("biosnoop.txt", "biosnoop"),
    ("hfplayer.csv", "hfplayer"),
    ("perf.txt", "tracefs"),
    ("named-columns.csv", "csv"),
    ("hand-made.msr.csv", "msr"),
    ("hand-made.spc", "spc"),
    ("hand-made.fiu", "fiu"),
    ("hand-made.blkparse", "blkparse"),
    ("hand-made.iolog2", "fio-iolog"),
    ("hand-made.iolog", "fio-iolog"),
    ("hand-made.disksim", "disksim"),
    ("hand-made.mqsim", "mqsim"),
];

/// The same, of binary formats.
const BINARY_CASES: &[(&str, &str)] = &[
    ("hand-made-1.vscsi", "vscsi"),
    ("hand-made-2.vscsi", "vscsi"),
    ("hand-made-big-endian.blktrace", "blktrace"),
    ("hand-made.blktrace.0", "blktrace"),
    ("hand-made.oracleGeneral", "oraclegeneral"),
    ("hand-made.oracleGeneralOpNS", "oraclegeneral-opns"),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let texts = CASES.iter().map(|case| (case, TEXT_MB_PER_S));
    let binaries = BINARY_CASES.iter().map(|case| (case, BINARY_MB_PER_S));
    for ((sample, format), least_mb_per_s) in texts.chain(binaries) {
        if !wanted.iter().all(|word| format.contains(word.as_str())) {
            continue;
        }
        let text = text(sample);
        let rates = (0..ROUNDS).map(|_| rate(format, text.clone()));
        let (mb_per_s, records_per_s) =
            rates.fold((0.0, 0.0), |a: (f64, f64), b| (a.0.max(b.0), a.1.max(b.1)));
        let verdict = if mb_per_s >= least_mb_per_s { "held" } else { "missed" };
        let millions = records_per_s / 1e6;
        let rates = format!("{mb_per_s:6.0} MB/s, {millions:5.2} M records/s");
        println!("{format:<18} {rates}, at least {least_mb_per_s} MB/s: {verdict}");
    }
    if wanted.iter().all(|word| "parquet".contains(word.as_str())) {
        parquet();
    }
}

/// The sample's requests, uncompressed, many times over.
fn text(sample: &str) -> Vec<u8> {
    let path = format!("{}/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
    let mut once = Vec::new();
    let mut file = std::fs::File::open(path).expect("a sample of the crate");
    match sample.ends_with(".gz") {
        true => flate2::read::MultiGzDecoder::new(file).read_to_end(&mut once),
        false => file.read_to_end(&mut once),
    }
    .expect("a whole sample");
    if sample.contains("oracleGeneral") {
        forget_next(&mut once, if sample.ends_with("OpNS") { 27 } else { 24 });
    }
    // Without blkreplay's header, which stands only once in a trace.
    let header = once.windows(HEADING.len()).position(|window| window == HEADING);
    let requests = header.map_or(0, |at| at + HEADING.len());
    // fio's first line stands once, before all others.
    let first = if once.starts_with(b"fio version") { FIO_HEADING_BYTES } else { 0 };
    [&once[..first], &once[requests.max(first)..].repeat(TEXT_BYTES / once.len())].concat()
}

/// Sets "no next request" in every entry: the numbers of the sample's end with it.
fn forget_next(entries: &mut [u8], entry_bytes: usize) {
    for entry in entries.chunks_exact_mut(entry_bytes) {
        entry[entry_bytes - 8..].fill(0xff);
    }
}

/// Megabytes and records a second of processor time.
fn rate(format: &str, text: Vec<u8>) -> (f64, f64) {
    let bytes = text.len() as f64;
    let mut reader = open(Cursor::new(text), Some(format), false).expect("a trace");
    let mut batch = Vec::new();
    let start_s = processor_s();
    while reader.next_batch(&mut batch).expect("records") > 0 {}
    let spent_s = processor_s() - start_s;
    (bytes / 1e6 / spent_s, reader.counts().records as f64 / spent_s)
}

/// Parquet, in records a second: a captured trace, many times over, written and read.
fn parquet() {
    const LEAST_M_PER_S: f64 = 5.0;
    const TIMES: usize = 150;
    let sample = std::fs::read(format!("{}/samples/install-ext3.tracefs.gz", env!("CARGO_MANIFEST_DIR")));
    let mut trace = open(Cursor::new(sample.expect("a sample of the crate")), None, false).expect("a trace");
    let (mut records, mut batch) = (Vec::new(), Vec::new());
    while trace.next_batch(&mut batch).expect("records") > 0 {
        records.extend_from_slice(&batch);
    }
    let count = (records.len() * TIMES) as f64;
    let path = std::env::temp_dir().join(format!("flashscope-bench-{}.parquet", std::process::id()));
    let (mut written, mut read) = (0.0f64, 0.0f64);
    for _ in 0..ROUNDS {
        let start_s = processor_s();
        let file = std::fs::File::create(&path).expect("a file");
        let mut writer = Writer::new(file, "parquet", Compress::No).expect("a writer");
        for _ in 0..TIMES {
            for batch in records.chunks(BATCH) {
                writer.write(batch, trace.devices()).expect("room");
            }
        }
        writer.finish().expect("room");
        written = written.max(count / 1e6 / (processor_s() - start_s));
        let start_s = processor_s();
        let file = std::fs::File::open(&path).expect("what was written");
        let mut table = open_file(file, None, false).expect("a table");
        while table.next_batch(&mut batch).expect("records") > 0 {}
        read = read.max(count / 1e6 / (processor_s() - start_s));
    }
    let bytes = std::fs::metadata(&path).map_or(0.0, |file| file.len() as f64 / count);
    let _ = std::fs::remove_file(&path);
    for (what, rate) in [("written", written), ("read", read)] {
        let verdict = if rate >= LEAST_M_PER_S { "held" } else { "missed" };
        let rates = format!("{rate:5.2} M records/s {what}, {bytes:.1} bytes each");
        println!("{:<18} {rates}, at least {LEAST_M_PER_S} M records/s: {verdict}", "parquet");
    }
}

fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
