//! The IOs of a page are those of their file: all of them while they fit, faithful columns beyond. Decoded
//! here by the words of `html::dense`'s docs alone.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::common::{Scratch, say};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, RequestSource, Rw, Time};
use flashscope_show::html::dense::Trace;
use flashscope_show::html::document::{Block, DOCUMENT_VERSION, Document, Section};
use flashscope_show::html::{Bundle, page};
use flashscope_store::{Origin, Recorder};

const SEED: u64 = 11;

fn pattern() -> Pattern {
    Pattern { bs: Bytes(4096), ..Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(4 << 30)) }
}

fn source() -> PatternSource {
    PatternSource::new(&pattern(), 0, SEED)
}

/// Around 100 us, a hundredth of them a hundred times as long.
fn response_ns(i: u64) -> u64 {
    let noise = derive(SEED, i) % 40_000;
    if derive(SEED ^ 1, i).is_multiple_of(100) { 10_000_000 + noise } else { 80_000 + noise }
}

/// Writes a file of so many IOs; every tenth is completed after its next one.
fn write(path: &Path, ios: u64) {
    let sources: Vec<Box<dyn RequestSource + Send>> = vec![Box::new(source())];
    let mut recorder = Recorder::create(path, sources, &Origin::default()).unwrap();
    let mut now = 0;
    let mut late = None;
    for i in 0..ios {
        let record = Record::new(Time(now), Nanos(response_ns(i)), 0, i);
        now += response_ns(i) + 500;
        if i % 10 == 9 && i + 1 < ios {
            late = Some(record);
            continue;
        }
        recorder.push(record);
        late.take().into_iter().for_each(|record| recorder.push(record));
    }
    recorder.finish().unwrap();
}

fn bundle(folder: &Path, files: &[&str], room_bytes: usize) -> Bundle {
    let trace =
        |name: &&str| Block::Trace(Trace::unread(format!("trace-{name}"), (*name).into(), (*name).into()));
    let document = Document {
        version: DOCUMENT_VERSION,
        kind: "run",
        title: "made up </script><!-- & \" <b>".into(),
        subtitle: String::new(),
        flashscope_version: "0.1.0".into(),
        sections: vec![Section::new("traces", "Traces", files.iter().map(trace).collect())],
    };
    let (bundle, warnings) = Bundle::fill(document, folder, room_bytes);
    assert_eq!(warnings, []);
    bundle
}

fn traces(bundle: &Bundle) -> Vec<&Trace> {
    let blocks = bundle.document.sections.iter().flat_map(|section| &section.blocks);
    blocks.filter_map(|block| if let Block::Trace(trace) = block { Some(trace) } else { None }).collect()
}

/// The arrays of a blob by their names.
fn decoded(trace: &Trace, base64: &str) -> BTreeMap<&'static str, Vec<u64>> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for letter in base64.bytes().take_while(|letter| *letter != b'=') {
        bits = bits << 6 | letters.iter().position(|other| *other == letter).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    let mut raw = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut raw).unwrap();
    let mut at = 0;
    let mut found = BTreeMap::new();
    for array in &trace.arrays {
        let length = array.length as usize;
        let mut values = vec![0u64; length];
        for plane in 0..usize::from(array.planes) {
            for (value, byte) in values.iter_mut().zip(&raw[at..at + length]) {
                *value |= u64::from(*byte) << (8 * plane);
            }
            at += length;
        }
        let mut last = 0i64;
        let mut sum = |zigzag: u64| {
            let step =
                if zigzag.is_multiple_of(2) { (zigzag / 2) as i64 } else { -(zigzag.div_ceil(2) as i64) };
            last += step;
            last as u64
        };
        if array.is_delta {
            values.iter_mut().for_each(|value| *value = sum(*value));
        }
        found.insert(array.name, values);
    }
    assert_eq!(at, raw.len(), "nothing is left over");
    found
}

#[test]
fn every_io_comes_back_in_the_order_of_submission() {
    let scratch = Scratch::new();
    let ios = 200_000;
    write(&scratch.path("a"), ios);
    let bundle = bundle(&scratch.path(""), &["a"], usize::MAX >> 1);
    let trace = traces(&bundle)[0];
    assert_eq!((trace.ios, trace.column_ios), (ios, 1));
    let found = decoded(trace, &bundle.blobs["trace-a"]);
    let expected: Vec<u64> = (0..ios).map(response_ns).collect();
    assert_eq!(found["response_ns"], expected);
    let mut now = 0;
    let submitted = |i| {
        now += if i > 0 { response_ns(i - 1) + 500 } else { 0 };
        now
    };
    assert_eq!(found["submit_ns"], (0..ios).map(submitted).collect::<Vec<u64>>());
    let mut requests = vec![Default::default(); ios as usize];
    let mut source = source();
    let mut filled = 0;
    while filled < requests.len() {
        filled += source.fill(&mut requests[filled..]);
    }
    let unit = trace.unit_bytes;
    let bytes = |name: &str| found[name].iter().map(|value| value * unit).collect::<Vec<u64>>();
    assert_eq!(bytes("offset"), requests.iter().map(|request| request.offset_bytes).collect::<Vec<u64>>());
    assert!(bytes("length").iter().all(|length| *length == 4096));
    assert!(found["op"].iter().all(|op| trace.ops[*op as usize] == "write"));
    assert!(found["stream"].iter().all(|stream| *stream == 0));
}

#[test]
fn columns_hold_extremes_exactly_and_count_every_io() {
    let scratch = Scratch::new();
    let ios = 300_000;
    write(&scratch.path("a"), ios);
    let bundle = bundle(&scratch.path(""), &["a"], 60_000);
    let trace = traces(&bundle)[0];
    let base64 = &bundle.blobs["trace-a"];
    assert!(trace.column_ios > 1 && base64.len() <= 60_000, "{} in {}", base64.len(), trace.column_ios);
    let found = decoded(trace, base64);
    let all: Vec<u64> = (0..ios).map(response_ns).collect();
    let columns: Vec<&[u64]> = all.chunks(trace.column_ios as usize).collect();
    assert!(columns.len() > 20);
    let row = |ns: u64| ((ns as f64).log2() * 16.0).floor() as u64;
    let mut cells = found["row"].iter().zip(&found["count"]);
    for (i, column) in columns.iter().enumerate() {
        let (min, max) = (*column.iter().min().unwrap(), *column.iter().max().unwrap());
        assert_eq!((found["min_ns"][i], found["max_ns"][i]), (min, max), "column {i}");
        assert_eq!((column[found["min_at"][i] as usize], column[found["max_at"][i] as usize]), (min, max));
        let mean = column.iter().sum::<u64>() as f64 / column.len() as f64;
        assert!((found["mean_ns"][i] as f64 - mean).abs() <= 1.0);
        let mut counts = BTreeMap::new();
        column.iter().for_each(|ns| *counts.entry(row(*ns)).or_insert(0u64) += 1);
        let listed: Vec<(u64, u64)> =
            cells.by_ref().take(found["cells"][i] as usize).map(|(row, count)| (*row, *count)).collect();
        assert_eq!(listed, counts.into_iter().collect::<Vec<_>>(), "column {i}");
    }
    assert!(cells.next().is_none());
    let head = &found["head_response_ns"];
    assert!(head.len() > 500 && head[..] == all[..head.len()], "{} IOs one by one", head.len());
}

#[test]
fn what_small_experiments_leave_is_for_the_large() {
    let scratch = Scratch::new();
    write(&scratch.path("one"), 1);
    write(&scratch.path("small"), 1000);
    write(&scratch.path("large"), 100_000);
    let room_bytes = 200_000;
    let bundle = bundle(&scratch.path(""), &["large", "one", "small"], room_bytes);
    let columns: Vec<u64> = traces(&bundle).iter().map(|trace| trace.column_ios).collect();
    assert!(columns[0] > 1 && columns[1..] == [1, 1], "{columns:?}");
    assert_eq!(bundle.ios(), (101_001, 1001));
    let large = bundle.blobs["trace-large"].len();
    assert!(large > room_bytes / 2, "{large} bytes");
    assert!(page(&[bundle]).len() < room_bytes + 200_000);
}

/// A page of so many IOs in one experiment.
fn page_of(ios: u64) -> String {
    let scratch = Scratch::new();
    write(&scratch.path("a"), ios);
    let begun = std::time::Instant::now();
    let bundle = bundle(&scratch.path(""), &["a"], Bundle::room_bytes(1));
    let html = page(&[bundle]);
    say(&format!("{ios} IOs: {} bytes, packed in {:.2?}", html.len(), begun.elapsed()));
    html
}

#[test]
fn a_million_ios_are_a_page_of_six_megabytes_that_fetches_nothing() {
    check(&page_of(1_000_000));
}

#[test]
#[ignore = "takes a minute; run with --release -- --ignored"]
fn ten_million_ios_are_a_page_of_six_megabytes_that_fetches_nothing() {
    check(&page_of(10_000_000));
}

fn check(html: &str) {
    assert!(html.len() <= 6_000_000, "{} bytes", html.len());
    assert!(html.contains("default-src 'none'"));
    for fetch in ["src=\"", "src='", "<link", "@import", "url(http", "url(//", "href=\"http", "import("] {
        assert!(!html.contains(fetch), "{fetch}");
    }
    // What is named after a script's end is not of the document's making.
    let scripts = html.matches("<script").count();
    assert_eq!(html.matches("</script>").count(), scripts, "every script ends once");
    assert!(!html.contains("made up </script>") && html.contains("made up \\u003c/script>"));
}
